"""The confirming page: where the link of a webhook notice leads, on the HTTP port. A GET of it settles nothing."""

__all__: list[str] = []
