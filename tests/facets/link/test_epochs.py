"""Which readable a revision belongs to."""

import gc

from facets import Cell, KeyedCell
from facets.link.epochs import Epochs


def test_a_readable_keeps_its_epoch_and_shares_it_with_none():
    epochs, one, two = Epochs(), Cell(1), Cell(1)
    assert epochs.of(one) == epochs.of(one) != epochs.of(two)


def test_one_that_is_made_in_the_place_of_another_has_a_new_one():
    epochs = Epochs()
    known = set()
    for _ in range(50):  # each is gone before the next one is made, most likely in the same place
        known.add(epochs.of(KeyedCell(lambda _, raw: raw)))
    assert len(known) == 50


def test_another_start_of_the_process_has_other_epochs():
    cell = Cell(1)
    assert Epochs().start != Epochs().start
    assert Epochs().of(cell) != Epochs().of(cell)


def test_a_readable_is_not_kept_for_its_epoch():
    epochs = Epochs()
    epochs.of(Cell(1))
    gc.collect()
    assert len(epochs._known) == 0
