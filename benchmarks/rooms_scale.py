"""How much is counted: the full run, and a quick one that only shows that all of it runs."""

import attrs


@attrs.frozen
class Scale:
    """Sizes and repetitions."""

    rounds: int
    ballots: tuple[int, ...]
    options: tuple[int, ...]
    few_ballots: int
    """Ballots over the most options, each of which ranks all of them."""
    for_library: int
    voters: tuple[int, ...]
    """Who votes on one question, one after the other."""
    receipts: int

    @property
    def few_rounds(self) -> int:
        """Rounds for samples that are long, and steady for that reason."""
        return max(1, self.rounds // 3)


FULL = Scale(9, (10, 100, 1_000, 10_000, 100_000), (2, 10, 50, 200, 500), 100, 10_000, (100, 1_000, 10_000), 10_000)
QUICK = Scale(1, (10, 50), (2, 20), 10, 50, (10, 30), 20)
