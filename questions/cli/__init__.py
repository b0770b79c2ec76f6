"""The `questions` command. Nothing else of the project imports it."""

from .main import build_parser, main

__all__ = ["build_parser", "main"]
