"""What the tests of the live store share: steps that are taken at once, between two scheduler steps."""

from outcome import Value

from facets import Cell
from questions import Confirm, Settled
from questions.store import PendingQuestions

DEPLOY = Confirm("Deploy?")


def at_once(coroutine):
    """Run a coroutine that must not wait; its result, or what it raises."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    coroutine.close()
    raise AssertionError("it has waited")


def said(person, answer, id=None):
    """Have somebody answer at once. What refuses it, or None."""
    try:
        at_once(person.answer(answer, id))
    except Exception as refusal:
        return refusal
    return None


def store_of(rig) -> PendingQuestions:
    store: PendingQuestions = rig.host._running["questions"].resource("pending questions")
    return store


def crash(rig, _=None):
    """What happens when the store's own task has crashed."""
    store = store_of(rig)
    store.call(store.failed, RuntimeError("a fault in the store"))


def state(rig):
    """The store's part of the host's listing."""
    [facet] = [facet for facet in rig.host.describe()["facets"] if facet["name"] == "questions"]
    return facet["resources"][0]["state"]


def assert_nothing_is_left(rig):
    """No question, timer, followed audience or key is in the store; nothing waits in the host."""
    listed = state(rig)
    assert (listed["open"], listed["timers"], listed["live_audiences"]) == ([], 0, 0)
    assert not store_of(rig)._keys
    assert not rig.host.waiting.value


def team(*people) -> Cell:
    """A live audience of these people; `set` it to change it."""
    return Cell(tuple(person.principal for person in people))


def names(whos):
    return [who.name for who in whos]


def endings(rig):
    """How the rig's questions ended, in order."""
    return [report.how for report in rig.reports if isinstance(report, Settled)]


async def opened(rig, question=DEPLOY, **options):
    """Ask, and let it be published. The asking, and the question's id."""
    asking = rig.ask(question, **options)
    await rig.quiet()
    return asking, rig.reports[-1].id


def tick(rig):
    """What the store's own task does when it is woken."""
    store_of(rig).call(store_of(rig).tick)


def close(rig, _=None):
    store_of(rig).call(store_of(rig).close)


def cancel(_, asking):
    asking.cancel()


async def account(rig, asking):
    """The asker's: the result or the error, None if it was cancelled. And the store's, which settles once."""
    await rig.quiet()
    [how] = endings(rig)
    assert_nothing_is_left(rig)
    if asking.outcome is None:
        assert asking.cancelled
        return None, how
    return (asking.outcome.value if isinstance(asking.outcome, Value) else asking.outcome.error), how


async def outcome_of(asking):
    try:
        return await asking.wait()
    except Exception as error:
        return error
