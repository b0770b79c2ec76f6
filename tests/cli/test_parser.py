"""What is wrong with a command line is said without quoting what could do harm."""

import pytest

from questions.cli import main

TOKEN = "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1c2VyOmFuYSJ9.c2ln-_"


def said(capsys, *arguments):
    with pytest.raises(SystemExit) as done:
        main([*arguments])
    assert done.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [["list", TOKEN], ["list", "--tok", TOKEN, TOKEN], ["answer", "q_1", "yes", TOKEN], ["completion", TOKEN]],
)
def test_a_token_in_the_wrong_place_is_not_quoted(arguments, capsys):
    told = said(capsys, *arguments)
    assert not any(part in told for part in TOKEN.split("."))
    assert "(a token)" in told
    assert "revoke that one" in told


def test_a_token_in_place_of_an_id_is_not_quoted(capsys, monkeypatch):
    monkeypatch.setenv("QUESTIONS_TOKEN", TOKEN)
    assert main(["answer", TOKEN, "yes", "--url", "ws://127.0.0.1:1", "--wait", "0"]) == 5
    assert "eyJ" not in capsys.readouterr().err


def test_what_cannot_be_seen_is_made_visible(capsys, monkeypatch, tmp_path):
    assert r"arguments: \x1b[2K\u202ered" in said(capsys, "list", "\x1b[2K\u202ered")
    config = tmp_path / "config.toml"
    config.write_text('"a\\u001b[2K" = 1')
    monkeypatch.setenv("QUESTIONS_CONFIG", str(config))
    assert main(["config"]) == 2
    assert r"$.a\x1b[2K: there is no such setting" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["answer", "q_1", "\udcff"],
        ["ask", "confirm", "Go?", "--to", "ana", "--key", "\udcff"],
        ["ask", "text", "Go?", "--to", "ana", "--default", "\udcff"],
        ["ask", "confirm", "Go?", "--to", "\udcff"],
        ["list", "--session", "\udcff"],
    ],
)
def test_what_is_no_text_is_refused_before_anything_is_sent(arguments, capsys):
    assert r"'\udcff' is not text in UTF-8" in said(capsys, *arguments)


def test_the_name_of_a_file_may_be_any_bytes(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert main(["ask", "confirm", "Go?", "--to", "ana", "--details-file", "\udcff"]) == 2
    assert capsys.readouterr().err == "\\udcff cannot be read: No such file or directory.\n"
