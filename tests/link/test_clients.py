"""What is the same with every client: who gets in, what can be called, how it is refused, and what nobody is shown."""

import logging
import socket
import traceback

import pytest
import trio

from facets import InsecureDial, InvalidCall, LinkLost, Principal, Unauthenticated, Unavailable, Unserved
from questions import (
    All,
    Confirm,
    InvalidAsk,
    NotInAudience,
    Present,
    Questions,
    Text,
    UnknownQuestion,
)
from questions.testing import Asking
from tests.link.clients import coming_back, every_client
from tests.link.relays import sees, until
from tests.link.scripted import open_script
from tests.link.stages import EVE, SCOPE, open_stage_over_links
from tests.link.test_clients_lost import begin, end_of
from tests.link.tokens import open_guarded
from tests.rules import rule

ANA = Principal.user("ana")
CANARY = "hunter2-canary"


@every_client
async def test_a_refused_token_ends_it_and_is_not_tried_again(open_link):
    async with open_script("viewer") as script:
        script.goodbye = {"code": "unauthenticated"}
        with pytest.raises(Unauthenticated):
            async with open_link(script.url, "t"):
                raise AssertionError("it was let in")
        assert script.tokens == ["t"]


@every_client
async def test_a_revoked_token_ends_the_link(open_link, tmp_path):
    async with open_guarded(tmp_path) as guarded:
        issued = guarded.issue("user:ana")
        async with open_link(guarded.server.url, issued.token) as link:
            guarded.revocations.revoke_token(issued.identity.token_id, issued.identity.expires)
            await until(link.state, lambda state: state == "refused")
            assert isinstance(link.failure(), Unauthenticated)
            with pytest.raises(LinkLost):
                await link.get(Questions, SCOPE)


@every_client
async def test_a_link_whose_token_expires_goes_on_with_a_fresh_one_if_it_can_have_one(open_link, tmp_path):
    async with open_guarded(tmp_path) as guarded:
        url = guarded.server.url
        async with (
            open_link(url, guarded.token("user:ana")) as its,
            open_link(url, lambda: guarded.token("user:bo")) as link,
        ):
            async with coming_back(link):
                guarded.clock.now += 4000
            await until(its.state, lambda state: state == "refused")
            guarded.revocations.revoke_principal(Principal.user("bo"), guarded.clock.now + 1)
            await until(link.state, lambda state: state == "refused")


@every_client
async def test_each_connection_has_a_fresh_token(open_link):
    tokens = iter(["one", "two"])
    async with open_script("viewer") as script, open_link(script.url, lambda: next(tokens)):
        await (await script.next()).cut()
        await script.next()
        assert script.tokens == ["one", "two"]


@every_client
async def test_a_token_that_cannot_be_had_at_first_is_for_who_opens_the_link(open_link):
    def token():
        raise FileNotFoundError("no token")

    async with open_script("viewer") as script:
        with pytest.raises(FileNotFoundError):
            async with open_link(script.url, token):
                raise AssertionError("it was let in")


@every_client
async def test_a_token_that_cannot_be_had_later_is_tried_again(open_link, caplog):
    tokens = iter(["one", None, "two"])

    def token():
        return next(tokens) or 1 / 0

    async with open_script("viewer") as script, open_link(script.url, token) as link:
        async with coming_back(link):
            await (await script.next()).cut()
        assert script.tokens == ["one", "two"]
    assert "ZeroDivisionError" in caplog.text


@every_client
async def test_the_state_says_how_things_are(open_link):
    async with open_script("viewer") as script:
        async with open_link(script.url, "t") as link:
            assert (link.state.value, link.principal) == ("connected", Principal.user("x"))
            changes = link.state.changes()
            assert await anext(changes) == "connected"
            script.goodbye = {"code": "link_limit_exceeded", "retryable": True}
            await (await script.next()).cut()
            assert await anext(changes) == "lost"
            script.goodbye = None
            assert await anext(changes) == "connected"
        assert await anext(changes) == "closed"


@every_client
async def test_patience_is_bounded_if_one_says_so(open_link):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        with pytest.raises(Unavailable) as caught:
            async with open_link(f"ws://127.0.0.1:{nobody.getsockname()[1]}", "t", patience=0.5):
                raise AssertionError("it was let in")
    assert isinstance(caught.value.__cause__, OSError)


