"""Every recorded case comes out as it was recorded."""

import pytest

from questions.rooms import MECHANISMS, differences, replay
from tests.questions.rooms.votes import cases


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_recorded_cases_come_out_as_recorded(mechanism):
    mine = [case for case in cases() if case["mechanism"] == mechanism]
    assert len(mine) >= 40
    for case in mine:
        asked = {name: value for name, value in case.items() if name != "expected"}
        assert not list(differences(replay(asked)["expected"], case["expected"])), case["id"]


def test_what_a_case_expects_is_not_looked_at():
    for case in cases()[:20]:
        assert replay({**case, "expected": "nonsense"}) == replay({**case, "expected": None})
