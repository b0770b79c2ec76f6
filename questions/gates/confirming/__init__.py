"""The confirming page: where the link of a webhook notice leads, on the HTTP port. A GET of it settles nothing.

It comes with the extra `http`.
"""

from .door import confirming_service

__all__ = ["confirming_service"]
