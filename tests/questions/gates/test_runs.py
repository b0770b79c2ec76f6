"""The tables of runs and their attempts, and how they are stored."""

import pytest

from questions.errors import IllegalTransition
from questions.gates import AttemptState, IncompatibleState, InvalidRecord, Run, RunAttempt, RunEnded, RunState
from questions.gates.runs import (
    ATTEMPT_TRANSITIONS,
    AttemptEvent,
    ended,
    read_run,
    read_run_attempt,
    stepped,
    write_run,
    write_run_attempt,
)

RUN = Run(id="run-a", workflow="workflow-a", input_json='{"a":1}', started_at=5)
ATTEMPT = RunAttempt(id="attempt-a", run_id="run-a", workflow="workflow-a", node="approve", entered_at=5)
FINAL = {AttemptState.RESUMED, AttemptState.LEFT}


def test_an_attempt_asks_waits_and_goes_on_once():
    attempt = ATTEMPT
    for event in (AttemptEvent.ASK, AttemptEvent.ACCEPT, AttemptEvent.RESUME):
        attempt = stepped(attempt, event)
    assert attempt.state is AttemptState.RESUMED
    with pytest.raises(IllegalTransition):
        stepped(attempt, AttemptEvent.RESUME)


@pytest.mark.parametrize("state", AttemptState)
@pytest.mark.parametrize("event", AttemptEvent)
def test_every_pair_is_in_the_table_or_refused(state, event):
    attempt = RunAttempt(**{**written(ATTEMPT), "state": state})
    if event in ATTEMPT_TRANSITIONS[state]:
        assert stepped(attempt, event).state is not state
    else:
        with pytest.raises(IllegalTransition):
            stepped(attempt, event)


def written(attempt):
    return {name: getattr(attempt, name) for name in ("id", "run_id", "workflow", "node", "entered_at")}


def test_what_is_final_stays():
    assert {state for state, events in ATTEMPT_TRANSITIONS.items() if not events} == FINAL


@pytest.mark.parametrize("state", [RunState.DONE, RunState.CANCELLED, RunState.EXPIRED])
def test_a_run_ends_once_and_in_one_way(state):
    done = ended(RUN, state, 7)
    assert (done.state, done.ended_at, done.input) == (state, 7, {"a": 1})
    assert ended(done, state, 9) is done
    for other in set(RunState) - {state, RunState.RUNNING}:
        with pytest.raises(RunEnded, match=state.value):
            ended(done, other, 9)


def test_runs_and_attempts_are_read_as_they_were_written():
    done = ended(RUN, RunState.DONE, 7)
    assert read_run(write_run(done)) == done
    parked = stepped(ATTEMPT, AttemptEvent.ASK, decision_id="decision-a", parked=True)
    assert read_run_attempt(write_run_attempt(parked)) == parked


@pytest.mark.parametrize("text", ["", "[]", '{"schema":"questions.gate-run.v1"}'])
def test_what_is_no_run_is_refused(text):
    with pytest.raises(InvalidRecord):
        read_run(text)


def test_another_schema_is_refused():
    with pytest.raises(IncompatibleState):
        read_run(write_run(RUN).replace("v1", "v2"))
