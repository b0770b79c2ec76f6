"""Why a vote came out as it did: words that never contradict the outcome, and a picture that anything can read."""

import json
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questions.rooms import MECHANISMS, InvalidCase, InvalidParams, ParticipationOutOfRange, explain, picture
from questions.rooms.cases import read_case
from questions.rooms.explain_texts import Names, Numbers, listed, percent, shown
from tests.questions.rooms.votes import cases

SVG = "{http://www.w3.org/2000/svg}"
COUNTS = [case for case in cases() if "error" not in case["expected"]]


def a_case(mechanism="plurality", options=("tea", "cocoa"), ballots=(), eligible=None, **more):
    written = [{"voter": f"v{place}", "ballot": ballot} for place, ballot in enumerate(ballots)]
    fields = {"id": "c", "mechanism": mechanism, "params": {"quorum": 0}, "options": list(options), "abstentions": 0}
    return {
        **fields,
        "seed": "s",
        "ballots": written,
        "eligible": len(written) if eligible is None else eligible,
        **more,
    }


def weighed(mechanism, ballots, weights, **more):
    """A case of ballots with these weights."""
    case = a_case(mechanism, ballots=ballots, **more)
    return {
        **case,
        "ballots": [{**one, "weight": weight} for one, weight in zip(case["ballots"], weights, strict=True)],
    }


def drawn(told) -> Any:
    """The picture of an explanation as whoever reads it has it."""
    return ElementTree.fromstring(picture(told))


def is_certain(case):
    """Whether ballots as heavy as the heaviest could change nothing."""
    weights = [ballot.get("weight", 1) for ballot in case["ballots"]]
    return read_case(case).lock_trace(max([1, *weights]))[-1]


# --- words ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", COUNTS, ids=lambda case: case["id"])
def test_the_words_never_contradict_the_outcome(case):
    expected, told = case["expected"], explain(case)
    words = "\n".join([told.title, *told.reasons])
    assert (told.winner, told.status) == (expected["winner"], expected["status"])
    if expected["winner"] is None:
        assert told.title.startswith("Nobody has won")
        assert not re.search(r"has won\.|was drawn\.|more than half|so wins", words.replace("Nobody has won", ""))
    else:
        assert told.title == f'"{expected["winner"]}" has won.'
        assert "nobody wins" not in words.lower()
        assert "Nobody has won" not in words
    assert ("The quorum was met" in words) == expected["quorum_met"]
    assert ("The quorum was not met" in words) == (not expected["quorum_met"] and expected["eligible"] > 0)
    assert f"{expected['cast']} of {expected['eligible']} who may vote" in words
    assert ("could not be read" in words) == (expected["invalid"] > 0)
    locked, left = is_certain(case), expected["eligible"] - expected["cast"] - case["abstentions"]
    assert ("might have come out differently" in words) == (left > 0 and not locked)
    assert ("could not change the result" in words) == (left > 0 and locked)


@pytest.mark.parametrize("case", COUNTS, ids=lambda case: case["id"])
def test_what_is_marked_is_what_won_and_what_went(case):
    told, expected = explain(case), case["expected"]
    winners = {bar.name for chart in told.charts for bar in chart.bars if bar.mark == "wins"}
    assert winners <= ({expected["winner"]} - {None})
    gone = [bar.name for chart in told.charts for bar in chart.bars if bar.mark == "goes"]
    assert gone == [option for one in expected.get("rounds", []) for option in one["eliminated"]]
    if expected["outcome"] in ("pass", "plurality_pass") and expected["cast"]:
        assert winners == {expected["winner"]}


@pytest.mark.parametrize("case", COUNTS, ids=lambda case: case["id"])
def test_the_threshold_and_the_tie_are_told_as_they_were_judged(case):
    words, expected = "\n".join(explain(case).reasons), case["expected"]
    if "threshold_met" in expected and expected["quorum_met"]:
        assert ("which is reached" in words) == expected["threshold_met"]
    if expected["outcome"] == "plurality_pass":
        assert "whoever leads wins all the same" in words
    if expected["outcome"] == "tied":
        assert "tie" in words
    if "was drawn" in words:
        assert case["params"].get("tie_break", "random_seeded") == "random_seeded"
        assert case["seed"] in words


def test_rounds_tell_who_goes_and_where_its_ballots_go():
    ballots = [["tea"], ["tea"], ["cocoa", "tea"], ["coffee", "cocoa"], ["coffee"]]
    told = explain(a_case("ranked_choice", ("tea", "coffee", "cocoa"), ballots, params={"quorum": 0.5}))
    assert told.reasons[2:4] == (
        'Round 1: "cocoa" has the fewest, 1, and goes. Its ballots count for the next that they name.',
        'Round 2: "tea" has 3 of 5 that still count, which is more than half.',
    )
    assert [chart.title for chart in told.charts] == ["Round 1", "Round 2"]


