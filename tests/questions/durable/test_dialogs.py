"""The lines between a child and its parent: cut at both ends, and a reply that does not fit is none."""

import json

import pytest

from questions.durable.dialogs import (
    CANCELLED,
    LONGEST_LINE,
    Reply,
    fitting,
    question_line,
    read_dialog,
    read_question,
    read_response,
    response_line,
)

DATA = {"requestId": "1", "method": "select", "title": "Pick", "options": ["Alpha", "Beta"]}


def dialog(**changes):
    found = read_dialog({**DATA, **changes})
    assert found
    return found


def test_a_question_is_one_line_of_json_and_absent_means_absent():
    line = question_line(dialog(), 1_500.4)
    assert line.endswith(b"}\n")
    assert json.loads(line) == {"event": "question", "data": {**DATA, "timeout": 1_500}}
    assert read_question(line) == dialog(timeout=1_500)


@pytest.mark.parametrize("reply", [Reply("Beta"), Reply(""), Reply(confirmed=False), Reply(confirmed=True), CANCELLED])
def test_a_reply_comes_out_as_it_went_in(reply):
    assert read_response(response_line("7", reply)) == ("7", reply)


def test_the_words_of_a_response_are_those_of_the_contract():
    assert json.loads(response_line("7", Reply("x"))) == {"type": "ui_response", "requestId": "7", "value": "x"}
    assert json.loads(response_line("7", Reply(confirmed=False)))["confirmed"] is False
    assert json.loads(response_line("7", CANCELLED))["cancelled"] is True


@pytest.mark.parametrize("method", ["notify", "", None, 1, []])
def test_another_method_is_not_handled(method):  # case 116
    assert read_dialog({**DATA, "method": method}) is None


@pytest.mark.parametrize("id", ["", "x" * 257, None, 1, "\ud800"])
def test_without_an_id_it_is_not_handled(id):
    assert read_dialog({**DATA, "requestId": id}) is None


def test_texts_are_cut():
    cut = dialog(title="t" * 2_000, message="m" * 9_000, prefill="p" * 9_000, options=["o" * 9_000] * 70)
    assert (len(cut.title), len(cut.message or ""), len(cut.prefill or "")) == (1_000, 8_000, 8_000)
    assert (len(cut.options), len(cut.options[0]), len(cut.texts[0])) == (64, 8_000, 9_000)


def test_only_text_is_an_option():
    assert dialog(options=["a", 1, None, ["b"], "c"]).options == ("a", "c")
    assert not dialog(options=[1, None]).can_be_asked
    assert not dialog(options="Alpha").can_be_asked
    assert dialog(method="input", options=None).can_be_asked


@pytest.mark.parametrize(
    ("timeout", "taken"),
    [(5, 5), (0.5, 0.5), (10**9, 86_400_000), (0, 9), (-1, 9), (None, 9), (True, 9), ("5", 9), (float("nan"), 9)],
)
def test_a_time_is_the_dialogs_own_or_the_usual_one_and_at_most_a_day(timeout, taken):
    found = read_dialog({**DATA, "timeout": timeout}, 9)
    assert found
    assert found.timeout_ms == taken


def test_the_longest_question_fits_into_a_line():
    longest = dialog(title="\0" * 1_000, message="\0" * 8_000, placeholder="\0" * 8_000, options=["\0" * 8_000] * 64)
    assert len(question_line(longest, 1)) < LONGEST_LINE


@pytest.mark.parametrize(
    ("method", "reply", "is_one"),
    [
        ("select", Reply("Beta"), True),
        ("select", Reply("Gamma"), False),
        ("select", Reply(confirmed=True), False),
        ("confirm", Reply(confirmed=False), True),
        ("confirm", Reply("yes"), False),
        ("input", Reply(""), True),
        ("input", Reply("x" * 65_536), True),
        ("input", Reply("x" * 65_537), False),
        ("input", Reply("ä" * 32_769), False),
        ("input", Reply(confirmed=True), False),
        ("editor", Reply("a\nb"), True),
        ("editor", CANCELLED, False),
    ],
)
def test_a_reply_that_does_not_fit_is_cancelled(method, reply, is_one):
    assert fitting(dialog(method=method), reply) == (reply if is_one else CANCELLED)


def test_the_value_is_the_full_text_of_the_option():
    long = dialog(options=["a" * 9_000, "b"])
    assert fitting(long, Reply("a" * 8_000)) == Reply("a" * 9_000)


@pytest.mark.parametrize(
    "fields",
    [
        {"value": 1},
        {"confirmed": "yes"},
        {"confirmed": 1},
        {"cancelled": True, "value": "Beta"},
        {"cancelled": 1, "value": "Beta"},
        {"value": None},
        {},
    ],
)
def test_a_response_of_the_wrong_shape_is_cancelled(fields):
    line = json.dumps({"type": "ui_response", "requestId": "1", **fields}).encode()
    assert read_response(line) == ("1", CANCELLED)


@pytest.mark.parametrize(
    "line", [b"", b"hello", b"[]", b'{"type":"x"}', b'{"type":"ui_response"}', b"\xff", b"[" * 10_000, b'"\\ud800"']
)
def test_other_lines_are_neither_questions_nor_responses(line):
    assert (read_question(line), read_response(line)) == (None, None)


def test_what_cannot_be_written_in_utf_8_is_replaced():
    assert question_line(dialog(title="a\ud800b"), 1)
    assert fitting(dialog(method="input"), Reply("a\ud800b")) == Reply("a?b")
