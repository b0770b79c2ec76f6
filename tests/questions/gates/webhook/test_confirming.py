"""From the notice to the answer: what fetching does (nothing), what a form does, and who may send one."""

import pytest
import trio

from questions.gates import Paragraph, Presentation, Section, State, TimeoutPolicy, view_of
from questions.gates.adapter import MessageRef
from questions.gates.document import document
from questions.gates.outbox import EffectState
from questions.gates.presentation import Bullets, Field, Fields, Preformatted
from questions.gates.webhook.codes import write_code
from tests.questions.gates.cases import CONTINUE, EXACT
from tests.questions.gates.channel_stage import becomes
from tests.questions.gates.webhook.stage import OPS, act_in, open_stage, words_in
from tests.rules import rule

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
FULL = Presentation(
    "Review <b>the</b> plan.",
    [
        Section("What\u200b & why"),
        Paragraph("One.\nTwo <script>alert(1)</script>"),
        Bullets(["first", "second"]),
        Fields([Field("Cost", "3 > 2")]),
        Preformatted("rm -rf  /tmp/x"),
    ],
)


async def test_a_link_that_is_fetched_settles_nothing_and_only_the_form_does():  # R58
    async with open_stage() as stage:
        request = await stage.ask()
        link, code = await stage.link(), await stage.code()
        for method in ("GET", "HEAD", "OPTIONS", "GET"):
            for headers in ({}, {"Sec-Purpose": "prefetch"}, {"User-Agent": "LinkScanner/1.0"}):
                fetched = await stage.client.request(method, link, headers=headers)
                assert fetched.status_code in (200, 204)
                assert request.title not in fetched.text
        for path in ("/answer", f"/answer?code={code}&choice=continue", f"?code={code}&choice=continue"):
            await stage.client.get(stage.page + path)
            await stage.client.post(stage.page + path)
        for _ in range(3):
            assert (await stage.show(code)).status_code == 200
        assert await stage.state(request) is State.OPEN
        confirmed = await stage.confirm(code, "continue")
        assert (confirmed.status_code, "Your answer was counted." in confirmed.text) == (200, True)
        assert await stage.state(request) is State.ACCEPTED


async def test_the_page_shows_what_every_channel_shows():
    async with open_stage() as stage:
        request = await stage.ask(presentation=FULL, timeout=TimeoutPolicy(600_000, CONTINUE))
        shown = document(view_of(request))
        html = (await stage.show(await stage.code())).text
        words = words_in(html)
        for part in (shown.title, shown.summary, *shown.blocks, shown.deadline, shown.fingerprint):
            assert part in words
        places = [words.index(part) for part in (shown.title, shown.summary, *shown.blocks, shown.deadline)]
        assert places == sorted(places)
        for terms in request.choices.values():
            assert terms.label in words
            assert terms.input is None or terms.input.prompt in words
        assert "<script>alert" not in html
        assert "\u200b" not in html
        assert "checked" not in html


async def test_a_text_arrives_as_it_was_typed():
    async with open_stage() as stage:
        request = await stage.ask()
        typed = EXACT.replace("\n", "\r\n")
        await stage.confirm(await stage.code(), "replan", replan=typed, **{"continue": "not this"})
        resolution = (await stage.gates.get(request.decision_id)).resolution
        assert (resolution.response.choice, resolution.response.input.text) == ("replan", EXACT)


@rule("Q-AUTH-3")
async def test_the_answer_is_a_persons_from_this_channel():
    async with open_stage() as stage:
        request = await stage.ask()
        await stage.confirm(await stage.code("bo"), "continue")
        resolution = (await stage.gates.get(request.decision_id)).resolution
        assert resolution.provenance == "human"
        assert (resolution.source.channel, resolution.source.actor_id) == (OPS, "bo")
        assert resolution.idempotency_key == f"{OPS}:{resolution.source.event_id}"


async def test_all_who_were_told_hear_how_it_ended():
    async with open_stage() as stage:
        request = await stage.ask()
        await stage.confirm(await stage.code(), "continue")
        told = await stage.receiver.has("decision.settled", 2)
        assert [(one["to"], one["ended"]) for one in told] == [("ana", "Chosen: Continue"), ("bo", "Chosen: Continue")]
        await becomes(stage.gates, request, EffectState.APPLIED, "settle")


async def test_a_form_that_is_sent_twice_is_one_answer():
    async with open_stage() as stage:
        request = await stage.ask()
        code = await stage.code()
        act = act_in((await stage.show(code)).text)
        first, second = [await stage.confirm(code, "continue", act) for _ in range(2)]
        assert (first.status_code, second.status_code) == (200, 200)
        assert len(await stage.gates.submissions(request.decision_id)) == 1


async def test_of_two_who_answer_the_first_is_counted_and_the_other_is_told_so():
    async with open_stage() as stage:
        request = await stage.ask()
        codes = [await stage.code("ana"), await stage.code("bo")]
        replies = {}

        async def answer(who, code, choice):
            replies[who] = await stage.confirm(code, choice, act=who, replan="Smaller.")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(answer, "ana", codes[0], "continue")
            nursery.start_soon(answer, "bo", codes[1], "replan")
        assert sorted(reply.status_code for reply in replies.values()) == [200, 409]
        late = next(reply for reply in replies.values() if reply.status_code == 409)
        assert "Your answer was not counted." in late.text
        accepted = (await stage.gates.get(request.decision_id)).resolution
        winner = request.choices[accepted.response.choice].label
        assert f"Chosen: {winner}" in late.text


