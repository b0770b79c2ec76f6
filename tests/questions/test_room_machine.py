"""Random programs of everything that can happen, with everything counted that can be: no count is ever off."""

from functools import partial

import trio
import trio.testing
from hypothesis import Phase, given, settings

from questions import Limits
from tests.questions.programs import programs
from tests.questions.test_machine import execute, no_trace
from tests.rules import rule

COUNTED = Limits(open_per_asker=10_000, open_per_scope=10_000, open_per_person=10_000)


@rule("Q-SET-6", "Q-POL-2", "Q-KEY-3")
@settings(phases=set(Phase) - {Phase.explain}, max_examples=40)
@given(programs)
def test_counts_stay_right_however_questions_end_and_whoever_comes_and_goes(program):
    clock = trio.testing.MockClock()
    with no_trace():
        trio.run(partial(execute, limits=COUNTED), program, clock, clock=clock)
