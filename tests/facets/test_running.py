"""Resources are opened once for each name and version, handed over or closed exactly once, in reverse order."""

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import wait_all_tasks_blocked

from facets import Actor, Principal, Resource, facet, open_host
from tests.facets.stubs import ALICE, Ledger
from tests.rules import rule


@pytest.fixture
def ledger():
    return Ledger()


def with_resources(*resources, **options):
    return facet("f", resources=resources, **options)


@rule("Q-FAC-1")
async def test_resources_are_opened_in_order_and_closed_in_reverse(ledger):
    async with open_host([with_resources(ledger.resource("a"), ledger.resource("b"))]):
        assert ledger.events == ["open a#1", "open b#2"]
    assert ledger.events[2:] == ["close b#2", "close a#1"]


@rule("Q-FAC-1")
async def test_facets_are_closed_in_reverse_too(ledger):
    facets = [facet(name, resources=[ledger.resource(name)]) for name in "xyz"]
    async with open_host(facets):
        pass
    assert ledger.events[3:] == ["close z#3", "close y#2", "close x#1"]


@rule("Q-FAC-1")
async def test_reload_of_the_same_version_leaves_a_resource_alone(ledger):
    async with open_host([with_resources(ledger.resource("a"))]) as host:
        await host.reload(with_resources(ledger.resource("a", hand_over=True)))
        assert ledger.events == ["open a#1"]


@rule("Q-FAC-1")
async def test_another_version_takes_over_the_old_value(ledger):
    async with open_host([with_resources(ledger.resource("a"))]) as host:
        await host.reload(with_resources(ledger.resource("a", version=2, hand_over=True)))
    assert ledger.events == ["open a#1", "replace a#1", "open a#2", "close a#2"]


@rule("Q-FAC-1")
async def test_another_version_that_takes_nothing_over_is_opened_before_the_old_one_is_closed(ledger):
    async with open_host([with_resources(ledger.resource("a"))]) as host:
        await host.reload(with_resources(ledger.resource("a", version=2)))
        assert ledger.events == ["open a#1", "open a#2", "close a#1"]


@rule("Q-FAC-1")
async def test_resource_that_is_declared_no_more_is_closed_and_a_new_one_opened(ledger):
    async with open_host([with_resources(ledger.resource("a"), ledger.resource("b"))]) as host:
        await host.reload(with_resources(ledger.resource("c")))
        assert ledger.events[2:] == ["open c#3", "close b#2", "close a#1"]


@rule("Q-FAC-1")
async def test_closing_goes_by_the_newest_declaration(ledger):
    """The version is the same, the way of closing is another one."""
    closed = []

    async def close(value):
        ledger.open.remove(value)
        closed.append(value)

    async with open_host([with_resources(ledger.resource("a"))]) as host:
        await host.reload(with_resources(Resource("a", ledger.resource("a").open, close=close)))
    assert closed == ["a#1"]


declarations = st.lists(
    st.dictionaries(st.sampled_from("abc"), st.tuples(st.integers(1, 3), st.booleans()), max_size=3),
    min_size=1,
    max_size=6,
)


@rule("Q-FAC-1")
@pytest.mark.fuzz
@given(declarations)
def test_whatever_is_reloaded_every_value_is_handed_over_or_closed_exactly_once(declarations):
    """The ledger raises for a value that is taken or closed twice; none may be left open."""
    ledger = Ledger()

    async def reload_through():
        first, *others = [
            with_resources(*(ledger.resource(name, *how) for name, how in declared.items()))
            for declared in declarations
        ]
        async with open_host([first]) as host:
            for declared, new in zip(declarations[1:], others, strict=True):
                await host.reload(new)
                assert sorted(value[0] for value in ledger.open) == sorted(declared)

    trio.run(reload_through)
    assert ledger.open == set()


# What goes wrong


@rule("Q-FAC-1")
async def test_errors_while_closing_are_gathered_and_everything_is_closed(ledger):
    resources = [ledger.resource("a", error=OSError("a")), ledger.resource("b", error=OSError("b"))]
    with pytest.raises(BaseExceptionGroup) as caught:
        async with open_host([with_resources(*resources), facet("g", resources=[ledger.resource("c")])]):
            pass
    assert [error.args for error in caught.value.exceptions] == [("b",), ("a",)]
    assert ledger.open == set()


@rule("Q-FAC-1")
async def test_what_was_opened_before_a_failure_is_closed(ledger):
    async def fail(_):
        raise OSError("no such device")

    with pytest.raises(OSError, match="no such device"):
        async with open_host([with_resources(ledger.resource("a"), Resource("b", fail))]):
            pytest.fail("a host that could not open is not entered")
    assert ledger.events == ["open a#1", "close a#1"]


