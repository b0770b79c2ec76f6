"""What a viewer is shown says what that viewer may do."""

import pytest

from questions import All
from questions.entry import Answer, Left
from questions.showing import show
from tests.questions.samples import ANA, BO, CY, HOST, RUN, after, an_entry, who
from tests.rules import rule


@rule("Q-VIEW-1", "Q-AUTH-2")
@pytest.mark.parametrize(
    ("viewer", "may_answer", "answered_by_me"),
    [(ANA, True, True), (BO, True, False), (CY, False, True), (HOST, False, False), (RUN, False, False)],
)
def test_each_viewer_sees_whether_to_answer_and_whether_they_have(viewer, may_answer, answered_by_me):
    entry = an_entry(ANA, BO, CY, RUN, policy=All(), on_behalf_of=RUN)
    entry = after(entry, Answer(ANA, False), Answer(CY, False), Left((CY,)))
    seen = show(entry, viewer, who, lambda: 0.0)
    assert (seen.may_answer, seen.answered_by_me) == (may_answer, answered_by_me)
