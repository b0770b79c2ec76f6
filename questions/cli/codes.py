"""Exit codes of the `questions` command. They stay: scripts rely on them.

Every command uses those that concern it: 0 for done or answered; 4 for a question that is not open any more; 5 for a
server, a worker or an asker that cannot be reached, or a token that is not accepted.
"""

from __future__ import annotations

__all__ = ["DENIED", "DIFFERENT", "DONE", "EXPIRED", "INTERNAL", "INTERRUPTED", "UNREACHABLE", "USAGE", "WITHDRAWN"]

DONE = 0
"""Done; for what waits for people: answered."""
DENIED = 1
"""People were asked and said no; or the decision was cancelled."""
REFUSED = 1
"""A rule of decisions is against it. Nothing was changed."""
DIFFERENT = 1
"""Compared, and not the same."""
USAGE = 2
"""The command line, or what it names, is at fault; the message says what to change."""
EXPIRED = 3
"""Nobody had answered in time."""
WITHDRAWN = 4
"""The question is not open any more: answered by others, expired, withdrawn, superseded or closed."""
UNREACHABLE = 5
"""No connection, or none that lets one in. Nothing was decided; it may work later."""
STILL_OPEN = 6
"""Not ended yet, and the time for waiting is over."""
INTERNAL = 70
"""A fault of this program."""
INTERRUPTED = 130
"""Ctrl-C, or a signal that asks to end."""
