"""How much is measured over links: the full run, and a quick one that only shows that all of it runs."""

import attrs

_MOST_QUESTIONS = 20  # of a few viewers, where it is the pipe between the processes that takes the time


@attrs.frozen
class Scale:
    """Sizes and repetitions of every subject."""

    rounds: int
    viewers: tuple[int, ...]
    """Viewers in the audience."""
    deliveries: int
    """Changes times viewers in one sample, if that is not too many changes."""
    burst: int
    """Changes in one step."""
    cycles: int
    """Round trips in one sample."""
    beside: int
    """Viewers beside one that has stalled."""
    changes: int
    """Changes in one sample of their latency."""
    storm: int
    """Clients that reconnect at once."""
    idle: int
    """Idle viewers whose memory is taken."""

    def questions(self, viewers: int) -> int:
        """How many questions are asked in one sample, one after the other; each is two changes."""
        return max(1, min(_MOST_QUESTIONS, self.deliveries // (2 * viewers)))


FULL = Scale(
    rounds=4,
    viewers=(10, 100, 1_000),
    deliveries=4_000,
    burst=50,
    cycles=200,
    beside=99,
    changes=50,
    storm=1_000,
    idle=1_000,
)

QUICK = Scale(
    rounds=1,
    viewers=(6,),
    deliveries=12,
    burst=3,
    cycles=5,
    beside=5,
    changes=4,
    storm=10,
    idle=10,
)
