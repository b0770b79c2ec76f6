"""How much is measured: the full run, and a quick one that only shows that all of it runs."""

import attrs


@attrs.frozen
class Scale:
    """Sizes and repetitions of every subject."""

    rounds: int
    cycles: int
    """Round trips in one sample."""
    pending: tuple[int, ...]
    """Pending questions for the round trip; the first and the last but one are judged."""
    one_go: int
    standing: int
    outsiders: int
    viewers: tuple[int, ...]
    tellings: int
    """Changes times viewers in one sample of one change per step."""
    burst: int
    """Changes in one step."""
    members: tuple[int, ...]
    watched_members: tuple[int, ...]
    watching: int
    deadlines: int
    parked: int
    """Pending questions whose memory is taken."""

    @property
    def few_rounds(self) -> int:
        """Rounds for samples that are long, and steady for that reason."""
        return max(3, self.rounds // 3)


FULL = Scale(
    rounds=15,
    cycles=500,
    pending=(1, 10, 100, 1_000, 10_000),
    one_go=1_000,
    standing=10_000,
    outsiders=1_000,
    viewers=(10, 100, 1_000),
    tellings=10_000,
    burst=50,
    members=(250, 500, 1_000, 2_000),
    watched_members=(250, 500, 1_000),
    watching=1_000,
    deadlines=10_000,
    parked=5_000,
)

QUICK = Scale(
    rounds=3,
    cycles=50,
    pending=(1, 10, 50, 100),
    one_go=50,
    standing=200,
    outsiders=20,
    viewers=(5, 20),
    tellings=100,
    burst=5,
    members=(10, 20, 40),
    watched_members=(10, 20),
    watching=20,
    deadlines=200,
    parked=100,
)
