"""How everything of questions is written in JSON, and read again: each kind both ways, and what is not one of them."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from facets import Cell, Principal, Who
from facets.link.conversion import faults_of
from facets.link.interface import Arrival
from questions import (
    All,
    Answered,
    ClosedQuestion,
    Collected,
    Confirm,
    First,
    ForeignPolicy,
    InvalidAsk,
    InvalidPolicy,
    Option,
    OwnerScope,
    Quorum,
    Select,
    SessionScope,
    Text,
)
from questions.audience import Present
from questions.entry import Answer
from questions.policies import Policy
from questions.question import Question
from questions.redaction import HIDDEN
from questions.remote import wire
from questions.rooms import PRESETS, Mechanism, Tallied
from questions.scopes import Scope
from questions.showing import show
from tests.questions.own_policies import OneOfTwo
from tests.questions.samples import ANA, BO, CY, HOST, NOON, RUN, after, an_entry, who
from tests.rules import rule


def written(value, kind):
    """A value as a frame carries it."""
    return json.loads(msgspec.json.encode(wire.converter.unstructure(value, unstructure_as=kind)))


def both_ways(value, kind):
    return wire.converter.structure(written(value, kind), kind)


OPTIONS = [Option("a", "Anna"), Option("b:1", "Bert")]
QUESTIONS = [
    (Text("What?"), {"kind": "text", "message": "What?", "details": "", "secret": False, "help": None,
                     "min_length": 0, "max_bytes": 65536}),
    (Text("What?", True, "h", 1, 2, details="d"), {"kind": "text", "message": "What?", "details": "d", "secret": True,
                                                  "help": "h", "min_length": 1, "max_bytes": 2}),
    (Select("Who?", OPTIONS), {"kind": "select", "message": "Who?", "details": "", "help": None, "options": [
        {"id": "a", "label": "Anna"}, {"id": "b:1", "label": "Bert"}]}),
    (Confirm("Go?"), {"kind": "confirm", "message": "Go?", "details": "", "allow": "Allow", "deny": "Deny",
                      "help": None}),
    (Confirm("Go?", "Yes", "No", "h"), {"kind": "confirm", "message": "Go?", "details": "", "allow": "Yes",
                                        "deny": "No", "help": "h"}),
]  # fmt: skip
POLICIES = [(First(), {"kind": "first"}), (Quorum(2), {"kind": "quorum", "count": 2}),
            (All(), {"kind": "all", "join": "live"}),
            (All("snapshot"), {"kind": "all", "join": "snapshot"}),
            (Mechanism("quadratic_vote", {"credits_per_voter": 4}, quorum=2, ends="deadline"),
             {"kind": "mechanism", "name": "quadratic_vote",
              "params": {"credits_per_voter": 4, "tie_break": "random_seeded"}, "quorum": 2, "ends": "deadline"}),
]  # fmt: skip
SCOPES = [(SessionScope("s1"), {"session": "s1"}), (OwnerScope(ANA), {"owner": {"kind": "user", "id": "ana"}})]
AUDIENCES = [((ANA, BO), [{"kind": "user", "id": "ana"}, {"kind": "user", "id": "bo"}]),
             (Present(), {"present": ["user", "guest"]}), (Present(("user",)), {"present": ["user"]})]  # fmt: skip
NAMED = {"by": {"kind": "user", "id": "ana", "name": "Ana"}, "automatic": False, "secret": False}
RESULTS = [
    (Answered(who(ANA), True), {**NAMED, "answer": True}),
    (Answered(who(ANA), "", automatic=True), {**NAMED, "answer": "", "automatic": True}),
    (Answered(who(ANA), "hush", secret=True), {**NAMED, "answer": "hush", "secret": True}),
    (Collected((Answered(who(ANA), "x"),), (who(BO),), (who(ANA),), "deadline"),
     {"answers": [{**NAMED, "answer": "x"}], "missing": [{"kind": "user", "id": "bo", "name": "Bo"}],
      "seen": [NAMED["by"]], "ended": "deadline"}),
    (Tallied("q_1", "approval", {**PRESETS["approval"], "quorum": 0.5}, ("a", "b"), 2, (Answered(who(ANA), ("b",)),),
             (who(BO),), (who(ANA),), "deadline"),
     {"id": "q_1", "mechanism": "approval", "params": {**PRESETS["approval"], "quorum": 0.5}, "options": ["a", "b"],
      "eligible": 2, "ballots": [{**NAMED, "answer": ["b"]}], "missing": [{"kind": "user", "id": "bo", "name": "Bo"}],
      "seen": [NAMED["by"]], "ended": "deadline"}),
    (Collected((), (), (), "reached"), {"answers": [], "missing": [], "seen": [], "ended": "reached"}),
]  # fmt: skip
CLOSED = [(ClosedQuestion("q_1", "Go?", "answered", (who(ANA),), NOON),
           {"id": "q_1", "message": "Go?", "how": "answered", "by": [NAMED["by"]], "at": NOON})]  # fmt: skip
KINDS: dict[Any, Any] = {
    Question: QUESTIONS,
    Policy: POLICIES,
    Scope: SCOPES,
    wire.AUDIENCE: AUDIENCES,
    wire.RESULT: RESULTS,
    ClosedQuestion: CLOSED,
}
CASES: list[Any] = [(kind, value, form) for kind, cases in KINDS.items() for value, form in cases]


@pytest.mark.parametrize(("kind", "value", "form"), CASES)
def test_each_kind_has_one_form_and_comes_back_as_it_was(kind, value, form):
    assert written(value, kind) == form
    back = wire.converter.structure(form, kind)
    assert (back, type(back), repr(back)) == (value, type(value), repr(value))


@pytest.mark.parametrize(("value", "form"), [(None, None), (1.5, 1.5), (2, 2), (timedelta(minutes=1), 60.0)])
def test_a_timeout_is_seconds(value, form):
    assert written(value, wire.TIMEOUT) == form
    assert wire.converter.structure(form, wire.TIMEOUT) == form


def test_an_audience_is_distinct_and_no_readable():
    assert both_ways([ANA, BO, ANA], wire.AUDIENCE) == (ANA, BO)
    with pytest.raises(InvalidAsk, match="readable"):
        written(Cell((ANA,)), wire.AUDIENCE)


# --- what is none of it -------------------------------------------------------------------------------------------


def faults(value, kind):
    try:
        wire.converter.structure(value, kind)
    except Exception as error:
        return sorted(faults_of(error))
    return []


ONE_OF_QUESTIONS = '$: must be an object whose "kind" is one of text, select, confirm'
ONE_OF_POLICIES = '$: must be an object whose "kind" is one of first, quorum, all, mechanism'
BAD: list[Any] = [
    (Question, 5, [ONE_OF_QUESTIONS]),
    (Question, {"message": "m"}, [ONE_OF_QUESTIONS]),
    (Question, {"kind": ["text"], "message": "m"}, [ONE_OF_QUESTIONS]),
    (Question, {"kind": "secret", "message": "m"}, [ONE_OF_QUESTIONS]),
    (Question, {"kind": "text"}, ["$.message: is missing"]),
    (Question, {"kind": "text", "message": 5, "secret": 1, "more": 1},
     ["$.message: must be text", "$.more: there is no such field", "$.secret: must be true or false"]),
    (Question, {"kind": "text", "message": " "}, ["$.message: must not be empty or blank"]),
    (Question, {"kind": "text", "message": "m", "max_bytes": 0}, ["$.max_bytes: a whole number from 1 to 65536"]),
    (Question, {"kind": "select", "message": "m", "options": "ab"}, ["$.options: must be a list"]),
    (Question, {"kind": "select", "message": "m", "options": []}, ["$.options: 1 to 64 options, not 0"]),
    (Question, {"kind": "select", "message": "m", "options": [{"id": 1}, {"id": "a", "label": "b", "x": 1}]},
     ["$.options[0].id: must be text", "$.options[0].label: is missing", "$.options[1].x: there is no such field"]),
    (Question, {"kind": "select", "message": "m", "options": [{"id": "", "label": ""}]},
     ["$.options[0].id: 1 to 64 of letters, digits and ._:-, beginning with a letter or a digit",
      "$.options[0].label: must not be empty or blank"]),
    (Question, {"kind": "confirm", "message": "m", "secret": True}, ["$.secret: there is no such field"]),
    (Policy, {"kind": "some"}, [ONE_OF_POLICIES]),
    (Policy, {"kind": "quorum"}, ["$.count: is missing"]),
    (Policy, {"kind": "foreign", "name": "dice"}, [ONE_OF_POLICIES]),
    (Policy, {"kind": "mechanism"}, ["$.name: is missing"]),
    (Policy, {"kind": "mechanism", "name": "plurality", "params": 5, "ends": "soon", "more": 1},
     ["$.ends: must be one of 'determined', 'complete', 'deadline'", "$.more: there is no such field",
      "$.params: is not what it must be"]),
    (Policy, {"kind": "mechanism", "name": "dice", "quorum": 0},
     ["$.name: not known; there are simple_majority, supermajority, plurality, approval, ranked_choice, "
      "ranked_pairwise, score_vote, quadratic_vote", "$.quorum: a whole number from 1, below 2**53, or None"]),
    (wire.RESULT, {"ballots": [], "missing": [], "seen": [], "ended": "reached", "id": "q_1", "mechanism": "plurality",
                   "params": {"quorum": 2}, "options": ["a"], "eligible": 1},
     ["$.params.quorum: must be a number from 0 to 1"]),
    (Policy, {"kind": "quorum", "count": "2"}, ["$.count: must be a whole number"]),
    (Policy, {"kind": "quorum", "count": 0}, ["$.count: a whole number from 1, below 2**53"]),
    (Policy, {"kind": "first", "count": 1}, ["$.count: there is no such field"]),
    (Policy, {"kind": "all", "join": "later"}, ['$.join: "live" or "snapshot"']),
    (Policy, {"kind": "all", "join": ["live"]}, ['$.join: "live" or "snapshot"']),
    (Scope, "s1", ['$: must be {"session": ...} or {"owner": ...}']),
    (Scope, {"session": "s", "owner": "o"}, ['$: must be {"session": ...} or {"owner": ...}']),
    (Scope, {"session": 5}, ["$: must be text"]),
    (Scope, {"session": ""}, ["$.scope.session: text of 1 to 200 code points, without control characters"]),
    (wire.AUDIENCE, "user:ana", ["$: must be a list"]),
    (wire.AUDIENCE, {"present": "user"}, ["$: must be a list"]),
    (wire.AUDIENCE, [{"kind": "user", "id": "a"}, {"kind": "king", "id": "a"}, 5],
     ["$[1].kind: one of guest, program, server, user, worker, not 'king'",
      "$[2]: must be an object with kind, id and nothing else"]),
    (wire.TIMEOUT, "60", ["$: must be a number"]),
    (wire.TIMEOUT, True, ["$: must be a number"]),
    (wire.RESULT, 5, ["$: must be an object"]),
    (wire.RESULT, {}, ["$.answer: is missing", "$.automatic: is missing", "$.by: is missing", "$.secret: is missing"]),
    (wire.RESULT,
     {"answers": [{"answer": 1, "automatic": 0, "secret": False}], "missing": 5, "seen": [1], "ended": "no"},
     ["$.answers[0].automatic: must be true or false", "$.answers[0].by: is missing",
      "$.ended: must be one of 'reached', 'deadline'", "$.missing: must be a list",
      "$.seen[0]: must be an object with kind, id, name and nothing else"]),
    (ClosedQuestion, [], ["$: must be an object"]),
    (ClosedQuestion, {"id": 1, "message": "m", "how": "x", "by": [], "at": True},
     ["$.at: must be a number", "$.id: must be text"]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value", "expected"), BAD)
def test_every_fault_is_told_with_its_path(kind, value, expected):
    assert faults(value, kind) == expected


def test_results_of_a_later_version_may_have_more_in_them():
    assert wire.converter.structure({**NAMED, "answer": 1, "since": 5}, wire.RESULT) == Answered(who(ANA), 1)


@rule("Q-SEC-1")
@given(st.sampled_from([kind for kind, *_ in BAD]), st.sampled_from(["{}", "[{}]", '{{"kind": "text", "x": {}}}']))
def test_no_fault_quotes_a_value(kind, form):
    assert "hunter2" not in "".join(faults(json.loads(form.format('"hunter2"')), kind))


# --- whatever is asked --------------------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Zl", "Zp"]), min_size=1, max_size=40)
shown = texts.filter(lambda text: not text.isspace())
odd = st.text(st.characters(exclude_categories=[]), max_size=40)
ids = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,20}", fullmatch=True)
options = st.lists(st.builds(Option, ids, shown), min_size=1, max_size=5, unique_by=lambda option: option.id)
questions = st.one_of(
    st.builds(Text, shown, st.booleans(), st.none() | shown, st.integers(0, 5), st.integers(5, 65536), details=odd),
    st.builds(Select, shown, options, st.none() | shown, details=odd),
    st.builds(Confirm, shown, shown, shown, st.none() | shown, details=odd),
)


@given(questions)
def test_any_question_comes_back_as_it_was_with_lone_surrogates_as_their_escapes(question):
    back = both_ways(question, Question)
    as_unicode = question.details.encode("utf-8", "backslashreplace").decode()
    assert (type(back), back.details) == (type(question), as_unicode)
    assert written(back, Question) == {**written(question, Question), "details": as_unicode}


names = st.sampled_from("kind message options count join session owner present answers by".split())
leaves = st.none() | st.booleans() | st.integers() | st.text()
anything = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(names, inner))


@given(anything)
def test_whatever_comes_is_taken_or_refused_with_a_path(value):
    for kind in KINDS:
        for fault in faults(value, kind):
            assert fault.startswith("$")


# --- open questions -----------------------------------------------------------------------------------------------

ARRIVAL = Arrival(sent=NOON, at=50.0, clock=lambda: 50.0)


def over_a_link(entry, viewer=ANA, arrival=ARRIVAL):
    sent = msgspec.json.encode(wire.shown(show(entry, viewer, who, lambda: 0.0), entry.ask.number))
    return wire.read_open_question(msgspec.json.decode(sent), arrival)


FIELDS = "id message kind scope asker on_behalf_of policy default asked_at deadline answered waiting_for".split()


@rule("Q-VIEW-1")
@pytest.mark.parametrize(
    "entry",
    [
        an_entry(ANA, BO),
        an_entry(ANA, BO, policy=All(), question=Select("Who?", OPTIONS), scope=OwnerScope(ANA), deadline=None),
        an_entry(ANA, BO, CY, policy=Quorum(2), on_behalf_of=RUN, question=Text("What?", details="d\ud800")),
        after(an_entry(ANA, BO, CY, policy=All()), Answer(BO, True), Answer(ANA, False)),
        an_entry(ANA, default=True),
    ],
)
@pytest.mark.parametrize("viewer", [ANA, BO, RUN])
def test_an_open_question_is_the_same_at_the_other_end(entry, viewer):
    here, there = show(entry, viewer, who, lambda: 0.0), over_a_link(entry, viewer)
    for name in FIELDS:
        assert getattr(there, name) == getattr(here, name), name
    assert (there.may_answer, there.answered_by_me) == (here.may_answer, here.answered_by_me)
    assert [one.name for one in there.waiting_for] == [one.name for one in here.waiting_for]
    assert wire.number_of(there) == entry.ask.number


@rule("Q-SEC-1")
def test_no_answer_goes_over_a_link_before_its_question_has_ended():
    entry = after(an_entry(ANA, BO, policy=All(), question=Text("What?")), Answer(BO, "hunter2"))
    sent = msgspec.json.encode(wire.shown(show(entry, ANA, who, lambda: 0.0), 1))
    assert b"hunter2" not in sent
    [given] = over_a_link(entry)._entry.answers
    assert (given.by, given.answer) == (BO, HIDDEN)


@pytest.mark.parametrize(("sent", "left"), [(NOON, 60.0), (NOON + 10, 50.0), (NOON + 70, 0.0), (NOON - 5, 65.0)])
def test_what_is_left_of_a_deadline_goes_by_the_senders_clock_and_then_by_ones_own(sent, left):
    clock = [1000.0]
    there = over_a_link(an_entry(ANA), arrival=Arrival(sent, 1000.0, lambda: clock[0]))
    assert there.remaining == pytest.approx(left)
    clock[0] += 20
    assert there.remaining == pytest.approx(max(0.0, left - 20))
    assert there.deadline == datetime.fromtimestamp(NOON + 60, UTC)


@pytest.mark.parametrize(
    ("policy", "name"),
    [
        ({"kind": "foreign", "name": "Dice"}, "Dice"),
        ({"kind": "of_tomorrow"}, "of_tomorrow"),
        ({"kind": "x", "name": 5}, "5"),
    ],
)
def test_a_policy_that_is_not_known_here_does_not_hide_its_question(policy, name):
    there = wire.read_open_question({**GOOD, "policy": policy}, ARRIVAL)
    assert there.policy == ForeignPolicy(name)
    assert there.policy.check(there.question, "whatever") == []


def test_a_policy_of_ones_own_is_shown_by_its_name_and_cannot_be_asked_by_over_a_link():
    shown = wire.shown(show(an_entry(ANA, policy=OneOfTwo()), ANA, who, lambda: 0.0), 1)
    assert shown.policy == {"kind": "foreign", "name": "OneOfTwo"}
    with pytest.raises(InvalidPolicy, match="a OneOfTwo cannot go over a link"):
        written(OneOfTwo(), Policy)


GOOD = msgspec.to_builtins(wire.shown(show(an_entry(ANA), ANA, who, lambda: 0.0), 1))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"id": 5}, ["$.id: Expected `str`, got `int`"]),
        ({"may_answer": "yes"}, ["$.may_answer: Expected `bool`, got `str`"]),
        ({"answered": [{"kind": "user"}]}, ["$.answered[0]: Object missing required field `id`"]),
        ({"asker": {"kind": "king", "id": "x", "name": "X"}},
         ["$.kind: one of guest, program, server, user, worker, not 'king'"]),
        ({"question": {"kind": "text", "message": ""}, "policy": {"kind": "quorum"}, "scope": {}},
         ["$.policy.count: is missing",
          "$.question.message: must not be empty or blank",
          '$.scope: must be {"session": ...} or {"owner": ...}']),
        ({"asked_at": 1e300, "deadline": -1e300},
         ["$.asked_at: must be epoch seconds, of a year from 1 to 9999",
          "$.deadline: must be epoch seconds, of a year from 1 to 9999"]),
    ],
)  # fmt: skip
def test_what_is_no_open_question_is_refused_with_every_fault(change, expected):
    with pytest.raises(InvalidAsk) as caught:
        wire.read_open_question({**GOOD, **change}, ARRIVAL)
    assert sorted(caught.value.faults) == expected


@pytest.mark.parametrize("given", [None, 5, "x", [], {}])
def test_what_is_no_object_is_no_open_question(given):
    with pytest.raises(InvalidAsk):
        wire.read_open_question(given, ARRIVAL)


def test_a_session_is_a_place_and_an_owner_is_none():
    assert (wire.place_of(SessionScope("s1")), wire.place_of(OwnerScope(ANA))) == ("s1", None)


def test_who_asks_is_named_for_people():
    there = over_a_link(an_entry(ANA, on_behalf_of=RUN))
    assert (there.asker, there.asker.name, there.on_behalf_of) == (Who(HOST, "Host"), "Host", Who(RUN, "Run-1"))
    assert Principal.program("run-1") == RUN
