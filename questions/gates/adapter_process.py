"""`run_adapter`: the program of a channel's process, which reports to its server and does what it is told.

It says one thing at a time and waits for the answer, over its standard input and output. It ends when it is told to,
and when its input ends, whatever it is at: its server has gone then, and another may have taken its place.
"""

from __future__ import annotations

import sys
from contextlib import aclosing, suppress
from typing import NoReturn

import trio

from questions.durable.line_streams import stdio

from .adapter import Adapter, Judged, Launch, OpenAdapter, Update
from .channel_frames import LONGEST_COMMAND, frames_from
from .channel_lines import read_launch, read_reply, write_said
from .channel_messages import (
    HELD,
    Answering,
    Body,
    Command,
    Exiting,
    Head,
    Poll,
    Present,
    Presented,
    Ready,
    Reply,
    Said,
    Settle,
    Settled,
    Stop,
    stable_id,
)
from .errors import InvalidRecord
from .view import ChannelView

__all__ = ["run_adapter", "serve_adapter"]


def run_adapter(open_adapter: OpenAdapter) -> NoReturn:
    """Be the process of a channel, until its server is done with it. Ends the program.

    The status is 0, or 1 if the adapter has failed, or 2 if there was no proper launch. What an adapter raises is told
    to the server by the name of its class alone, and is written nowhere: its text may hold what nobody is to read.
    """
    sys.stdout = sys.stderr  # what an adapter prints is no message
    sys.exit(trio.run(_serve, open_adapter))


async def _serve(open_adapter: OpenAdapter) -> int:
    streams = stdio()
    return await serve_adapter(open_adapter, streams.receive_stream, streams.send_stream)


async def serve_adapter(open_adapter: OpenAdapter, receive: trio.abc.ReceiveStream, send: trio.abc.SendStream) -> int:
    """What `run_adapter` does, over any pair of streams: the status to exit with."""
    status = 0
    replies_in, replies = trio.open_memory_channel[bytes](0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_read, receive, replies_in, nursery.cancel_scope)
        status = await _Process(open_adapter, replies, send).run()
        nursery.cancel_scope.cancel()
    return status


async def _read(
    receive: trio.abc.ReceiveStream, replies: trio.MemorySendChannel[bytes], scope: trio.CancelScope
) -> None:
    with suppress(InvalidRecord, trio.BrokenResourceError):
        async with aclosing(frames_from(receive, LONGEST_COMMAND)) as frames:
            async for frame in frames:
                await replies.send(frame)
    scope.cancel()


class _Process:
    def __init__(
        self, open_adapter: OpenAdapter, replies: trio.MemoryReceiveChannel[bytes], send: trio.abc.SendStream
    ) -> None:
        self._open_adapter = open_adapter
        self._replies = replies
        self._send = send
        self._launch: Launch
        self._cursor = ""
        self._views: dict[str, ChannelView] = {}
        """What may be answered, as the server has told it."""
        self._sequence = 0
        self._revision = 0

    async def run(self) -> int:
        try:
            self._launch = read_launch(await self._replies.receive())
        except InvalidRecord:
            return 2
        self._cursor, code = self._launch.cursor, None
        try:
            async with self._open_adapter(self._launch) as adapter:
                await self._obey(adapter)
        except Exception as error:
            code = _class_of(error)
        with suppress(InvalidRecord, trio.BrokenResourceError):
            await self._tell(Exiting(self._cursor, code))
        return 0 if code is None else 1

    async def _obey(self, adapter: Adapter) -> None:
        command = None
        while not isinstance(command, Stop):
            if command is None:
                command = (await self._tell(Ready(self._cursor))).command
            elif isinstance(command, Poll):
                await self._poll(adapter, command)
                command = None
            else:
                command = await self._show(adapter, command)

    async def _show(self, adapter: Adapter, command: Present | Settle) -> Command | None:
        view, attempt = command.view, command.attempt_id
        ids = (view.decision_id, view.request_digest, attempt)
        if isinstance(command, Present):
            body: Body = Presented(*ids, await adapter.present(view, attempt, command.shown))
        else:
            body = Settled(*ids, await adapter.settle(view, command.ended, command.messages))
        return (await self._tell(body)).command

    async def _poll(self, adapter: Adapter, poll: Poll) -> None:
        self._cursor = poll.cursor
        for id in poll.gone:
            self._views.pop(id, None)
        self._views |= {view.decision_id: view for view in poll.views}
        if poll.more:
            return
        async with aclosing(adapter.poll(poll.cursor, tuple(self._views.values()))) as updates:
            async for update in updates:
                if update.answer is not None and not await self._answer(adapter, update):
                    return
                self._cursor = update.cursor

    async def _answer(self, adapter: Adapter, update: Update) -> bool:
        """Whether it was judged."""
        assert update.answer is not None
        reply = await self._tell(Answering(update.answer, update.cursor))
        if reply.error == HELD:
            return False
        await adapter.answered(update.answer, Judged(reply.accepted, reply.error))
        return True

    async def _tell(self, body: Body) -> Reply:
        self._sequence += 1
        head = Head(self._launch.epoch, self._launch.profile, self._sequence, self._revision, self._id(body))
        await self._send.send_all(write_said(Said(head, body)))
        reply = read_reply(await self._replies.receive())
        if reply.sequence != self._sequence:
            raise InvalidRecord([f"$.sequence: must be {self._sequence}"])
        self._revision = reply.revision
        return reply

    def _id(self, body: Body) -> str:
        match body:
            case Answering(answer=answer):
                return stable_id(self._launch.profile, "answer", answer.decision_id, answer.idempotency_key)
            case Presented(attempt_id=attempt) | Settled(attempt_id=attempt):
                return stable_id(self._launch.profile, type(body).__name__, attempt)
        return stable_id(self._launch.profile, type(body).__name__, self._launch.epoch, str(self._sequence))


def _class_of(error: Exception) -> str:
    """The name of the class; of an only error in a group its own."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return type(error).__name__
