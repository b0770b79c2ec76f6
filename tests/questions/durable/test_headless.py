"""Approvals when nobody is there: one yes lets a call run once, and all else says which it was."""

from functools import partial

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from facets import Principal, open_host
from questions import (
    Confirm,
    DigestMismatch,
    NotApproved,
    Questions,
    Quorum,
    SessionScope,
    approval_required,
    questions_facet,
    work_clock,
)
from questions.durable import BadArgument, Hint, NotOpen, durable_asks
from questions.durable.headless import open_headless_approvals
from questions.durable.limits import StoreLimits
from tests.questions.durable.acts import outcome, raise_one
from tests.questions.durable.cases import ALICE, HOP, MAIN, T
from tests.rules import rule

SCOPE = SessionScope("s1")
ANA, AGENT = Principal.user("ana"), Principal.server("nightly")


@pytest.fixture
async def host():
    async with open_host([questions_facet], reference_linger=60) as opened:
        yield opened


@pytest.fixture
async def approvals(host, store):
    async with open_headless_approvals(host, store) as opened:
        yield opened


class Shell:
    """A guarded tool that notes its runs, before anybody could cancel it."""

    def __init__(self, asker, approver, headless="decision", **terms):
        self.runs: list[str] = []

        @approval_required(asker, [ANA], name="shell", headless=headless, approver=approver, **terms)
        async def run(command):
            self.runs.append(command)

        self.run = run


@pytest.fixture
async def asker(host):
    async with host.root() as ctx:
        yield await ctx.get(Questions, SCOPE)


async def next_raised(store, hints):
    async for hint in hints:
        if isinstance(hint, Hint) and hint.kind == "decision.raised":
            return await store.decisions(ALICE).get(hint.id)
    raise AssertionError("hints do not end")


async def meanwhile(store, work, act):
    """What the work gives or raises, while somebody does `act(id)` with the decision that it raises."""
    hints = store.decisions(ALICE).hints()
    result: list[object] = []

    async def run():
        try:
            result.append(await work())
        except NotApproved as refusal:
            result.append(refusal)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        raised = await next_raised(store, hints)
        await act(raised.id)
    return raised, result[0]


def answering(store, option):
    return lambda id: store.decisions(ALICE).answer(id, option=option)


async def all_of(store, status="all"):
    return await store.decisions(ALICE).list(status=status)


def approval(approvals, **terms):
    return lambda: approvals.approve(
        "demo.write", risk="write", description="Write data", reason="because", **{"scope": SCOPE, **terms}
    )


# The library


async def test_an_approval_is_a_decision_for_people_and_says_what_it_is_about(store, approvals):  # case 109
    raised, verdict = await meanwhile(store, approval(approvals), answering(store, "approve"))
    assert (raised.kind, raised.holder, raised.on_expire) == ("approval", "user", "cancel")
    assert (raised.title, raised.body) == ("demo.write requests write access", "Write data\n\nbecause")
    assert [option.id for option in raised.options] == ["approve", "deny"]
    assert raised.deadline == T + 300_000
    assert raised.raised_by.session_id == "s1"
    assert (raised.raised_by.host_id, raised.raised_by.epoch is None) == ("server:host", False)
    assert (verdict.approved, [who.name for who in verdict.by]) == (True, ["alice"])


async def test_a_no_is_a_denial(store, approvals):  # case 109
    _, verdict = await meanwhile(store, approval(approvals), answering(store, "deny"))
    assert (verdict.approved, verdict.how, [who.name for who in verdict.by]) == (False, "denied", ["alice"])


async def test_a_time_that_is_over_is_no_denial(host, store, engines):  # case 110
    async def pass_time(_):
        await engines.set_clock(T + 1_000)

    async with open_headless_approvals(host, store, timeout_ms=1_000) as approvals:
        raised, verdict = await meanwhile(store, approval(approvals), pass_time)
    assert (verdict.how, verdict.approved) == ("undecided", False)
    assert "in time" in verdict.why
    assert [one.id for one in await all_of(store, "expired")] == [raised.id]


async def test_what_somebody_takes_back_is_not_decided(store, approvals):
    raised, verdict = await meanwhile(store, approval(approvals), store.decisions(ALICE).cancel)
    assert (verdict.how, verdict.why) == ("undecided", f"decision {raised.id} was cancelled")


async def test_a_full_store_approves_nothing_and_says_so(store, approvals):
    await store.set_limits(StoreLimits(max_open=1))
    await raise_one(store)
    verdict = await approval(approvals)()
    assert (verdict.how, len(await all_of(store))) == ("undecided", 1)
    assert "limit of 1" in verdict.why


