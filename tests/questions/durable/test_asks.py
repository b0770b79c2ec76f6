"""Durable asks in one host: shown once, answered once, and asked again for the stored result."""

from datetime import UTC, datetime

import pytest
import trio

from facets import Cell, Principal, open_host
from questions import (
    All,
    Collected,
    Confirm,
    Expired,
    InvalidAnswer,
    InvalidAsk,
    LimitExceeded,
    Limits,
    NoDurableStore,
    NoLongerActive,
    NotInAudience,
    Option,
    Questions,
    Quorum,
    Select,
    StoreClosed,
    Superseded,
    Text,
    Unavailable,
    UnknownQuestion,
    Withdrawn,
    questions_facet,
)
from questions.durable import StoreLimits
from questions.durable.asks_table import ASKS
from tests.questions.durable.asking import ANA, BO, CY, GO, SCOPE, open_on, result, shown, within
from tests.questions.durable.cases import T
from tests.rules import rule


@pytest.fixture
async def place(store):
    async with open_on(store) as opened:
        yield opened


@rule("Q-KEY-1", "Q-KEY-4")
async def test_a_durable_ask_is_answered_once_and_its_result_is_kept(place):
    viewer = await place.viewer()
    asking = await place.begin()
    [question] = await shown(viewer, "Go?")
    assert question.id.startswith("ask_")
    await viewer.answer(question.id, False)
    again = await place.begin()
    assert [(await result(one)).answer for one in (asking, again)] == [False, False]
    await shown(viewer)
    with pytest.raises(NoLongerActive) as late:
        await viewer.answer(question.id, True)
    assert (late.value.how, late.value.answered_by_me) == ("answered", True)


@rule("Q-KEY-1")
async def test_two_durable_asks_with_one_key_are_one_question(place):
    viewer = await place.viewer()
    askings = [await place.begin() for _ in range(3)]
    [question] = await shown(viewer, "Go?")
    await viewer.answer(question.id, True)
    assert [(await result(one)).answer for one in askings] == [True] * 3


async def test_many_that_ask_at_once_open_one_question(place):
    asker, answers = await place.asker(), []

    async def ask():
        answers.append((await asker.ask(GO, audience=[ANA], key="k", durable=True)).answer)

    viewer = await place.viewer()
    async with trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(ask)
        [question] = await shown(viewer, "Go?")
        await viewer.answer(question.id, True)
    assert answers == [True] * 20


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (Text("Why?", details="\x1b[2K\u202e\udcff", help="say"), "because \x00 Ω"),
        (Select("Where?", [Option("0", "Null"), Option("b", "B")]), "0"),
        (Confirm("Go?", allow="Yes", deny="No"), False),
        (Text("Anything?"), ""),
    ],
)
async def test_every_kind_comes_back_from_its_record_as_it_went_in(store, question, answer):
    async with open_on(store) as first:
        await first.begin(question)
    async with open_on(store) as second:
        viewer = await second.viewer()
        [seen] = await shown(viewer, question.message)
        assert (type(seen.question), seen.question.message) == (type(question), question.message)
        asking = await second.begin(question)
        await viewer.answer(seen.id, answer)
        assert (await result(asking)).answer == answer
        assert (await result(await second.begin(question))).answer == answer


@rule("Q-POL-1", "Q-POL-6")
async def test_a_quorum_counts_people_and_collects_their_answers(place):
    people = [await place.viewer(one) for one in (ANA, BO, CY)]
    asking = await place.begin(audience=[ANA, BO, CY], policy=Quorum(2))
    [question] = await shown(people[0], "Go?")
    await people[0].answer(question.id, True)
    with pytest.raises(NoLongerActive) as twice:
        await people[0].answer(question.id, False)
    assert twice.value.how == "already_answered"
    await people[1].answer(question.id, False)
    collected = await result(asking)
    assert isinstance(collected, Collected)
    assert [(one.by.principal, one.answer) for one in collected.answers] == [(ANA, True), (BO, False)]
    assert ([who.principal for who in collected.missing], collected.ended) == ([CY], "reached")


@rule("Q-TYPE-3", "Q-AUTH-2", "Q-SET-3")
async def test_what_is_refused_leaves_the_question_as_it_was(place):
    ana, bo = await place.viewer(), await place.viewer(BO)
    asking = await place.begin()
    [question] = await shown(ana, "Go?")
    with pytest.raises(InvalidAnswer):
        await ana.answer(question.id, "yes")
    for stranger, id, error in ((bo, question.id, UnknownQuestion), (ana, "ask_0", UnknownQuestion)):
        with pytest.raises(error):
            await stranger.answer(id, True)
    await ana.answer(question.id, True)
    assert (await result(asking)).answer is True


async def test_who_views_everything_and_is_not_asked_may_not_answer(store):
    async with open_on(store, may_view=lambda principal, scope: "all") as place:
        bo = await place.viewer(BO)
        await place.begin()
        [question] = await shown(bo, "Go?")
        assert not question.may_answer
        with pytest.raises(NotInAudience):
            await bo.answer(question.id, True)


