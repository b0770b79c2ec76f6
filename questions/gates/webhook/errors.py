"""What the webhook channel can refuse.

QuestionError
├── InvalidWebhook (Invalid)   what it was launched with cannot be
└── NoticeFailed               a notice has not arrived, or it is not known
"""

from __future__ import annotations

from typing import Literal

import attrs

from questions.errors import Invalid, QuestionError

__all__ = ["InvalidWebhook", "NoticeFailed"]


class InvalidWebhook(Invalid):
    """Settings that cannot be: each fault with its path, and never the secret. Nothing was started."""


@attrs.define(eq=False, slots=False, str=False)
class NoticeFailed(QuestionError):
    """A notice was not taken. `state`: failed, so that sending it again is safe, or unknown.

    `reason`: `http_400` and the like, `no_connection`, `no_response`. The address is not told: it may hold a secret.
    """

    state: Literal["failed", "unknown"]
    reason: str

    def __str__(self) -> str:
        happened = "has not arrived" if self.state == "failed" else "may or may not have arrived"
        return f"a notice {happened}: {self.reason}"
