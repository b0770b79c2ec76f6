"""Who may do what with which token: the table of docs/security.md, cell by cell, over a real link with real tokens."""

import json
from contextlib import asynccontextmanager

import pytest

from tests.house.source import ROOT, text_of
from tests.link.raw import dialled, greeted
from tests.link.tokens import open_guarded, open_question
from tests.rules import rule


def rows():
    """(token, what it should come to by act) of the table."""
    lines = [line for line in text_of(ROOT / "docs" / "security.md").splitlines() if line.startswith("| ")]
    start = next(at for at, line in enumerate(lines) if line.startswith("| token |"))
    _, *acts = cells(lines[start])
    for line in lines[start + 2 :]:
        token, *wanted = cells(line)
        yield token.strip("`"), dict(zip(acts, (one.strip("`") for one in wanted), strict=True))


def cells(line):
    return [cell.strip() for cell in line.strip("| \n").split("|")]


ROWS = list(rows())


class Holder:
    """Somebody who has a token, and tries."""

    def __init__(self, peer):
        self.peer = peer

    async def result(self, **message):
        """What comes of a message: yes, or the code of its refusal."""
        message["id"] = self.peer.new_id()
        await self.peer.say(message)
        while (heard := await self.peer.hear())["id"] != message["id"] or heard["type"] == "unavailable":
            pass
        self.heard = heard
        return heard["code"] if heard["type"] == "refused" else "yes"

    async def with_object(self, input, **message):
        """What comes of a message about an object; of getting that, if it is refused."""
        got = await self.result(type="get", kind="questions", input=input)
        object = self.peer.last_id
        return await self.result(object=object, **message) if got == "yes" else got

    async def view(self, input):
        return await self.with_object(input, type="watch", readable="open")

    async def see(self, question):
        seen = await self.view({"session": "s1"})
        return seen if seen != "yes" else "yes" if question in self.heard["value"] else "no"

    async def answer(self, question):
        args = {"id": question, "value": True}
        return await self.with_object({"session": "s1"}, type="call", method="answer", args=args)

    async def ask(self, session, **text):
        question = {"kind": "text", "message": "What?", **text}
        args = {"question": question, "audience": [{"kind": "user", "id": "zoe"}], "timeout": 0.01}
        result = await self.with_object({"session": session}, type="call", method="ask", args=args)
        return "yes" if result == "expired" else result  # it was asked, and nobody is there

    async def speak_for_others(self):
        other = {"kind": "user", "id": "zoe"}
        return await self.result(type="get", kind="questions", input={"session": "s1"}, **{"as": other})


ACTS = {
    "see session s1": lambda holder, _: holder.view({"session": "s1"}),
    "see Ana's question": Holder.see,
    "answer it": Holder.answer,
    "ask in s1": lambda holder, _: holder.ask("s1"),
    "ask for a secret in s1": lambda holder, _: holder.ask("s1", secret=True),
    "ask in s2": lambda holder, _: holder.ask("s2"),
    "see ana's own scope": lambda holder, _: holder.view({"owner": {"kind": "user", "id": "ana"}}),
    "speak for others": lambda holder, _: holder.speak_for_others(),
}


@asynccontextmanager
async def as_holder(folder, token):
    """Whoever has this token, and the id of Ana's question."""
    async with (
        open_guarded(folder) as guarded,
        open_question(guarded) as question,
        greeted(guarded.server, guarded.token(token)) as peer,
    ):
        yield Holder(peer), question


@rule("Q-AUTH-1", "Q-AUTH-2", "Q-AUTH-3", "Q-AUTH-4")
@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize(("token", "wanted"), ROWS, ids=[token for token, _ in ROWS])
async def test_a_token_is_good_for_what_the_documents_say(tmp_path, token, wanted, act):
    async with as_holder(tmp_path, token) as (holder, question):
        assert await ACTS[act](holder, question) == wanted[act]


def test_the_table_has_every_act_and_every_kind_of_principal():
    assert all(list(wanted) == list(ACTS) for _, wanted in ROWS)
    kinds = {token.partition(":")[0] for token, _ in ROWS}
    assert kinds == {"user", "guest", "program", "worker", "server"}


async def test_an_unknown_question_and_one_of_others_are_refused_in_the_same_words(tmp_path):
    async with as_holder(tmp_path, "user:bo") as (bo, question):
        unknown, refusals = question[:-1] + "999", []
        for id in (question, unknown):
            assert await bo.answer(id) == "unknown_question"
            refusals.append(json.dumps({**bo.heard, "id": 0}).replace(id, "ID"))
        assert refusals[0] == refusals[1]


@pytest.mark.parametrize("token", ["worker:s1", "user:ana", "server:host"])
async def test_a_worker_serves_no_session_but_its_own(tmp_path, token):
    async with open_guarded(tmp_path) as guarded, dialled(guarded.server) as peer:
        await peer.say({"type": "hello", "token": guarded.token(token), "serves": ["s2"]})
        *_, goodbye, end = await peer.hear_all()
        assert (goodbye["type"], goodbye["code"], end.code) == ("goodbye", "forbidden", 1008)
        assert guarded.server.relay.describe() == []
