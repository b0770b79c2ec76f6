"""What there is in one scope: its open questions, and the boards on which they are shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from facets.keyed import KeyedCell
from facets.principal import Principal

from .board import Board
from .open_ask import OpenAsk
from .pending import UNSEEN, Pending

__all__ = ["Place"]


class Place:
    """One scope of a store. Lives while it has an open question, a board, or an asker that looks."""

    __slots__ = ("askers", "boards", "open", "overseers")

    def __init__(self) -> None:
        self.open: dict[str, Pending] = {}
        self.boards: dict[Principal, Board] = {}
        self.overseers: dict[Principal, Board] = {}
        """Of the boards those that show every question."""
        self.askers: dict[Principal, KeyedCell[str, Pending, OpenAsk]] = {}
        """What each asker that looks is shown of its own questions."""

    @property
    def is_empty(self) -> bool:
        """Whether it holds nothing and shows nothing to anybody."""
        return not (self.open or self.boards or self.askers)

    def concerned(self, members: Mapping[Principal, Any]) -> dict[Board, int]:
        """The boards that are to show a question of this audience, found among the fewer: the members or the boards."""
        boards = self.boards
        concerned: dict[Board, int] = {}
        if len(members) <= len(boards):
            for principal in members:
                if principal in boards:
                    concerned[boards[principal]] = UNSEEN
        else:
            for principal, board in boards.items():
                if principal in members:
                    concerned[board] = UNSEEN
        for board in self.overseers.values():
            concerned[board] = UNSEEN
        return concerned
