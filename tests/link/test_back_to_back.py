"""Both ends of a link, machine against machine, whatever happens in whatever order: in the end they agree."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from facets.errors import InvalidCall, Unavailable
from facets.link.items import CallingState
from facets.link.messages import Hello, decode
from tests.link.two_ends import CallingEnd, ServingEnd, World

pick = st.integers(0, 50)


class Link(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.now = 0.0
        self.world = World()
        self.here = CallingEnd()
        self.there: Any = None
        self.up: list = []
        self.down: list = []
        self.held: list = []
        self.made: list = []
        self.followed: list = []

    @initialize(values=st.dictionaries(st.sampled_from("xyz"), st.integers(0, 3)), name=st.sampled_from("ab"))
    def begin(self, values, name):
        """With something to see, and somebody who looks."""
        for key, value in values.items():
            self.world.cells[name].put(key, value)
        self.connect()
        self._carry_all()
        self.get(name)
        self.follow(0)

    def _carry_all(self):
        for _ in range(20):
            if self.up:
                self.carry_up(99)
            self.carry_down(99)

    # --- the connection ---------------------------------------------------------------------------------------------

    @precondition(lambda self: self.there is None)
    @rule()
    def connect(self):
        self.there = ServingEnd(self.world, self.now)
        self.here.session.dialled(Hello("t"), self.now)
        self._send()

    @precondition(lambda self: self.there is not None)
    @rule()
    def lose_the_connection(self):
        self.there.end()
        self.there = None
        self.up.clear()
        self.down.clear()
        self.here.tell(self.here.session.lost())
        assert not self.here.session.out

    @precondition(lambda self: self.up)
    @rule(count=st.integers(1, 5))
    def carry_up(self, count):
        for _ in range(min(count, len(self.up))):
            self.there.receive(self.up.pop(0), self.now)

    @precondition(lambda self: self.there is not None)
    @rule(count=st.integers(1, 5))
    def carry_down(self, count):
        self.down += self.there.frames
        self.there.frames.clear()
        for _ in range(min(count, len(self.down))):
            self.here.tell(self.here.session.receive(decode(self.down.pop(0)), self.now))
        self._send()

    def _send(self):
        frames = self.here.take_out()
        if self.there is not None:
            self.up += frames

    @rule(seconds=st.sampled_from([0.01, 0.3, 1.0, 15.0]))
    def let_time_pass(self, seconds):
        self.now += seconds
        if self.here.session.due() <= self.now:
            self.here.tell(self.here.session.tick(self.now))
        self._send()

    # --- what the program does --------------------------------------------------------------------------------------

    @rule(name=st.sampled_from("ab"))
    def get(self, name):
        if (held := self.here.get(name)) is not None:
            self.held.append((held, name))
        self._send()

    def _live(self, items):
        return [item for item in items if item not in self.here.over]

    def _live_held(self):
        return [(held, name) for held, name in self.held if held not in self.here.over]

    @precondition(lambda self: self._live_held())
    @rule(which=pick, keyed=st.booleans())
    def call(self, which, keyed):
        live = self._live_held()
        if (made := self.here.call(live[which % len(live)][0], keyed)) is not None:
            self.made.append(made)
        self._send()

    @precondition(lambda self: self._live(self.made))
    @rule(which=pick)
    def cancel(self, which):
        live = self._live(self.made)
        made = live[which % len(live)]
        if not made.is_cancelled and not self.here.session.cancel(made):
            self.here.forget(made)
        self._send()

    @precondition(lambda self: self._live_held())
    @rule(which=pick)
    def follow(self, which):
        live = self._live_held()
        held, name = live[which % len(live)]
        self.followed.append(self.here.follow(held))
        self.followed[-1].name = name
        self._send()

    @precondition(lambda self: self._live(self.followed))
    @rule(which=pick)
    def unfollow(self, which):
        live = self._live(self.followed)
        self.here.session.unfollow(live[which % len(live)])
        self.here.forget(live[which % len(live)])
        self._send()

    @precondition(lambda self: self._live_held())
    @rule(which=pick)
    def release(self, which):
        live = self._live_held()
        held, _ = live[which % len(live)]
        self.here.session.release(held)
        self.here.forget(held)
        for followed in [one for one in self._live(self.followed) if one.object is held]:
            self.here.forget(followed)
        self._send()

    # --- what happens at the other end --------------------------------------------------------------------------------

    @rule(name=st.sampled_from("ab"), key=st.sampled_from("xyz"), value=st.integers(0, 3) | st.none())
    def change(self, name, key, value):
        if value is None:
            self.world.cells[name].drop(key, "answered")
        else:
            self.world.cells[name].put(key, value)

    @precondition(lambda self: self.there is not None)
    @rule()
    def flush(self):
        self.there.flush()

    @precondition(lambda self: self.there is not None and self.there.calls)
    @rule(which=pick, error=st.sampled_from([None, None, Unavailable("x"), InvalidCall(["$"])]))
    def end_a_call(self, which, error):
        calls = list(self.there.calls)
        self.there.end_call(calls[which % len(calls)], error)

    @rule(how=st.sampled_from([None, None, "away", "forbidden"]))
    def refuse_objects(self, how):
        self.world.refuses = how

    @precondition(lambda self: self.there is None)
    @rule()
    def start_the_other_end_again(self):
        self.world.start_again()

    # --- in the end ---------------------------------------------------------------------------------------------------

    def teardown(self):
        self.world.refuses = None
        if self.there is None:
            self.connect()
        for _ in range(8):
            self.let_time_pass(6.0)
            self._carry_all()
            assert self.up + self.down == [], "they come to rest"
            self.there.flush()
            for id in list(self.there.calls):
                self.there.end_call(id, None)
        self._check_agreement()

    def _check_agreement(self):
        assert self.here.session.state is CallingState.OPEN
        assert not self._live(self.made), "every call has ended"
        for followed in self._live(self.followed):
            mirror, cell = self.here.mirrors[followed], self.world.cells[followed.name]
            assert (mirror.value, mirror.unavailable) == (cell.value, None)
        session = self.there.session
        assert session.objects == {held.wire for held, _ in self._live_held()}
        assert set(session.watches) == {followed.wire for followed in self._live(self.followed)}
        assert not session.calls


TestTwoEndsOfALink = Link.TestCase
TestTwoEndsOfALink.settings = settings(settings.default, max_examples=60, stateful_step_count=40)
