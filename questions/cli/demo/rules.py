"""Which tool calls need nobody: a table. What is not in it is asked."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

import attrs

from .calls import ToolCall
from .hidden import has_hidden
from .masking import mask

__all__ = ["HARMLESS", "Rule", "passing_rule"]


@attrs.frozen
class Rule:
    """Calls of `tool` with no other arguments than `fields` pass if `holds`; `why` is shown to people."""

    tool: str
    fields: frozenset[str]
    holds: Callable[[ToolCall], bool]
    why: str


def passing_rule(call: ToolCall) -> Rule | None:
    """The rule that lets `call` run unasked, or None: then people are asked.

    Whatever holds a secret or a character that cannot be seen is for people to judge, whatever the rule.
    """
    if has_hidden(call.input) or mask(call.input) != call.input:
        return None
    matching = (rule for rule in HARMLESS if rule.tool == call.tool and call.input.keys() <= rule.fields)
    return next((rule for rule in matching if rule.holds(call)), None)


# A path argument of a command: neither an option nor a way out of the project.
_PATH = r"(?![-/])(?!\S*\.\.)[\w./@-]+"
_COMMANDS = re.compile(
    rf"pwd|ls( -[lah1]+)?( {_PATH})*|git status( --short)?|git diff( --stat)?( {_PATH})*"
    rf"|git log( --oneline)?( -n \d+)?|git show( --stat)?( (?![-/])[\w.~^-]+)?|wc( -[lwc])?( {_PATH})+"
)
_SECRET_FILES = re.compile(
    r"(^|/)(\.env|\.netrc|\.npmrc|\.pypirc|\.git-credentials|id_(rsa|dsa|ecdsa|ed25519)|shadow)"
    r"|\.(pem|key|p12|pfx|kdbx)$|(^|/)\.(ssh|aws|gnupg|kube|docker)(/|$)|credential|secret",
    re.IGNORECASE,
)
_NAMES = re.compile(r"(?![/~])(?!.*\.\.)[^{}]+")
_DOCUMENTATION = re.compile(r"https://(docs\.python\.org|developer\.mozilla\.org|peps\.python\.org)/[\w/.-]*")


def _in_project(field: str) -> Callable[[ToolCall], bool]:
    """By its text alone: the demo runs nothing, so it follows no links on a disk either. No path is the project."""

    def holds(call: ToolCall) -> bool:
        path: object = call.input.get(field, ".")
        if not isinstance(path, str) or path.startswith("~"):
            return False
        root = posixpath.normpath(call.cwd)
        place = posixpath.normpath(posixpath.join(root, path))
        return (place == root or place.startswith(root + "/")) and not _SECRET_FILES.search(place)

    return holds


def _matches(field: str, pattern: re.Pattern[str]) -> Callable[[ToolCall], bool]:
    def holds(call: ToolCall) -> bool:
        value: object = call.input.get(field)
        return isinstance(value, str) and pattern.fullmatch(value) is not None

    return holds


def _both(*checks: Callable[[ToolCall], bool]) -> Callable[[ToolCall], bool]:
    return lambda call: all(check(call) for check in checks)


def _always(_: ToolCall) -> bool:
    return True


def _rule(tool: str, fields: str, holds: Callable[[ToolCall], bool], why: str) -> Rule:
    return Rule(tool, frozenset(fields.split()), holds, why)


HARMLESS: tuple[Rule, ...] = (
    _rule("Read", "file_path offset limit", _in_project("file_path"), "reads a file of the project"),
    _rule(
        "Glob",
        "pattern path",
        _both(_matches("pattern", _NAMES), _in_project("path")),
        "lists names in the project",
    ),
    _rule("Grep", "pattern path glob output_mode", _in_project("path"), "searches the project"),
    _rule("TodoWrite", "todos", _always, "keeps the agent's own list"),
    _rule("Bash", "command description timeout", _matches("command", _COMMANDS), "only looks"),
    _rule("WebFetch", "url prompt", _matches("url", _DOCUMENTATION), "reads public documentation"),
)
"""Fail closed: a tool, an argument or a command that no line names is asked of people."""
