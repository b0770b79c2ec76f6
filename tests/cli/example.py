"""The example file of tool calls, and calls made up for one test."""

import re

from questions.cli.demo.calls import ToolCall, load_calls
from tests.house.source import ROOT

EXAMPLE = ROOT / "examples" / "data" / "tool_calls.jsonl"
CALLS = load_calls(EXAMPLE.read_bytes(), EXAMPLE.name)

# Every made-up secret of the example says so; hidden characters, which may stand inside the word, are left out.
CANARY = re.compile(r"canary", re.IGNORECASE)


def call(tool="Bash", session="s1", **arguments):
    return ToolCall(session, "toolu_1", tool, arguments, "/home/dev/shop", 1)


def bash(command):
    return call(command=command)
