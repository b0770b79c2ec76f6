"""`questions gates`: decisions that workflows wait for at gates, in the store that they are kept in."""

from .command import add_gates

__all__ = ["add_gates"]
