"""The limits of a store: ranges, and how they are stored."""

import pytest

from questions.durable.errors import BadArgument, Unreadable
from questions.durable.limits import StoreLimits, read_limits, write_limits
from tests.questions.samples import paths

YEAR = 365 * 86_400_000
LARGEST = StoreLimits(100_000, 1_000_000, YEAR, 100_000)


@pytest.mark.parametrize("limits", [StoreLimits(), StoreLimits(1, 301, 0, 1), LARGEST])
def test_limits_are_read_as_they_were_written(limits):
    assert read_limits(write_limits(limits)) == limits


@pytest.mark.parametrize("number", [0, -1, True, 5.0, "5", None, 1_000_001])
def test_a_limit_out_of_range_is_refused(number):
    with pytest.raises(BadArgument) as refused:
        StoreLimits(max_open=number, max_stored=number)
    assert paths(refused.value) == ["$.max_open", "$.max_stored"]


@pytest.mark.parametrize("number", [-1, YEAR + 1, True, 1.0])
def test_a_retention_out_of_range_is_refused(number):
    with pytest.raises(BadArgument) as refused:
        StoreLimits(retention_ms=number)
    assert paths(refused.value) == ["$.retention_ms"]


@pytest.mark.parametrize("number", [0, 100_001, True])
def test_a_raiser_s_share_out_of_range_is_refused(number):
    with pytest.raises(BadArgument) as refused:
        StoreLimits(max_open_per_raiser=number)
    assert paths(refused.value) == ["$.max_open_per_raiser"]


def test_there_is_room_for_ended_ones_beside_open_ones():
    assert StoreLimits(max_open=201, max_stored=501).max_stored == 501
    with pytest.raises(BadArgument, match="501"):
        StoreLimits(max_open=201, max_stored=500)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"max_open": 0}', '{"max_open": "5"}', '{"colour": 1}', "\ud800"])
def test_limits_that_are_not_understood_are_not_guessed(text):
    with pytest.raises(Unreadable):
        read_limits(text)


def test_limits_that_are_not_stored_are_the_usual_ones():
    assert read_limits("{}") == StoreLimits()
