"""`questions token`: what it prints where, whom it makes tokens for, and that no token is ever an argument."""

import io
import json
import os
import stat
import subprocess
import sys
import time

import pytest

from facets import Principal
from facets.link.keys import KeyRing
from facets.link.revocations import Revocations
from facets.link.tokens import TokenAuthenticator
from questions.cli import main
from questions.cli.token import auth_keys_path, revocations_path
from tests.house.source import ROOT

ANA = Principal.user("ana")


class Command:
    """The command on files of its own; remembers what it has printed."""

    def __init__(self, keys, capsys, monkeypatch):
        self.keys = keys
        self._capsys = capsys
        self._patch = monkeypatch

    def __call__(self, *arguments, given=""):
        """Run `questions token ARGUMENTS`: its exit code, and what it has printed to standard output and error."""
        self._patch.setattr(sys, "stdin", io.StringIO(given))
        code = main(["token", *map(str, arguments), "--auth-keys", str(self.keys)])
        printed = self._capsys.readouterr()
        return code, printed.out.strip(), printed.err.strip()

    def issue(self, *arguments):
        code, token, _ = self(*arguments)
        assert code == 0
        return token

    def identity(self, token):
        """What a server with these files makes of a token."""
        files = KeyRing(self.keys), Revocations(revocations_path(self.keys))
        return TokenAuthenticator(*files).authenticate(token, time.time())


@pytest.fixture
def token(tmp_path, capsys, monkeypatch):
    return Command(tmp_path / "state" / "keys.json", capsys, monkeypatch)


def test_standard_output_has_the_token_alone(token):
    code, out, err = token("user:ana", "--name", "Ana")
    identity = token.identity(out)
    assert (code, identity.principal, identity.name) == (0, ANA, "Ana")
    assert err.startswith("A token for user:ana (Ana), until 20")
    assert f"questions token revoke {identity.token_id}" in err
    assert out not in err
    assert "secret" not in err


def test_the_first_token_makes_keys_and_a_list_for_their_owner_alone(token):
    token.issue("user:ana")
    files = {file.name: stat.S_IMODE(file.stat().st_mode) for file in token.keys.parent.iterdir()}
    assert {name: files[name] for name in ("keys.json", "keys.json.revoked")} == dict.fromkeys(
        ("keys.json", "keys.json.revoked"), 0o600
    )
    assert set(files.values()) == {0o600}
    before = KeyRing(token.keys).kids
    token.issue("user:bo")
    assert KeyRing(token.keys).kids == before


def test_scopes_and_lifetime_are_as_wished(token):
    identity = token.identity(token.issue("guest:bo", "--scope", "session:a b", "--scope", "owner", "--expires", "30m"))
    assert identity.scopes == {"session:a b", "owner"}
    assert identity.expires - identity.issued == pytest.approx(1800)


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("30m", 1800), ("8h", 28_800), ("366d", 31_622_400)])
def test_a_lifetime_is_a_number_and_a_unit(token, text, seconds):
    identity = token.identity(token.issue("user:ana", "--expires", text))
    assert identity.expires - identity.issued == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["8", "h", "-1h", "1.5h", "8 h", "8w", "٣h"])
def test_other_lifetimes_are_refused(token, text, capsys):
    with pytest.raises(SystemExit) as done:
        token("user:ana", f"--expires={text}")
    assert done.value.code == 2
    assert "such as 30m, 8h or 30d" in capsys.readouterr().err


def test_a_token_can_go_to_a_file_and_nowhere_else(token, tmp_path):
    file = tmp_path / "ana.token"
    code, out, err = token("user:ana", "--output", file)
    assert (code, out) == (0, "")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert token.identity(file.read_text().strip()).principal == ANA
    assert file.read_text().strip() not in err


def test_a_file_that_cannot_be_written_is_told(token, tmp_path):
    code, out, err = token("user:ana", "--output", tmp_path)
    assert (code, out, err) == (2, "", f"{tmp_path} is not a regular file; no token was issued")


@pytest.mark.parametrize("place", ["", "/", ".", ".."])
def test_a_place_that_is_no_file_is_told(token, place):
    code, out, err = token("user:ana", "--output", place)
    assert (code, out, "is not a regular file; no token was issued" in err) == (2, "", True)


def test_json_has_the_token_and_what_it_is(token):
    said = json.loads(token.issue("user:ana", "--json", "--scope", "owner"))
    assert token.identity(said["token"]).token_id == said["id"]
    assert (said["principal"], said["name"], said["scopes"]) == ("user:ana", None, ["owner"])
    assert said["expires"] - said["issued"] == pytest.approx(28_800)


def test_json_leaves_out_what_went_to_a_file(token, tmp_path):
    said = json.loads(token.issue("user:ana", "--json", "--output", tmp_path / "t"))
    assert set(said) == {"id", "principal", "name", "scopes", "issued", "expires"}