@rule("Q-AUTH-4")
async def test_the_program_whose_run_asks_is_never_asked_also_from_the_record(store):
    run = Principal.program("run-1")
    async with open_on(store) as first:
        await first.begin(audience=[run, ANA], on_behalf_of=run)
    async with open_on(store) as second:
        [question] = await shown(await second.viewer(), "Go?")
        assert (question.on_behalf_of.principal, [one.principal for one in question.waiting_for]) == (run, [ANA])
        assert not (await second.viewer(run)).open.value


# What is not taken


@rule("Q-ASK-1")
async def test_what_cannot_be_durable_is_refused_with_every_fault(place):
    asker = await place.asker()
    live = Cell((ANA,))
    with pytest.raises(InvalidAsk) as refused:
        await asker.ask(Text("Code?", secret=True), audience=live, durable=True)
    assert [fault.partition(":")[0] for fault in refused.value.faults] == ["$.key", "$.question.secret", "$.audience"]
    with pytest.raises(InvalidAsk, match=r"\$\.durable"):
        await asker.ask(GO, audience=[ANA], key="k", durable="yes")
    with pytest.raises(InvalidAsk, match=r"\$\.audience"):
        await asker.ask(GO, audience=live, policy=All(join="snapshot"), key="k", durable=True)


async def test_a_host_without_a_durable_store_says_so():
    async with open_host([questions_facet]) as host, host.root() as ctx, host.root(principal=ANA) as hers:
        asker, viewer = await ctx.get(Questions, SCOPE), await hers.get(Questions, SCOPE)
        with pytest.raises(NoDurableStore):
            await asker.ask(GO, audience=[ANA], key="k", durable=True)
        with pytest.raises(NoDurableStore):
            await asker.withdraw("k")
        with pytest.raises(UnknownQuestion):
            await viewer.answer("ask_0", True)


async def test_a_durable_and_a_live_ask_of_one_key_are_two_questions(place):
    viewer, asker = await place.viewer(), await place.asker()
    durable = await place.begin()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lambda: asker.ask(GO, audience=[ANA], key="k"))
        [one, other] = await shown(viewer, "Go?", "Go?")
        await viewer.answer(other.id, False)
    await viewer.answer(one.id, True)
    assert (await result(durable)).answer is True


# Other ends


@rule("Q-KEY-2")
async def test_another_question_with_the_key_takes_the_place_of_the_open_one(place):
    viewer = await place.viewer()
    old = await place.begin()
    await shown(viewer, "Go?")
    new = await place.begin(Confirm("Delete?"))
    with pytest.raises(Superseded):
        await result(old)
    [question] = await shown(viewer, "Delete?")
    assert [one.how for one in viewer.closed.value] == ["superseded"]
    await viewer.answer(question.id, True)
    assert (await result(new)).answer is True


@rule("Q-KEY-2")
async def test_another_question_with_the_key_of_a_kept_result_is_asked(place):
    viewer = await place.viewer()
    asking = await place.begin()
    [question] = await shown(viewer, "Go?")
    await viewer.answer(question.id, True)
    await result(asking)
    await place.begin(Confirm("Delete?"))
    await shown(viewer, "Delete?")


@rule("Q-SET-6")
async def test_a_cancelled_asker_leaves_a_durable_question_open(place):
    viewer = await place.viewer()
    asking = await place.begin()
    [question] = await shown(viewer, "Go?")
    asking.cancel()
    await asking.done.wait()
    assert [one.id for one in viewer.open.value.values()] == [question.id]
    await viewer.answer(question.id, True)
    assert (await result(await place.begin())).answer is True


async def test_an_asker_takes_its_question_back_by_its_key(place):
    viewer, asker = await place.viewer(), await place.asker()
    asking = await place.begin()
    [question] = await shown(viewer, "Go?")
    assert (await asker.withdraw("k"), await asker.withdraw("k"), await asker.withdraw("other")) == (True, False, False)
    with pytest.raises(Withdrawn):
        await result(asking)
    assert [one.how for one in viewer.closed.value] == ["withdrawn"]
    with pytest.raises(NoLongerActive, match="withdrawn"):
        await viewer.answer(question.id, True)
    await place.begin()
    [afresh] = await shown(viewer, "Go?")
    assert afresh.id != question.id


async def test_a_result_cannot_be_taken_back(place):
    viewer, asker = await place.viewer(), await place.asker()
    asking = await place.begin()
    [question] = await shown(viewer, "Go?")
    await viewer.answer(question.id, True)
    await result(asking)
    assert await asker.withdraw("k") is False
    assert (await result(await place.begin())).answer is True


