"""`questions channels`: set up before a Bot API on a real port; looked at, reloaded and repaired in a real store."""

import json
import signal

import pytest
import trio

from questions.gates import open_gates
from questions.gates.adapter import Report
from questions.gates.channel_settings import Saved, write_saved
from questions.gates.config import CHANNELS_FILE, CREDENTIALS_FILE
from questions.gates.outbox import Begin, Lost, Reported
from questions.gates.rows import channel_piece
from tests.cli.processes import kept, run
from tests.questions.gates.acts import asked as store_request
from tests.questions.gates.bot_api import TOKEN, Dropped, Odd, Status, closed_port, open_bot_api
from tests.questions.gates.channel_stage import becomes
from tests.questions.gates.configurations import changed, configured, loaded, secret_in
from tests.questions.gates.webhook.receiver import SECRET

PEOPLE = "--user", "100", "--chat", "-200"
PAGE = "--page", "https://questions.example/decide", "--recipient", "ana"


async def channels(tmp_path, *arguments, **variables):
    """Run `questions channels ARGUMENTS`; its secrets are in nothing that it prints."""
    folder = str(tmp_path / "channels")
    done = await run("channels", *arguments, **{"QUESTIONS_CHANNELS": folder, **variables})
    for secret in (TOKEN, SECRET, "/bot"):
        assert secret not in done.stdout + done.stderr
    return done


async def set_up(tmp_path, api, *arguments):
    file = secret_in(tmp_path, "bot", f"{TOKEN}\n")
    given = arguments or (*PEOPLE, "--audience", "operator")
    return await channels(tmp_path, "setup", "telegram", "approval", "--token-file", file, "--base-url", api, *given)


async def test_a_bot_is_tried_out_and_written_down(tmp_path):
    async with open_bot_api() as api:
        done = await set_up(tmp_path, api.url)
        assert [name for name, _ in api.calls] == ["getMe"]
    folder = tmp_path / "channels"
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        f"telegram:approval: @gate_bot, 1 person, 1 chat; written to {folder}\n"
        "  operator: terminal, web, telegram:approval\n"
        "A gate server that runs takes it with `questions channels reload`.\n"
    )
    assert loaded(folder).credentials["telegram"]["approval"] == {"tokenFile": str(tmp_path / "bot")}
    assert TOKEN not in (folder / CHANNELS_FILE).read_text() + (folder / CREDENTIALS_FILE).read_text()


async def test_more_people_are_added_and_nobody_is_taken_away(tmp_path):
    async with open_bot_api() as api:
        await set_up(tmp_path, api.url)
        done = await set_up(tmp_path, api.url, "--user", "101", "--chat", "-200", "--audience", "night", "--json")
    told = json.loads(done.stdout)
    assert (told["bot"], list(told["audiences"])) == ("gate_bot", ["operator", "night"])
    assert loaded(tmp_path / "channels").profiles["telegram"]["approval"]["allowedUserIds"] == ["100", "101"]


FAULTS = {
    "no response": Dropped(done=False),
    "HTTP 401": Status(401),
    "HTTP 502": Status(502, body=b"bad gateway"),
    "rejected": Odd(b'{"ok": false, "description": "no"}'),
}


@pytest.mark.parametrize("why", FAULTS)
async def test_a_token_that_is_not_confirmed_is_not_written_down(tmp_path, why):
    async with open_bot_api() as api:
        api.fail("getMe", FAULTS[why])
        done = await set_up(tmp_path, api.url)  # case 82
        assert (done.returncode, done.stdout) == (5, "")
        assert f"could not be confirmed: {why};" in done.stderr
        assert api.url not in done.stderr
    assert not (tmp_path / "channels").exists()


async def test_a_bot_api_that_is_not_there_gives_no_response(tmp_path):
    done = await set_up(tmp_path, await closed_port())  # case 82
    assert (done.returncode, "no response" in done.stderr) == (5, True)


async def test_what_is_typed_wrong_is_named_as_it_was_typed_and_nothing_is_asked(tmp_path):
    async with open_bot_api() as api:
        done = await set_up(tmp_path, api.url, "--user", "ana", "--chat", "1.5")
        assert api.calls == []
    assert (done.returncode, done.stdout) == (2, "")
    assert "--user[0]: must be a decimal number" in done.stderr
    assert "--chat[0]: must be a decimal number" in done.stderr
    assert "ana" not in done.stderr