@rule("Q-FAC-1")
async def test_reload_that_cannot_open_leaves_the_old_resources_serving_and_closes_each_once(ledger):
    async def fail(_):
        raise OSError("no such device")

    async with open_host([with_resources(ledger.resource("a"), ledger.resource("b"))]) as host:
        with pytest.raises(OSError, match="no such device"):
            await host.reload(with_resources(ledger.resource("a", version=2), Resource("b", fail, version=2)))
        assert "b#2" in ledger.open
    assert ledger.open == set()


@rule("Q-FAC-1")
async def test_error_while_closing_an_old_resource_is_raised_once_the_new_code_serves(ledger):
    old = [ledger.resource(name, error=OSError(name)) for name in "ab"]
    async with open_host([with_resources(*old)]) as host:
        with pytest.raises(ExceptionGroup) as caught:
            await host.reload(with_resources(ledger.resource("c")))
        assert sorted(error.args[0] for error in caught.value.exceptions) == ["a", "b"]
        assert [each["name"] for each in host.describe()["facets"][0]["resources"]] == ["c"]
    assert ledger.open == set()


@rule("Q-FAC-1")
async def test_cancelled_reload_still_closes_everything_exactly_once(ledger):
    async def hang(_):
        await trio.sleep_forever()

    async with open_host([with_resources(ledger.resource("a"))]) as host:
        with trio.CancelScope() as scope:
            scope.cancel()
            await host.reload(with_resources(ledger.resource("a", version=2), Resource("b", hang)))
        assert scope.cancelled_caught
    assert ledger.open == set()


# What a facet's code sees


async def test_environment_has_settings_clock_names_and_resources(ledger):
    seen = []

    async def look(environment):
        seen.append(environment)

    declared = with_resources(ledger.resource("a"), Resource("b", look), config="settings")
    async with open_host([declared], names={ALICE: "Alice"}, clock=lambda: 5.0) as host:
        (environment,) = seen
        assert (environment.config, environment.now(), environment.resource("a")) == ("settings", 5.0, "a#1")
        assert str(environment.who(ALICE)) == "Alice"
        assert str(environment.who(Principal.user("bob"))) == "bob"
        assert environment.references(str) is host.references(str)
        assert environment.waiting is host.waiting


async def test_values_that_can_be_renewed_are_told_of_a_reload():
    class Value:
        renewed = 0

        def renew(self):
            self.renewed += 1

    value = Value()

    async def open_it(_):
        return value

    async with open_host([with_resources(Resource("v", open_it))]) as host:
        await host.reload(with_resources(Resource("v", open_it)))
    assert value.renewed == 1


# Actors


class Beat(Actor):
    """Counts its ticks; crashes in its first one when told to."""

    def __init__(self, crash=None):
        super().__init__("beat")
        self.ticks, self.crash, self.failures = 0, crash, []

    def tick(self):
        self.ticks += 1
        if self.crash:
            crash, self.crash = self.crash, None
            raise crash
        return super().tick()

    def failed(self, error):
        self.failures.append(error)


def beats(*values, replace=None):
    """A resource that opens as these actors, one after the other."""
    left = iter(values)

    async def open_it(_):
        return next(left)

    return lambda version: Resource("beat", open_it, version, replace)


@rule("Q-FAC-4")
async def test_actor_is_supervised_while_it_is_a_resource(autojump_clock):
    beat = Beat(crash=RuntimeError("broken"))
    async with open_host([with_resources(beats(beat)(1))]):
        await trio.sleep(1)
        assert (beat.ticks, [str(error) for error in beat.failures]) == (2, ["broken"])
    assert beat._parked is None


@rule("Q-FAC-1", "Q-FAC-4")
async def test_reload_changes_over_from_the_old_actor_to_the_new_one():
    old, new = Beat(), Beat()
    resource = beats(old, new)
    async with open_host([with_resources(resource(1))]) as host:
        await wait_all_tasks_blocked()
        await host.reload(with_resources(resource(2)))
        await wait_all_tasks_blocked()
        for beat in (old, new):
            beat.wake()
        await wait_all_tasks_blocked()
        assert (old.ticks, new.ticks) == (1, 2)


@rule("Q-FAC-1", "Q-FAC-4")
async def test_actor_that_is_handed_over_as_it_is_goes_on():
    beat = Beat()

    async def keep(old, _):
        return old

    resource = beats(beat, replace=keep)
    async with open_host([with_resources(resource(1))]) as host:
        await wait_all_tasks_blocked()
        await host.reload(with_resources(resource(2)))
        await wait_all_tasks_blocked()
        beat.wake()
        await wait_all_tasks_blocked()
        assert beat.ticks == 3
