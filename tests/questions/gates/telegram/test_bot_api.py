"""The client of the Bot API: what is known of a call afterwards, and where its token is not."""

import logging
import traceback

import pytest

from questions.gates.telegram.bot_api import check_token, open_bot_api
from questions.gates.telegram.errors import CallFailed, TokenRefused
from tests.questions.gates.bot_api import TOKEN, Dropped, Held, Odd, Status, closed_port
from tests.questions.gates.bot_api import open_bot_api as served

SENT = {"chat_id": -200, "text": "Hello"}


async def failure(server, fault, patience=10.0):
    """What a send raises that fails in this way."""
    server.fail("sendMessage", fault)
    async with open_bot_api(TOKEN, server.url, patience=patience) as api:
        with pytest.raises(CallFailed) as error:
            await api.send("-200", "Hello")
    return error.value.state, error.value.reason


async def test_a_message_that_arrives_has_an_id():
    async with served() as server, open_bot_api(TOKEN, server.url) as api:
        assert await api.send("-200", "  Hello\n") == "17"
    assert server.called("sendMessage") == [
        {"chat_id": -200, "text": "  Hello\n", "link_preview_options": {"is_disabled": True}}
    ]


@pytest.mark.parametrize("status", [400, 401, 403, 500, 503])
async def test_what_the_api_refuses_has_not_happened(status):
    async with served() as server:
        assert await failure(server, Status(status)) == ("failed", f"http_{status}")
        assert not server.messages


async def test_an_ok_that_is_false_has_not_happened():
    async with served() as server:
        assert await failure(server, Odd(b'{"ok": false, "description": "no"}')) == ("failed", "not_ok")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"ok": true, "result": {}}', "no_message_id"),  # case 102
        (b'{"ok": true, "result": {"message_id": "17"}}', "no_message_id"),
        (b'{"ok": true', "malformed"),
        (b"\xff", "malformed"),
        (b"[]", "malformed"),
    ],
)
async def test_a_success_without_a_message_id_is_unknown(body, reason):
    async with served() as server:
        assert await failure(server, Odd(body)) == ("unknown", reason)


@pytest.mark.parametrize("done", [True, False])
async def test_a_connection_that_is_lost_leaves_it_unknown(done):
    async with served() as server:
        assert await failure(server, Dropped(done)) == ("unknown", "no_response")
        assert len(server.messages) == done


async def test_a_gateway_that_gives_up_leaves_it_unknown():
    async with served() as server:
        assert await failure(server, Status(502, body=b"<html>Bad gateway</html>")) == ("unknown", "http_502")


async def test_a_reply_that_does_not_come_leaves_it_unknown():  # case 146
    async with served() as server:
        assert await failure(server, Held(), patience=0.1) == ("unknown", "no_response")
        assert len(server.messages) == 1


async def test_without_a_connection_nothing_has_happened():  # case 146
    async with open_bot_api(TOKEN, await closed_port()) as api:
        with pytest.raises(CallFailed) as error:
            await api.send("-200", "Hello")
    assert (error.value.state, error.value.reason) == ("failed", "no_connection")


async def test_told_to_slow_down_it_waits_as_long_as_it_was_told():
    pauses = []

    async def pause(seconds):
        pauses.append(seconds)

    async with served() as server, open_bot_api(TOKEN, server.url, pause=pause) as api:
        server.fail("sendMessage", Status(429, retry_after=7), Status(429, retry_after=3))
        await api.send("-200", "Hello")
    assert pauses == [7, 3]
    assert len(server.messages) == 1


async def test_it_does_not_wait_for_longer_than_a_minute():
    async with served() as server:
        assert await failure(server, Status(429, retry_after=3_600)) == ("failed", "http_429")


async def test_a_token_is_confirmed_with_the_name_of_its_bot():
    async with served() as server:
        assert await check_token(TOKEN, server.url) == "gate_bot"


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (Status(401, "Unauthorized"), "HTTP 401"),
        (Odd(b'{"ok": false}'), "rejected"),
        (Odd(b'{"ok": true, "result": {}}'), "rejected"),
        (Dropped(done=True), "no response"),
    ],
)
async def test_a_token_that_is_not_confirmed_is_refused_without_saying_it(fault, why):  # case 82
    async with served() as server:
        server.fail("getMe", fault)
        with pytest.raises(TokenRefused) as error:
            await check_token(TOKEN, server.url)
    assert error.value.why == why
    assert not [secret for secret in (TOKEN, "http://") if secret in "".join(traceback.format_exception(error.value))]


async def test_a_token_cannot_be_confirmed_without_a_network():  # case 82
    with pytest.raises(TokenRefused, match="no response"):
        await check_token(TOKEN, await closed_port())


@pytest.mark.parametrize("fault", [Status(404, f"no /bot{TOKEN}/sendMessage here"), Dropped(done=False), Odd(b"?")])
async def test_the_token_is_in_no_error_log_or_repr(fault, caplog):
    caplog.set_level(logging.DEBUG)
    async with served() as server, open_bot_api(TOKEN, server.url) as api:
        server.fail("sendMessage", fault)
        with pytest.raises(CallFailed) as error:
            await api.send("-200", "Hello")
        assert TOKEN not in repr(api) + repr(vars(error.value)) + error.value.description
    assert "send_request_headers" in caplog.text
    assert not [text for text in (caplog.text, str(error.value), repr(error.value)) if TOKEN in text]
    assert error.value.__context__ is None  # the error on the way knows the request, and its address
