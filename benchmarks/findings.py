"""What a subject reports: rows that are judged by a budget and a goal, and curves to be drawn."""

from collections.abc import Sequence

import attrs


@attrs.frozen
class Row:
    """One figure of the table. Without a budget it is there for orientation and is not judged."""

    name: str
    measured: float
    unit: str
    """What the figure is: `x rate` and `x time` are ratios to a reference."""
    detail: str
    budget: float | None = None
    goal: float | None = None
    at_least: bool = True
    """Whether the budget is a floor (rates) or a ceiling (times, sizes)."""

    @property
    def verdict(self) -> str:
        """`goal` or `budget` for what is met, `MISSED`, or nothing for a row that is not judged."""
        if self.budget is None:
            return ""
        if self.goal is not None and self._meets(self.goal):
            return "goal"
        return "budget" if self._meets(self.budget) else "MISSED"

    def _meets(self, bound: float) -> bool:
        return self.measured >= bound if self.at_least else self.measured <= bound


@attrs.frozen
class Curve:
    """A cost against a size, for a plot that says what they are; `benchmarks.plots`."""

    plot: str
    label: str
    sizes: Sequence[int]
    costs: Sequence[float]


@attrs.frozen
class Findings:
    """The rows and curves of one subject, or of a whole run."""

    rows: Sequence[Row]
    curves: Sequence[Curve] = ()

    def __add__(self, other: "Findings") -> "Findings":
        return Findings([*self.rows, *other.rows], [*self.curves, *other.curves])


def rate_row(name: str, measured: float, detail: str, budget: float, goal: float) -> Row:
    """A judged ratio of rates: more is better."""
    return Row(name, measured, "x rate", detail, budget, goal)


def time_row(name: str, measured: float, detail: str, budget: float, goal: float) -> Row:
    """A judged ratio of times: less is better."""
    return Row(name, measured, "x time", detail, budget, goal, at_least=False)
