"""Bad questions are refused when built, with every fault; answers are judged by the question, and never quoted."""

import copy
import pickle
import traceback
from contextlib import suppress
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions import Confirm, First, InvalidAnswer, InvalidQuestion, Option, Question, Secret, Select, Text
from questions.policies import validate
from tests.questions.garbage import ANY_TEXT, GARBAGE, OPTIONS, Colour, Nickname
from tests.questions.samples import paths
from tests.rules import rule

RED, BLUE = Option("red", "Red"), Option("blue", "Blue")
COLOUR = Select("Which colour?", [RED, BLUE])
KEPT = {"message": "Name?", "details": "", "secret": False, "help": None, "min_length": 0, "max_bytes": 65_536}
ID_FAULT = "1 to 64 of letters, digits and ._:-, beginning with a letter or a digit"


def an_option(id: Any, label: Any = "x"):
    return Option(id, label)


def refused(kind, *args, **fields):
    with pytest.raises(InvalidQuestion) as caught:
        kind(*args, **fields)
    return list(caught.value.faults)


def answer_faults(question, answer):
    with pytest.raises(InvalidAnswer) as caught:
        validate(First(), question, Secret(answer))
    return list(caught.value.faults)


# --- building -------------------------------------------------------------------------------------------------------


@rule("Q-TYPE-1")
def test_questions_have_the_defaults_that_are_documented():
    assert attrs.asdict(Text("Name?")) == KEPT
    assert (Confirm("Go?").allow, Confirm("Go?").deny, Confirm("Go?").help) == ("Allow", "Deny", None)
    assert (COLOUR.options, COLOUR.help, COLOUR.details) == ((RED, BLUE), None, "")


@rule("Q-TYPE-1")
def test_fields_can_be_given_in_order():
    assert Text("Code?", True, "From the app", 6, 8) == Text(
        message="Code?", secret=True, help="From the app", min_length=6, max_bytes=8
    )
    assert Confirm("Go?", "Go", "Stay", "Fast") == Confirm("Go?", allow="Go", deny="Stay", help="Fast")
    assert Select("Which?", [RED], "Any").help == "Any"


@rule("Q-SEC-1")
def test_only_a_text_can_be_secret():
    assert Text("Code?", secret=True).secret
    assert [Text("Name?").secret, Confirm("Go?").secret, COLOUR.secret] == [False] * 3


@pytest.mark.parametrize("question", [Text("Name?", help="h"), Confirm("Go?", details="d"), COLOUR])
def test_questions_are_values(question):
    twin = pickle.loads(pickle.dumps(question))
    assert (twin, hash(twin)) == (question, hash(question))
    assert copy.copy(question) == question
    with pytest.raises(AttributeError):
        question.message = "Other?"


@rule("Q-TYPE-2")
@pytest.mark.parametrize(
    "fields",
    [
        {"message": "x"},
        {"message": "日" * 4_000},
        {"message": "two\n\tlines", "help": "two\n\tlines"},
        {"message": "👩‍💻 ü"},
        {"message": Nickname("Bo?")},
        {"help": "h" * 2_000},
        {"details": "d" * 65_536},
        {"details": "ü" * 32_768},
        {"details": "\x1b[2K\u202e\u200b\r\x00\ud800"},
        {"min_length": 65_536},
        {"min_length": 1, "max_bytes": 1},
        {"max_bytes": 65_536},
    ],
    ids=lambda fields: ascii(fields)[:40],
)
def test_a_text_within_its_limits_is_built(fields):
    assert attrs.asdict(Text(**KEPT | fields)) == KEPT | fields