async def test_a_token_file_that_others_can_read_is_refused(tmp_path):
    secret_in(tmp_path, "open", TOKEN, 0o644)
    file = tmp_path / "open"
    done = await channels(tmp_path, "setup", "telegram", "approval", "--token-file", file, *PEOPLE)
    assert done.returncode == 2
    assert f"{file}: has mode 0644" in done.stderr


async def test_a_webhook_is_written_down_with_its_address_in_a_file(tmp_path):
    files = (
        "--secret-file",
        secret_in(tmp_path, "secret", SECRET),
        "--url-file",
        secret_in(tmp_path, "url", "https://x"),
    )
    done = await channels(tmp_path, "setup", "webhook", "ops", *files, *PAGE, "--audience", "operator")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("webhook:ops: 1 person; written to ")
    assert loaded(tmp_path / "channels").channels_of("operator")[-1] == "webhook:ops"


async def test_an_address_without_tls_is_refused_unless_somebody_insists(tmp_path):
    given = "--secret-file", secret_in(tmp_path, "secret", SECRET), "--url", "http://n.example", *PAGE
    done = await channels(tmp_path, "setup", "webhook", "ops", *given)
    assert (done.returncode, "the address of notices: must begin with https" in done.stderr) == (2, True)
    assert (await channels(tmp_path, "setup", "webhook", "ops", *given, "--insecure")).returncode == 0


async def test_a_host_alone_is_no_page_and_links_that_lead_nowhere_are_not_written_down(tmp_path):
    given = "--secret-file", secret_in(tmp_path, "secret", SECRET), "--url", "https://n.example", "--recipient", "ana"
    for page in ("https://questions.example", "http://127.0.0.1:8601/"):
        done = await channels(tmp_path, "setup", "webhook", "ops", *given, "--page", page)
        assert (done.returncode, "put /decide at its end" in done.stderr) == (2, True)
    assert not (tmp_path / "channels").exists()


async def test_status_tells_what_is_configured_and_of_nobody(tmp_path):
    configured(tmp_path)
    done = await channels(tmp_path, "status")
    assert done.stdout == (
        f"{tmp_path / 'channels'}\n  channels: telegram:approval\n  operator: terminal, web, telegram:approval\n"
    )
    for private in ("100", "-200", "token-of"):
        assert private not in done.stdout.replace(str(tmp_path), "")


async def test_status_without_a_configuration_is_no_fault(tmp_path):
    done = await channels(tmp_path, "status")
    assert done.returncode == 0
    assert "there is none; every audience is asked on the terminal and the web page alone" in done.stdout


async def test_status_names_every_fault_and_exits_with_2(tmp_path):
    folder = configured(tmp_path)
    changed(folder, lambda record: record["audiences"]["operator"].update(channels=["unsupported"], accept="x"))
    done = await channels(tmp_path, "status", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["configured"], len(told["faults"])) == (2, False, 1)
    assert "accept: one of first-valid-answer" in told["faults"][0]


async def running(tmp_path, fits, *more):
    """What `status --json` tells, once it fits."""
    with trio.fail_after(60):
        while True:
            done = await channels(tmp_path, "status", "--root", tmp_path, "--json", *more)
            told = json.loads(done.stdout)
            if fits(told):
                return done.returncode, told


def has_heard(told):
    return [one["state"] for one in told["channels"] if one["cursorAgeMs"] is not None] == ["running"]


async def test_a_gate_server_runs_what_is_configured_and_takes_what_is_changed(tmp_path):
    options = {"QUESTIONS_CHANNELS": str(tmp_path / "channels")}
    async with open_bot_api() as api, kept(tmp_path, "gates", "serve", "--root", tmp_path, **options) as server:
        await server.line_with("leads")
        done = await channels(tmp_path, "reload", "--root", tmp_path)
        assert (done.returncode, "nothing is configured there" in done.stdout) == (0, True)
        await set_up(tmp_path, api.url)
        done = await channels(tmp_path, "reload", "--root", tmp_path, "--json")
        assert (done.returncode, json.loads(done.stdout)["server"]["reload"]) == (0, {"asked": 2, "taken": 2})
        async with open_gates(tmp_path, serve=False) as gates:
            decision = await store_request(gates, now=await gates.stored.backend.now())
            await becomes(gates, decision, "applied")
            api.press("Continue")
            await gates.ended(decision.decision_id)
        _, told = await running(tmp_path, has_heard)
        [channel] = told["channels"]
        assert channel["epoch"].startswith("epoch-")
        assert channel["revision"] > 1
        assert channel["stuck"] == []
        server.process.send_signal(signal.SIGTERM)
        await server.process.wait()
    done = await channels(tmp_path, "status", "--root", tmp_path)
    assert "No gate server runs" in done.stdout
    assert "telegram:approval  not running" in done.stdout


