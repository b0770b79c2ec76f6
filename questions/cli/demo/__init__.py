"""`questions demo`: an agent's tool calls, asked of people, in one process."""

from .command import add_demo

__all__ = ["add_demo"]
