"""Votes as tests write them, and plain models of the mechanisms to compare with."""

import json
from functools import cache
from itertools import product

from hypothesis import strategies as st

from questions.rooms import MECHANISMS, Ballot, InvalidParams, tally
from tests.house.source import ROOT

CASES = ROOT / "tests" / "data" / "mechanisms.jsonl"
OPTIONS = ["tea", "coffee", "cocoa"]
CHOICES = ("simple_majority", "supermajority", "plurality", "approval")
RANKED = ("ranked_choice", "ranked_pairwise")


@cache
def cases():
    return [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


def cast(*choices, weight=1):
    """A ballot of another voter for each choice."""
    return [Ballot(f"voter {number}", choice, weight) for number, choice in enumerate(choices)]


def counted(mechanism, *choices, options=OPTIONS, eligible=None, abstentions=0, seed="decision-1", **params):
    """The outcome of a vote in which each choice is another voter's; a choice may be a ready ballot."""
    ballots = [one if isinstance(one, Ballot) else Ballot(f"voter {n}", one) for n, one in enumerate(choices)]
    everybody = len(ballots) + abstentions if eligible is None else eligible
    return tally(mechanism, {"quorum": 0, **params}, options, everybody, ballots, abstentions, seed)


def faults_of(mechanism, options=OPTIONS, eligible=3, **params):
    """What is wrong with a vote."""
    try:
        tally(mechanism, {"quorum": 0.5, **params}, options, eligible, [])
    except InvalidParams as error:
        return list(error.faults)
    return []


def choices_of(mechanism, options):
    """Every choice that a ballot over few options can make, an invalid one among them."""
    if mechanism == "approval":
        return [[one for one, taken in zip(options, bits, strict=True) if taken] for bits in bools(len(options))]
    if mechanism in CHOICES:
        return [*options, "off the slate"]
    if mechanism in RANKED:
        return [[], *([one] for one in options), *([a, b] for a in options for b in options if a != b)]
    numbers = product(range(4), repeat=len(options))
    return [{one: n for one, n in zip(options, given, strict=True) if n} for given in numbers]


def bools(length):
    return list(product([False, True], repeat=length))


WEIGHTS = st.sampled_from([-1, 0, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 1, 1, 1.25, 2, 3])


@st.composite
def votes(draw, mechanisms=tuple(MECHANISMS), options=OPTIONS, weights=WEIGHTS, voters=6):
    """(mechanism, ballots): with revisions, invalid ones, and weights that are no whole numbers."""
    mechanism = draw(st.sampled_from(mechanisms))
    choices = st.sampled_from(choices_of(mechanism, options))
    names = st.integers(0, voters - 1).map("voter {}".format)
    return mechanism, draw(st.lists(st.builds(Ballot, names, choices, weights), max_size=voters + 2))
