"""Notices over real sockets: what was taken, what surely was not, and what nobody knows."""

import logging
import socket
from contextlib import asynccontextmanager

import attrs
import pytest
import trio

from questions.gates import view_of
from questions.gates.adapter import Ended, Launch
from questions.gates.document import document
from questions.gates.webhook.codes import is_made_with, read_code
from questions.gates.webhook.errors import InvalidWebhook
from questions.gates.webhook.webhook import Webhook, open_webhook
from tests.questions.gates.cases import AUTOMATIC, REPLAN, request
from tests.questions.gates.webhook.receiver import KEY, SECRET, Receiver, open_receiver
from tests.rules import rule

VIEW = view_of(request(timeout=AUTOMATIC))
PAGE = "https://q.example/decide"


def launch(url, **changes):
    usual = {
        "profile": "ops",
        "epoch": "epoch-1",
        "token": SECRET,
        "allowed_user_ids": ("ana", "bo"),
        "allowed_chat_ids": ("bo", "ana"),
        "key": KEY,
        "options": {"url": url, "page": PAGE},
    }
    return Launch(**usual | changes)


@attrs.define
class Stage:
    receiver: Receiver
    adapter: Webhook
    pauses: list

    async def present(self, shown=()):
        return await self.adapter.present(VIEW, "attempt-1", shown)


@asynccontextmanager
async def open_stage(*replies, url=None, patience=5.0):
    pauses: list = []

    async def pause(seconds):
        pauses.append(seconds)

    async with (
        open_receiver() as receiver,
        open_webhook(launch(url or receiver.url), patience=patience, pause=pause) as adapter,
    ):
        receiver.replies += replies
        yield Stage(receiver, adapter, pauses)


async def test_everybody_gets_a_signed_notice_with_all_that_channels_show_and_a_link_of_their_own():
    async with open_stage() as stage:
        report = await stage.present()
        assert (report.state, [one.chat_id for one in report.messages]) == ("confirmed", ["ana", "bo"])
        assert all(stage.receiver.genuine(call) for call in stage.receiver.calls)
        ana, bo = stage.receiver.of("decision.open")
        assert (ana["to"], bo["to"], ana["document"]) == ("ana", "bo", document(VIEW).text)
        assert ana["fingerprint"] == VIEW.fingerprint
        page, code = ana["link"].split("#")
        read = read_code(code)
        assert read is not None
        assert (page, read.recipient, read.request_digest) == (PAGE, "ana", VIEW.request_digest)
        assert is_made_with(KEY, read)
        assert code not in bo["link"]


async def test_the_subject_is_in_no_notice():
    async with open_stage() as stage:
        await stage.present()
        assert not [call for call in stage.receiver.calls if b"subject" in call.body]


@rule("Q-SET-2")
async def test_who_has_a_notice_gets_no_second_one():
    async with open_stage() as stage:
        first = await stage.present()
        again = await stage.present(first.messages[:1])
        assert [notice["to"] for notice in stage.receiver.of("decision.open")] == ["ana", "bo", "bo"]
        assert again == first
        ids = [call.headers["webhook-id"] for call in stage.receiver.calls]
        assert ids[1] == ids[2] != ids[0]


async def test_what_is_shown_otherwise_than_now_is_in_doubt():
    async with open_stage() as stage:
        first = await stage.present()
        other = attrs.evolve(first.messages[0], content_digest="sha256:" + "0" * 64)
        assert (await stage.present([other])).state == "unknown"
        assert len(stage.receiver.calls) == 2


@pytest.mark.parametrize(
    ("reply", "state", "code", "tries"),
    [
        (204, "confirmed", None, 2),
        (400, "failed", "http_400", 2),
        (403, "failed", "http_403", 1),
        (500, "failed", "http_500", 1),
        (502, "unknown", "http_502", 1),
        (504, "unknown", "http_504", 1),
        ((302, {"Location": "http://elsewhere.example/"}, b""), "failed", "http_302", 1),
        ((307, {"Location": "/hook"}, b""), "failed", "http_307", 1),
        ((200, {}, b"x" * 5_000_000), "confirmed", None, 2),
    ],
)
async def test_what_the_receiver_says_is_what_is_reported(reply, state, code, tries):
    async with open_stage(reply) as stage:
        report = await stage.present()
        assert (report.state, report.error_code, len(stage.receiver.calls)) == (state, code, tries)
        assert stage.pauses == []


async def test_no_reply_in_time_is_unknown_and_is_not_tried_again():
    async with open_stage("hang", patience=0.2) as stage:
        report = await stage.present()
        assert (report.state, report.error_code) == ("unknown", "no_response")
        assert [one.chat_id for one in report.messages] == ["bo"]
        assert len(stage.receiver.calls) == 2


