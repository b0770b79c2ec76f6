"""Only type-checked: objects got over a link are typed as those of a host; in plain scripts they block."""

from typing import assert_type

import facets.link.asyncio
import facets.link.client
import facets.link.sync
from facets import Principal
from questions import (
    Answered,
    BlockingQuestions,
    Collected,
    Confirm,
    OpenQuestion,
    Present,
    Questions,
    Quorum,
    SessionScope,
    Text,
    ask_again,
)

people = [Principal.user("alice"), Principal.user("bob")]
scope = SessionScope("s1")


async def on_trio() -> None:
    async with facets.link.client.open_link("ws://127.0.0.1:1", "token") as link:
        asker = await link.get(Questions, scope)
        assert_type(asker, Questions)
        assert_type(await asker.ask(Confirm("Go?"), audience=people), Answered[bool])
        assert_type(await asker.ask(Text("Why?"), audience=Present(), policy=Quorum(2)), Collected[str])
        assert_type(await ask_again(asker, Confirm("Go?"), key="k", audience=Present()), Answered[bool])
        assert_type(link.state.value, str)


async def on_asyncio() -> None:
    async with facets.link.asyncio.open_link("ws://127.0.0.1:1", lambda: "token") as link:
        viewer = await link.get(Questions, scope)
        async for question in viewer.to_answer():
            assert_type(question, OpenQuestion)
            await viewer.answer(question.id, True)
        assert_type(await ask_again(viewer, Text("Why?"), key="k", audience=people, policy=Quorum(2)), Collected[str])


def in_a_plain_script() -> None:
    with facets.link.sync.open_link("ws://127.0.0.1:1", "token") as link:
        questions = link.get(BlockingQuestions, scope)
        assert_type(questions.ask(Confirm("Go?"), audience=people), Answered[bool])
        assert_type(questions.ask(Text("Why?"), audience=Present(), policy=Quorum(2)), Collected[str])
        assert_type(ask_again(questions, Confirm("Go?"), key="k", audience=people), Answered[bool])
        assert_type(ask_again(questions, Text("Why?"), key="k", audience=people, policy=Quorum(2)), Collected[str])
        for question in questions.to_answer(timeout=5):
            questions.answer(question.id, True)
        for open_questions in questions.open.changes(timeout=5):
            assert_type(open_questions[""], OpenQuestion)
        for state in link.state.changes():
            assert_type(state, str)
        questions.ask(Confirm("Go?"), audience=people, timeout=5, default="no")  # E: misc
        questions.ask("Go?", audience=people)  # E: call-overload