def test_on_a_terminal_it_says_that_it_is_a_secret(token, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    _, _, err = token("user:ana")
    assert "It is a secret: who has it is taken for user:ana." in err


@pytest.mark.parametrize("text", ["ana", "root:ana", "user:", "user:a\nb", "retired"])
def test_who_is_no_principal_is_told(token, text):
    code, out, err = token(text)
    assert (code, out) == (2, "")
    assert err.startswith("not a principal: ")
    assert not token.keys.exists()


def test_a_wish_that_cannot_be_fulfilled_is_told(token):
    code, _, err = token("user:ana", "--expires", "900d", "--scope", "all")
    assert code == 2
    assert err.startswith("no token was issued: $.lifetime: 1 to 31622400 seconds")
    assert "$.scopes[0]: session:ID, or owner" in err


@pytest.mark.parametrize("arguments", [["TOKEN"], ["revoke", "TOKEN"], ["retire", "TOKEN"]])
def test_a_token_on_the_command_line_is_refused_and_not_quoted(token, arguments):
    secret = token.issue("user:ana")
    code, out, err = token(*(secret if argument == "TOKEN" else argument for argument in arguments))
    assert (code, out) == (2, "")
    assert "Give it on standard input" in err
    assert not any(part in err for part in secret.split("."))


def test_one_token_is_revoked_by_its_id(token):
    one, two = token.issue("user:ana"), token.issue("user:ana")
    id = token.identity(one).token_id
    assert token("revoke", id) == (0, f"revoked: token {id}", "")
    assert token.identity(one) is None
    assert token.identity(two)


def test_a_token_is_revoked_by_itself_on_standard_input(token):
    one = token.issue("user:ana")
    id = token.identity(one).token_id
    assert token("revoke", "-", given=f"{one}\n") == (0, f"revoked: token {id} of user:ana", "")
    assert token.identity(one) is None
    code, out, err = token("revoke", "-", given=one)
    assert (code, out) == (2, "")
    assert "no token that would be accepted" in err


def test_all_tokens_of_a_principal_are_revoked_and_new_ones_are_good(token):
    old, others = token.issue("user:ana"), token.issue("user:bo")
    assert token("revoke", "user:ana") == (0, "revoked: every token that user:ana was given until now", "")
    new = token.issue("user:ana")
    assert [token.identity(each) is not None for each in (old, others, new)] == [False, True, True]


def test_revoking_can_be_told_in_json(token):
    one = token.issue("user:ana")
    id = token.identity(one).token_id
    assert json.loads(token("revoke", id, "--json")[1]) == {"token": id}
    assert json.loads(token("revoke", "user:ana", "--json")[1])["principal"] == "user:ana"


@pytest.mark.parametrize("target", ["ana", "root:ana", "123", ""])
def test_what_is_not_revocable_is_told(token, target):
    token.issue("user:ana")
    code, out, err = token("revoke", target)
    assert (code, out) == (2, "")
    assert err
    assert revocations_path(token.keys).read_bytes() == b""


def test_where_there_are_no_keys_nothing_is_revoked_rotated_or_made(token):
    for arguments in (["revoke", "user:ana"], ["rotate"], ["retire", "kid"], ["keys"]):
        code, out, err = token(*arguments)
        assert (code, out, err) == (2, "", f"key file {token.keys}: cannot be opened: No such file or directory")
    assert not token.keys.parent.exists()


def test_keys_are_rotated_listed_and_retired(token):
    old_token = token.issue("user:ana")
    (old,) = KeyRing(token.keys).kids
    _, new, _ = token("rotate")
    assert token.identity(old_token)
    assert token("keys") == (0, f"{new} signs and verifies\n{old} verifies", "")
    assert token("retire", old) == (0, f"retired: {old}", "")
    assert token.identity(old_token) is None
    assert token("keys") == (0, f"{new} signs and verifies", "")


def test_the_key_that_signs_is_not_retired(token):
    token.issue("user:ana")
    code, _, err = token("retire", KeyRing(token.keys).kids[0])
    assert code == 2
    assert "rotate first" in err


def test_keys_as_json_are_the_public_set(token):
    token.issue("user:ana")
    private = json.loads(token.keys.read_text())["keys"][0]["d"]
    _, out, _ = token("keys", "--json")
    assert json.loads(out) == KeyRing(token.keys).public()
    assert private not in out


@pytest.mark.parametrize(
    "arguments", [["revoke"], ["retire"], ["keys", "more"], ["rotate", "more"], ["user:ana", "user:bo"]]
)
def test_arguments_that_do_not_belong_together_are_told(token, arguments):
    code, _, err = token(*arguments)
    assert (code, err) == (2, "revoke and retire say what to take back; nothing else takes a second argument.")


@pytest.mark.parametrize("option", ["--name", "--expires", "--scope", "--output"])
def test_options_of_a_new_token_are_for_that_only(token, option):
    code, _, err = token("rotate", option, "1h")
    assert (code, err) == (2, f"{option} is for a new token: questions token PRINCIPAL {option} ...")


def test_keys_that_others_can_read_are_not_used(token):
    token.issue("user:ana")
    token.keys.chmod(0o644)
    code, out, err = token("user:ana")
    assert (code, out) == (2, "")
    assert "chmod 600" in err


def test_the_file_of_keys_is_named_or_in_the_state_folder(monkeypatch, tmp_path):
    for name in ("QUESTIONS_AUTH_KEYS", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert auth_keys_path(None) == tmp_path / ".local" / "state" / "questions" / "keys.json"
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    assert auth_keys_path(None) == tmp_path / ".local" / "state" / "questions" / "keys.json"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert auth_keys_path(None) == tmp_path / "state" / "questions" / "keys.json"
    monkeypatch.setenv("QUESTIONS_AUTH_KEYS", "keys")
    assert str(auth_keys_path(None)) == "keys"
    assert str(auth_keys_path("mine")) == "mine"
    assert revocations_path(auth_keys_path("mine")).name == "mine.revoked"


def test_help_shows_examples(capsys):
    with pytest.raises(SystemExit) as done:
        main(["token", "--help"])
    assert done.value.code == 0
    assert "examples:\n  questions token user:ana" in capsys.readouterr().out


def test_without_the_library_it_says_what_to_install(tmp_path):
    (tmp_path / "joserfc.py").write_text("raise ModuleNotFoundError(\"No module named 'joserfc'\", name='joserfc')")
    command = [sys.executable, "-W", "error", "-m", "questions.cli", "token", "user:ana", "--auth-keys", tmp_path / "k"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ran = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=60, env=environment)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert 'pip install "question-broker[serve]"' in ran.stderr
