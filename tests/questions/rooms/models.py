"""The two ranked mechanisms as one would write them down, without a thought for speed."""

from questions.rooms.draws import draw, index_first


def latest(ballots):
    """(ranking, weight) of each valid ballot."""
    kept: dict = {}
    for ballot in ballots:
        kept.pop(ballot.voter, None)
        kept[ballot.voter] = ballot
    return [(ballot.choice, ballot.weight) for ballot in kept.values() if ballot.choice and ballot.weight > 0]


def runoff(ballots, options, seed):
    """(winner, tallies) of instant runoff, recounting everything in each round."""
    remaining, tallies = list(options), []
    while True:
        tally, total = dict.fromkeys(remaining, 0.0), 0.0
        for ranking, weight in latest(ballots):
            choice = next((option for option in ranking if option in remaining), None)
            if choice is not None:
                tally[choice] += weight
                total += weight
        tallies.append(tally)
        if total == 0:
            running = index_first(remaining)
            drawn = draw(seed, {"exhausted": True, "remaining": running}, running)
            return (remaining[0] if len(remaining) == 1 else drawn), tallies
        leaders = [option for option in remaining if tally[option] == max(tally.values())]
        if len(remaining) == 1 or (len(leaders) == 1 and tally[leaders[0]] > total / 2):
            return leaders[0], tallies
        lowest = index_first([option for option in remaining if tally[option] == min(tally.values())])
        about = {"remaining": remaining, "round": len(tallies) - 1, "tied": lowest}
        remaining = [one for one in remaining if one != (draw(seed, about, lowest) if len(lowest) > 1 else lowest[0])]


def widest_paths(pairwise, options):
    """Schulze's strongest paths, by trying every option as a stop in between."""
    paths = {
        one: {other: there if (there := pairwise[one][other]) > pairwise[other][one] else 0.0 for other in options}
        for one in options
    }
    for stop in options:
        for one in options:
            for other in options:
                if len({stop, one, other}) == 3:
                    paths[one][other] = max(paths[one][other], min(paths[one][stop], paths[stop][other]))
    return paths
