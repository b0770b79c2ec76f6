"""The objects that a host serves: made once for each type, input and principal, counted, released."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio

from .errors import Unserved
from .facet import Environment, Served
from .references import ObjectKey, References

if TYPE_CHECKING:
    from .context import Ctx
    from .principal import Principal

__all__ = ["Objects"]

_MOST_LINGERING = 1_000
"""Objects that linger for one principal. Of more, the one that has lingered longest goes: who connects, gets a thousand
and drops the link, again and again, is not to fill the memory."""


class _Held:
    def __init__(self, served: Served[Any], thing: object) -> None:
        self.served = served
        self.thing = thing
        self.holders: dict[Ctx, None] = {}
        self.linger: trio.CancelScope | None = None


class Objects:
    """The objects of one host. `linger`: seconds for which an object outlives the link of its last holder."""

    def __init__(self, nursery: trio.Nursery, linger: float) -> None:
        self.references = References()
        self._nursery = nursery
        self._linger = linger
        self._served: dict[type[Any], tuple[Served[Any], Environment]] = {}
        self._held: dict[ObjectKey, _Held] = {}
        self._lingering: dict[Principal, dict[ObjectKey, None]] = {}

    def serve(self, served: Served[Any], environment: Environment) -> None:
        """Serve a type from now on; objects of it that are held stay, and are renewed."""
        for kind in [kind for kind in self._served if _is_again(kind, served.kind)]:
            self._served[kind] = served, environment
        self._served[served.kind] = served, environment
        for key, held in self._held.items():
            if _is_again(key.kind, served.kind):
                held.served = served
                if served.renew is not None:
                    served.renew(held.thing)

    def served(self) -> tuple[type[Any], ...]:
        """The types that are served."""
        return tuple(self._served)

    def hold(self, ctx: Ctx, key: ObjectKey) -> object:
        """The object at `key`, made if need be, with `ctx` among its holders."""
        held = self._held.get(key) or self._make(key)
        self._come_back(key, held)
        held.holders[ctx] = None
        self.references.put(key, len(held.holders), lingering=False)
        return held.thing

    def _make(self, key: ObjectKey) -> _Held:
        if key.kind not in self._served:
            raise Unserved(key.kind.__name__)
        served, environment = self._served[key.kind]
        held = _Held(served, served.make(environment, key.input, key.principal))
        self._held[key] = held
        return held

    def release(self, ctx: Ctx, key: ObjectKey, lost: bool) -> None:
        """Take `ctx` out of the holders; the last one's object goes, at once or after lingering."""
        held = self._held.get(key)
        if held is None or ctx not in held.holders:
            return
        del held.holders[ctx]
        if held.holders:
            self.references.put(key, len(held.holders), lingering=False)
        elif lost and self._linger > 0:
            self._begin_to_linger(key, held)
        else:
            self._let_go(key, held)

    def _begin_to_linger(self, key: ObjectKey, held: _Held) -> None:
        held.linger = trio.CancelScope()
        self.references.put(key, 0, lingering=True)
        until = trio.current_time() + self._linger
        self._nursery.start_soon(self._let_go_later, key, held, held.linger, until)
        its = self._lingering.setdefault(key.principal, {})
        its[key] = None
        if len(its) > _MOST_LINGERING:
            oldest = next(iter(its))
            self._let_go(oldest, self._held[oldest])

    def _come_back(self, key: ObjectKey, held: _Held) -> None:
        """It lingers no more, if it did."""
        if held.linger is not None:
            held.linger.cancel()
            held.linger = None
            its = self._lingering[key.principal]
            del its[key]
            if not its:
                del self._lingering[key.principal]

    async def _let_go_later(self, key: ObjectKey, held: _Held, scope: trio.CancelScope, until: float) -> None:
        with scope:
            await trio.sleep_until(until)
            self._let_go(key, held)  # not if somebody came back in this very step: `scope` is cancelled then

    def _let_go(self, key: ObjectKey, held: _Held) -> None:
        self._come_back(key, held)
        del self._held[key]
        self.references.drop(key, "released")
        if held.served.release is not None:
            held.served.release(held.thing)


def _is_again(old: type[Any], new: type[Any]) -> bool:
    """Whether they are one type: a declaration that is read again defines its type again."""
    return (old.__module__, old.__qualname__) == (new.__module__, new.__qualname__)
