"""`@rule("Q-SET-2")` marks the test that keeps a rule of the design, so that grep goes from rule to code to test."""

from pathlib import Path

import pytest

RULES = frozenset((Path(__file__).parent / "data" / "rules.txt").read_text().split())


def rule(*tags: str) -> pytest.MarkDecorator:
    """Mark a test, a test class, or (as `pytestmark = rule(...)`) a whole file as keeping these rules."""
    return pytest.mark.rule(*tags)