async def test_a_gate_server_with_a_broken_configuration_stays_up_and_says_so(tmp_path):
    changed(configured(tmp_path), lambda record: record["audiences"]["operator"]["channels"].append("unsupported"))
    options = {"QUESTIONS_CHANNELS": str(tmp_path / "channels")}
    async with kept(tmp_path, "gates", "serve", "--root", tmp_path, **options) as server:  # case 85
        await server.line_with("leads")
        code, told = await running(tmp_path, lambda told: told["server"] and told["server"]["faults"])
        assert (code, told["server"]["configured"], told["channels"]) == (2, False, [])
        assert told["server"]["faults"] == ["channels.json: $.audiences.operator.channels[3]: unknown channel"]
        done = await channels(tmp_path, "reload", "--root", tmp_path)
        assert (done.returncode, "unknown channel" in done.stderr) == (2, True)


async def test_a_reload_without_a_gate_server_says_so(tmp_path):
    done = await channels(tmp_path, "reload", "--root", tmp_path)
    assert (done.returncode, "No gate server runs here" in done.stderr) == (5, True)


async def test_a_reload_without_a_store_is_bad_usage(tmp_path):
    done = await channels(tmp_path, "reload")
    assert (done.returncode, "Which store?" in done.stderr) == (2, True)


async def in_doubt(tmp_path, *events):
    """An effect that has come to nobody knows what."""
    audiences = {"operator": ["telegram:approval"]}
    async with open_gates(tmp_path, serve=False, audiences=audiences) as gates:
        decision = await store_request(gates, now=await gates.stored.backend.now())
        [found] = await gates.effects(decision.decision_id)
        for event in events:
            effect = await gates.step_effect(found.value.id, event(found.value) if callable(event) else event)
            found = type(found)(effect, 0)
    return found.value.id


async def state_of(tmp_path, id):
    async with open_gates(tmp_path, serve=False) as gates:
        both = [
            found for state in ("applied", "pending") for found in await gates.effects_of("telegram:approval", state)
        ]
        return next(found.value.state.value for found in both if found.value.id == id)


@pytest.mark.parametrize(("how", "state"), [("confirm", "applied"), ("retry", "pending")])
async def test_an_operator_says_how_to_go_on_with_what_is_in_doubt(tmp_path, how, state):
    id = await in_doubt(tmp_path, Begin(), Lost())
    done = await channels(tmp_path, "recover", id, how, "--root", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{id}  present of ")
    assert await state_of(tmp_path, id) == state
    again = await channels(tmp_path, "recover", id, how, "--root", tmp_path)
    assert (again.returncode, again.stdout, f"is {state}" in again.stderr) == (1, "", True)


async def test_what_has_failed_too_often_can_be_made_again_and_not_confirmed(tmp_path):
    id = await in_doubt(tmp_path, *(3 * [Begin(), lambda effect: Reported(effect.attempt_id, Report("failed"))]))
    assert (await channels(tmp_path, "recover", id, "confirm", "--root", tmp_path)).returncode == 1
    assert (await channels(tmp_path, "recover", id, "retry", "--root", tmp_path)).returncode == 0


async def test_there_has_to_be_such_an_effect(tmp_path):
    done = await channels(tmp_path, "recover", "effect-1", "confirm", "--root", tmp_path)
    assert (done.returncode, "There is no effect effect-1" in done.stderr) == (2, True)


async def test_what_is_in_doubt_is_shown_with_what_to_do(tmp_path):
    id = await in_doubt(tmp_path, Begin(), Lost())
    async with open_gates(tmp_path, serve=False) as gates:
        saved = Saved(epoch="epoch-1", cursor="private", key="00" * 32)
        await gates.record(channel_piece("telegram:approval", write_saved(saved), 0))
    done = await channels(tmp_path, "status", "--root", tmp_path)
    assert "telegram:approval  not running  epoch-1, revision 1  nothing heard yet  1 ambiguous" in done.stdout
    assert f"  {id}  present of " in done.stdout
    assert "ambiguous, after 1 attempt\n" in done.stdout
    assert "questions channels recover EFFECT confirm|retry" in done.stdout
    assert "private" not in done.stdout