@every_client
async def test_a_redirect_is_not_followed(open_link):
    async with open_script("viewer") as script, trio.open_nursery() as nursery:
        seen: list = []

        async def redirect(stream):
            seen.append(await stream.receive_some())
            location = script.url.replace("ws:", "http:")
            await stream.send_all(f"HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode())

        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        url = f"ws://127.0.0.1:{listener.socket.getsockname()[1]}"
        nursery.start_soon(trio.serve_listeners, redirect, [listener])
        with pytest.raises(Unavailable) as caught:
            async with open_link(url, CANARY, patience=0.3):
                raise AssertionError("it was let in")
        assert "302" in str(caught.value.__cause__)
        assert seen
        assert not script.tokens, "the token went where the redirect led"
        assert CANARY.encode() not in b"".join(seen)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("url", ["http://a", "ws://user@a", "ws://a?token=t", "ws://a#t", "ws://"])
@every_client
async def test_a_url_that_could_hold_a_token_is_refused(open_link, url):
    with pytest.raises(ValueError, match="a URL such as"):
        async with open_link(url, "t"):
            raise AssertionError("it was dialled")


@pytest.mark.parametrize("url", ["ws://127.0.0.1:99999", "ws://127.0.0.1:x", "ws://[::1", "ws://:80", "wss://a..b"])
@every_client
async def test_a_url_that_leads_nowhere_is_refused_at_once(open_link, url):
    with pytest.raises(ValueError, match="a URL such as"):
        async with open_link(url, "t"):
            raise AssertionError("it was dialled")


@pytest.mark.parametrize(
    "url", ["ws://192.0.2.1:1", "ws://example.test:1", "ws://[2001:db8::1]:1", "ws://localhost.test"]
)
@every_client
async def test_no_token_is_sent_where_others_can_read_it(open_link, url):
    def token():
        raise AssertionError("it was asked for")

    with pytest.raises(InsecureDial, match="insecure=True"):
        async with open_link(url, token):
            raise AssertionError("it was dialled")


@every_client
async def test_what_a_face_does_not_offer_is_no_attribute(open_link):
    async with open_stage_over_links(open_link=open_link) as stage:
        viewer, asker = await stage.viewer(ANA), await stage.asker()
        for thing, name in [(viewer, "ask"), (viewer, "board"), (asker, "open"), (asker, "answer"), (asker, "nothing")]:
            assert not hasattr(thing, name)
            with pytest.raises(AttributeError, match="offers this principal no"):
                getattr(thing, name)
        with pytest.raises(TypeError):
            await viewer.answer("q_0123456789_1")
        async with open_link(stage.server.url, "user:ana") as link:
            with pytest.raises(Unserved):
                await link.get(int)


@every_client
async def test_refusals_arrive_as_what_they_are(open_link):
    async with open_stage_over_links(open_link=open_link) as stage, trio.open_nursery() as nursery:
        viewer, asker, eve = await stage.viewer(ANA), await stage.asker(), await stage.viewer(EVE)
        begin(nursery, asker)
        (question,) = await sees(viewer, "Go?")
        with pytest.raises(UnknownQuestion):
            await viewer.answer("q_0123456789_9", True)
        with pytest.raises(NotInAudience) as refused:
            await eve.answer(question.id, True)
        assert refused.value.id == question.id
        with pytest.raises(InvalidAsk, match=r"\$\.timeout"):
            await asker.ask(Confirm("Go?"), audience=[ANA], timeout=-1)
        with pytest.raises(InvalidAsk, match=r"Present\(\)"):
            await asker.ask(Confirm("Go?"), audience=stage.server.host.references(Questions, SCOPE))
        nursery.cancel_scope.cancel()


@every_client
async def test_a_key_says_which_question_it_was(open_link):
    async with open_stage_over_links(open_link=open_link) as stage, trio.open_nursery() as nursery:
        viewer, asker, asking = await stage.viewer(ANA), await stage.asker(), Asking()
        nursery.start_soon(asking.run, lambda: asker.ask(Confirm("Go?"), audience=[ANA], key="k"))
        (question,) = await sees(viewer, "Go?")
        assert (await asker.asked("k"), await asker.asked("other")) == (question.id, None)
        await viewer.answer(question.id, True)
        await end_of(asking)
        assert await asker.asked("k") == question.id


@rule("Q-POL-2")
@every_client
async def test_everyone_present_can_be_asked(open_link):
    async with open_stage_over_links(open_link=open_link) as stage, trio.open_nursery() as nursery:
        viewers = [await stage.viewer(principal) for principal in (ANA, EVE)]
        asker, asking = await stage.asker(), Asking()
        nursery.start_soon(asking.run, lambda: asker.ask(Confirm("All?"), audience=Present(), policy=All()))
        for viewer in viewers:
            (question,) = await sees(viewer, "All?")
            await viewer.answer(question.id, True)
        assert {one.by.principal for one in (await end_of(asking)).answers} == {ANA, EVE}


def ours(error):
    """Its text, and our frames of its traceback with all that is in them."""
    text = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    frames = [frame for frame in text.split("  File ") if "/facets/" in frame]
    assert frames
    return [str(error), repr(error), *frames]


@rule("Q-SEC-1")
@every_client
async def test_a_result_that_cannot_be_read_is_not_quoted(open_link):
    async with open_script("asker") as script, trio.open_nursery() as nursery, open_link(script.url, "t") as link:
        talk, asking = await script.next(), begin(nursery, await link.get(Questions, SCOPE))
        call = await talk.hear("call")
        await talk.say({"type": "returned", "id": call["id"], "value": {"answer": CANARY, "by": CANARY}})
        with pytest.raises(InvalidCall) as caught:
            await end_of(asking)
    assert CANARY not in "".join(ours(caught.value))


@rule("Q-SEC-1")
@every_client
async def test_a_secret_is_in_the_result_and_in_no_log_or_text(open_link, caplog, tmp_path):
    for name in ("", "facets", "websockets", "websockets.client", "asyncio"):
        caplog.set_level(logging.DEBUG, name)
    async with open_guarded(tmp_path) as guarded, trio.open_nursery() as nursery:
        tokens = guarded.token("server:host"), guarded.token("user:ana")
        async with open_link(guarded.server.url, tokens[0]) as its, open_link(guarded.server.url, tokens[1]) as link:
            asker, viewer = await its.get(Questions, SCOPE), await link.get(Questions, SCOPE)
            asking, code = Asking(), Text("Code?", secret=True, min_length=20)
            nursery.start_soon(asking.run, lambda: asker.ask(code, audience=[ANA]))
            (question,) = await sees(viewer, "Code?")
            texts = [repr(one) for one in (its, asker, viewer, viewer.open, viewer.answer)]
            with pytest.raises(Exception) as caught:  # noqa: PT011
                await viewer.answer(question.id, CANARY)
            texts += ours(caught.value)
            await viewer.answer(question.id, CANARY * 2)
            assert (await end_of(asking)).answer == CANARY * 2
    for secret in (CANARY, *tokens):
        assert secret not in caplog.text + "".join(texts)
