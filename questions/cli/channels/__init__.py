"""`questions channels`: where people are asked at gates, beside this machine: set up, looked at, repaired."""

from .command import add_channels

__all__ = ["add_channels"]
