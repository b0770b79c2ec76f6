"""Ties: rules and draws that anybody can repeat."""

import hashlib

from questions.rooms.draws import draw, index_first, leaders_of, tie_winner

TIED = ["tea", "coffee"]


def test_a_draw_is_the_digest_of_the_seed_and_of_what_is_drawn_about():
    digest = hashlib.sha256(b'decision-1{"options":["tea","coffee"],"ties":["tea","coffee"]}').digest()
    number = digest[0] * 2**24 + digest[1] * 2**16 + digest[2] * 2**8 + digest[3]
    assert draw("decision-1", {"ties": TIED, "options": TIED}, TIED) == TIED[number % 2]


def test_each_seed_draws_anew_and_the_same_seed_the_same():
    drawn = [tie_winner("random_seeded", TIED, TIED, f"decision-{number}") for number in range(20)]
    assert set(drawn) == set(TIED)
    assert drawn == [tie_winner("random_seeded", TIED, TIED, f"decision-{number}") for number in range(20)]


def test_texts_that_are_array_indexes_come_first_and_by_value():
    options = ["x", "10", "07", "2", "0", "4294967295", "4294967294", "-1", "1.0", "٣"]
    assert index_first(options) == ["0", "2", "10", "4294967294", "x", "07", "4294967295", "-1", "1.0", "٣"]


def test_the_first_listed_is_the_first_as_listed_whatever_its_text():
    assert tie_winner("first_listed", ["x", "2"], ["x", "2"], "") == "x"


def test_a_tie_need_not_have_a_winner_and_a_sole_leader_needs_no_tie_break():
    assert tie_winner("no_pass", TIED, TIED, "") is None
    assert tie_winner("no_pass", ["tea"], TIED, "") == "tea"


def test_leaders_have_exactly_the_highest_score():
    assert leaders_of({"a": 0.1 + 0.2, "b": 0.3, "c": 0.30000000000000004}, ["c", "b", "a"]) == ["c", "a"]