async def test_a_store_that_cannot_be_reached_approves_nothing(host, engines):
    async with engines.open_intercepted() as (store, between), open_headless_approvals(host, store) as approvals:
        between.away = {"commit", "get", "scan", "now"}
        with trio.fail_after(10):
            verdict = await approval(approvals)()
        between.away.clear()
    assert (verdict.how, "not available" in verdict.why) == ("undecided", True)


async def test_what_is_too_long_is_cut_with_an_ellipsis(store, approvals):
    async def ask():
        return await approvals.approve("a" * 300, risk="write", description="d" * 5_000)

    raised, _ = await meanwhile(store, ask, answering(store, "deny"))
    assert (len(raised.title), raised.title[-2:], len(raised.body), raised.body[-2:]) == (200, "a…", 4_000, "d…")


@pytest.mark.parametrize("timeout_ms", [999, 86_400_001, 1e4, True])
async def test_times_out_of_range_are_refused(host, store, timeout_ms):
    with pytest.raises(BadArgument):
        async with open_headless_approvals(host, store, timeout_ms=timeout_ms):
            pass


async def test_an_approval_stands_as_waiting_work_of_the_host(host, store, approvals):
    async def look(id):
        assert [one.what for one in host.waiting.value.values()] == ["approval of demo.write"]
        await store.decisions(ALICE).answer(id, option="approve")

    await meanwhile(store, approval(approvals), look)
    assert not host.waiting.value


# Cancelling, in both orders


async def test_an_abort_takes_it_back_and_is_passed_on(store, approvals):
    hints = store.decisions(ALICE).hints()
    with trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(approval(approvals))
            raised = await next_raised(store, hints)
            scope.cancel()
    ended = await store.decisions(ALICE).get(raised.id)
    assert scope.cancelled_caught
    assert (ended.status, ended.answer.via, ended.answer.answered_by) == ("cancelled", "abort", "host")


@pytest.mark.parametrize("yes_first", [True, False])
async def test_an_abort_and_a_yes_at_once_run_nothing(store, approvals, asker, yes_first):
    shell = Shell(asker, approvals)
    hints = store.decisions(ALICE).hints()
    with trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(shell.run, "ls")
            raised = await next_raised(store, hints)
            if not yes_first:
                scope.cancel()
            with trio.CancelScope(shield=True):
                answered = await outcome(store.decisions(ALICE).answer(raised.id, option="approve"))
            scope.cancel()
    ended = await store.decisions(ALICE).get(raised.id)
    assert isinstance(answered, NotOpen) == (ended.status == "cancelled")
    assert (shell.runs, ended.status == "answered" or not yes_first) == ([], True)


async def test_an_abort_during_the_raise_leaves_nothing_open(engines, host):
    async with engines.open_intercepted() as (store, between), open_headless_approvals(host, store) as approvals:
        with trio.CancelScope() as scope:

            async def abort():
                scope.cancel()

            between.after.append(abort)
            await approval(approvals)()
        assert scope.cancelled_caught
        assert await all_of(store, "open") == []


# The guard


async def test_a_yes_runs_the_call_once_and_the_next_call_asks_again(store, approvals, asker):
    shell = Shell(asker, approvals, reason="nightly", risk="write")
    raised, result = await meanwhile(store, lambda: shell.run("ls"), answering(store, "approve"))
    assert (raised.title, result, shell.runs) == ("shell requests write access", None, ["ls"])
    assert raised.body == '{\n  "command": "ls"\n}\n\nnightly'
    _, refusal = await meanwhile(store, lambda: shell.run("ls"), answering(store, "deny"))
    assert (str(refusal), shell.runs) == ("shell was not run: denied by alice", ["ls"])


@pytest.mark.parametrize("headless", ["deny", "yes", "", "Decision"])
async def test_what_is_not_decision_denies_at_once_and_raises_nothing(store, approvals, asker, headless):  # case 111
    shell = Shell(asker, approvals, headless)
    with pytest.raises(NotApproved) as refused:
        await shell.run("ls")
    assert (refused.value.how, refused.value.why) == ("undecided", "nobody is there to be asked")
    assert (shell.runs, await all_of(store)) == ([], [])


async def test_decisions_without_an_approver_run_nothing(store, asker):  # case 111
    shell = Shell(asker, None)
    with pytest.raises(NotApproved) as refused:
        await shell.run("ls")
    assert (refused.value.how, shell.runs, await all_of(store)) == ("undecided", [], [])


async def test_who_is_there_is_asked_in_person(host, store, approvals, asker):
    shell = Shell(asker, approvals)
    async with host.root(ANA) as ctx, trio.open_nursery() as nursery:
        viewer = await ctx.get(Questions, SCOPE)
        nursery.start_soon(shell.run, "ls")
        question = await anext(viewer.to_answer())
        await viewer.answer(question.id, True)
    assert (shell.runs, await all_of(store)) == (["ls"], [])


