"""A channel that posts signed notices to any address, with a link to a page that confirms an answer.

`python -m questions.gates.webhook` is its process. It imports neither a store nor workflow code; the page is in
`questions.gates.confirming`, on the HTTP port.
"""

__all__: list[str] = []
