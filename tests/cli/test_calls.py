"""Tool calls are read whole: a bad line is named with its place, and no good line is lost."""

import json
import pickle

import pytest

from facets import FacetError, MissingExtra
from questions.cli.demo.calls import load_calls
from questions.cli.demo.errors import BadToolCalls, Fault
from tests.cli.example import CALLS

GOOD = {
    "session_id": "s1",
    "cwd": "/home/dev",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "pwd"},
    "tool_use_id": "toolu_1",
}


def line(**changes):
    return json.dumps({**GOOD, **changes}).encode()


def refused(data):
    with pytest.raises(BadToolCalls) as caught:
        load_calls(data, "calls.jsonl")
    return caught.value


def test_a_line_becomes_a_call():
    (call,) = load_calls(line(), "calls.jsonl")
    assert (call.session, call.id, call.tool, call.input, call.line) == ("s1", "toolu_1", "Bash", {"command": "pwd"}, 1)


def test_blank_lines_a_byte_order_mark_and_windows_line_ends_are_no_fault():
    data = b"\xef\xbb\xbf" + line() + b"\r\n\r\n" + line(tool_use_id="toolu_2")
    assert [(call.id, call.line) for call in load_calls(data, "calls.jsonl")] == [("toolu_1", 1), ("toolu_2", 3)]


def test_a_call_without_an_id_is_named_after_its_line():
    row = {name: value for name, value in GOOD.items() if name != "tool_use_id"}
    assert load_calls(json.dumps(row).encode(), "calls.jsonl")[0].id == "line-1"


def test_arguments_are_not_in_the_repr():
    assert "pwd" not in repr(load_calls(line(), "calls.jsonl"))


BAD = {
    b"{": ("$", "not JSON"),
    b"[1]": ("$", "an object, not a list"),
    b"\xff{}": ("$", "byte 1 is not UTF-8"),
    b"[" * 100_000: ("$", "nested too deeply"),
    line(tool_name=None): ("$.tool_name", "text, not nothing"),
    line(tool_name=" "): ("$.tool_name", "not blank"),
    line(session_id="s" * 101): ("$.session_id", "1 to 100"),
    line(session_id="s\x1b1"): ("$.session_id", "no control characters"),
    line(session_id="s\u202e1"): ("$.session_id", "cannot be seen"),
    line(tool_use_id="\u200b"): ("$.tool_use_id", "cannot be seen"),
    b'{"n": ' + b"1" * 5_000 + b"}": ("$", "too many digits"),
    line(tool_use_id=7): ("$.tool_use_id", "text, not a number"),
    line(cwd=False): ("$.cwd", "text, not a boolean"),
    line(tool_input="pwd"): ("$.tool_input", "an object, not text"),
    line(hook_event_name="Stop"): ("$.hook_event_name", "PreToolUse"),
    line(tool_input={"command": "\ud800"}): ("$", "surrogate"),
    line()[:-1] + b', "tool_name": "Read"}': ("$", "the same key appears twice"),
    line(tool_input={"n": float("nan")}): ("$", "NaN"),
}


@pytest.mark.parametrize("data", BAD, ids=[problem for _, problem in BAD.values()])
def test_a_bad_line_is_named_with_its_place(data):
    error = refused(line() + b"\n" + data)
    (fault,) = error.faults
    path, problem = BAD[data]
    assert (fault.line, fault.path) == (2, path)
    assert problem in fault.problem
    assert f"calls.jsonl, line 2, {path}: " in str(error)


def test_every_bad_line_is_told_and_the_good_ones_are_kept():
    error = refused(b"\n".join([b"{", line(), b"{}", line(tool_use_id="toolu_2")]))
    assert {fault.line for fault in error.faults} == {1, 3}
    assert [call.id for call in error.calls] == ["toolu_1", "toolu_2"]


def test_a_file_without_calls_is_refused():
    assert "no tool call" in str(refused(b"\n \n"))


def test_a_fault_never_quotes_the_value():
    error = refused(line(tool_name=["canary"], tool_input="canary", session_id="canary\n", cwd={"canary": 1}))
    assert len(error.faults) == 4
    assert "canary" not in str(error) + repr(error)


def test_a_hundred_faults_are_counted_rather_than_listed():
    assert "and 80 more faults" in str(refused(b"\n".join([b"{"] * 100)))


@pytest.mark.parametrize(
    "error",
    [
        BadToolCalls("calls.jsonl", [Fault(1, "$", "not JSON")], CALLS[:1]),
        MissingExtra("Answering", "rich", "terminal", "questions demo --auto"),
    ],
)
def test_errors_can_be_pickled(error):
    copy = pickle.loads(pickle.dumps(error))
    assert isinstance(copy, FacetError)
    assert (str(copy), copy.code) == (str(error), error.code)


def test_a_missing_extra_says_what_to_install():
    text = str(MissingExtra("Answering", "rich", "terminal", "questions demo --auto"))
    assert 'pip install "question-broker[terminal]"' in text
    assert "questions demo --auto" in text


def test_the_example_is_what_the_demo_is_about():
    assert len(CALLS) >= 30
    assert len({call.id for call in CALLS}) == len(CALLS)
    assert len({call.session for call in CALLS}) == 2
