"""What the tests of readables look with: a listener and computations that count."""


class Told:
    """A listener that counts."""

    def __init__(self):
        self.times = 0

    def invalidate(self):
        self.times += 1


class counting:  # noqa: N801  # reads as the function that it stands for
    """A computation, with the number of its runs."""

    def __init__(self, compute):
        self.compute, self.runs = compute, 0

    def __call__(self, *values):
        self.runs += 1
        return self.compute(*values)


def joined(*values):
    return " ".join(map(str, values))
