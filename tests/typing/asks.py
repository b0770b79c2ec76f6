"""Only type-checked: the answer's type follows the question, and the result's type the policy."""

from datetime import UTC, datetime, timedelta
from typing import assert_type

from facets import Host, Principal, Readable
from questions import (
    All,
    Answered,
    Collected,
    Confirm,
    CustomPolicy,
    First,
    Option,
    Question,
    Questions,
    Quorum,
    Select,
    SessionScope,
    Text,
    ask_again,
)
from questions.rooms import Mechanism, Tallied

people = [Principal.user("alice"), Principal.user("bob")]
color = Select("Which?", options=[Option("r", "Red"), Option("g", "Green")])


async def first_is_the_default(asker: Questions) -> None:
    assert_type(await asker.ask(Confirm("Go?"), audience=people), Answered[bool])
    assert_type(await asker.ask(color, audience=people), Answered[str])
    assert_type(await asker.ask(Text("Why?"), audience=people), Answered[str])


async def first_gives_one_answer(asker: Questions) -> None:
    result = await asker.ask(Confirm("Go?"), audience=people, policy=First())
    assert_type(result, Answered[bool])
    assert_type(result.answer, bool)
    assert_type(result.automatic, bool)


async def quorum_and_all_collect(asker: Questions) -> None:
    assert_type(await asker.ask(Confirm("Go?"), audience=people, policy=Quorum(2)), Collected[bool])
    collected = await asker.ask(Text("Why?"), audience=people, policy=All(join="snapshot"))
    assert_type(collected, Collected[str])
    assert_type(collected.answers, tuple[Answered[str], ...])


async def a_policy_of_ones_own_gives_what_it_says(asker: Questions, own: CustomPolicy[int]) -> None:
    assert_type(await asker.ask(color, audience=people, policy=Mechanism("plurality")), Tallied)
    assert_type(await ask_again(asker, color, key="k", audience=people, policy=Mechanism("approval")), Tallied)
    assert_type(await asker.ask(color, audience=people, policy=own), int)


async def a_union_of_policies_gives_a_union(asker: Questions, policy: Quorum | All) -> None:
    assert_type(await asker.ask(Confirm("Go?"), audience=people, policy=policy), Collected[bool])


async def the_audience_may_be_live(asker: Questions, present: Readable[list[Principal]]) -> None:
    await asker.ask(Confirm("Go?"), audience=present)
    await asker.ask(Confirm("Go?"), audience=tuple(people))


async def times_may_be_given_in_two_ways(asker: Questions) -> None:
    await asker.ask(Confirm("Go?"), audience=people, timeout=2.5)
    await asker.ask(Confirm("Go?"), audience=people, timeout=timedelta(minutes=1))
    await asker.ask(Confirm("Go?"), audience=people, deadline=datetime.now(UTC))


async def a_host_gives_what_was_asked_for(host: Host) -> None:
    async with host.root(principal=people[0]) as ctx:
        assert_type(await ctx.get(Questions, SessionScope("s1")), Questions)


async def any_question_will_do(asker: Questions, question: Question[bool]) -> None:
    assert_type(await asker.ask(question, audience=people), Answered[bool])


async def a_default_is_an_answer(asker: Questions) -> None:
    await asker.ask(Confirm("Go?"), audience=people, timeout=5, default=False)
    await asker.ask(Confirm("Go?"), audience=people, timeout=5, default="no")  # E: misc


async def what_mypy_refuses(asker: Questions) -> None:
    await asker.ask("Go?", audience=people)  # E: call-overload
    await asker.ask(Confirm("Go?"))  # E: call-overload
    await asker.ask(Confirm("Go?"), audience=["alice"])  # E: list-item
    Select("Which?", options=["red"])  # E: list-item
    All(join="later")  # E: arg-type
    Quorum("two")  # E: arg-type


async def a_durable_ask_has_the_result_of_any_ask(asker: Questions) -> None:
    assert_type(await asker.ask(Confirm("Go?"), audience=people, key="k", durable=True), Answered[bool])
    assert_type(await asker.ask(color, audience=people, policy=All(), key="k", durable=True), Collected[str])
    assert_type(await ask_again(asker, Text("Why?"), audience=people, key="k", durable=True), Answered[str])
    assert_type(await asker.withdraw("k"), bool)
