"""What can happen to a store, as data, and random programs of it.

People and cells are named, everything else is counted from the newest one, so that nearly every step means something
whatever came before it, and still does when others are taken out.
"""

from typing import Any

import attrs
from hypothesis import strategies as st

from questions import All, Confirm, First, Option, Quorum, Select, Text
from tests.questions.model import ANA, BO, CY, OWNER, PEOPLE, PRESENT, RUN, SERVER, SESSION, VIEWS, WORKER

CODE = Text("The code?", secret=True, min_length=1, max_bytes=16)
QUESTIONS = (
    Confirm("Deploy?"),
    Select("Which?", options=[Option("0", "None"), Option("b", "Both")]),
    Text("Why?", max_bytes=8),
    CODE,
)

VALUES = {
    Confirm: ((True, False), (1, "yes", None)),
    Select: (("0", "b"), (0, "None", "\ud800")),
    Text: (("", "ok"), (5, "\ud800", "123456789")),
    CODE: (("hunter2-Ω", " x "), ("", b"hunter2", "12345678901234567")),
}
"""Answers that fit a question, and answers that do not."""


def values_for(question):
    return VALUES[CODE if question == CODE else type(question)]


@attrs.frozen
class Ask:
    """Somebody begins to ask."""

    question: Any = QUESTIONS[0]
    audience: Any = (ANA, BO)
    """Principals, or the name of a live audience."""
    policy: object = First()
    key: str | None = None
    asker: object = SERVER
    scope: object = SESSION
    timeout: float | None = None
    """Seconds; -1: a deadline that has passed."""
    default: object = None
    behalf: object = None
    attach: bool = False

    @property
    def live(self):
        return isinstance(self.audience, str)

    @property
    def name(self):
        return (self.scope, self.asker, self.key)

    def same_as(self, other):
        """Q-KEY-1: the same question, policy, and fixed audience."""
        mine, theirs = (None if ask.live else ask.fixed for ask in (self, other))
        return (self.question, self.policy, mine) == (other.question, other.policy, theirs)

    @property
    def fixed(self):
        return {who for who in self.audience if who != self.behalf}


@attrs.frozen
class AskAgain:
    """The same ask as an earlier one, by another task; or another question with its key."""

    back: int
    other: bool
    attach: bool


@attrs.frozen
class Answer:
    view: tuple | None
    """None: that of somebody whom the question waits for."""
    back: int
    """Which question, the open ones first, the newest of them first; beyond them all: one that never was."""
    choice: int
    valid: bool


@attrs.frozen
class Cancel:
    back: int
    """Which asking task, counted from the newest."""


@attrs.frozen
class Join:
    view: tuple
    device: int


@attrs.frozen
class Leave:
    view: tuple
    device: int
    lost: bool


@attrs.frozen
class SetCell:
    name: str
    members: tuple


@attrs.frozen
class Advance:
    seconds: float | None
    """None: to the next deadline, exactly."""


@attrs.frozen
class Look:
    view: tuple


@attrs.frozen
class Fence:
    scope: object
    force: bool


@attrs.frozen
class Unfence:
    scope: object


@attrs.frozen
class Crash:
    """The store's own task crashes, and six seconds later it has long been started again."""


@attrs.frozen
class Reload:
    """The questions facet is reloaded."""


@attrs.frozen
class Nothing:
    """What the steps that do not matter shrink to."""


@attrs.frozen
class Together:
    """All of these in one scheduler step."""

    steps: tuple


def often(*weighted):
    """One of several strategies, each as often as the number after it says."""
    strategies, weights = weighted[::2], weighted[1::2]
    pairs = zip(strategies, weights, strict=True)
    return st.sampled_from([each for each, weight in pairs for _ in range(weight)]).flatmap(lambda each: each)


people = st.lists(st.sampled_from(PEOPLE), max_size=4).map(tuple)
views = st.sampled_from((*VIEWS, (ANA, SESSION), (BO, SESSION)))
scopes = st.sampled_from((SESSION, SESSION, SESSION, OWNER))
back = st.sampled_from((0, 0, 0, 0, 1, 1, 2, 3))
devices = st.integers(1, 2)
rarely = st.sampled_from((False, False, False, False, False, True))


@st.composite
def asks(draw):
    policy = draw(st.sampled_from((First(), First(), Quorum(1), Quorum(2), Quorum(3), All(), All(), All("snapshot"))))
    timeout = draw(st.sampled_from((None, 5, 10, 30, -1)))
    question = draw(st.sampled_from(QUESTIONS))
    default = None
    if policy == First() and timeout is not None and question != CODE and draw(st.booleans()):
        default = values_for(question)[0][0]
    scope = draw(scopes)
    return Ask(
        question,
        draw(st.sampled_from(((ANA, BO), (ANA, BO, CY, RUN), (BO, CY, BO), "team", "team", "crew", PRESENT, PRESENT))),
        policy,
        draw(st.sampled_from(("k1", "k2", None))),
        draw(st.sampled_from((SERVER, SERVER, SERVER, WORKER))) if scope == SESSION else SERVER,
        scope,
        timeout,
        default,
        draw(st.sampled_from((None, None, RUN))),
        draw(rarely),
    )


answers = st.builds(
    Answer, often(st.none(), 3, views, 1), back, st.integers(0, 1), st.sampled_from((True, True, True, True, False))
)
cells = st.builds(SetCell, st.sampled_from(("team", "crew")), people)
leaves = st.builds(Leave, views, devices, st.booleans())
cancels = st.builds(Cancel, back)
quick = often(answers, 5, cells, 2, leaves, 1, cancels, 1)
races = st.builds(
    lambda first, others: Together((*first, *others)),
    st.sampled_from(((), (Advance(None),), (Advance(None),), (Advance(5),))),
    st.lists(quick, min_size=2, max_size=4),
)
host = st.builds(Fence, scopes, st.booleans()) | st.builds(Unfence, scopes) | st.just(Crash()) | st.just(Reload())
steps = often(
    st.just(Nothing()), 1, asks(), 6, st.builds(AskAgain, back, rarely, rarely), 4, answers, 10, races, 6, cells, 3,
    st.builds(Join, views, devices), 3, cancels, 1, leaves, 1, host, 2, st.builds(Look, views), 1,
    st.builds(Advance, st.sampled_from((None, 1, 5, 16))), 2,
)  # fmt: skip
programs = st.lists(steps, min_size=15, max_size=60)
"""Thirty steps on average; a failing one shrinks to a few beside those that are nothing."""