def test_a_chain_of_wins_is_told_where_it_turns_a_direct_loss():
    ballots = [["a", "b", "c"]] * 4 + [["b", "c", "a"]] * 3 + [["c", "a", "b"]] * 2
    told = explain(a_case("ranked_pairwise", ("a", "b", "c"), ballots))
    assert [one for one in told.reasons if one.startswith("Directly")] == [
        'Directly "a" stands 4 to 5 against "c", but its strongest chain of wins has 6, and the way back 5.'
    ]
    assert told.tables[0].rows[0] == ("1. a", "-", "6*", "4")


def test_credits_are_told_beside_what_each_voter_had():
    told = explain(a_case("quadratic_vote", ballots=[{"tea": 9}, {"cocoa": 4, "tea": 1}]))
    roots, spent = told.charts
    assert [(bar.name, bar.written, bar.mark) for bar in roots.bars] == [("tea", "4", "wins"), ("cocoa", "2", "")]
    assert [(bar.name, bar.written) for bar in spent.bars] == [("v0", "9"), ("v1", "5")]
    assert (spent.limit, spent.limit_words) == (9, "each has 9")


def test_what_was_certain_early_is_told_with_the_ballot_from_which_on():
    told = explain(a_case(ballots=["tea"] * 4, eligible=5, params={"quorum": 0.5}))
    assert told.reasons[-1] == (
        "1 had not taken part when this was counted, "
        "and it was certain from ballot 3 on that they could not change the result any more."
    )


def test_what_a_heavier_ballot_could_change_was_not_certain():
    told = explain(weighed("plurality", ["tea", "tea"], [1, 2], eligible=4))
    assert told.reasons[-1].endswith("with them it might have come out differently.")
    told = explain(weighed("plurality", ["tea", "tea"], [1, 2], eligible=3))
    assert told.reasons[-1].endswith("not change the result any more, should none of them weigh more than 2.")


@pytest.mark.parametrize(
    ("ballots", "weights", "said"),
    [
        ("acba", [0.2, 0.1, 0.2, 0.1], "0.30000000000000004 of 0.6 that"),
        ("aacbbd", [0.2, 0.3, 0.2, 0.1, 0.1, 0.1], "0.5 of 0.9999999999999999 that"),
    ],
)
def test_more_than_half_is_told_by_the_sums_that_the_count_has_made(ballots, weights, said):
    told = explain(weighed("ranked_choice", [[one] for one in ballots], weights, options=list("dabc")))
    assert told.winner == "a"
    assert f'Round 1: "a" has {said} still count, which is more than half.' in told.reasons


def test_labels_stand_for_the_options_and_the_winner_stays_as_it_is_written():
    told = explain(a_case(ballots=["tea"]), {"tea": "Green tea"})
    assert (told.title, told.winner) == ('"Green tea" has won.', "tea")


def test_an_explanation_is_plain_data():
    told = explain(COUNTS[0])
    assert json.loads(json.dumps(told.as_json()))["reasons"] == list(told.reasons)


@pytest.mark.parametrize(
    ("case", "error"),
    [
        (None, InvalidCase),
        ({"id": 5}, InvalidCase),
        ({"id": "c", "kind": "merkle"}, InvalidCase),
        ({"id": "c"}, InvalidCase),
        (a_case("dice"), InvalidParams),
        (a_case(ballots=["tea"], eligible=0), ParticipationOutOfRange),
    ],
)
def test_what_cannot_be_counted_is_refused(case, error):
    with pytest.raises(error):
        explain(case)


# --- the picture ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", COUNTS[::7], ids=lambda case: case["id"])
def test_a_picture_says_all_in_words_for_those_who_do_not_see_it(case):
    told = explain(case)
    root = drawn(told)
    assert (root.tag, root.get("role"), root.get("aria-labelledby")) == (f"{SVG}svg", "img", "title desc")
    assert root.find(f"{SVG}title").text == told.title
    assert all(reason in root.find(f"{SVG}desc").text for reason in told.reasons)
    for chart in told.charts:
        for bar in chart.bars:
            written = f"{bar.written} ({bar.mark})" if bar.mark else bar.written
            assert {bar.name, written} <= {element.text for element in root.iter()}


def test_bars_differ_by_pattern_and_word_and_not_by_colour_alone():
    root = drawn(explain(next(case for case in COUNTS if case["id"] == "rc-003")))
    bars = {(bar.get("class"), bar.get("fill")) for bar in root.iter(f"{SVG}rect")}
    assert bars == {("bar wins", None), ("bar", "url(#dots)"), ("bar", "url(#stripes)")}
    style = root.find(f"{SVG}style").text
    assert "prefers-color-scheme: dark" in style


