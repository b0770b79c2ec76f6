"""Who may answer: a fixed list, or a readable of one that changes while questions are open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import attrs

from facets.principal import Principal
from facets.readable import Readable

from .errors import InvalidAsk

__all__ = ["Audience", "LiveAudience", "Present", "distinct"]


@attrs.frozen
class Present:
    """An audience that the host works out: everyone who holds a view of the scope now, of these kinds.

    For asks over a link, where a readable cannot go; `present(...)` is the same in the host's own process.
    """

    kinds: tuple[str, ...] = ("user", "guest")


Audience = Sequence[Principal] | Readable[Any] | Present
"""A sequence of principals, a readable whose value is an iterable of them, or, over a link, `Present()`."""

_PLAIN = frozenset({list, tuple})
_PRINCIPALS = {Principal}


def distinct(principals: object) -> dict[Principal, None]:
    """The principals in order, each once (Q-POL-6). Raises `InvalidAsk` for anything that is none."""
    if type(principals) in _PLAIN and set(map(type, principals)) == _PRINCIPALS:  # type: ignore[call-overload]
        return dict.fromkeys(principals)  # type: ignore[call-overload,no-any-return]
    if isinstance(principals, Present):
        raise InvalidAsk(["$.audience: Present() is for asks over a link; here, present(host, Questions, scope)"])
    if not isinstance(principals, Iterable) or isinstance(principals, str | bytes):
        raise InvalidAsk(["$.audience: a sequence of Principals, or a Readable of one"])
    found = list(principals)
    faults = [
        f"$.audience[{place}]: a Principal, not {type(item).__name__}"
        for place, item in enumerate(found)
        if not isinstance(item, Principal)
    ]
    if faults:
        raise InvalidAsk(faults)
    return dict.fromkeys(found)


class LiveAudience:
    """One readable audience, shared by all questions that are asked of it. Lives while any of them is open."""

    def __init__(self, readable: Readable[Any], changed: Callable[[LiveAudience], None]) -> None:
        self.readable = readable
        self.members: dict[Principal, None] = {}
        self.readable_now = True
        """False while the readable raises, or holds something else than principals: then nobody may answer."""
        self.open: dict[str, None] = {}
        """The ids of the questions that it is the audience of."""
        self._version: int | None = None
        self._changed = changed
        self.members = self._newest() or {}
        if not self.readable_now:
            self.stop()
            raise InvalidAsk(["$.audience: cannot be read now"])

    def invalidate(self) -> None:
        """The readable may have changed."""
        self._changed(self)

    def stop(self) -> None:
        """Listen no more."""
        self.readable.unlisten(self)

    def refresh(self) -> tuple[tuple[Principal, ...], tuple[Principal, ...]] | None:
        """Who has joined and who has left since the last time; None if nobody has."""
        old, new = self.members, self._newest()
        if new is None or new.keys() == old.keys():
            return None
        self.members = new
        joined = tuple(principal for principal in new if principal not in old)
        left = tuple(principal for principal in old if principal not in new)
        return joined, left

    def _newest(self) -> dict[Principal, None] | None:
        """The members, if they may be others than the last time. Does not raise: an abort function looks, too."""
        try:
            version = self.readable.version
            self.readable.listen(self)
            if version == self._version:
                return None
            members = distinct(self.readable.value)
        except Exception:  # whatever the readable raised; a leave must not be made up out of it
            self.readable_now, self._version = False, None
            return None
        self.readable_now, self._version = True, version
        return members
