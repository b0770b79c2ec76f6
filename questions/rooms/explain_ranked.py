"""Why a vote by rankings came out as it did: the rounds of a runoff, or each option against each other one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .ballots import Cleaned, clean
from .explain_count import Count, chart, drawn, leaders, tie
from .explain_parts import Chart, Reasons, Table
from .explain_texts import Numbers, counted
from .outcome import RankedChoiceTrace, RankedPairwiseTrace, Round
from .ranked_choice import Ranking, read_ranking

__all__ = ["explain_pairs", "explain_rounds"]

_FIRST, _LAST = 5, 5
"""Rounds that are told of at the beginning and at the end; those in between are many alike."""
_MOST_IN_A_MATRIX = 10
_MOST_CHAINS = 3


def explain_rounds(count: Count, trace: RankedChoiceTrace) -> Reasons:
    """Of ranked_choice."""
    rounds = trace.rounds
    if not rounds:
        return Reasons(["The ballots were not counted."])
    slate = frozenset(count.case.options)
    cleaned = clean(count.case.ballots, lambda ballot: read_ranking(ballot, slate))
    reasons = Reasons()
    told = [place for place in range(len(rounds)) if place < _FIRST or place >= len(rounds) - _LAST]
    for place in told:
        if place and place - 1 not in told:
            reasons.sentences.append(f"Rounds {_FIRST + 1} to {place} went on in the same way, one option at a time.")
        is_last, active = place == len(rounds) - 1, _active(cleaned, rounds[place])
        said = _last_round(count, rounds[place], active) if is_last else [_elimination(count, rounds[place])]
        reasons.sentences += [f"Round {place + 1}: {sentence}" for sentence in said]
        reasons.charts.append(_round_chart(count, place + 1, rounds[place], active, is_last=is_last))
    if any("was drawn" in sentence for sentence in reasons.sentences):
        reasons.sentences.append(drawn(count))
    return reasons


def _lowest(count: Count, one: Round) -> list[str]:
    least = min(one.tally.values())
    return [option for option in count.case.options if one.tally.get(option) == least]


def _elimination(count: Count, one: Round) -> str:
    [gone], lowest = one.eliminated, _lowest(count, one)
    has, number = one.tally[gone], Numbers(one.tally.values())
    goes = f"{count.names.quoted([gone])} has the fewest, {number(has)}, and goes"
    if len(lowest) > 1:
        how = "was drawn to go" if count.params.tie_break == "random_seeded" else "is listed last and goes"
        goes = f"{count.names.quoted(lowest)} have the fewest, {number(has)} each; {count.names.quoted([gone])} {how}"
    return f"{goes}. " + ("Its ballots count for the next that they name." if has else "It had no ballots.")


def _last_round(count: Count, one: Round, active: float) -> Iterator[str]:
    winner, are_exhausted = count.outcome.winner, one.exhausted == count.outcome.cast
    number = Numbers([*one.tally.values(), active, active / 2])
    if winner is None:
        tied = count.names.quoted(list(one.tally) if are_exhausted else _lowest(count, one))
        yield f"{tied} have the fewest alike, and a tie goes no further here, so nobody wins."
    elif len(one.remaining) == 1 and (are_exhausted or not one.tally[winner] > active / 2):
        yield f"{count.names.quoted([winner])} is the only one left."
    elif not are_exhausted:
        total = f"{number(active)} that still count"
        yield f"{count.names.quoted([winner])} has {number(one.tally[winner])} of {total}, which is more than half."
    elif count.params.tie_break == "first_listed":
        yield f"no ballot names an option that is left; {count.names.quoted([winner])} is listed first."
    else:
        yield f"no ballot names an option that is left; {count.names.quoted([winner])} was drawn."
    if one.exhausted:
        yield f"{counted(one.exhausted, 'ballot')} named nobody who was left."


def _active(cleaned: Cleaned[Ranking], one: Round) -> float:
    """The weight that still counts, added up in the order of the ballots as the count does: fractions differ else."""
    active = 0.0
    for ballot, ranking in zip(cleaned.ballots, cleaned.contents, strict=True):
        if any(option in one.tally for option in ranking):
            active += ballot.weight
    return active


def _round_chart(count: Count, number: int, one: Round, active: float, *, is_last: bool) -> Chart:
    marks = dict.fromkeys(one.eliminated, "goes")
    if is_last and count.outcome.winner is not None:
        marks[count.outcome.winner] = "wins"
    half = active / 2
    words = f"to win takes more than {Numbers([half, *one.tally.values()])(half)}"
    return chart(count, f"Round {number}", one.tally, marks, half, words)


def explain_pairs(count: Count, trace: RankedPairwiseTrace) -> Reasons:
    """Of ranked_pairwise."""
    if not count.outcome.quorum_met:
        return Reasons(["The ballots were not counted."])
    leading, beaten = leaders(count), _beaten(count, trace)
    reasons = Reasons(["Each option is held against each other one, directly and by chains of wins."])
    for option in leading[:_MOST_CHAINS]:
        reasons.sentences.append(_standing(count, beaten[option], option))
        reasons.sentences += _chains(count, trace, option, beaten[option])
    reasons.sentences += tie(count, leading)
    winner = count.outcome.winner
    marks = {} if winner is None else {winner: "wins"}
    wins = {option: float(len(beaten[option])) for option in count.case.options}
    reasons.charts.append(chart(count, "Options that each one beats", wins, marks))
    reasons.tables.append(_matrix(count, trace))
    return reasons


def _beaten(count: Count, trace: RankedPairwiseTrace) -> dict[str, list[str]]:
    """By option, those that it beats on paths."""
    paths, options = trace.paths, count.case.options
    return {
        one: [other for other in options if other != one and paths[one][other] > paths[other][one]] for one in options
    }


def _standing(count: Count, beaten: Sequence[str], option: str) -> str:
    others, name = len(count.case.options) - 1, count.names.quoted([option])
    if not others:
        return f"{name} is the only option."
    if len(beaten) == others:
        return f"{name} beats every other option."
    beats = f"{len(beaten):,} of the {others:,} others" if beaten else "no other option"
    return f"{name} beats {beats}, and none has a better balance of wins and losses."


def _chains(count: Count, trace: RankedPairwiseTrace, option: str, beaten: Sequence[str]) -> Iterator[str]:
    """Where an option loses directly to one that it beats by a chain of wins."""
    pairwise, paths = trace.pairwise, trace.paths
    turned = [other for other in beaten if pairwise[option][other] <= pairwise[other][option]]
    for other in turned[:_MOST_CHAINS]:
        values = [pairwise[option][other], pairwise[other][option], paths[option][other], paths[other][option]]
        number = Numbers(values)
        directly, against, chain, back = map(number, values)
        yield (
            f"Directly {count.names.quoted([option])} stands {directly} to {against} against "
            f"{count.names.quoted([other])}, but its strongest chain of wins has {chain}, and the way back {back}."
        )


def _matrix(count: Count, trace: RankedPairwiseTrace) -> Table:
    """How many prefer the option of a row to that of a column; of very many options those that do best."""
    scores, options = count.outcome.scores, count.case.options
    kept = sorted(options, key=lambda option: -scores[option])[:_MOST_IN_A_MATRIX]
    winner = count.outcome.winner
    if winner is not None and winner not in kept:
        kept[-1] = winner
    values = {trace.pairwise[one][other] for one in kept for other in kept if one != other}
    number = Numbers(values)
    rows = []
    for place, one in enumerate(kept, 1):
        pairs = [(trace.pairwise[one][other], trace.pairwise[other][one]) for other in kept if other != one]
        cells = [f"{number(mine)}{'*' if mine > its else ''}" for mine, its in pairs]
        rows.append((f"{place}. {count.names(one)}", *cells[: place - 1], "-", *cells[place - 1 :]))
    left_out = (
        f"{len(options) - len(kept):,} options with lower scores are left out" if len(kept) < len(options) else ""
    )
    heads = ("prefer the row", *(f"to {place}" for place in range(1, len(kept) + 1)))
    return Table("Each against each (* wins that pair)", heads, tuple(rows), left_out)
