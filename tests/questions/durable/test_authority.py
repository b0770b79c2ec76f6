"""Who may act: every holder, every kind of caller, every surface."""

import itertools

import attrs
import pytest

from facets import Principal
from questions.durable.authority import authorize_cancelling, authorize_judging, holds, may_see
from questions.durable.caller import SURFACES, Caller
from questions.durable.errors import HeldByUser, NotHolder, SelfAnswer
from questions.durable.steps import Answering, Cancelling, Due, step
from tests.questions.durable.cases import ALICE, BOB, CHILD, HOP, LEAD, MAIN, WORKER, T, climbing, in_call, raised

SERVER, SESSION = Caller(Principal.server("run-lead")), Caller(Principal.worker("run-lead"))
MAIN_LEAD = Caller(Principal.program("run-lead"), main=True)
MAIN_SERVER = Caller(Principal.server("host"), main=True)
NAMESAKE = Caller(Principal.user("run-lead"))
SOMEBODY = Caller(Principal.program("somebody"), call="call-1")
EVERYBODY = {
    "main": MAIN,
    "lead": LEAD,
    "worker": WORKER,
    "child": CHILD,
    "person": ALICE,
    "namesake": NAMESAKE,
    "server": SERVER,
    "session": SESSION,
    "main lead": MAIN_LEAD,
    "main server": MAIN_SERVER,
}
PEOPLE = {"person", "namesake"}
# The table of the design, and what follows from it: who may answer and escalate what is held by whom.
MAY = {
    "user": PEOPLE,
    "root": PEOPLE | {"main", "main lead"},
    "supervisor:run-lead": PEOPLE | {"lead", "main lead"},
    "supervisor:run-child": PEOPLE | {"child"},
    "supervisor:session:main": PEOPLE | {"main"},
    "supervisor:nobody": PEOPLE,
    "supervisor:user:alice": PEOPLE,
}
WALK = list(itertools.product(MAY, EVERYBODY))


def on_every_surface(name, call=None):
    return [attrs.evolve(EVERYBODY[name], via=via, call=call) for via in SURFACES]


def refusal(authorize, caller, decision):
    try:
        authorize(caller, decision)
    except (NotHolder, SelfAnswer) as refused:
        return type(refused)
    return None


def expected(name, holder):
    if name in MAY[holder]:
        return None
    return HeldByUser if holder == "user" else NotHolder


@pytest.mark.parametrize(("holder", "name"), WALK)
def test_the_holder_and_people_may_answer_and_nobody_else(holder, name):
    for caller in on_every_surface(name):
        assert refusal(authorize_judging, caller, raised(holder=holder)) is expected(name, holder)


@pytest.mark.parametrize(("holder", "name"), WALK)
def test_the_holder_people_and_the_raiser_may_cancel(holder, name):
    for caller in on_every_surface(name, "call-1"):
        assert refusal(authorize_cancelling, caller, raised(SOMEBODY, holder=holder)) is expected(name, holder)
        assert refusal(authorize_cancelling, caller, raised(caller, holder=holder)) is None


@pytest.mark.parametrize(("holder", "name"), WALK)
def test_in_the_call_that_raised_it_no_program_may_answer(holder, name):
    for caller in on_every_surface(name, "call-1"):
        found = refusal(authorize_judging, caller, raised(SOMEBODY, holder=holder))
        assert found is (None if name in PEOPLE else SelfAnswer)


@pytest.mark.parametrize(("holder", "name"), WALK)
def test_over_a_link_a_decision_is_shown_to_its_holder_its_raiser_and_servers(holder, name):
    caller = EVERYBODY[name]
    is_holder = holder == "user" if name in PEOPLE else name in MAY[holder]
    assert may_see(caller, raised(SOMEBODY, holder=holder)) is (is_holder or "server" in name)
    assert holds(caller, holder) is is_holder
    assert may_see(caller, raised(caller, holder=holder))


def test_no_call_is_no_call_in_common():
    authorize_judging(MAIN, raised(MAIN, holder="root"))


def test_an_agent_cannot_answer_for_the_root():  # case 72
    with pytest.raises(NotHolder) as refused:
        step(raised(holder="root"), Answering(text="x"), CHILD, T)
    assert refused.value.holder == "root"
    with pytest.raises(NotHolder):
        step(raised(holder="supervisor:run-child"), Answering(text="x"), MAIN, T)
    assert step(raised(holder="supervisor:run-child"), Answering(text="x"), CHILD, T).status == "answered"


def test_the_root_cannot_answer_for_people():  # case 73
    decision = raised(in_call(MAIN, "call-1"), input="confirm")
    with pytest.raises(HeldByUser):
        step(decision, Answering("yes"), in_call(MAIN, "call-2"), T)


def test_a_program_answers_what_it_raised_in_another_call_only():  # case 74
    decision = raised(in_call(MAIN, "call-1"), holder="root")
    with pytest.raises(SelfAnswer):
        step(decision, Answering(text="x"), in_call(MAIN, "call-1"), T)
    answer = step(decision, Answering(text="x"), in_call(MAIN, "call-2"), T).answer
    assert answer is not None
    assert (answer.answered_by, answer.via) == ("session:main", "program")


def test_authority_goes_with_the_holder():  # case 75
    decision = step(raised(**climbing("supervisor:run-lead")), Due(), None, T + HOP + 1)
    with pytest.raises(NotHolder) as refused:
        step(decision, Answering(text="x"), LEAD, T + HOP + 1)
    assert refused.value.holder == "root"
    with pytest.raises(NotHolder):
        step(decision, Cancelling(), LEAD, T + HOP + 1)
    assert step(decision, Answering(text="x"), MAIN, T + HOP + 1).holder == "root"


def test_a_person_answers_for_a_supervisor():  # case 78
    answer = step(raised(holder="supervisor:run-lead"), Answering(text="x"), ALICE, T).answer
    assert answer is not None
    assert (answer.answered_by, answer.via) == ("alice", "cli")


def test_people_judge_what_they_have_raised_themselves():
    decision = raised(in_call(BOB, "call-1"), holder="root")
    assert step(decision, Answering(text="x"), in_call(BOB, "call-1"), T).status == "answered"
