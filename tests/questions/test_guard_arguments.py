"""What a guard shows of a call, what an approval covers, and what cannot be approved."""

import json
from typing import Any

import pytest

from facets import Principal
from questions import (
    All,
    Collected,
    DigestMismatch,
    InvalidAsk,
    InvalidQuestion,
    Quorum,
    approval_required,
)
from questions.testing import open_rig
from tests.questions.tools import ANA, YES, Says, Tool

# What is shown


async def test_the_arguments_of_the_call_are_shown_defaults_included():
    asker = Says(YES)
    await Tool().guarded(asker)(100)
    (question, _), *_ = asker.asked
    assert (question.message, json.loads(question.details)) == ("Run pay?", {"amount": 100, "to": "shop"})


async def test_further_arguments_are_shown_too():
    asker: Any = Says(YES)

    @approval_required(asker, [ANA])
    async def run(program, *args, **env):
        return (program, args, env)

    assert await run("ls", "-l", "/", HOME="/root") == ("ls", ("-l", "/"), {"HOME": "/root"})
    shown = json.loads(asker.asked[0][0].details)
    assert shown == {"program": "ls", "args": ["-l", "/"], "env": {"HOME": "/root"}}


async def test_a_tool_is_called_by_its_own_name_if_none_is_given():
    asker: Any = Says(YES)

    @approval_required(asker, [ANA])
    async def delete():
        """Deletes everything."""

    await delete()
    assert asker.asked[0][0].message.endswith("delete?")
    assert (delete.__name__, delete.__doc__) == ("delete", "Deletes everything.")


async def test_the_terms_of_the_ask_are_passed_on():
    asker, run = Says(Collected((YES,), (), (), "reached")), Principal.program("run-1")
    await Tool().guarded(asker, Quorum(1), [ANA], timeout=60, on_behalf_of=run)(100)
    terms = {"audience": [ANA], "policy": Quorum(1), "timeout": 60, "on_behalf_of": run, "key": None}
    assert asker.asked[0][1] == terms


async def test_the_asker_may_be_looked_up_at_each_call():
    askers = [Says(YES), Says(YES)]
    pay = Tool().guarded(lambda: askers.pop(0))
    for _ in range(2):
        await pay(100)
    assert askers == []


# What cannot be approved


def circle():
    inside: list[Any] = []
    inside.append(inside)
    return inside


BAD = [object(), float("nan"), float("inf"), {1, 2}, b"bytes", {1: 2}, 2**60, "\ud800", [object()], circle()]


@pytest.mark.parametrize("amount", BAD, ids=lambda amount: type(amount).__name__)
async def test_arguments_that_are_no_plain_data_are_refused_unasked(amount):
    asker, tool = Says(YES), Tool()
    with pytest.raises(InvalidAsk, match=r"\$\.arguments: only plain JSON data"):
        await tool.guarded(asker)(amount)
    assert (asker.asked, tool.runs) == ([], [])


async def test_more_arguments_than_can_be_shown_are_refused_unasked():
    asker, tool = Says(YES), Tool()
    with pytest.raises(InvalidQuestion, match="65536 bytes"):
        await tool.guarded(asker)("x" * 65_536)
    assert (asker.asked, tool.runs) == ([], [])


async def test_arguments_that_do_not_fit_the_tool_are_refused_unasked():
    asker, tool = Says(YES), Tool()
    with pytest.raises(TypeError):
        await tool.guarded(asker)(100, where="bank")
    assert (asker.asked, tool.runs) == ([], [])


async def test_what_the_tool_raises_comes_out_as_it_is():
    asker: Any = Says(YES)

    @approval_required(asker, [ANA])
    async def broken():
        raise OSError("no disk")

    with pytest.raises(OSError, match="no disk"):
        await broken()


# What changes between the answer and the run


class SaysThen(Says):
    """Something changes while people think."""

    def __init__(self, change, *results):
        super().__init__(*results)
        self.change = change

    async def ask(self, question, **terms):
        result = await super().ask(question, **terms)
        self.change()
        return result


async def change_and_answer(basket, person):
    basket.append("yacht")
    await person.answer(True)


async def test_arguments_that_change_after_the_answer_are_not_run_with():
    basket, tool = ["apple"], Tool()
    asker = SaysThen(lambda: basket.append("yacht"), YES)
    with pytest.raises(DigestMismatch) as error:
        await tool.guarded(asker)(basket)
    assert error.value.approved != error.value.actual
    assert tool.runs == []


async def test_the_next_call_with_what_they_have_become_is_asked_about(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        tool, basket = Tool(), ["apple"]
        pay = tool.guarded(await rig.asker(), key=lambda basket: "k")
        rig.at(1, change_and_answer, basket, ana)
        with pytest.raises(DigestMismatch):
            await pay(basket)
        rig.at(5, ana.answer, True)
        await pay(basket)
        assert (rig.now, tool.runs) == (5, [(["apple", "yacht"], "shop")])


async def test_an_approval_that_did_not_fit_is_used_up(autojump_clock):
    async with open_rig() as rig:
        (ana,) = await rig.people("ana")
        tool, basket = Tool(), ["apple"]
        pay = tool.guarded(await rig.asker(), key=lambda basket: "k")
        rig.at(1, change_and_answer, basket, ana)
        with pytest.raises(DigestMismatch):
            await pay(basket)
        basket.pop()
        rig.at(5, ana.answer, True)
        await pay(basket)
        assert (rig.now, tool.runs) == (5, [(["apple"], "shop")])


async def test_arguments_that_can_no_longer_be_compared_are_not_run_with():
    basket, tool = ["apple"], Tool()
    asker: Any = SaysThen(lambda: basket.append(object()), YES)  # type: ignore[arg-type]
    with pytest.raises(InvalidAsk):
        await tool.guarded(asker)(basket)
    assert tool.runs == []


@pytest.mark.parametrize("policy", [Quorum(1), All()])
async def test_several_who_agree_cover_what_they_saw_and_no_more(policy):
    basket, tool = ["apple"], Tool()
    asker = SaysThen(lambda: basket.clear(), Collected((YES,), (), (), "reached"))
    with pytest.raises(DigestMismatch):
        await tool.guarded(asker, policy)(basket)
    assert tool.runs == []


async def test_nothing_happens_between_the_comparison_and_the_run():
    """The tool begins in the step in which the asker is woken: no other task can change the arguments then."""
    tool = Tool()
    call = tool.guarded(Says(YES))(100)
    with pytest.raises(StopIteration):
        call.send(None)
    assert tool.runs == [(100, "shop")]
