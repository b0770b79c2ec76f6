"""Cases of channels: what is shown, once, and how it is shown to have ended."""

from __future__ import annotations

from collections.abc import Sequence

from questions.gates.adapter import Ended, MessageRef, Report
from questions.gates.channel_lines import read_said, write_said
from questions.gates.channel_messages import Head, Presented, Said, stable_id
from questions.gates.responses import Response

from .channel_stage import ChannelPlay, channel_case, view
from .stage import require

__all__ = ["SHOWING_IN_CHANNELS", "presented"]

CONTINUE = Response("continue")
ATTEMPT = stable_id("attempt", "1")


def checked(report: Report, state: str) -> Report:
    """The report, which has to be proper, as its server reads it, and to say this."""
    one = view()
    head = Head("epoch-1", "profile", 1, 0, stable_id("it"))
    said = Said(head, Presented(one.decision_id, one.request_digest, ATTEMPT, report))
    require(read_said(write_said(said)) == said, "a report must come out at its server as it was")
    require(report.state == state, f"it must be {state}, not {report.state} ({report.error_code})")
    return report


async def presented(play: ChannelPlay, shown: Sequence[MessageRef] = ()) -> Report:
    """What comes of showing the request, which has to be confirmed."""
    return checked(await play.adapter.present(view(), ATTEMPT, shown), "confirmed")


@channel_case
async def a_request_is_shown_in_full(play: ChannelPlay) -> None:
    """Title, summary, blocks, labels, prompts and fingerprint are there; the subject and the token are not."""
    report, one = await presented(play), view()
    text = "\n".join(play.stage.shown())
    wanted = [one.title, one.presentation.summary, "It takes two minutes", "Go on", "Plan again", one.fingerprint]
    require(all(part in text for part in wanted), f"all of it must be shown, and {text!r} is not all")
    require("s3cret" not in text and play.stage.launch.token not in text, "no secret may be shown")
    require(bool(report.messages), "what was shown must be named")


@channel_case
async def every_part_of_every_recipient_is_named(play: ChannelPlay) -> None:
    """Parts count from 0 without a gap, for each recipient, and no message is named twice."""
    messages = (await presented(play)).messages
    require(
        len({(ref.chat_id, ref.message_id) for ref in messages}) == len(messages), "each message must be named once"
    )
    for index in {ref.recipient_index for ref in messages}:
        parts = sorted(ref.part_index for ref in messages if ref.recipient_index == index)
        require(parts == list(range(len(parts))), f"the parts of recipient {index} must count from 0, and are {parts}")


@channel_case
async def what_is_known_to_be_shown_is_not_shown_again(play: ChannelPlay) -> None:
    """A second attempt with all messages of the first sends nothing."""
    first = await presented(play)
    count = len(play.stage.shown())
    again = await presented(play, first.messages)
    require(len(play.stage.shown()) == count, "nothing may be sent twice")
    require(set(again.messages) == set(first.messages), "the same messages must be named")


@channel_case
async def what_the_service_refuses_has_failed_and_can_be_tried_again(play: ChannelPlay) -> None:
    """A refusal is no doubt: the next attempt shows it."""
    if not play.stage.plan("refuse"):
        return
    report = checked(await play.adapter.present(view(), ATTEMPT, ()), "failed")
    require(report.error_code is not None, "why it has failed must be told")
    await presented(play, report.messages)


@channel_case
async def what_may_have_been_shown_is_unknown(play: ChannelPlay) -> None:
    """Where the service says nothing of a message, neither does the adapter, and it does not send it once more."""
    if not play.stage.plan("lose"):
        return
    checked(await play.adapter.present(view(), ATTEMPT, ()), "unknown")
    require(len(play.stage.shown()) <= 1, "what may be there must not be sent again")


@channel_case
async def how_it_ended_is_shown_however_often(play: ChannelPlay) -> None:
    """Settling says which choice it was; to do it twice is as good as once."""
    messages = (await presented(play)).messages
    ended = Ended("accepted", CONTINUE, "human")
    for _ in range(2):
        checked(await play.adapter.settle(view(), ended, messages), "confirmed")
    require("Chosen: Go on" in "\n".join(play.stage.shown()), "the label of the choice must be shown")


@channel_case
async def what_nobody_has_decided_is_not_put_so(play: ChannelPlay) -> None:
    """A timeout says that it was automatic; an end without a choice that nothing was chosen, and never a denial."""
    messages = (await presented(play)).messages
    checked(await play.adapter.settle(view(), Ended("accepted", CONTINUE, "timeout"), messages), "confirmed")
    text = "\n".join(play.stage.shown())
    require("Chosen:" not in text and "utomatic" in text, "what a timeout chooses is automatic")
    for outcome in ("expired", "cancelled"):
        checked(await play.adapter.settle(view(), Ended(outcome), messages), "confirmed")
        text = "\n".join(play.stage.shown()).lower()
        require("nothing was chosen" in text, "an end without a choice must be put so")
        require("denied" not in text and "declined" not in text, "nobody has denied anything")


@channel_case
async def what_is_not_known_to_be_shown_settles_with_nothing_to_do(play: ChannelPlay) -> None:
    """Without messages there is nothing to settle, and that is no failure."""
    checked(await play.adapter.settle(view(), Ended("cancelled"), ()), "confirmed")


SHOWING_IN_CHANNELS = (
    a_request_is_shown_in_full,
    every_part_of_every_recipient_is_named,
    what_is_known_to_be_shown_is_not_shown_again,
    what_the_service_refuses_has_failed_and_can_be_tried_again,
    what_may_have_been_shown_is_unknown,
    how_it_ended_is_shown_however_often,
    what_nobody_has_decided_is_not_put_so,
    what_is_not_known_to_be_shown_settles_with_nothing_to_do,
)