async def test_what_was_surely_not_sent_is_tried_again_and_then_failed():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        async with open_stage(url=f"http://127.0.0.1:{nobody.getsockname()[1]}/x") as stage:
            report = await stage.present()
            assert (report.state, report.error_code, report.messages) == ("failed", "no_connection", ())
            assert stage.pauses == [0.5, 2.0]


@pytest.mark.parametrize(
    ("headers", "pauses"), [({"Retry-After": "7"}, [7.0]), ({"Retry-After": "0"}, [1.0]), ({}, [0.5])]
)
async def test_told_to_slow_down_it_does(headers, pauses):
    async with open_stage((429, headers, b"")) as stage:
        assert (await stage.present()).state == "confirmed"
        assert stage.pauses == pauses


@pytest.mark.parametrize("later", ["61", "99999999", "Wed, 21 Oct 2026 07:28:00 GMT"])
async def test_it_waits_for_a_minute_at_most(later):
    async with open_stage(*[(429, {"Retry-After": later}, b"")] * 4) as stage:
        report = await stage.present()
        assert (report.state, report.error_code) == ("failed", "http_429")
        assert sum(stage.pauses) < 60


async def test_all_who_were_told_are_told_how_it_ended_and_once_more_does_no_harm():
    async with open_stage() as stage:
        shown = await stage.present()
        ended = Ended("accepted", REPLAN, "human")
        assert (await stage.adapter.settle(VIEW, ended, shown.messages)).state == "confirmed"
        assert (await stage.adapter.settle(VIEW, ended, shown.messages)).state == "confirmed"
        told = stage.receiver.of("decision.settled")
        assert [one["to"] for one in told] == ["ana", "bo", "ana", "bo"]
        assert (told[0]["outcome"], told[0]["ended"]) == ("accepted", "Chosen: Replan")
        ids = [call.headers["webhook-id"] for call in stage.receiver.calls]
        assert len(set(ids)) == 4
        assert all(stage.receiver.genuine(call) for call in stage.receiver.calls)


async def test_an_end_that_was_not_taken_may_be_told_again():
    async with open_stage(200, 200, "hang", patience=0.2) as stage:
        shown = await stage.present()
        report = await stage.adapter.settle(VIEW, Ended("expired"), shown.messages)
        assert (report.state, report.messages) == ("failed", shown.messages)


async def test_a_poll_brings_nothing_and_ends():
    async with open_stage() as stage:
        assert [update async for update in stage.adapter.poll("", [VIEW])] == []
        assert stage.pauses == [0.5]


async def test_neither_the_address_nor_the_secret_is_told_to_anybody(caplog):
    caplog.set_level(logging.DEBUG)
    async with open_stage(400) as stage:
        await stage.present()
    told = [record.getMessage() for record in caplog.records if not record.name.startswith("facets")]
    assert not [one for one in told if "canary-7" in one or SECRET in one]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"token": "whsec_short"}, "$.token"),
        ({"token": "a2V5" * 8}, "$.token"),
        ({"key": b"x"}, "$.key"),
        ({"allowed_chat_ids": ("cy",)}, "$.allowedChatIds"),
        ({"allowed_chat_ids": ()}, "$.allowedChatIds"),
        ({"options": {"url": "http://hook.example/", "page": PAGE}}, "$.options.url"),
        ({"options": {"url": "https://u:p@hook.example/", "page": PAGE}}, "$.options.url"),
        ({"options": {"url": "ftp://hook.example/", "page": PAGE}}, "$.options.url"),
        ({"options": {"url": "https://h.example/", "page": "http://q.example/decide"}}, "$.options.page"),
        ({"options": {"url": "https://h.example/", "page": PAGE + "?token=x"}}, "$.options.page"),
        ({"options": {"url": "https://h.example/", "page": PAGE, "colour": "red"}}, "$.options.colour"),
        ({"options": {"url": "https://h.example/", "page": PAGE, "insecure": "perhaps"}}, "$.options.insecure"),
    ],
)
async def test_a_launch_that_cannot_be_is_refused_with_every_fault_and_no_secret(changes, path):
    with pytest.raises(InvalidWebhook) as refused:
        async with open_webhook(launch("https://h.example/", **changes)):
            pass
    assert [fault for fault in refused.value.faults if fault.startswith(path)]
    assert "whsec" not in str(refused.value).replace("must be whsec_", "")


async def test_without_tls_over_a_network_only_by_force():
    options = {"url": "http://hook.example/", "page": "http://q.example/decide", "insecure": "yes"}
    with trio.fail_after(5):
        async with open_webhook(launch("", options=options)):
            pass
