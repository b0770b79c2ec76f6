"""Channels with very many requests, and with what cannot be read: a change costs what it is, and nothing hides."""

from types import SimpleNamespace

import attrs
import pytest

from questions.durable.backend import Commit
from questions.durable.tokens import new_token
from questions.gates import GateLimits, Paragraph, Presentation, Report, open_gates
from questions.gates.channel_answers import shown_views
from questions.gates.channel_messages import Poll, Present, Presented, Ready, Settle, Settled
from questions.gates.channel_views import Answerable
from questions.gates.channel_work import ChannelWork
from questions.gates.outbox import Begin
from questions.gates.pieces import put
from questions.gates.tables import EFFECTS
from questions.gates.view import view_of
from tests.questions.gates.cases import PLACE, request, submission
from tests.questions.gates.channel_stage import LINE, asked, channel

CHANNEL = channel(SimpleNamespace(address="127.0.0.1:1"))
MANY = GateLimits(max_open=5_000)
DONE = Report("confirmed")


def numbered(number):
    return attrs.evolve(PLACE, run_id=f"run-{number}")


@pytest.fixture
async def gates():
    async with open_gates(":memory:", serve=False, audiences={"operator": [LINE]}, limits=MANY) as opened:
        yield opened


@pytest.fixture
async def work(gates):
    """The work of a channel that hears its store."""
    work = ChannelWork(gates, CHANNEL)
    work.listen()
    yield work
    work.unlisten()


async def many(gates, count):
    """So many requests that are open, the oldest first."""
    return [await asked(gates, request(place=numbered(number))) for number in range(count)]


def report_of(command):
    kind = Presented if isinstance(command, Present) else Settled
    return kind(command.view.decision_id, command.view.request_digest, command.attempt_id, DONE)


async def shown(work):
    """Everything that a process shows until it is to look for answers: the commands, and the first look."""
    commands, command = [], (await work.hear(Ready(""))).command
    while not isinstance(command, Poll):
        commands.append(command)
        command = (await work.hear(report_of(command))).command
    return commands, command


async def spoil(gates, effect):
    """Another program writes over an effect what this one cannot read."""
    row = await gates.stored.row(EFFECTS, effect.id)
    columns: dict[str, str | int | None] = {
        "decision": effect.decision_id,
        "channel": LINE,
        "state": "pending",
        "at": 1,
    }
    piece = put(EFFECTS, effect.id, row.version, '{"schema": "other"}', columns, kind="spoilt")
    await gates.stored.backend.commit(Commit(new_token(), piece.writes, piece.notices))
    return '{"schema": "other"}'


async def test_what_cannot_be_read_is_listed_left_as_it_is_and_stops_no_channel(gates, work, caplog):
    first, second = await many(gates, 2)
    [found] = await gates.effects(first.decision_id)
    written = await spoil(gates, found.value)
    await work.begin()
    commands, _ = await shown(work)
    assert [command.view.decision_id for command in commands] == [second.decision_id]
    assert list(await gates.unreadable_effects()) == [found.value.id]
    assert (await gates.stored.row(EFFECTS, found.value.id)).value == written
    assert len([record for record in caplog.records if found.value.id in record.message]) == 1


async def test_a_decision_is_answered_although_an_effect_of_it_cannot_be_read(gates):
    [made] = await many(gates, 1)
    [found] = await gates.effects(made.decision_id)
    await spoil(gates, found.value)
    await gates.submit(submission(made))
    assert (await gates.get(made.decision_id)).resolution.provenance == "human"


async def test_what_cannot_be_read_is_not_written_anew_by_who_has_requests_shown(gates):
    [made] = await many(gates, 1)
    [found] = await gates.effects(made.decision_id)
    written = await spoil(gates, found.value)
    await gates.present(made.decision_id, [LINE, "web"])
    assert (await gates.stored.row(EFFECTS, found.value.id)).value == written
    assert [one.value.channel for one in await gates.effects(made.decision_id)] == ["web"]


async def test_each_request_is_told_once_to_a_process_and_all_of_them_to_the_next(gates, work):
    made = await many(gates, 3)
    await work.begin()
    _, look = await shown(work)
    assert {view.decision_id for view in look.views} == {one.decision_id for one in made}
    assert (await work.hear(Ready(""))).command.views == ()
    await gates.submit(submission(made[0]))
    commands, look = await shown(work)
    assert [type(command) for command in commands] == [Settle]
    assert (look.views, look.gone) == ((), (made[0].decision_id,))
    await work.begin()
    look = (await work.hear(Ready(""))).command
    assert {view.decision_id for view in look.views} == {one.decision_id for one in made[1:]}


async def test_the_oldest_of_very_many_can_still_be_answered(gates):
    made = await many(gates, 1_100)
    [oldest] = [found.value for found in await gates.effects(made[0].decision_id)]
    await gates.step_effect(oldest.id, Begin())
    assert list(await shown_views(gates, LINE)) == [made[0].decision_id]


async def test_what_is_shown_costs_the_same_however_many_wait(gates, work, monkeypatch):
    await many(gates, 300)
    await work.begin()
    read: list[int] = []
    monkeypatch.setattr(gates.stored, "readable", counting(gates.stored.readable, read))
    command = (await work.hear(Ready(""))).command
    for _ in range(50):
        command = (await work.hear(report_of(command))).command
    assert max(read) <= 10


def counting(readable, read):
    def counted(rows, reads):
        read.append(len(rows))
        return readable(rows, reads)

    return counted


def test_what_does_not_fit_into_a_line_is_told_before_anything_is_looked_for():
    large = Presentation("x", [Paragraph("x" * 15_000)] * 4)
    views = [view_of(request(place=numbered(number), presentation=large)) for number in range(300)]
    answerable = Answerable()
    answerable.keep({view.decision_id: view for view in views})
    first = answerable.poll("7")
    answerable.drop(views[0].decision_id)
    answerable.drop(views[-1].decision_id)
    second = answerable.poll("7")
    assert (first.more, second.more) == (True, False)
    assert (*first.views, *second.views) == tuple(views[:-1])
    assert second.gone == (views[0].decision_id,)
    assert answerable.poll("8") == Poll("8")