@rule("Q-TYPE-2")
@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"message": ""}, "$.message: must not be empty or blank"),
        ({"message": " \t\n\u2003"}, "$.message: must not be empty or blank"),
        ({"message": None}, "$.message: must be text, not NoneType"),
        ({"message": b"Name?"}, "$.message: must be text, not bytes"),
        ({"message": "日" * 4_001}, "$.message: at most 4000 code points; it has 4001"),
        ({"message": "a\x1bb"}, "$.message: character U+001B at 1 is not allowed; put it into details"),
        ({"message": "ab\u202e"}, "$.message: character U+202E at 2 is not allowed; put it into details"),
        ({"message": "\x85"}, "$.message: must not be empty or blank"),
        ({"message": "\ud800"}, "$.message: character U+D800 at 0 is not allowed; put it into details"),
        ({"help": ""}, "$.help: must not be empty or blank"),
        ({"help": 5}, "$.help: must be text, not int"),
        ({"help": "h" * 2_001}, "$.help: at most 2000 code points; it has 2001"),
        ({"help": "a\r"}, "$.help: character U+000D at 1 is not allowed; put it into details"),
        ({"details": None}, "$.details: must be text, not NoneType"),
        ({"details": False}, "$.details: must be text, not bool"),
        ({"details": ["d"]}, "$.details: must be text, not list"),
        ({"details": "d" * 65_537}, "$.details: at most 65536 bytes; it has 65537"),
        ({"details": "ü" * 32_769}, "$.details: at most 65536 bytes; it has 65538"),
        ({"details": "\ud800" * 30_000}, "$.details: at most 65536 bytes; it has 90000"),
        ({"secret": 1}, "$.secret: True or False"),
        ({"secret": None}, "$.secret: True or False"),
        ({"min_length": -1}, "$.min_length: a whole number from 0 to max_bytes"),
        ({"min_length": True}, "$.min_length: a whole number from 0 to max_bytes"),
        ({"min_length": 9, "max_bytes": 8}, "$.min_length: a whole number from 0 to max_bytes"),
        ({"min_length": 1.0}, "$.min_length: a whole number from 0 to max_bytes"),
        ({"max_bytes": 0}, "$.max_bytes: a whole number from 1 to 65536"),
        ({"max_bytes": 65_537}, "$.max_bytes: a whole number from 1 to 65536"),
        ({"max_bytes": "8"}, "$.max_bytes: a whole number from 1 to 65536"),
    ],
    ids=lambda part: ascii(part)[:40],
)
def test_a_bad_text_is_refused(fields, fault):
    assert refused(Text, **KEPT | fields) == [fault]


@rule("Q-TYPE-2")
@pytest.mark.parametrize(
    ("labels", "faults"),
    [
        ({"allow": ""}, ["$.allow: must not be empty or blank"]),
        ({"deny": " "}, ["$.deny: must not be empty or blank"]),
        ({"allow": "a" * 201}, ["$.allow: at most 200 code points; it has 201"]),
        ({"deny": "d" * 201}, ["$.deny: at most 200 code points; it has 201"]),
        ({"allow": "a\n"}, ["$.allow: character U+000A at 1 is not allowed; put it into details"]),
        ({"deny": "a\tb"}, ["$.deny: character U+0009 at 1 is not allowed; put it into details"]),
        ({"allow": True, "deny": None}, ["$.allow: must be text, not bool", "$.deny: must be text, not NoneType"]),
        ({"help": "\x07"}, ["$.help: character U+0007 at 0 is not allowed; put it into details"]),
        ({"details": 0}, ["$.details: must be text, not int"]),
        (
            {"details": 0, "help": 1, "allow": 2, "deny": 3},
            [f"$.{name}: must be text, not int" for name in ("details", "help", "allow", "deny")],
        ),
    ],
)
def test_a_bad_confirm_is_refused(labels, faults):
    assert refused(Confirm, "Go?", **labels) == faults


def test_labels_have_up_to_200_code_points():
    assert Confirm("Go?", "a" * 200, "d" * 200, "h").allow == "a" * 200
    assert Select("Which?", [Option("a", "日" * 200)]).options[0].label == "日" * 200


