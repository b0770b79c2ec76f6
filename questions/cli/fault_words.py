"""Why a server cannot be reached or takes no token, in words: what is wrong, and what to do about it."""

from __future__ import annotations

import base64
import json
import os
import ssl
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import trio
from websockets.exceptions import InvalidHandshake, InvalidMessage, InvalidStatus

from facets.errors import FacetError, LinkLost, Unavailable
from facets.link.link import AnyLink

from .token import is_like_token

__all__ = ["about_token", "why_lost", "why_no_tls", "why_unavailable"]

_IS_IT_THERE = "Does `questions serve` run there? (--url, or $QUESTIONS_URL)"
_X509_NOT_YET, _X509_EXPIRED, _X509_OTHER_NAME = 9, 10, (62, 64)
_A_PROXYS = (502, 503, 504)


def why_lost(link: AnyLink) -> str:
    """Why there is no connection."""
    error = link.failure()
    return "it is gone" if isinstance(error, LinkLost) else _words(error, link.url)


def why_unavailable(url: str, error: Unavailable) -> str:
    """Why the server at `url`, or what is behind it, could not be reached in time, in whole sentences."""
    if error.what != url:  # a worker, or a fenced session: the server itself was reached
        return str(error)
    cause = error.__cause__
    if cause is None or isinstance(cause, LinkLost):
        return f"{url} cannot be reached: it has not answered in time (--wait). {_IS_IT_THERE}"
    is_there = any(isinstance(one, ssl.SSLError | InvalidHandshake) for one in _chain(cause))
    return f"{url} cannot be reached: {_words(cause, url)}." + ("" if is_there else f" {_IS_IT_THERE}")


def why_no_tls(error: Exception) -> str:
    """Why there is nothing in a file that certificates can be checked by."""
    if isinstance(error, ssl.SSLError):
        return "holds no certificate in PEM"
    return _of_system(error) if isinstance(error, OSError) else str(error)


def about_token(token: str) -> str:
    """What its holder can see of a token that was refused, in brackets; empty: nothing. No part of it is quoted.

    The server tells a stranger nothing. What is read here is not proven, and only a hint.
    """
    if not is_like_token(token):
        return " (it does not look like a token)"
    try:
        claims = json.loads(base64.urlsafe_b64decode(f"{token.split('.')[1]}=="))
        expires = float(claims["exp"])
        until = datetime.fromtimestamp(expires, UTC)
    except (ValueError, TypeError, KeyError, OverflowError, OSError):
        return ""
    return f" (it has expired, at {until:%Y-%m-%d %H:%M:%S} UTC)" if expires <= time.time() else ""


def _words(error: BaseException, url: str) -> str:
    """The first of the errors in a chain that says more than the ones around it."""
    for one in _chain(error):
        if isinstance(one, ssl.SSLCertVerificationError):
            return _of_certificate(one)
        if isinstance(one, ssl.SSLError):
            return "it does not speak TLS as a server does; where there is none the URL begins with ws://"
        if isinstance(one, InvalidStatus):
            return _of_status(one.response.status_code)
        if isinstance(one, InvalidHandshake):
            return _of_handshake(one, url)
    return _of_end(error)


def _of_end(error: BaseException) -> str:
    *_, last = _chain(error)
    if isinstance(last, FacetError):
        return str(last)
    if isinstance(last, OSError):
        return _of_system(last)
    if isinstance(last, trio.BrokenResourceError | EOFError):
        return "it has hung up"
    return f"what answers there serves no questions ({type(last).__name__})"


def _of_certificate(error: ssl.SSLCertVerificationError) -> str:
    if error.verify_code == _X509_EXPIRED:
        return "its certificate has expired; who runs it has to renew that"
    if error.verify_code == _X509_NOT_YET:
        return "its certificate is not valid yet, by the clock of this machine"
    if error.verify_code in _X509_OTHER_NAME:
        return (
            f"its certificate is for another name ({error.verify_message.rstrip('.')}); the URL needs one that is in it"
        )
    why = error.verify_message
    return f"its certificate is not trusted ({why}); if it is the right server, --tls-ca FILE names who has signed it"


def _of_status(status: int) -> str:
    if status in _A_PROXYS:
        return f"it answers with HTTP {status}; what stands before the server does not reach it, or it takes nobody now"
    return f"what answers there serves no questions (HTTP {status}); is the URL whole, with its path?"


def _of_handshake(error: InvalidHandshake, url: str) -> str:
    if isinstance(error, InvalidMessage) and url.startswith("ws:"):
        return "what answers there serves no questions, or has TLS: then the URL begins with wss://"
    return f"what answers there serves no questions ({type(error).__name__})"


def _of_system(error: OSError) -> str:
    number = error.errno or 0  # below 0: of a name that could not be looked up
    return (os.strerror(number) if number > 0 else error.strerror or type(error).__name__).lower()


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error, and those that it was raised from; of several at once the first."""
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.exceptions[0] if isinstance(found, BaseExceptionGroup) else found.__cause__
