"""A channel that posts signed notices to any address, with a link to a page that confirms an answer.

`python -m questions.gates.webhook` is its process. It imports neither a store nor workflow code; the page is in
`questions.gates.confirming`, on the HTTP port.
"""

from .errors import InvalidWebhook, NoticeFailed
from .signing import is_genuine, key_of
from .webhook import open_webhook

__all__ = ["InvalidWebhook", "NoticeFailed", "is_genuine", "key_of", "open_webhook"]