@rule("Q-KEY-3")
async def test_a_host_that_closes_leaves_the_question_open_for_the_next_one(store):
    async with open_on(store) as first:
        asking = await first.begin()
        id = next(iter(first.store._open))
    with pytest.raises(StoreClosed):
        await result(asking)
    async with open_on(store) as second:
        viewer = await second.viewer()
        [question] = await shown(viewer, "Go?")
        assert question.id == id
        await viewer.answer(id, True)
    async with open_on(store) as third:
        assert (await result(await third.begin())).answer is True
        assert not (await third.viewer()).open.value
        with pytest.raises(NoLongerActive):
            await (await third.viewer()).answer(id, True)


@rule("Q-FAC-3")
async def test_a_fence_lets_go_of_who_waits_and_leaves_the_question_open(place):
    viewer = await place.viewer()
    asking = await place.begin()
    await shown(viewer, "Go?")
    await place.host.fence(SCOPE, 0, force=True)
    with pytest.raises(StoreClosed):
        await result(asking)
    with pytest.raises(Unavailable):
        await result(await place.begin(key="other"))
    assert not place.host.waiting.value
    [question] = await shown(viewer, "Go?")
    place.host.unfence(SCOPE)
    asking = await place.begin()
    await viewer.answer(question.id, True)
    assert (await result(asking)).answer is True
    assert await place.host.drain(1) == ()


# Limits and retention


@pytest.mark.parametrize("limit", ["open", "open_per_asker", "open_per_scope", "open_per_person"])
async def test_limits_count_what_is_open_in_the_store(store, limit):
    async with open_on(store, limits=Limits(**{limit: 1})) as first, open_on(store) as second:
        await second.begin()
        await shown(await first.viewer(), "Go?")
        with pytest.raises(LimitExceeded):
            await result(await first.begin(key="other"))
        assert (await first.begin()).outcome is None, "the same ask joins"
        new = await first.begin(Confirm("Delete?"))
        assert new.outcome is None, "one that takes its place frees it"
        assert (await first.asker()).asking.value.keys() == first.store._open.keys()


@rule("Q-KEY-4")
async def test_a_result_is_given_until_its_retention_ends(engines):
    async with engines.open(limits=StoreLimits(retention_ms=60_000)) as store, open_on(store) as place:
        viewer = await place.viewer()
        asking = await place.begin()
        [question] = await shown(viewer, "Go?")
        await viewer.answer(question.id, True)
        await result(asking)
        await engines.set_clock(T + 60_000)
        assert (await result(await place.begin())).answer is True
        await engines.set_clock(T + 60_001)
        await place.begin()
        [afresh] = await shown(viewer, "Go?")
        assert afresh.id != question.id


async def test_what_is_too_old_is_dropped_when_a_host_begins(engines):
    async with engines.open(limits=StoreLimits(retention_ms=60_000)) as store:
        async with open_on(store) as first:
            viewer = await first.viewer()
            asking = await first.begin()
            [question] = await shown(viewer, "Go?")
            await viewer.answer(question.id, True)
            await result(asking)
        await engines.set_clock(T + 60_001)
        async with open_on(store):
            with within("it to be dropped"):
                while (await store.backend.get(ASKS, [question.id])).rows:
                    await trio.lowlevel.checkpoint()
        async with open_on(store) as third:
            with pytest.raises(UnknownQuestion):
                await (await third.viewer()).answer(question.id, True)
            assert (await third.begin()).outcome is None, "it is asked anew"


@rule("Q-ASK-2", "Q-SET-5")
async def test_the_deadline_by_the_clock_of_the_store_answers_with_the_default(engines):
    async with engines.open(safety_poll_ms=50) as store, open_on(store) as place:
        viewer = await place.viewer()
        asking = await place.begin(timeout=3600, default=False)
        [question] = await shown(viewer, "Go?")
        assert (question.default, 3599 < question.remaining <= 3600) == (False, True)
        await engines.set_clock(T + 3_600_000)
        answered = await result(asking)
        assert (answered.answer, answered.automatic) == (False, True)


@rule("Q-POL-5")
async def test_nobody_in_time_is_no_denial_and_tells_who_was_shown_it(engines):
    async with engines.open(safety_poll_ms=50) as store, open_on(store) as place:
        asking = await place.begin(audience=[ANA, BO], timeout=60)
        await shown(await place.viewer(), "Go?")
        await engines.set_clock(T + 60_000)
        with pytest.raises(Expired) as expired:
            await result(asking)
        assert [one.principal for one in expired.value.seen] == [ANA]
        assert [one.principal for one in expired.value.missing] == [ANA, BO]
        assert expired.value.deadline.timestamp() == T / 1000 + 60
        with pytest.raises(Expired):
            await result(await place.begin(audience=[ANA, BO], timeout=60))


@rule("Q-KEY-1")
async def test_an_ask_whose_time_is_over_already_is_not_published(place):
    asker, deadline = await place.asker(), datetime.fromtimestamp(T / 1000, UTC)
    with pytest.raises(Expired):
        await asker.ask(GO, audience=[ANA], key="k", durable=True, deadline=deadline)
    assert (await asker.ask(GO, audience=[ANA], key="k", durable=True, deadline=deadline, default=True)).automatic
    assert not place.store._open
