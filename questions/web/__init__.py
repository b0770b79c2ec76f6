"""The page in a browser on which people answer, and who serves it."""

from .site import answer_page

__all__ = ["answer_page"]
