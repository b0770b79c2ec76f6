"""A host's state as a tree for people: `rich.print(describe_tree(host))`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import MissingExtra
from .host import Host

if TYPE_CHECKING:
    from rich.tree import Tree

__all__ = ["describe_tree"]


def describe_tree(host: Host) -> Tree:
    """What `host.describe()` says, as a `rich` tree: everything that is open, waits, is held or is due.

    Raises `MissingExtra` if `rich` is not installed. Holds no secret, since the description holds none.
    """
    try:
        rich_tree = import_module("rich.tree")  # comes with an extra
    except ModuleNotFoundError as error:
        raise MissingExtra("A tree of the host's state", "rich", "terminal", "host.describe()") from error
    tree: Tree = rich_tree.Tree("host", highlight=False)
    _grow(tree, host.describe())
    return tree


def _grow(tree: Tree, value: Mapping[str, Any]) -> None:
    for name, item in value.items():
        _hang(tree, str(name), item)


def _hang(tree: Tree, name: str, item: Any) -> None:
    if isinstance(item, Mapping):
        _grow(tree.add(_plain(name)), item)
    elif isinstance(item, Iterable) and not isinstance(item, str):
        items = list(item)
        branch = tree.add(_plain(f"{name}: {len(items) or 'none'}"))
        for one in items:
            _hang(branch, _title(one), one) if isinstance(one, Mapping) else branch.add(_plain(str(one)))
    else:
        tree.add(_plain(f"{name}: {'-' if item is None else item}"))


def _title(item: Mapping[str, Any]) -> str:
    return " ".join(str(item[name]) for name in ("id", "name", "type", "input", "principal") if name in item)


def _plain(text: str) -> str:
    return text.replace("[", "\\[")  # what is shown is data, and must not be read as markup
