"""A canary, and everything in which it must not be: what is written, raised, printed, pickled, or held by a host."""

import gc
import json
import logging
import pickle
import traceback
import types
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec
import trio

import facets
import questions
from questions import Secret

CANARY = "hunter2-Ω"
OURS = tuple(str(Path(str(package.__file__)).parent) for package in (facets, questions))
OPAQUE = (
    type,
    types.ModuleType,
    types.FrameType,
    types.TracebackType,
    types.CoroutineType,
    types.GeneratorType,
    types.AsyncGeneratorType,
    trio.Nursery,
    trio.lowlevel.Task,
)
"""What leads from the host to the code of this test, which does hold the answer."""


class Watch:
    """Everything that is written or raised while a test runs, as text."""

    def __init__(self):
        self.texts = []
        self.refusals = []

    def note(self, *texts):
        self.texts += texts

    def refused(self, error):
        """What an exception says, and its cause, context and notes, and what a crash report would print of it."""
        self.refusals.append(error)
        chain, seen = [error], []
        while chain:
            one = chain.pop()
            seen.append(one)
            self.note(str(one), repr(one), repr(one.args), repr(vars(one)), *getattr(one, "__notes__", ()))
            chain += [cause for cause in (one.__cause__, one.__context__) if cause is not None and cause not in seen]
            chain += getattr(one, "exceptions", ())
            self.note(*locals_of_our_frames(one))
        self.note(repr(pickle.dumps(error)))


def locals_of_our_frames(error):
    report = traceback.TracebackException.from_exception(error, capture_locals=True)
    for frame in report.stack:
        if frame.filename.startswith(OURS) and "/testing/" not in frame.filename:  # its people hold the answers
            yield f"{frame.filename}:{frame.lineno} {frame.line} {frame.locals}"


class _Everything(logging.Handler):
    def __init__(self, watch):
        super().__init__(0)
        self.watch = watch
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s %(message)s"))

    def emit(self, record):
        self.watch.note(self.format(record), repr(vars(record)))
        if record.exc_info:
            self.watch.refused(record.exc_info[1])


@contextmanager
def watching():
    """Listens to all loggers at all levels; at the end the canary must be nowhere."""
    watch, root, names = Watch(), logging.getLogger(), ("", "questions", "facets")
    handler = _Everything(watch)
    levels = {name: logging.getLogger(name).level for name in names}
    root.addHandler(handler)
    for name in names:
        logging.getLogger(name).setLevel(1)
    try:
        yield watch
    finally:
        root.removeHandler(handler)
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
    assert_silent(watch.texts)


def assert_silent(texts):
    assert not [text for text in texts if "hunter2" in text]


def reachable(*roots):
    """Every object that can be got at from these, tasks and code left out."""
    found, open_ends = {}, list(roots)
    while open_ends:
        one = open_ends.pop()
        if id(one) in found or isinstance(one, OPAQUE):
            continue
        found[id(one)] = one
        open_ends += referents(one)
    return found.values()


def referents(one):
    if isinstance(one, types.FunctionType):
        return [one.__closure__, one.__defaults__, one.__kwdefaults__]
    if isinstance(one, msgspec.Struct):  # some of them are hidden from the garbage collector
        return msgspec.structs.astuple(one)
    return gc.get_referents(one)


def texts_of(thing):
    """What printing, formatting and pickling would show of it."""
    for show in (repr, str, format, partial(pickle.dumps, protocol=4)):
        try:
            text = show(thing)
        except Exception as error:  # what cannot be shown must not say why by showing it
            text = f"{error!r}"
        yield repr(text)


def state_of(rig, *people):
    """All that the host knows, hidden values left out, and all that people are shown."""
    host = rig.host
    told = (host.describe(), dict(host.waiting.value), rig.reports)
    shown = [(one.viewer.open.value, one.viewer.closed.value, one.viewer.open.since(-1)) for one in people]
    return [json.dumps(host.describe(), default=str), *texts_of(told), *texts_of(shown)]


def assert_hidden(rig, *people):
    """While a secret is held for its asker: printed nowhere, and in nothing but a `Secret`."""
    assert_silent(state_of(rig, *people))
    everything = [one for one in reachable(rig.host, rig.reports) if not isinstance(one, str)]
    holders = [one for one in everything if any(map(is_canary, referents(one)))]
    assert {type(holder) for holder in holders} == {Secret}
    for one in everything:
        if type(one).__module__.startswith(("facets", "questions")):
            assert_silent(texts_of(one))


def is_canary(one):
    return isinstance(one, str) and "hunter2" in one


def assert_gone(rig, *people):
    """Once its asker has it, or has been told that there is none: nowhere in the host, not even hidden."""
    assert_silent(state_of(rig, *people))
    assert not any(map(is_canary, reachable(rig.host, rig.reports)))
