"""Cells and derived readables: the shapes of graphs, failures, and nothing left behind."""

import gc
import weakref

import pytest

from facets import Cell, CyclicRead, Readable, derive
from tests.facets.graphs import Told, counting, joined
from tests.rules import rule

pytestmark = rule("Q-VIEW-2")


# A cell alone


def test_cell_has_the_value_that_was_set_last():
    cell = Cell(1)
    cell.set(2)
    assert (cell.value, cell.version) == (2, 1)


def test_setting_an_equal_value_is_no_change():
    cell, told = Cell([1]), Told()
    cell.listen(told)
    cell.set([1])
    assert (cell.version, told.times) == (0, 0)


def test_setting_the_very_same_value_is_no_change_even_if_it_equals_nothing():
    nan = float("nan")
    cell = Cell(nan)
    cell.set(nan)
    assert cell.version == 0
    cell.set(float("nan"))
    assert cell.version == 1


def test_late_listener_is_told_once():
    """It has to listen again, after reading, to be told again."""
    cell, told = Cell(0), Told()
    cell.set(1)
    cell.listen(told)
    cell.set(2)
    cell.set(3)
    assert told.times == 1


def test_listener_that_listens_twice_is_told_once():
    cell, told = Cell(0), Told()
    cell.listen(told)
    cell.listen(told)
    cell.set(1)
    assert told.times == 1


def test_listener_that_has_gone_is_not_told():
    cell, told = Cell(0), Told()
    cell.listen(told)
    cell.unlisten(told)
    cell.unlisten(told)
    cell.set(1)
    assert told.times == 0


@pytest.mark.parametrize("name", ["value", "version"])
def test_a_bare_readable_says_that_it_is_abstract(name):
    with pytest.raises(NotImplementedError):
        getattr(Readable(), name)


# The shapes of graphs


def test_derived_is_lazy_and_worked_out_once():
    compute = counting(lambda a, b: a + b)
    a, b = Cell(1), Cell(2)
    total = derive([a, b], compute)
    assert compute.runs == 0
    assert (total.value, total.value, total.version) == (3, 3, 1)
    a.set(5)
    assert (total.value, total.version, compute.runs) == (7, 2, 2)


def test_derived_without_sources_is_a_constant():
    assert derive([], lambda: 7).value == 7


def test_the_same_source_twice_counts_as_two_arguments():
    cell, told = Cell(2), Told()
    square = derive([cell, cell], lambda x, y: x * y)
    square.listen(told)
    cell.set(3)
    assert (square.value, told.times) == (9, 1)


@pytest.mark.parametrize("listening", [False, True])
def test_diamond_is_worked_out_once_and_without_a_glitch(listening):
    a = Cell("a")
    b, c = derive([a], lambda x: x + "b"), derive([a], lambda x: x + "c")
    compute = counting(joined)
    d, told = derive([b, c], compute), Told()
    assert d.value == "ab ac"
    if listening:
        d.listen(told)
    a.set("x")
    assert (d.value, compute.runs, told.times) == ("xb xc", 2, int(listening))


def test_diamond_with_a_tail_works_the_tail_out_once():
    a = Cell("a")
    b, c = derive([a], lambda x: x + "b"), derive([a], lambda x: x + "c")
    d = derive([b, c], joined)
    tail = counting(str.upper)
    e = derive([d], tail)
    assert e.value == "AB AC"
    a.set("x")
    assert (e.value, tail.runs) == ("XB XC", 2)


def test_jagged_diamond_with_tails_tells_each_tail_once():
    a = Cell("a")
    b, c = derive([a], lambda x: x + "b"), derive([a], lambda x: x + "c")
    d = derive([c], lambda x: x + "d")
    compute = counting(joined)
    e = derive([b, d], compute)
    tails, told = [derive([e], str.upper), derive([e], str.title)], [Told(), Told()]
    for tail, listener in zip(tails, told, strict=True):
        tail.listen(listener)
    a.set("x")
    assert [tail.value for tail in tails] == ["XB XCD", "Xb Xcd"]
    assert (compute.runs, [listener.times for listener in told]) == (2, [1, 1])


def test_a_value_that_comes_twice_along_one_path_is_never_mixed_with_an_old_one():
    """A -> B -> A: the end depends on the source directly and through a derived one."""
    a = Cell(2)
    b = derive([a], lambda x: x - 1)
    pairs = counting(lambda x, y: (x, y))
    c = derive([a, b], pairs)
    c.listen(Told())
    a.set(4)
    assert (c.value, pairs.runs) == ((4, 3), 2)


def test_equal_result_stops_a_change():
    a = Cell(1)
    parity = derive([a], lambda x: x % 2)
    compute = counting(joined)
    end = derive([parity], compute)
    assert end.value == "1"
    a.set(3)
    assert (end.value, end.version, parity.version, compute.runs) == ("1", 1, 1, 1)
    a.set(4)
    assert (end.value, end.version, compute.runs) == ("0", 2, 2)


