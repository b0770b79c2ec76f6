"""Settings: an option goes before the environment, that before the file; what is wrong is told; no secret is shown."""

import json
import re

import pytest

from questions.cli import main
from questions.cli.config import _EXAMPLES
from questions.cli.settings import SETTINGS, load_settings
from questions.cli.token import auth_keys_path
from tests.cli.house import open_house
from tests.house.source import ROOT, text_of

TOKEN = "eyJhbGciOiJFZDI1NTE5In0.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJl"


@pytest.fixture
def config(tmp_path, monkeypatch):
    """Writes the configuration file."""
    file = tmp_path / "config.toml"
    monkeypatch.setenv("QUESTIONS_CONFIG", str(file))

    def write(text):
        file.write_text(text)
        return file

    return write


def shown(capsys, *arguments):
    """What `questions config` prints."""
    capsys.readouterr()
    code = main(["config", *arguments])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_an_option_goes_before_the_environment_that_before_the_file_and_that_before_what_is_built_in(
    config, monkeypatch
):
    assert (load_settings_of(config, "").applied("wait").value, load_settings().applied("wait").source) == (
        5.0,
        "built in",
    )
    file = config("wait = 7")
    assert (load_settings().value("wait"), load_settings().applied("wait").source) == (7.0, str(file))
    monkeypatch.setenv("QUESTIONS_WAIT", "8")
    assert (load_settings().value("wait"), load_settings().applied("wait").source) == (8.0, "$QUESTIONS_WAIT")
    assert (load_settings().value("wait", 9.0), load_settings().applied("wait", 9.0).source) == (9.0, "--wait")
    monkeypatch.setenv("QUESTIONS_WAIT", "")
    assert load_settings().value("wait") == 7.0


def load_settings_of(config, text):
    config(text)
    return load_settings()


def test_every_setting_can_be_in_the_file_and_in_the_environment(config, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", "/home/me")
    settings = load_settings_of(
        config,
        """
        url = "ws://127.0.0.1:1"
        sessions = ["a", "b"]
        token-file = "~/t"
        tls-ca = "ca.pem"
        wait = 0.5
        to = ["ana"]
        timeout = "10m"
        auth-keys = "/keys.json"
        root = "store"
        channels = "channels"
        """,
    )
    in_file = ["ws://127.0.0.1:1", ["a", "b"], "/home/me/t", f"{tmp_path}/ca.pem", 0.5, ["ana"], 600.0, "/keys.json"]
    assert [settings.value(one.name) for one in SETTINGS] == [*in_file, f"{tmp_path}/store", f"{tmp_path}/channels"]
    assert str(auth_keys_path(None)) == "/keys.json"
    texts = ["ws://127.0.0.1:2", "c, d", "t", "ca", "3", "bo,guest:eve", "30s", "k", "r", "c"]
    for setting, text in zip(SETTINGS, texts, strict=True):
        monkeypatch.setenv(setting.variable, text)
    values = ["ws://127.0.0.1:2", ["c", "d"], "t", "ca", 3.0, ["bo", "guest:eve"], 30.0, "k", "r", "c"]
    assert [settings.value(one.name) for one in SETTINGS] == values


def test_a_store_on_a_server_is_no_path(config):
    assert load_settings_of(config, 'root = "postgresql://db/questions"').value("root") == "postgresql://db/questions"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("colour = 1", "$.colour: there is no such setting; there are url, sessions, "),
        ('token = "x"', "$.token: a token is a secret and does not stand here"),
        ("url = 1", "$.url: a text that is not empty"),
        ('sessions = "main"', "$.sessions: a list of texts"),
        ('wait = "5"', "$.wait: a number of seconds, 0 or more"),
        ("wait = -1", "$.wait: seconds, 0 or more"),
        ('timeout = "soon"', "$.timeout: a number and s, m, h or d"),
        ("url", "is not TOML: "),
    ],
)
def test_what_is_wrong_in_the_file_is_told_with_its_path(config, capsys, text, words):
    file = config(text)
    code, out, err = shown(capsys)
    assert (code, out) == (2, "")
    assert err.startswith(str(file))
    assert words in err


