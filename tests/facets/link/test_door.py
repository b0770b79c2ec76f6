"""Plain requests are answered by the first who has a reply; the rest of the door is tested with a server."""

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from facets.link.door import first_answer

PAGE, HEALTH = (Response(200, word, Headers()) for word in ("page", "health"))


def at(path, response):
    return lambda request: response if request.path == path else None


@pytest.mark.parametrize(("path", "reply"), [("/", PAGE), ("/healthz", HEALTH), ("/none", None)])
def test_the_first_who_has_a_reply_gives_it(path, reply):
    answer = first_answer(at("/healthz", HEALTH), None, at("/", PAGE), at("/healthz", PAGE))
    assert answer(Request(path, Headers())) is reply


def test_nobody_has_none():
    assert first_answer()(Request("/", Headers())) is None
