"""A small channel, whole: messages over a socket, one line of JSON a call. `python -m` runs it as a process."""

import hashlib
import hmac
import json
import os
from contextlib import asynccontextmanager

import trio

from questions.gates.adapter import MessageRef, Pressed, Report, Update, ended_words
from questions.gates.adapter_process import run_adapter
from questions.gates.document import document
from questions.gates.responses import GivenText, Response

LONGEST = 400  # characters of one message
PAUSE = 0.05  # seconds after a look that came to nothing


class Lost(Exception):
    """The call may have had its effect."""


class LineChannel:
    def __init__(self, launch):
        self.launch = launch
        self.host, port = launch.options["address"].split(":")
        self.port = int(port)

    async def call(self, **fields):
        """What the service says. Raises `OSError` if it could not be asked, and `Lost` if it said nothing."""
        stream = await trio.open_tcp_stream(self.host, self.port)
        async with stream:
            try:
                await stream.send_all(
                    json.dumps({"token": self.launch.token, "pid": os.getpid(), **fields}).encode() + b"\n"
                )
                answer = b"".join([some async for some in stream])
            except trio.BrokenResourceError:
                raise Lost from None
        if not answer.endswith(b"\n"):
            raise Lost
        return json.loads(answer)

    async def present(self, view, attempt_id, shown):
        known = {(ref.chat_id, ref.part_index): ref for ref in shown}
        for number, chat in enumerate(sorted(self.launch.allowed_chat_ids)):
            for part, text in enumerate(parts := parts_of(view)):
                if (chat, part) in known:
                    continue
                codes = self.codes(view) if part == len(parts) - 1 else {}
                told, code = await self.tried(do="send", chat=chat, text=text, codes=codes)
                if code is not None:
                    return Report("unknown" if code == "lost" else "failed", tuple(known.values()), code)
                digest = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
                known[chat, part] = MessageRef(chat, str(told["message"]), number, part, digest)
        return Report("confirmed", tuple(known.values()))

    async def settle(self, view, ended, messages):
        for ref in messages:
            _, code = await self.tried(do="edit", message=int(ref.message_id), text=ended_words(view, ended))
            if code is not None:
                return Report("unknown" if code == "lost" else "failed", (), code)
        return Report("confirmed")

    async def tried(self, **fields):
        try:
            told = await self.call(**fields)
        except OSError:
            return None, "connect_failed"
        except Lost:
            return None, "lost"
        return told, told.get("error") if isinstance(told, dict) else None

    async def poll(self, cursor, views):
        by_code = {code: (view, choice) for view in views for choice, code in self.codes(view).items()}
        told, code = await self.tried(do="updates", after=int(cursor or 0))
        if code is not None:
            await trio.sleep(PAUSE)
            return
        for update in told:
            yield Update(str(update["id"]), self.pressed(update, by_code))

    def pressed(self, update, by_code):
        launch = self.launch
        is_listed = update["user"] in launch.allowed_user_ids and update["chat"] in launch.allowed_chat_ids
        if update["code"] not in by_code or not (is_listed or "trusts_all" in launch.options):
            return None
        view, choice = by_code[update["code"]]
        asked = view.choices[choice].input
        text = None if asked is None else GivenText(asked.name, update["text"])
        event, key = f"update-{update['id']}", f"line:{launch.profile}:{update['chat']}:{update['id']}"
        ids = view.decision_id, view.request_digest
        return Pressed(*ids, Response(choice, text), update["user"], update["chat"], event, key)

    async def answered(self, answer, judged):
        said = "received" if judged.accepted else judged.error
        await self.tried(do="say", chat=answer.chat_id, text=said)

    def codes(self, view):
        """A code for each choice, which nobody can make up."""
        what = f"{self.launch.profile}\0{view.request_digest}\0"
        return {
            choice: hmac.digest(self.launch.key, (what + choice).encode(), "sha256").hex()[:24]
            for choice in view.choices
        }


def parts_of(view):
    text = document(view).text
    return [text[start : start + LONGEST] for start in range(0, len(text), LONGEST)]


@asynccontextmanager
async def open_line_channel(launch):
    yield LineChannel(launch)


if __name__ == "__main__":
    run_adapter(open_line_channel)
