"""Room for a thousand connections in one process."""

import resource

_ENOUGH = 8_192


def raise_the_limit() -> None:
    """Let this process, and those it starts, open as many sockets as are needed, if the system lets it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < _ENOUGH:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(_ENOUGH, hard), hard))
