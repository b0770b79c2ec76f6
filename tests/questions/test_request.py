"""An ask is checked as a whole: a refusal names every fault, and nothing is published."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facets import Cell, Principal, derive
from questions import All, Confirm, First, InvalidAsk, InvalidPolicy, Option, Question, Quorum, Select, Text
from questions.request import AskRequest
from questions.testing import open_rig
from tests.named import named
from tests.questions.garbage import GARBAGE
from tests.questions.samples import ANA, BO, CY, RUN, paths
from tests.rules import rule

SOON = datetime(2100, 1, 1, tzinfo=UTC)
GO = Confirm("Deploy?")
PLAIN: dict = {
    "question": GO,
    "audience": [ANA, BO],
    "policy": First(),
    "key": None,
    "timeout": None,
    "deadline": None,
    "default": None,
    "on_behalf_of": None,
}


def checked(**changes):
    request = AskRequest(**PLAIN | changes)
    request.check()
    return request


def refused(error, **changes):
    with pytest.raises(error) as caught:
        checked(**changes)
    assert type(caught.value) is error
    return caught.value


@rule("Q-ASK-1")
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"key": "k"},
        {"key": "日" * 200},
        {"timeout": 0.001},
        {"timeout": timedelta(seconds=1)},
        {"deadline": SOON},
        {"deadline": SOON - timedelta(days=9)},
        {"timeout": 5, "default": False},
        {"deadline": SOON, "default": True},
        {"question": Text("Name?"), "timeout": 5, "default": ""},
        {"question": Select("Which?", [Option("0", "None")]), "timeout": 5, "default": "0"},
        {"question": Text("Code?", secret=True), "timeout": 5},
        {"policy": Quorum(2)},
        {"policy": All("snapshot")},
        {"on_behalf_of": RUN},
        {"audience": (ANA,)},
        {"audience": {ANA: "any iterable"}},
    ],
    ids=named,
)
def test_a_good_ask_passes(changes):
    request = checked(**changes)
    assert request.members
    assert not request.live
    assert not request.attach_only


BAD_ASKS = [
    ({"question": "Deploy?"}, ["$.question"]),
    ({"question": Question("Deploy?")}, ["$.question"]),
    ({"question": Confirm}, ["$.question"]),
    ({"policy": None}, ["$.policy"]),
    ({"policy": First}, ["$.policy"]),
    ({"policy": "first"}, ["$.policy"]),
    ({"key": ""}, ["$.key"]),
    ({"key": "k" * 201}, ["$.key"]),
    ({"key": 42}, ["$.key"]),
    ({"key": b"k"}, ["$.key"]),
    ({"timeout": 0}, ["$.timeout"]),
    ({"timeout": -1}, ["$.timeout"]),
    ({"timeout": float("nan")}, ["$.timeout"]),
    ({"timeout": float("inf")}, ["$.timeout"]),
    ({"timeout": True}, ["$.timeout"]),
    ({"timeout": "5"}, ["$.timeout"]),
    ({"timeout": timedelta(0)}, ["$.timeout"]),
    ({"timeout": 5, "deadline": SOON}, ["$.timeout"]),
    ({"deadline": SOON.replace(tzinfo=None)}, ["$.deadline"]),
    ({"deadline": SOON.timestamp()}, ["$.deadline"]),
    ({"audience": []}, ["$.audience"]),
    ({"audience": "ana"}, ["$.audience"]),
    ({"audience": None}, ["$.audience"]),
    ({"audience": ANA}, ["$.audience"]),
    ({"audience": ["ana", ANA, None]}, ["$.audience[0]", "$.audience[2]"]),
    ({"audience": Cell(["ana"])}, ["$.audience[0]"]),
    ({"audience": Cell(None)}, ["$.audience"]),
    ({"audience": derive([], lambda: 1 / 0)}, ["$.audience"]),
    ({"audience": [RUN], "on_behalf_of": RUN}, ["$.audience"]),
    ({"on_behalf_of": "run-1"}, ["$.on_behalf_of"]),
    ({"default": True}, ["$.default"]),
    ({"default": 1, "timeout": 5}, ["$.default"]),
    ({"default": True, "timeout": 5, "policy": Quorum(1)}, ["$.default"]),
    ({"default": True, "timeout": 5, "policy": All()}, ["$.default"]),
    ({"default": "x", "timeout": 5, "question": Text("Code?", secret=True)}, ["$.default"]),
]


@rule("Q-ASK-2", "Q-POL-4", "Q-AUTH-4")
@pytest.mark.parametrize(("changes", "where"), BAD_ASKS, ids=named)
def test_a_bad_ask_is_refused_with_the_path_of_its_fault(changes, where):
    assert paths(refused(InvalidAsk, **changes)) == where


@pytest.mark.parametrize(
    ("changes", "where"),
    [*BAD_ASKS, ({"audience": Cell(()), "policy": All("snapshot")}, ["$.audience"])],
    ids=named,
)
async def test_a_bad_ask_publishes_nothing(changes, where, autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        asker = await rig.asker()
        with pytest.raises(InvalidAsk) as caught:
            await asker.ask(**PLAIN | changes)
        assert paths(caught.value) == where
        assert (rig.reports, ana.see(), dict(rig.host.waiting.value)) == ([], [], {})


def test_every_fault_is_named_at_once():
    error = refused(
        InvalidAsk,
        question=None, audience=[5], policy=None, key="", timeout=-1, deadline=5, default=True, on_behalf_of=5,
    )  # fmt: skip
    assert paths(error) == [
        "$.question", "$.policy", "$.key", "$.timeout", "$.timeout", "$.deadline", "$.on_behalf_of", "$.audience[0]",
    ]  # fmt: skip


@rule("Q-ASK-2")
def test_a_default_is_refused_for_every_reason_at_once():
    error = refused(InvalidAsk, question=Text("Code?", secret=True, max_bytes=5), policy=All(), default="hunter2-Ω")
    assert paths(error) == ["$.default"] * 4
    assert "hunter2" not in str(error)


@rule("Q-POL-4")
@pytest.mark.parametrize("audience", [[ANA, BO], [ANA, BO, ANA], [ANA, BO, RUN]])
def test_a_quorum_that_a_fixed_audience_cannot_reach_is_refused(audience):
    """Whoever is in it twice counts once, and the program that asks not at all."""
    error = refused(InvalidPolicy, audience=audience, policy=Quorum(3), on_behalf_of=RUN)
    assert error.faults == ["$.policy.count: 3 of an audience of 2 can never answer"]
    assert checked(audience=[*audience, CY], policy=Quorum(3), on_behalf_of=RUN).members


@rule("Q-POL-4")
@pytest.mark.parametrize("policy", [First(), Quorum(3), All()])
def test_a_live_audience_may_be_empty_and_grow(policy):
    request = checked(audience=Cell(()), policy=policy)
    assert (request.live, request.members, request.fixed) == (True, {}, None)


@rule("Q-POL-2")
def test_a_snapshot_freezes_a_readable_as_it_is_at_the_ask():
    team = Cell([BO, ANA])
    request = checked(audience=team, policy=All("snapshot"))
    team.set([CY])
    assert (request.live, request.snapshot, list(request.members)) == (False, True, [BO, ANA])
    live = checked(audience=team, policy=All("live"))
    assert (live.live, live.snapshot, checked().snapshot) == (True, False, False)


@rule("Q-KEY-1")
def test_an_empty_snapshot_is_refused_only_when_it_opens_a_question():
    """Asked again, the question that has the key keeps the audience that it has."""
    request = checked(audience=Cell(()), policy=All("snapshot"))
    with pytest.raises(InvalidAsk, match="nobody is left in it who may answer"):
        request.check_size()


@rule("Q-POL-6", "Q-KEY-1")
def test_a_fixed_audience_is_distinct_in_the_order_given():
    request = checked(audience=[BO, ANA, BO, Principal.user("ana")])
    assert (list(request.members), request.fixed) == ([BO, ANA], (BO, ANA))


@rule("Q-KEY-1")
@pytest.mark.parametrize("policy", [First(), All("live"), All("snapshot")])
def test_a_readable_is_no_fixed_audience_whatever_it_holds(policy):
    assert checked(audience=Cell([ANA]), policy=policy).fixed is None


@rule("Q-AUTH-4")
@pytest.mark.parametrize("audience", [[ANA, RUN, BO], Cell([ANA, RUN, BO])], ids=["fixed", "live"])
def test_the_program_that_asks_is_not_in_its_audience(audience):
    assert list(checked(audience=audience, on_behalf_of=RUN).members) == [ANA, BO]
    assert list(checked(audience=audience).members) == [ANA, RUN, BO]


def test_a_readable_that_fails_is_refused_and_says_by_what():
    error = refused(InvalidAsk, audience=derive([], lambda: 1 / 0))
    assert error.faults == ["$.audience: cannot be read now (ZeroDivisionError)"]


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(PLAIN, GARBAGE)))
def test_whatever_an_ask_is_made_of_it_is_refused_with_paths_or_fits(changes):
    try:
        checked(**changes)
    except (InvalidAsk, InvalidPolicy) as error:
        faults = error.faults
        assert [fault for fault in faults if fault.startswith("$.")] == list(faults) != []
    else:
        assert not changes.keys() & {"question", "audience", "policy"}
