"""`questions gates`: what it prints, and which exit code it ends with."""

import json
import signal

import pytest

from questions.cli import main
from questions.gates import AcceptedDecision, Place, TimeoutPolicy, document, open_gates, view_of
from tests.cli.gates import ask, in_gates, now
from tests.cli.processes import kept
from tests.questions.durable.postgres_stages import PostgresStage
from tests.questions.gates.acts import asked as store_request
from tests.questions.gates.cases import CONTINUE, REPLAN, submission


@pytest.fixture(params=["sqlite", "postgres"])
def root(request, tmp_path, monkeypatch):
    """A store on each engine, which the environment names."""
    if request.param == "sqlite":
        monkeypatch.setenv("QUESTIONS_ROOT", str(tmp_path))
        yield str(tmp_path)
    else:
        stage = PostgresStage()
        monkeypatch.setenv("QUESTIONS_ROOT", stage.address)
        yield stage.address
        stage.drop()


@pytest.fixture
def act(capsys):
    """Run `questions gates ARGUMENTS` in this process; returns code, output and errors."""

    def acted(*arguments):
        try:
            return (main(["gates", *map(str, arguments)]), *capsys.readouterr())
        except SystemExit as done:
            return (done.code, *capsys.readouterr())

    return acted


def answered(root, asked, response=CONTINUE):
    async def submit(gates):
        await gates.submit(submission(asked, response))

    in_gates(root, submit)


def test_what_is_open_is_a_line_with_all_that_viewers_are_shown(root, act):
    assert act("list") == (0, "No decisions\n", "")
    asked = ask(root, timeout=TimeoutPolicy(600_000, CONTINUE))
    until = asked.as_json()["expiresAt"]
    line = (
        f"{asked.decision_id}  open  audience=operator  fingerprint={asked.fingerprint}  deadline={until}  "
        "automatic=Continue  Approve plan  Review the plan.  [continue=Continue, replan=Replan]\n"
    )
    assert act("list", "--root", root) == (0, line, "")
    assert act("list", "--ids") == (0, f"{asked.decision_id}\n", "")
    assert act("list", "--audience", "others") == (0, "No decisions\n", "")


def test_one_is_shown_as_every_channel_shows_it(root, act):
    asked = ask(root)
    code, out, err = act("show", asked.decision_id)
    assert (code, err) == (0, "")
    shown = "\n\n".join(part.replace("\n", "\n  ") for part in document(view_of(asked)).parts)
    assert "\n\n".join(block.removeprefix("  ") for block in out.rstrip("\n").split("\n\n")[1:]) == shown


def test_an_answer_is_told_by_its_label_and_never_by_who_gave_it(root, act):
    asked = ask(root)
    answered(root, asked, REPLAN)
    for arguments in (["list", "--state", "accepted"], ["show", asked.decision_id]):
        code, out, _ = act(*arguments)
        assert (code, "Chosen: Replan" in out, "session-a" in out) == (0, True, False)
    told = json.loads(act("show", asked.decision_id, "--json")[1])
    assert (told["state"], told["receipt"]["response"]) == ("accepted", REPLAN.as_json())
    assert not {"source", "subject", "actorId", "idempotencyKey"} & {*told, *told["receipt"]}
    assert act("list")[1] == "No decisions\n"


def test_one_is_taken_back_once_and_its_run_with_it(root, act):
    asked = ask(root)
    code, out, _ = act("cancel", asked.decision_id)
    assert (code, "Cancelled. Nothing was chosen." in out) == (0, True)
    assert act("cancel", asked.decision_id)[0] == 0

    async def state(gates):
        return (await gates.run(asked.run_id)).state.value

    assert in_gates(root, state) == "cancelled"


def test_an_answer_is_not_taken_back(root, act):
    asked = ask(root)
    answered(root, asked)
    code, out, err = act("cancel", asked.decision_id)
    assert (code, out, asked.decision_id in err) == (1, "", True)


def test_texts_of_others_stay_in_their_line(tmp_path, act):
    asked = ask(tmp_path, title="Go\u200b on?")
    out = act("show", asked.decision_id, "--root", tmp_path)[1]
    assert "  Go\\u200b on?\n" in out
    assert "\u200b" not in act("list", "--root", tmp_path)[1]


def test_the_newest_come_first_and_no_more_than_asked_for(tmp_path, act):
    places = [Place(f"run-{number}", "workflow-a", "approve", "attempt-a") for number in range(3)]
    made = [ask(tmp_path, place=place, now=now() + number).decision_id for number, place in enumerate(places)]
    out = act("list", "--root", tmp_path, "--ids", "--limit", 2)[1]
    assert out.split() == made[:0:-1]


@pytest.mark.parametrize(
    "arguments",
    [[], ["list", "--state", "bogus"], ["list", "--limit", "0"], ["show"], ["answer"], ["serve", "--lease-ms", "9"]],
)
def test_a_bad_command_line_is_told_with_its_usage(root, act, arguments):
    code, out, err = act(*arguments)
    assert (code, out, err.startswith("usage: questions gates")) == (2, "", True)


def test_without_a_store_nothing_can_be_done(act, tmp_path, monkeypatch):
    monkeypatch.delenv("QUESTIONS_ROOT", raising=False)
    assert (act("list")[0], act("list", "--root", tmp_path / "none")[0]) == (2, 1)
    for command in ("show", "cancel"):
        assert act(command, "decision-x", "--root", tmp_path)[0] == 1


async def test_a_server_leads_applies_deadlines_and_hands_over_when_it_ends(tmp_path):
    arguments = ("gates", "serve", "--json", "--root", str(tmp_path), "--name")
    async with kept(tmp_path, *arguments, "one") as one:
        assert (await one.event("leads"))["name"] == "one"
        async with kept(tmp_path, *arguments, "two") as two:
            assert await one.stop(signal.SIGINT) == 130
            assert (await two.event("leads"))["generation"] == 2
            decision = await _chosen_at_once(tmp_path)
            assert (decision.provenance, decision.response) == ("timeout", CONTINUE)
            assert await two.stop() == 0


async def _chosen_at_once(folder):
    async with open_gates(folder, serve=False) as gates:
        asked = await store_request(gates, parked=True, timeout=TimeoutPolicy(50, CONTINUE), now=now())
        decision = await gates.ended(asked.decision_id)
        assert isinstance(decision, AcceptedDecision)
        return decision
