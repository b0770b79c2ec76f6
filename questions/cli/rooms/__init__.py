"""`questions rooms`: decisions of many, looked at offline."""

from .command import add_rooms

__all__ = ["add_rooms"]
