"""The demo in rich text: a line for each thing that happens, and a table at the end."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from questions.reports import Opened, Settled

from .events import Event, Passed, Verdict
from .summary import COLUMNS, row, totals

__all__ = ["RichFace"]


_RATIOS = (4, None, None, 2, 2, None)
"""How wide the columns are; None: as wide as what is in them."""


class RichFace:
    """Prints to a rich console. All text from outside is printed as it is, never as rich's markup."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def show(self, event: Event) -> None:
        """Print one line, or none: how a question ended is told by the agent's verdict, and by the table."""
        match event:
            case Passed(message=message, why=why):
                self._line("pass", "dim", message, why)
            case Opened(message=message, audience=audience):
                self._line("ask", "cyan", message, f"of {', '.join(map(str, audience)) or 'nobody yet'}")
            case Verdict(message=message, runs=runs, why=why):
                self._line("run" if runs else "stop", "bold green" if runs else "bold red", message, why)

    def finish(self, settled: Sequence[Settled]) -> None:
        """Print the summary table and the totals."""
        table = Table(title="What was asked, and how it ended", title_justify="left", expand=True)
        for column, ratio in zip(COLUMNS, _RATIOS, strict=True):
            table.add_column(column, ratio=ratio, no_wrap=ratio is None, overflow="fold")
        for each in settled:
            table.add_row(*map(Text, row(each)), style="yellow" if each.how == "expired" else "")
        self._console.print(table)
        self._console.print(Text(totals(settled), style="bold"))

    def _line(self, word: str, style: str, message: str, more: str) -> None:
        # A word first, its colour second: nothing is told by colour alone.
        self._console.print(Text.assemble((f"{word:<6}", style), message, (f"  {more}", "dim")), soft_wrap=False)
