"""An audience is distinct principals; a live one tells who has joined and who has left since the last look."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facets import Cell, Principal, Who, derive
from questions import InvalidAsk
from questions.audience import LiveAudience, distinct
from tests.questions.samples import ANA, BO, CY
from tests.rules import rule


def live(*principals):
    told: list[LiveAudience] = []
    cell: Any = Cell(principals)
    return cell, LiveAudience(cell, told.append), told


@rule("Q-POL-6")
@pytest.mark.parametrize("kind", [list, tuple, iter, dict.fromkeys, lambda people: (one for one in people)])
def test_each_principal_counts_once_in_the_order_given(kind):
    assert list(distinct(kind([BO, ANA, BO, Principal.user("ana"), CY]))) == [BO, ANA, CY]


def test_nobody_is_an_audience_too():
    assert distinct([]) == distinct(()) == distinct(set()) == {}


@pytest.mark.parametrize("audience", ["ana", b"ana", None, 5, ANA, object()])
def test_what_is_no_sequence_is_refused(audience):
    with pytest.raises(InvalidAsk) as caught:
        distinct(audience)
    assert caught.value.faults == ["$.audience: a sequence of Principals, or a Readable of one"]


@pytest.mark.parametrize("kind", [list, tuple, iter])
def test_every_one_that_is_no_principal_is_named_with_its_place(kind):
    with pytest.raises(InvalidAsk) as caught:
        distinct(kind([ANA, "bo", BO, None, Who(CY, "Cy")]))
    assert caught.value.faults == [
        "$.audience[1]: a Principal, not str",
        "$.audience[3]: a Principal, not NoneType",
        "$.audience[4]: a Principal, not Who",
    ]


@rule("Q-POL-2")
def test_a_live_audience_tells_who_joined_and_who_left_once():
    cell, audience, _ = live(ANA, BO)
    cell.set((CY, BO))
    assert audience.refresh() == ((CY,), (ANA,))
    assert audience.refresh() is None
    assert list(audience.members) == [CY, BO]


@rule("Q-POL-6")
def test_another_order_or_the_same_twice_is_no_change():
    cell, audience, _ = live(ANA, BO)
    cell.set([BO, ANA, BO])
    assert audience.refresh() is None


def test_a_change_is_noted_when_it_happens_and_read_when_it_is_looked_at():
    cell, audience, told = live(ANA)
    cell.set((ANA, BO))
    cell.set((BO,))
    assert told == [audience]
    assert list(audience.members) == [ANA]
    assert audience.refresh() == ((BO,), (ANA,))
    cell.set(())
    assert told == [audience, audience]


def test_it_goes_on_listening_when_it_is_looked_at_without_need():
    cell, audience, told = live(ANA)
    assert audience.refresh() is None
    cell.set(())
    assert told == [audience]


def test_it_stops_listening():
    cell, audience, told = live(ANA)
    audience.stop()
    cell.set(())
    assert told == []


@rule("Q-POL-2")
@pytest.mark.parametrize("broken", ["ana", None, (ANA, "bo")])
def test_a_readable_that_holds_something_else_makes_nobody_leave(broken):
    cell, audience, _ = live(ANA, BO)
    cell.set(broken)
    assert audience.refresh() is None
    assert (list(audience.members), audience.readable_now) == ([ANA, BO], False)
    cell.set((ANA, CY))
    assert audience.refresh() == ((CY,), (BO,))
    assert audience.readable_now


def test_a_computation_that_fails_makes_nobody_leave_and_mends():
    """Mended with the same people, it is no change, and they may answer again."""
    number = Cell(1)
    audience = LiveAudience(derive([number], lambda number: [ANA] if 1 / number else []), lambda _: None)
    assert audience.readable_now
    number.set(0)
    assert audience.refresh() is None
    assert (list(audience.members), audience.readable_now) == ([ANA], False)
    number.set(2)
    assert audience.refresh() is None
    assert audience.readable_now


@rule("Q-POL-2")
@pytest.mark.fuzz
@given(st.lists(st.lists(st.sampled_from([ANA, BO, CY]), max_size=4), max_size=10))
def test_joins_and_leaves_add_up_to_what_the_readable_holds(values):
    cell, audience, _ = live()
    members: set[Principal] = set()
    for value in values:
        cell.set(tuple(value))
        joined, left = audience.refresh() or ((), ())
        assert not members & set(joined)
        assert members >= set(left)
        members = (members | set(joined)) - set(left)
        assert members == set(value)


@pytest.mark.parametrize(
    "unreadable", [lambda _: 1 / 0, lambda _: "garbage", lambda _: None], ids=["raises", "text", "None"]
)
def test_nothing_is_asked_of_an_audience_that_cannot_be_read(unreadable):
    """Not even followed: nobody would ever stop following it."""
    told: list[LiveAudience] = []
    cell: Any = Cell((ANA,))
    with pytest.raises(InvalidAsk) as caught:
        LiveAudience(derive([cell], unreadable), told.append)
    assert caught.value.faults == ["$.audience: cannot be read now"]
    cell.set((BO,))
    assert not told
