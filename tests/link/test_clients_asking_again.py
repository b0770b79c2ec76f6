"""`ask_again` over links: with every client it goes on when the host itself has ended, and ends when the link has."""

from functools import partial

import pytest
import trio

from facets import LinkLost, Principal, open_host
from facets.link import open_link_server
from facets.nursery import open_serving_nursery
from questions import Confirm, InvalidAsk, Present, Questions, Superseded, questions_facet
from questions.testing import Asking
from tests.link.clients import asked_again, every_client
from tests.link.raw import PATIENCE
from tests.link.relays import sees, until
from tests.link.stages import SCOPE, OverLinks, Tokens, open_stage_over_links
from tests.link.test_clients_lost import end_of, shown_anew
from tests.link.tokens import open_guarded
from tests.rules import rule

pytestmark = rule("Q-KEY-6")
ANA = Principal.user("ana")
GO = Confirm("Go?")


def begin(nursery, asker, question=GO, **options):
    """Ask again and again, with a key."""
    asking = Asking()
    nursery.start_soon(asking.run, partial(asked_again, asker, question, key="k", **{"audience": [ANA], **options}))
    return asking


@every_client
async def test_it_asks_as_ask_does(open_link):
    async with open_stage_over_links(open_link=open_link) as stage, trio.open_nursery() as nursery:
        viewer, asker = await stage.viewer(ANA), await stage.asker()
        for audience in ([ANA], Present()):
            asking = begin(nursery, asker, audience=audience, timeout=60)
            (question,) = await sees(viewer, "Go?")
            await viewer.answer(question.id, True)
            await sees(viewer)
            assert (await end_of(asking)).answer is True
        with pytest.raises(InvalidAsk):
            await asked_again(asker, GO, key="k", audience=Present(), timeout=-1)
        with pytest.raises(InvalidAsk, match="key: needed"):
            await asked_again(asker, GO, key=None, audience=[ANA])


@rule("Q-KEY-3")
@every_client
async def test_a_host_that_was_closed_in_order_is_followed_by_the_next_one_which_is_asked(open_link):
    async with open_serving_nursery() as keeping, trio.open_nursery() as nursery:
        async with open_host([questions_facet]) as old, open_link_server(old, Tokens()) as server:
            port, links = server.address[1], OverLinks(server, keeping, open_link=open_link)
            viewer, asking = await links.viewer(ANA), begin(nursery, await links.asker())
            (before,) = await sees(viewer, "Go?")
            await old.close()  # StoreClosed, and links still there to say so
            await sees(viewer)
        async with open_host([questions_facet]) as new, open_link_server(new, Tokens(), port=port):
            (after,) = await shown_anew(viewer, before)
            await viewer.answer(after.id, True)
            assert (await end_of(asking)).answer is True
            keeping.cancel_scope.cancel()


@rule("Q-KEY-2")
@every_client
async def test_a_later_try_supersedes_nothing(open_link):
    async with open_serving_nursery() as keeping, trio.open_nursery() as nursery:
        async with open_host([questions_facet]) as host, open_link_server(host, Tokens()) as server:
            links = OverLinks(server, keeping, open_link=open_link)
            viewer, asker = await links.viewer(ANA), await links.asker()
            asking = begin(nursery, asker)
            await sees(viewer, "Go?")
            await host.fence(SCOPE, timeout=0, force=True)
            await sees(viewer)
            host.unfence(SCOPE)
            async with host.root() as ctx:
                newer = await ctx.get(Questions, SCOPE)
                nursery.start_soon(partial(newer.ask, Confirm("Newer?"), audience=[ANA], key="k"))
                with pytest.raises(Superseded):
                    await end_of(asking)
                nursery.cancel_scope.cancel()
        keeping.cancel_scope.cancel()


@every_client
async def test_a_link_that_was_refused_for_good_ends_it(open_link, tmp_path):
    async with open_guarded(tmp_path) as guarded, trio.open_nursery() as nursery:
        issued = guarded.issue("server:host")
        async with open_link(guarded.server.url, issued.token) as link:
            asker = await link.get(Questions, SCOPE)
            asking = begin(nursery, asker)
            await until(guarded.server.host.waiting)
            guarded.revocations.revoke_token(issued.identity.token_id, issued.identity.expires)
            with pytest.raises(LinkLost):
                await end_of(asking)
            with trio.fail_after(PATIENCE), pytest.raises(LinkLost):
                await asked_again(asker, GO, key="k", audience=[ANA])


@every_client
async def test_given_up_between_two_tries_it_ends_at_once(open_link):
    async with open_stage_over_links(open_link=open_link) as stage, trio.open_nursery() as nursery:
        asker = await stage.asker()
        await stage.server.host.fence(SCOPE, timeout=0)
        for _ in range(2):
            with trio.move_on_after(0.3) as scope:
                await asked_again(asker, GO, key="k", audience=[ANA])
            assert scope.cancelled_caught
        stage.server.host.unfence(SCOPE)
        viewer, asking = await stage.viewer(ANA), begin(nursery, asker)
        (question,) = await sees(viewer, "Go?")
        await viewer.answer(question.id, False)
        assert (await end_of(asking)).answer is False
