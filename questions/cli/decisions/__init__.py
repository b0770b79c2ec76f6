"""`questions decisions`: decisions that outlive the process, in the store that they are kept in."""

from .command import add_decisions

__all__ = ["add_decisions"]