def test_every_fault_of_the_file_is_told(config, capsys):
    config("a = 1\nb = 2\nwait = true")
    assert len(shown(capsys)[2].splitlines()) == 3


def test_a_variable_that_is_wrong_is_told(capsys, monkeypatch):
    monkeypatch.setenv("QUESTIONS_TIMEOUT", "soon")
    assert shown(capsys)[::2] == (2, "$QUESTIONS_TIMEOUT: a number and s, m, h or d, such as 30m, 8h or 30d.\n")


def test_a_list_in_the_environment_that_has_gaps_is_told(capsys, monkeypatch):
    monkeypatch.setenv("QUESTIONS_SESSIONS", "a,,b")
    assert shown(capsys)[2] == "$QUESTIONS_SESSIONS: names with commas in between, none of them empty.\n"


def test_a_file_that_is_named_has_to_be_there_and_the_usual_one_has_not(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("QUESTIONS_CONFIG", str(tmp_path / "none"))
    assert shown(capsys)[::2] == (2, f"{tmp_path}/none cannot be read: No such file or directory.\n")
    monkeypatch.delenv("QUESTIONS_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert shown(capsys)[1].startswith(f"{tmp_path}/questions/config.toml  (there is none)\n")
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / "config.toml").write_text('url = "ws://127.0.0.1:7"')
    assert "url         ws://127.0.0.1:7  (" in shown(capsys)[1]


def test_no_secret_is_shown(config, capsys, monkeypatch):
    config(f'url = "{TOKEN}"\ntoken-file = "{TOKEN}"')
    monkeypatch.setenv("QUESTIONS_TOKEN", TOKEN)
    (_, words, errors), (code, told, more_errors) = shown(capsys), shown(capsys, "--json")
    assert code == 0
    assert not any(part in words + errors + told + more_errors for part in TOKEN.split("."))
    told = json.loads(told)["settings"]
    assert told["token"] == {"value": "(not shown)", "from": "$QUESTIONS_TOKEN"}


def test_json_says_what_holds_and_where_it_is_from(config, capsys):
    file = config('sessions = ["a"]')
    told = json.loads(shown(capsys, "--json")[1])
    assert (told["config"], told["exists"]) == (str(file), True)
    assert told["settings"]["sessions"] == {"value": ["a"], "from": str(file)}
    assert told["settings"]["wait"] == {"value": 5.0, "from": "built in"}


async def test_commands_take_where_and_whose_token_from_the_file(tmp_path, config, capsys):
    async with open_house(tmp_path) as house:
        config(f'url = "{house.server.url}"\ntoken-file = "{house.token_file().name}"')
        code, out, err = await house.run_bare(capsys, "list")
        assert (code, out, err.startswith("Nothing is open for you in main.")) == (0, "", True)


def test_the_documents_have_every_setting_in_one_table():
    page = text_of(ROOT / "docs" / "command-line.md")
    for one in SETTINGS:
        assert f"| `{one.name}` | `{one.option}` | `${one.variable}` | {one.what} | {one.built_in} |" in page
        assert re.search(rf"  {one.name} +{one.option} +\${one.variable} ", _EXAMPLES)


def test_no_variable_is_read_that_the_documents_do_not_name():
    sources = [text_of(path) for path in (ROOT / "questions" / "cli").rglob("*.py")]
    read = {name for source in sources for name in re.findall(r"environ(?:\.get\(|\[)\"(QUESTIONS_\w+)", source)}
    page = text_of(ROOT / "docs" / "command-line.md")
    assert read == {"QUESTIONS_TOKEN", "QUESTIONS_CONFIG"}
    assert not [name for name in read if f"`${name}`" not in page]
