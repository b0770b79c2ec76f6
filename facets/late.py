"""Importing what a package offers only when it is asked for, so that one part of it can start quickly by itself."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

__all__ = ["offered_late"]


def offered_late(package: str, modules: str) -> Callable[[str], Any]:
    """The `__getattr__` of a package. The first of its public names that somebody wants brings all of them.

    All, since modules also declare things when they are imported: whoever uses the package has all of it, or, by a
    module's own name, just that. `modules`: where the names of its `__all__` live, apart from those that are there.
    """

    def bring(name: str) -> Any:
        offered = sys.modules[package]
        if name not in offered.__all__:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=offered)
        for module in modules.split():
            home = import_module(f"{package}.{module}")
            vars(offered).update({one: getattr(home, one) for one in home.__all__ if one in offered.__all__})
        return vars(offered)[name]

    return bring