@pytest.mark.parametrize(("who", "scope"), [(Principal.user("bo"), SCOPE), (ANA, SessionScope("s2"))])
async def test_others_and_other_places_do_not_count_as_being_there(host, approvals, who, scope):
    async with host.root(who) as ctx:
        await ctx.get(Questions, scope)
        assert approvals.is_headless(SCOPE, [ANA])


async def test_a_view_that_lingers_does_not_count_and_one_that_is_back_does(host, approvals):
    async with host.root(ANA) as ctx:
        await ctx.get(Questions, SCOPE)
        assert not approvals.is_headless(SCOPE, [ANA])
        ctx.lose()
        assert approvals.is_headless(SCOPE, [ANA])
    async with host.root(ANA) as again:
        await again.get(Questions, SCOPE)
        assert not approvals.is_headless(SCOPE, [ANA])


async def test_a_run_that_asks_is_not_there_to_approve_itself(host, approvals, asker, store):
    run = Principal.program("run-1")

    @approval_required(asker, [run], name="shell", headless="deny", approver=approvals, on_behalf_of=run)
    async def shell():
        raise AssertionError("it runs")

    async with host.root(run) as ctx:
        await ctx.get(Questions, SCOPE)
        with pytest.raises(NotApproved):
            await shell()


async def test_one_answer_is_none_for_a_quorum(store, approvals, asker):
    shell = Shell(asker, approvals, policy=Quorum(1))
    with pytest.raises(NotApproved) as refused:
        await shell.run("ls")
    assert (refused.value.how, await all_of(store)) == ("undecided", [])


async def test_what_cannot_be_shown_as_a_whole_is_not_approved(store, approvals, asker):
    shell = Shell(asker, approvals)
    with pytest.raises(NotApproved) as refused:
        await shell.run("x" * 4_000)
    assert ("do not fit" in refused.value.why, await all_of(store)) == (True, [])


async def test_what_nobody_would_see_is_made_visible(store, approvals, asker):
    shell = Shell(asker, approvals)
    raised, _ = await meanwhile(store, lambda: shell.run("rm a\u200b"), answering(store, "deny"))
    assert "\\u200b" in raised.body


async def test_arguments_that_change_while_it_is_decided_do_not_run(store, approvals, asker):
    shell, command = Shell(asker, approvals), ["ls"]

    async def meddle(id):
        command.append("-a")
        await store.decisions(ALICE).answer(id, option="approve")

    async def run():
        with pytest.raises(DigestMismatch):
            await shell.run(command)

    await meanwhile(store, run, meddle)
    assert shell.runs == []


@rule("Q-AUTH-4")
async def test_no_program_can_approve(store, approvals, asker):
    shell = Shell(asker, approvals)

    async def try_it(id):
        for caller in (MAIN, approvals._owner.caller):
            with pytest.raises(Exception, match=r"waits for a person|not yours to judge"):
                await store.decisions(caller).answer(id, option="approve")
        await store.decisions(ALICE).answer(id, option="deny")

    _, refusal = await meanwhile(store, lambda: shell.run("ls"), try_it)
    assert (refusal.how, shell.runs) == ("denied", [])


async def test_a_budget_of_work_stands_still_while_it_is_decided(store, approvals, asker):
    shell = Shell(asker, approvals)

    async def work():
        with work_clock(HOP) as clock:
            clocks.append(clock)
            await shell.run("ls")

    async def look(id):
        left = clocks[0].left
        await trio.lowlevel.checkpoint()
        assert clocks[0].left == left
        await store.decisions(ALICE).answer(id, option="approve")

    clocks: list = []
    await meanwhile(store, work, look)
    assert shell.runs == ["ls"]


async def one_life(store, key):
    """A host that asks durably, and whose guarded call wants an approval: what is open of both, as it ends early."""
    configured = questions_facet.configured(durable=durable_asks(store))
    async with (
        open_host([configured], principal=AGENT) as host,
        open_headless_approvals(host, store) as approvals,
        host.root() as ctx,
    ):
        asker = await ctx.get(Questions, SCOPE)
        shell = Shell(asker, approvals, key=lambda command: key)
        hints = store.decisions(ALICE).hints()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(asker.ask, Confirm("Deploy?"), audience=[ANA], key=key, durable=True))
            nursery.start_soon(shell.run, "ls")
            raised = await next_raised(store, hints)
            while (asked := await asker.asked_durably(key)) is None:
                await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        assert shell.runs == []
    return asked, raised.id


async def test_after_a_restart_a_durable_ask_goes_on_and_an_approval_of_the_same_key_begins_anew(store):
    asked, approval_before = await one_life(store, "tool-42")
    asked_again, approval_after = await one_life(store, "tool-42")
    assert asked_again == asked
    assert approval_after != approval_before
    assert [one.status.value for one in await all_of(store)] == ["cancelled", "cancelled"]
