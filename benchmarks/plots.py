"""The curves of a run as SVG files."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.findings import Curve

_WORDS = {
    "cost_vs_pending": ("Ask, answer, settle", "pending questions", "us of CPU a question"),
    "cost_vs_viewers": ("One change", "viewers in the audience", "us of CPU a change and viewer"),
    "wire_fan_out": ("One change over links", "viewers", "us a delivery"),
    "wire_round_trip": ("Ask over a link, answer over another", "percent of the asks", "echo times of websockets.trio"),
    "wire_stalled": ("One change to a hundred viewers", "percent of the deliveries", "us until it has come"),
    "durable_at_once": ("Durable answers of one process", "answerers at once", "us by the wall an answer"),
    "durable_writers": ("Durable answers of several processes", "processes", "us by the wall an answer"),
    "count_vs_ballots": ("Counting, 10 options", "ballots", "us of CPU a ballot"),
    "ranked_vs_ballots": ("Counting rankings of 10 options", "ballots", "us of CPU a ballot"),
    "count_vs_options": ("Counting", "options", "us of CPU a ballot"),
    "vote_vs_voters": ("A question settled by a vote, 10 options", "voters", "us of CPU a voter"),
    "lock_vs_ballots": ("A ballot, and whether it is locked", "ballots", "us of CPU a ballot"),
}
_LINEAR = {"percent of the asks", "percent of the deliveries"}


class MissingMatplotlib(SystemExit):
    """Plots were asked for and matplotlib is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "The plots need matplotlib, which is not installed. Install the `bench` dependency "
            "group: `uv sync --group bench`, or `pip install matplotlib`."
        )


def check() -> None:
    """Raise `MissingMatplotlib` now rather than after minutes of measuring."""
    try:
        import matplotlib  # noqa: F401, PLC0415
    except ImportError:
        raise MissingMatplotlib from None


def draw(curves: Sequence[Curve], folder: Path) -> list[Path]:
    """Write one SVG a plot; the same curves give the same bytes."""
    check()
    import matplotlib as mpl  # noqa: PLC0415

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "benchmarks"
    folder.mkdir(exist_ok=True)
    names = dict.fromkeys(curve.plot for curve in curves)
    return [_draw(name, [curve for curve in curves if curve.plot == name], folder) for name in names]


def _draw(name: str, curves: Sequence[Curve], folder: Path) -> Path:
    from matplotlib import pyplot  # noqa: PLC0415

    title, x, y = _WORDS[name]
    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    for curve in curves:
        style = "-" if curve.label.startswith("this library") else "--"
        axes.plot(curve.sizes, curve.costs, style, marker="o", markersize=4, label=curve.label)
    axes.set(title=title, xlabel=x, ylabel=y, xscale="linear" if x in _LINEAR else "log")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()
    path = folder / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    return path