@rule("Q-TYPE-2")
@pytest.mark.parametrize("options", [[RED], (RED, BLUE), [Option(f"o{n}", "x") for n in range(64)]])
def test_a_select_has_1_to_64_options(options):
    assert Select("Which?", options).options == tuple(options)


@rule("Q-TYPE-2")
@pytest.mark.parametrize(
    ("options", "faults"),
    [
        ([], ["$.options: 1 to 64 options, not 0"]),
        ([Option(f"o{n}", "x") for n in range(65)], ["$.options: 1 to 64 options, not 65"]),
        (None, ["$.options: must be a sequence of Option"]),
        ("red", ["$.options: must be a sequence of Option"]),
        ({RED}, ["$.options: must be a sequence of Option"]),
        (["red", RED], ["$.options[0]: must be an Option"]),
        ([RED, ("red", "Red")], ["$.options[1]: must be an Option"]),
        ([RED, BLUE, RED], ["$.options[2].id: used before"]),
        ([Option("a", ""), Option("b", "x" * 201)], ["$.options[0].label", "$.options[1].label"]),
        ([Option("a", "x\ny")], ["$.options[0].label"]),
        ([an_option(None), an_option("None")], [f"$.options[0].id: {ID_FAULT}"]),
        ([an_option("1"), an_option(1)], [f"$.options[1].id: {ID_FAULT}"]),
        (
            [Option("-", ""), Option("-", "x")],
            ["$.options[0].label", "$.options[0].id", "$.options[1].id", "$.options[1].id"],
        ),
    ],
    ids=lambda part: ascii(part)[:40],
)
def test_bad_options_are_refused_each_with_its_place(options, faults):
    found = refused(Select, "Which?", options)
    assert len(found) == len(faults)
    assert all(one.startswith(expected) for one, expected in zip(found, faults, strict=True))


@rule("Q-TYPE-2")
@pytest.mark.parametrize("id", ["0", "a", "A9._:-", "z" * 64, "Z", Colour.RED])
def test_option_ids_are_words(id):
    assert Select("Which?", [Option(id, "x")]).options[0].id == id


@rule("Q-TYPE-2")
@pytest.mark.parametrize(
    "id", ["", "z" * 65, "-a", ".a", "_a", ":a", "a b", "a\n", "a/b", "ä", "²", "a\u200b", 0, None, b"a"]
)
def test_anything_else_is_no_option_id(id):
    assert refused(Select, "Which?", [Option(id, "x")]) == [f"$.options[0].id: {ID_FAULT}"]


@rule("Q-TYPE-2")
def test_every_fault_is_named_at_once():
    faults = refused(Select, "", [Option("a", ""), 5], help="", details=5)
    assert [fault.split(":")[0] for fault in faults] == [
        "$.message", "$.details", "$.help", "$.options[0].label", "$.options[1]",
    ]  # fmt: skip
    assert paths(InvalidQuestion(refused(Text, "\x00" * 4_001, 1, "\x00", -1, 9))) == [
        "$.message", "$.message", "$.help", "$.secret", "$.min_length",
    ]  # fmt: skip


# --- answering ------------------------------------------------------------------------------------------------------


@rule("Q-TYPE-3")
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (Confirm("Go?"), True),
        (Confirm("Go?"), False),
        (COLOUR, "red"),
        (COLOUR, "blue"),
        (Select("Which?", [Option("0", "None of them")]), "0"),
        (Text("Name?"), ""),
        (Text("Name?"), "a" * 65_536),
        (Text("Name?"), " \x1b\u202e\n"),
        (Text("Name?", min_length=3), "日本語"),
        (Text("Name?", max_bytes=9), "日本語"),
        (Text("Code?", secret=True), "0"),
    ],
    ids=lambda part: ascii(part)[:40],
)
def test_an_answer_that_fits_is_valid(question, answer):
    validate(First(), question, Secret(answer))