async def test_what_has_ended_says_how_and_has_nothing_to_press():
    async with open_stage() as stage:
        request = await stage.ask()
        code = await stage.code()
        await stage.gates.cancel(request.decision_id)
        shown = await stage.show(code)
        assert "Cancelled. Nothing was chosen." in shown.text
        assert "<button" not in shown.text
        late = await stage.confirm(code, "continue")
        assert (late.status_code, "Your answer was not counted." in late.text) == (409, True)
        assert "declined" not in late.text


async def test_a_form_that_does_not_fit_is_shown_again_with_what_was_typed():
    async with open_stage() as stage:
        request = await stage.ask()
        code = await stage.code()
        for choice, texts, words in [
            ("replan", {"replan": ""}, "at least 1"),
            ("replan", {"replan": "x" * 4_001}, "at most 4000"),
            ("", {}, "not available"),
            ("stop", {}, "not available"),
        ]:
            again = await stage.confirm(code, choice, **texts)
            assert (again.status_code, words in again.text) == (422, True)
            assert texts.get("replan", "") in again.text
            assert 'role="alert"' in again.text
        assert await stage.state(request) is State.OPEN


async def test_a_code_that_is_not_good_is_refused_in_one_way_whatever_is_wrong():
    async with open_stage() as stage:
        request = await stage.ask()
        code = await stage.code()
        named, _, proof = code.partition(".")
        ids = request.decision_id, request.request_digest
        forged = write_code(b"x" * 32, "ops", *ids, "ana")
        codes = ["x", "a.b", f"{named}.{proof[::-1]}", forged, write_code(b"x" * 32, "none", *ids, "ana"), "ü"]
        told = set()
        for bad in codes:
            for reply in (await stage.show(bad), await stage.confirm(bad, "continue")):
                told.add((reply.status_code, reply.text))
        ((status, text),) = told
        assert status == 403
        assert request.title not in text
        assert await stage.state(request) is State.OPEN


async def test_who_is_taken_off_the_list_has_no_good_link_any_more():
    async with open_stage(recipients=("ana",)) as stage:
        request = await stage.ask()
        await stage.code()
        key = bytes.fromhex(await key_of(stage))
        eve = write_code(key, "ops", request.decision_id, request.request_digest, "eve")
        other = write_code(key, "ops", request.decision_id, "sha256:" + "0" * 64, "ana")
        for code in (eve, other):
            assert (await stage.show(code)).status_code == 403
            assert (await stage.confirm(code, "continue")).status_code == 403
        assert await stage.state(request) is State.OPEN


async def key_of(stage):
    from questions.gates.channel_settings import read_saved

    return read_saved((await stage.gates.channel(OPS)).value).key


async def test_an_answer_proves_that_a_notice_that_was_in_doubt_has_come():
    async with open_stage(recipients=("ana",)) as stage:
        stage.receiver.replies.append(504)
        request = await stage.ask()
        await becomes(stage.gates, request, EffectState.AMBIGUOUS)
        assert (await stage.confirm(await stage.code(), "continue")).status_code == 200
        effects = [found.value for found in await stage.gates.effects(request.decision_id)]
        assert next(one for one in effects if one.purpose == "present").state is EffectState.APPLIED


async def test_a_page_of_somebody_else_cannot_send_the_form():
    async with open_stage() as stage:
        request = await stage.ask()
        code = await stage.code()
        for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}):
            assert (await stage.confirm(code, "continue", headers=headers)).status_code == 403
        assert await stage.state(request) is State.OPEN


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"code=a&code=b", b"code=%ff", "code=ü".encode(), b"&".join([b"a=1"] * 200), b"=&="]
)
async def test_what_is_no_form_is_refused(body):
    async with open_stage() as stage:
        for path in ("", "/answer"):
            reply = await stage.client.post(stage.page + path, content=body, headers=FORM)
            assert reply.status_code in (400, 403)
        reply = await stage.client.post(stage.page, content=b'{"code":"x"}', headers={"Content-Type": "text/plain"})
        assert reply.status_code == 400


async def test_everything_is_sent_with_a_strict_policy_and_kept_by_nobody():
    async with open_stage() as stage:
        await stage.ask()
        for reply in (await stage.client.get(stage.page), await stage.show(await stage.code()), await stage.show("x")):
            policy = reply.headers["Content-Security-Policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert reply.headers["Cache-Control"] == "no-store"
            assert reply.headers["Referrer-Policy"] == "no-referrer"
            assert "style=" not in reply.text


async def test_a_reference_names_the_notice_and_not_the_link():
    async with open_stage(recipients=("ana",)) as stage:
        request = await stage.ask()
        effect = await becomes(stage.gates, request, EffectState.APPLIED)
        (message,) = effect.messages
        assert isinstance(message, MessageRef)
        assert message.message_id == stage.receiver.calls[0].headers["webhook-id"]
        assert (await stage.code()) not in repr(effect)


async def test_a_link_outlives_the_server_that_has_sent_it(tmp_path):
    async with open_stage(tmp_path, recipients=("ana",)) as stage:
        request = await stage.ask()
        code = await stage.code()
    async with open_stage(tmp_path, recipients=("ana",)) as stage:
        assert (await stage.confirm(code, "continue")).status_code == 200
        assert await stage.state(request) is State.ACCEPTED


async def test_a_link_of_another_store_is_of_no_use():
    async with open_stage(recipients=("ana",)) as stage:
        await stage.ask()
        code = await stage.code()
    async with open_stage(recipients=("ana",)) as stage:
        await stage.ask()
        await stage.code()
        assert (await stage.show(code)).status_code == 403