def test_change_passes_when_only_one_of_two_paths_is_cut_off():
    a = Cell(1)
    same, other = derive([a], lambda _: "same"), derive([a], lambda x: x)
    end = derive([same, other], joined)
    assert end.value == "same 1"
    a.set(2)
    assert end.value == "same 2"


def test_listeners_of_one_branch_leave_the_other_one_alone():
    """Partial unsubscription: what still has a listener stays up to date."""
    a, left, right = Cell(1), Told(), Told()
    shared = derive([a], lambda x: x + 1)
    b, c = derive([shared], str), derive([shared], float)
    b.listen(left)
    c.listen(right)
    b.unlisten(left)
    a.set(5)
    assert (left.times, right.times, c.value, b.value) == (0, 1, 6.0, "6")


def test_versions_only_grow():
    a = Cell(0)
    half = derive([a], lambda x: x // 2)
    versions = []
    for value in (0, 1, 2, 1, 0, 2, 2):
        a.set(value)
        versions.append((a.version, half.version))
    assert versions == sorted(versions)
    assert versions[-1] == (5, 4)


# Failures


def test_what_a_computation_raises_is_kept_and_raised_to_every_reader_until_a_source_changes():
    divisor = Cell(0)
    compute = counting(lambda x: 10 // x)
    quotient = derive([divisor], compute)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            _ = quotient.value
    assert (compute.runs, quotient.version) == (1, 1)
    divisor.set(5)
    assert (quotient.value, quotient.version) == (2, 2)


def test_tracebacks_do_not_pile_up_on_an_error_that_is_raised_again():
    failing = derive([Cell(0)], lambda x: 1 // x)
    depths = []
    for _ in range(3):
        with pytest.raises(ZeroDivisionError) as caught:
            _ = failing.value
        depths.append(len(caught.traceback))
    assert len(set(depths)) == 1


def test_failure_passes_through_what_depends_on_it():
    a = Cell(0)
    end = derive([derive([a], lambda x: 1 // x)], lambda x: x + 1)
    with pytest.raises(ZeroDivisionError):
        _ = end.value
    a.set(1)
    assert end.value == 2


def test_one_failing_computation_does_not_stop_the_others():
    a, told = Cell(1), [Told(), Told()]
    failing, sound = derive([a], lambda x: 1 // x), derive([a], lambda x: x + 1)
    failing.listen(told[0])
    sound.listen(told[1])
    a.set(0)
    assert (sound.value, [listener.times for listener in told]) == (1, [1, 1])


def test_value_that_comes_back_after_a_failure_is_a_change():
    """Who has seen the failure has to hear of the recovery, though the value is the one before it."""
    a = Cell(1)
    quotient = derive([a], lambda x: 1 // x)
    assert (quotient.value, quotient.version) == (1, 1)
    a.set(0)
    assert quotient.version == 2
    a.set(1)
    assert (quotient.value, quotient.version) == (1, 3)


def test_reading_itself_is_an_error_until_a_source_changes():
    stuck = Cell(True)
    loop = derive([stuck], lambda is_stuck: loop.value if is_stuck else "out")
    with pytest.raises(CyclicRead):
        _ = loop.value
    stuck.set(False)
    assert loop.value == "out"


def test_cycle_through_others_is_an_error_at_read():
    a = Cell(1)
    first = derive([a], lambda _: second.value)
    second = derive([first], lambda value: value)
    for readable in (first, second):
        with pytest.raises(CyclicRead):
            _ = readable.value


def test_interrupted_computation_is_tried_again():
    interrupts = [KeyboardInterrupt]

    def compute(value):
        if interrupts:
            raise interrupts.pop()
        return value

    readable = derive([Cell(1)], compute)
    with pytest.raises(KeyboardInterrupt):
        _ = readable.value
    assert readable.value == 1


# Who refers to whom


def test_derived_that_was_only_read_is_freed_while_its_source_lives():
    cell = Cell(1)
    derived = derive([cell], str)
    assert derived.value == "1"
    freed = weakref.ref(derived)
    del derived
    gc.collect()
    assert freed() is None


@pytest.mark.parametrize("leave", ["unlisten", "told"])
def test_derived_that_nobody_listens_to_any_more_is_freed(leave):
    cell, told = Cell(1), Told()
    derived = derive([derive([cell], str)], str)
    derived.listen(told)
    if leave == "unlisten":
        derived.unlisten(told)
    else:
        cell.set(2)
    freed = weakref.ref(derived)
    del derived
    gc.collect()
    assert (freed(), cell._listeners) == (None, {})


def test_chain_is_kept_for_the_listener_at_its_end():
    cell, told = Cell(1), Told()
    derive([derive([cell], str)], str).listen(told)
    gc.collect()
    cell.set(2)
    assert told.times == 1