@rule("Q-TYPE-3")
@pytest.mark.parametrize(
    ("question", "answers", "fault"),
    [
        (Confirm("Go?"), [1, 0, "yes", "True", "", None, 1.0, [True]], "must be true or false"),
        (COLOUR, ["green", "", "Red", "red ", 0, None, True, ["red"]], "must be the id of one of the options"),
        (COLOUR, [Colour.RED, Nickname("red"), RED, b"red"], "must be the id of one of the options"),
        (Text("Name?"), [None, 5, False, b"bo", ["bo"], Nickname("bo")], "must be text"),
        (Text("Name?"), ["\ud800"], "must be Unicode text, without lone surrogates"),
        (Text("Name?", min_length=3), ["ab"], "at least 3 code points; it has 2"),
        (Text("Name?", min_length=1), [""], "at least 1 code points; it has 0"),
        (Text("Name?", max_bytes=8), ["日本語"], "at most 8 bytes; it has 9"),
        (Text("Name?"), ["a" * 65_537], "at most 65536 bytes; it has 65537"),
    ],
    ids=lambda part: ascii(part)[:40],
)
def test_any_other_answer_is_refused(question, answers, fault):
    assert [answer_faults(question, answer) for answer in answers] == [[f"$.answer: {fault}"]] * len(answers)


def test_the_base_of_all_questions_judges_no_answer():
    with pytest.raises(NotImplementedError):
        Question("Name?").answer_faults("bo")


# --- whatever comes -------------------------------------------------------------------------------------------------


def built(kind, **fields):
    """The question, or None if it is refused; anything but a typed refusal fails the test."""
    try:
        return kind(**fields)
    except InvalidQuestion as error:
        faults = error.faults
    assert [fault for fault in faults if fault.startswith("$.")] == list(faults) != []
    return None


TEXTS = {"message": GARBAGE | st.just("Name?"), "details": GARBAGE, "help": GARBAGE}
BUILT = st.one_of(
    st.builds(built, st.just(Text), secret=GARBAGE | st.booleans(), min_length=GARBAGE, max_bytes=GARBAGE, **TEXTS),
    st.builds(built, st.just(Select), options=GARBAGE | OPTIONS, **TEXTS),
    st.builds(built, st.just(Confirm), allow=GARBAGE, deny=GARBAGE, **TEXTS),
)
ANSWERABLE = st.sampled_from([Confirm("Go?"), COLOUR, Text("Name?", min_length=2, max_bytes=30)])


@rule("Q-TYPE-2")
@given(BUILT)
def test_whatever_a_question_is_built_of_it_is_refused_with_paths_or_can_be_shown(question):
    if question is not None:
        assert 1 <= len(question.message) <= 4_000
        assert not question.message.isspace()
        assert question.message.encode()


@rule("Q-TYPE-3")
@given(ANSWERABLE, GARBAGE)
def test_whatever_an_answer_is_it_is_refused_as_invalid_or_is_of_the_type(question, answer):
    if type(answer) is not (bool if isinstance(question, Confirm) else str):
        assert len(answer_faults(question, answer)) == 1
        return
    with suppress(InvalidAnswer):
        validate(First(), question, Secret(answer))


@rule("Q-SEC-1", "Q-TYPE-3")
@given(
    ANY_TEXT,
    st.sampled_from([Text("Code?", secret=True, max_bytes=9), Text("Code?", min_length=90, secret=True), COLOUR]),
    st.sampled_from([str, Nickname, str.encode, lambda text: [text], lambda text: {"code": text}]),
)
def test_no_refusal_quotes_the_answer(noise, question, wrap):
    with pytest.raises(InvalidAnswer) as caught:
        validate(First(), question, Secret(wrap("hunter2-Ω" + noise.encode(errors="replace").decode())))
    lines = traceback.TracebackException.from_exception(caught.value, capture_locals=True).format()
    ours = [line for line in lines if "questions/policies.py" in line]
    assert "hunter2" not in f"{caught.value} {caught.value!r} {vars(caught.value)} {''.join(ours)}"
    assert ours