HOSTILE = [
    "<script>alert(1)</script>",
    "]]><svg onload='x'>",
    '" onload="x',
    "&lt;b&gt; &amp; &#x0;",
    "a\u202eb\x1b[31m\x00",
    "line\nbreak\ttab",
    "\ufffe\uffff\ufeff",
    "long " * 200,
]


@pytest.mark.parametrize("mechanism", ["plurality", "ranked_choice", "ranked_pairwise", "score_vote"])
def test_hostile_names_are_text_in_one_line_with_nothing_hidden(mechanism):
    ballot = {"plurality": HOSTILE[0], "score_vote": {HOSTILE[0]: 5}}.get(mechanism, HOSTILE)
    told = explain(a_case(mechanism, HOSTILE, [ballot], seed="\u202e<&>"))
    for text in (told.as_text(), picture(told)):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u200b-\u200f\ufeff\ufffe\uffff]", text)
    root = drawn(told)
    assert not [element for element in root.iter() if element.tag in (f"{SVG}script", f"{SVG}b")]
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on")]
    names = [bar.name for bar in told.charts[0].bars]
    assert len(set(names)) == len(names) == len(HOSTILE)
    assert not [name for name in names if "\n" in name or "\t" in name or len(name) > 60]


@given(st.lists(st.text(max_size=90), min_size=1, max_size=6, unique=True))
def test_any_names_make_a_well_formed_picture(options):
    options = [option for option in options if option.isascii() or option.encode("utf-8", "ignore").decode() == option]
    if options:
        told = explain(a_case("ranked_choice", options, [[options[-1]]]))
        assert drawn(told).find(f"{SVG}title").text == told.title


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_five_hundred_options_stay_readable_and_bounded(mechanism):
    options = [f"option {place} " + "x" * 400 for place in range(500)]
    kind = {"approval": [options[7]], "ranked_choice": options[7:30], "ranked_pairwise": options[7:30]}
    ballot = {"score_vote": {options[7]: 5}, "quadratic_vote": {options[7]: 9}}.get(mechanism, options[7])
    told = explain(a_case(mechanism, options, [kind.get(mechanism, ballot)] * 3 + [kind.get(mechanism, ballot)] * 40))
    assert told.winner == options[7]
    assert len(told.charts) <= 10
    assert all(len(chart.bars) <= 22 and len(chart.bars) + chart.left_out <= 500 for chart in told.charts)
    assert all(len(table.rows) <= 10 for table in told.tables)
    svg = picture(told)
    root = drawn(told)
    assert (len(svg) < 200_000, float(root.get("height")) < 6_000, len(told.as_text()) < 20_000) == (True, True, True)


def test_many_rounds_are_told_from_both_ends():
    options = [f"o{place}" for place in range(60)]
    ballots = [[options[place]] for place in range(60) for _ in range(place + 1)]
    told = explain(a_case("ranked_choice", options, ballots))
    assert len(told.charts) == 10
    assert any(re.match(r"Rounds 6 to \d+ went on in the same way", one) for one in told.reasons)


# --- texts ----------------------------------------------------------------------------------------------------------


def test_names_that_would_look_alike_get_a_number():
    names = Names(["x" * 50 + "a", "x" * 50 + "b", "c", " "], {"c": "C"})
    assert [names(one) for one in ("x" * 50 + "a", "x" * 50 + "b", "c")] == [
        f"{'x' * 32}\u2026 (no. 1)", f"{'x' * 32}\u2026 (no. 2)", "C"
    ]  # fmt: skip
    assert names(" ") == "(no. 4)"
    assert shown("\u6f22" * 40) == "\u6f22" * 16 + "\u2026"


@pytest.mark.parametrize(
    "alike", [["\u00e9", "e\u0301"], ["a b", "a\u00a0b"], ["a  b", "a b"], ["x (no. 2)", "x", "x "]]
)
def test_names_that_differ_in_bytes_alone_are_told_apart(alike):
    names = Names(alike, {})
    assert [names(one).endswith(f"(no. {place})") for place, one in enumerate(alike, 1)] == [True] * len(alike)


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=8, unique=True))
def test_numbers_that_differ_never_look_the_same(values):
    number = Numbers(values)
    assert len({number(one) for one in values}) == len({float(one) for one in values})


@given(st.floats(0, 1), st.floats(0, 1))
def test_shares_that_differ_never_look_the_same(one, other):
    assert (percent(one, other) == percent(other, one)) == (one == other)


def test_lists_in_words():
    assert [listed(list("abcdefgh"[:size])) for size in (1, 2, 3)] == ["a", "a and b", "a, b and c"]
    assert listed(list("abcdefgh")) == "a, b, c, d, e and 3 more"
