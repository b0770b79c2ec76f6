"""What the configuration of channels can refuse.

QuestionError
└── InvalidChannels (Invalid)   files that cannot be read, or that hold what cannot be; nothing was changed
"""

from __future__ import annotations

from questions.errors import Invalid

__all__ = ["InvalidChannels"]


class InvalidChannels(Invalid):
    """The configuration of channels is at fault: each fault with its file and path, and never a secret.

    Nothing was changed. A gate server goes on without channels, or with those that it had.
    """
