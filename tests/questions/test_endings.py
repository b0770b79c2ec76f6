"""What is remembered of questions that have ended, and what makes two asks the same."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facets import Principal
from questions import All, Confirm, First, Limits, Option, Policy, Question, Quorum, Secret, Select, SessionScope, Text
from questions.endings import Ending, Endings, ask_digest, digest_of
from questions.entry import Answer, Close, Due, Supersede, Withdraw
from tests.questions.samples import ANA, BO, CY, HOST, RUN, after, an_ask, an_entry
from tests.rules import rule

KEY = (SessionScope("s1"), HOST, "k")
CODE = Text("Code?", secret=True)


def remembered(entry, *, key=KEY, now=0.0, **limits):
    fields: dict = {"seconds": 600.0, "most_endings": 5, "most_results": 5}
    endings: Any = Endings(**fields | limits)
    endings.put(Ending(entry, (ANA,)), key, now)
    return endings


@rule("Q-SET-3")
@pytest.mark.parametrize("end", [Answer(ANA, False), Due(), Withdraw(), Supersede(), Close()])
def test_how_every_question_ended_is_remembered_for_its_id(end):
    entry = after(an_entry(ANA), end)
    found = remembered(entry, key=None).of_id("q_1", 599.0)
    assert (found.entry, found.seen) == (entry, (ANA,))


@rule("Q-KEY-4")
@pytest.mark.parametrize("end", [Answer(ANA, False), Due()], ids=["a denial", "an expiry"])
def test_a_result_is_kept_for_its_key(end):
    entry = after(an_entry(ANA), end)
    endings = remembered(entry)
    assert endings.of_key(KEY, 599.0).entry == entry
    assert endings.of_key((SessionScope("s2"), HOST, "k"), 0.0) is None
    assert endings.of_key((SessionScope("s1"), RUN, "k"), 0.0) is None


@rule("Q-KEY-4")
@pytest.mark.parametrize("end", [Withdraw(), Supersede(), Close()])
def test_what_was_not_decided_is_not_kept_for_its_key_and_takes_the_older_result_away(end):
    endings = remembered(after(an_entry(ANA), Answer(ANA, True)))
    endings.put(Ending(after(an_entry(ANA, id="q_2"), end), ()), KEY, 1.0)
    assert endings.of_key(KEY, 2.0) is None
    assert endings.describe() == {"endings": 2, "results": 0}


@rule("Q-SET-3", "Q-KEY-4")
def test_the_memory_ends_with_its_time():
    endings = remembered(after(an_entry(ANA), Answer(ANA, True)))
    assert (endings.of_id("q_1", 600.0), endings.of_key(KEY, 600.0)) == (None, None)
    assert endings.of_id("q_2", 0.0) is None


@rule("Q-SET-3", "Q-KEY-4")
def test_the_memory_is_bounded_in_number_each_for_itself():
    endings = remembered(after(an_entry(ANA), Answer(ANA, True)), most_endings=2, most_results=1)
    for number in (2, 3):
        entry = after(an_entry(ANA, id=f"q_{number}"), Answer(ANA, True))
        endings.put(Ending(entry, ()), (SessionScope("s1"), HOST, f"k{number}"), 1.0)
    assert endings.describe() == {"endings": 2, "results": 1}
    assert (endings.of_id("q_1", 2.0), endings.of_key(KEY, 2.0)) == (None, None)


def test_other_bounds_hold_from_then_on():
    endings = remembered(after(an_entry(ANA), Answer(ANA, True)))
    endings.bound(5.0, Limits(endings=1, results=3))
    endings.put(Ending(after(an_entry(ANA, id="q_2"), Due()), ()), (SessionScope("s1"), HOST, "k2"), 1.0)
    assert endings.describe() == {"endings": 1, "results": 2}
    assert (endings.of_id("q_2", 5.9).entry.ask.id, endings.of_id("q_2", 6.0)) == ("q_2", None)


@rule("Q-SEC-1", "Q-KEY-4")
@pytest.mark.parametrize("secret", [Secret("hunter2-Ω"), "hunter2-Ω"])
def test_a_secret_answer_is_remembered_nowhere_and_its_giver_is(secret):
    entry = after(an_entry(ANA, BO, CY, question=CODE, policy=Quorum(2)), Answer(BO, secret), Answer(ANA, secret))
    endings = remembered(entry)
    assert endings.of_key(KEY, 0.0) is None
    kept = endings.of_id("q_1", 0.0).entry
    assert [(one.by, one.answer) for one in kept.answers] == [(BO, "<hidden>"), (ANA, "<hidden>")]
    assert (kept.state, kept.missing) == (entry.state, (CY,))


@rule("Q-KEY-4")
def test_the_expiry_of_a_secret_question_is_kept_for_its_key_unless_somebody_had_answered():
    assert remembered(after(an_entry(ANA, question=CODE), Due())).of_key(KEY, 0.0)
    answered = after(an_entry(ANA, BO, question=CODE, policy=All()), Answer(ANA, Secret("x")), Due())
    assert remembered(answered).of_key(KEY, 0.0) is None


# --- the same ask ---------------------------------------------------------------------------------------------------

NAME, PAIR = Text("Name?"), (ANA, BO)


@rule("Q-KEY-1")
@given(st.lists(st.sampled_from([ANA, BO, CY, RUN]), min_size=1), st.randoms(use_true_random=False))
def test_the_order_of_an_audience_and_who_is_in_it_twice_make_no_difference(audience, random):
    shuffled = random.sample(audience * 2, 2 * len(audience))
    assert digest_of(NAME, First(), tuple(audience)) == digest_of(NAME, First(), tuple(shuffled))


@rule("Q-KEY-1")
def test_whatever_is_asked_otherwise_is_another_ask():
    options = [Option("a", "A"), Option("b", "B")]
    questions: list[Question] = [
        Text("Name?"), Text("Name"), Text("Name?", secret=True), Text("Name?", help="h"), Text("Name?", min_length=1),
        Text("Name?", max_bytes=9), Text("Name?", details="d"), Text("Name?", details="\ud800"),
        Text("Name?", details="\udfff"), Text("Name?", details="\\ud800"), Text("Name?", details="eda080"),
        Confirm("Name?"), Confirm("Name?", allow="Yes"), Confirm("Name?", deny="No"),
        Select("Name?", options), Select("Name?", options[::-1]), Select("Name?", [Option("a", "B")]),
    ]  # fmt: skip
    policies: list[Policy] = [First(), Quorum(1), Quorum(2), All(), All("snapshot")]
    audiences: list[tuple[Principal, ...] | None] = [(ANA, BO), (ANA,), None, ()]
    asks = {digest_of(question, First(), PAIR) for question in questions}
    asks |= {digest_of(NAME, policy, PAIR) for policy in policies}
    asks |= {digest_of(NAME, First(), audience) for audience in audiences}
    assert len(asks) == len(questions) + len(policies) + len(audiences) - 2  # the plain one is in all three


@rule("Q-KEY-1")
@pytest.mark.parametrize(
    "changes",
    [
        {"key": "k2"},
        {"deadline": None},
        {"default": True},
        {"id": "q_9", "number": 9},
        {"scope": SessionScope("s2")},
        {"on_behalf_of": RUN},
    ],
    ids=str,
)
def test_the_rest_of_an_ask_is_not_in_its_digest(changes):
    assert ask_digest(an_ask(**changes)) == ask_digest(an_ask()) == digest_of(Confirm("Deploy?"), First(), None)


def test_the_digest_of_an_ask_has_its_audience_in_it():
    assert ask_digest(an_ask(fixed=(BO, ANA))) == digest_of(Confirm("Deploy?"), First(), (ANA, BO))


@given(st.text(st.characters(exclude_categories=())), st.integers(1, 2**53 - 1))
def test_whatever_can_be_asked_has_a_digest(details, count):
    assert digest_of(Confirm("Go?", details=details), Quorum(count), None).startswith("sha256:")
