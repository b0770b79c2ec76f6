"""What commands about a store share: how they are explained, their options, and where the store is."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from .settings import load_settings

__all__ = ["add_explained", "add_root", "root_of"]


def add_explained(kinds: Any, name: str, what: str, examples: Iterable[str], codes: str) -> argparse.ArgumentParser:
    """Add a command, whose help has whole lines as examples, and what its exit codes say."""
    lines = "\n".join(f"  questions {example}".rstrip() for example in examples)
    parser: argparse.ArgumentParser = kinds.add_parser(
        name,
        help=what,
        description=f"{what[0].upper()}{what[1:]}.",
        epilog=f"examples:\n{lines}\n\nexit codes: {codes}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return parser


def add_root(parser: argparse.ArgumentParser) -> None:
    """Add `--root`, which says where the store is."""
    parser.add_argument(
        "--root", metavar="R", help="the store: a folder, or postgresql://...; default: $QUESTIONS_ROOT"
    )


def root_of(options: argparse.Namespace) -> str:
    """Where the store is; exits with code 2 if nothing says so. `options.parser` is that of the command."""
    parser: argparse.ArgumentParser = options.parser
    root: str | None = load_settings().value("root", options.root)
    if not root:
        parser.error("which store? --root R, or $QUESTIONS_ROOT: a folder, or postgresql://...")
    return root
