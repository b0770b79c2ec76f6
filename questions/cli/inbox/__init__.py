"""`questions inbox`: all that is open for somebody on a terminal, to be answered in place."""

from .command import add_inbox

__all__ = ["add_inbox"]
