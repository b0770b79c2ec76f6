"""The public names: each belongs to one module, which lists it, and its package offers it."""

import importlib
from itertools import chain

import pytest

from tests.house.source import PACKAGES, declared_all, module_name, module_path, python_files

# Public, but reached under their own name (`questions.testing.Rig`), not through the package.
STANDALONE = (
    "facets.link",
    "facets.http",
    "questions.testing",
    "questions.cli",
    "questions.web",
    "questions.operations",
    "questions.durable",
    "questions.rooms",
    "questions.gates",
)

# In a module's `__all__` because other modules use them; not promised to anybody outside.
INTERNAL: dict[str, set[str]] = {
    "facets.calls": {"in_call"},
    "facets.context": {"Holding"},
    "facets.late": {"offered_late"},
    "facets.nursery": {"open_serving_nursery"},
    "facets.objects": {"Objects"},
    "facets.references": {"References"},
    "facets.reloading": {"current_modules", "fresh_modules", "install_modules", "redeclared"},
    "facets.running": {"RunningFacet"},
    "questions.answers": {"Answers", "Given", "own"},
    "questions.audience": {"LiveAudience", "distinct"},
    "questions.audiences": {"LiveAudiences"},
    "questions.authority": {"Level", "MayView", "authorize", "may_answer", "may_ask", "may_view", "shows"},
    "questions.board": {"Board", "ClosedQuestions", "Gone", "put_on", "take_all_off"},
    "questions.config": {"Around"},
    "questions.deadlines": {"Deadline", "instant", "time_faults", "time_limit"},
    "questions.durable_port": {"DURABLE_ID", "DurableAsk", "DurableAsks", "DurableStore", "Kept", "Step"},
    "questions.durable_questions": {"DurableQuestions"},
    "questions.endings": {"NO_ID", "Ending", "Endings", "KeyName", "ask_digest", "digest_of", "looked_up"},
    "questions.entry": {"Answer", "Ask", "Close", "Due", "Entry", "Event", "Joined", "Left", "Supersede", "Withdraw"},
    "questions.figures": {"Tally", "describe", "figures", "violations"},
    "questions.open_entries": {"IsAway", "OpenEntries"},
    "questions.pending": {"FRESH", "SENT", "STALE", "UNSEEN", "DurablePending", "Pending", "Waiter"},
    "questions.headless": {"HeadlessRule"},
    "questions.place": {"Place"},
    "questions.publishing": {"Publishing"},
    "questions.policies": {"validate"},
    "questions.redaction": {"HIDDEN"},
    "questions.remote.boards": {"BoardOverLink", "ClosedOverLink"},
    "questions.remote.objects": {"BlockingAsker", "BlockingViewer", "RemoteAsker", "RemoteViewer"},
    "questions.remote.wire": {
        "ASKED",
        "AUDIENCE",
        "NOTHING",
        "RESULT",
        "TIMEOUT",
        "ShownAsk",
        "ShownQuestion",
        "converter",
        "number_of",
        "place_of",
        "read_open_ask",
        "read_open_question",
        "shown",
    },
    "questions.request": {"AskRequest"},
    "questions.retained": {"Retained"},
    "questions.room": {"Room"},
    "questions.scopes": {"scope_faults"},
    "questions.settlement": {"DEADLINE", "TRANSITIONS", "Transition", "result", "step", "verdict"},
    "questions.showing": {"show"},
    "questions.store": {"PendingQuestions"},
    "questions.timers": {"Timers"},
    "questions.views": {"Begun"},
    "questions.visible": {"text_within", "unshowable"},
    "questions.waits": {"waiting_in"},
}

MODULES = [module_name(path) for path in python_files(*PACKAGES) if path.name != "__main__.py"]


def is_root(module):
    return module in {f"{package}.__init__" for package in PACKAGES}


def is_standalone(module):
    return any(module == name or module.startswith(f"{name}.") for name in STANDALONE)


def public_names(module):
    hidden = INTERNAL.get(module, set())
    return [name for name in declared_all(module_path(module)) or [] if name not in hidden]


def offered_by(package):
    """(name, module) for every public name that the package has to offer."""
    inside = [name for name in MODULES if name.startswith(f"{package}.") and not is_root(name)]
    return [(name, module) for module in inside if not is_standalone(module) for name in public_names(module)]


@pytest.mark.parametrize("module", MODULES)
def test_a_module_lists_its_names_once_and_in_order(module):
    names = declared_all(module_path(module))
    assert names is not None, f"{module} has no __all__"
    assert len(names) == len(set(names))
    # Constants, then classes, then functions: the order that ruff (RUF022) keeps.
    assert names == sorted(names, key=lambda name: (not name.isupper(), not name[:1].isupper(), name))


@pytest.mark.parametrize("module", MODULES)
def test_what_a_module_lists_can_be_imported(module):
    loaded = importlib.import_module(module.removesuffix(".__init__"))
    assert not [name for name in declared_all(module_path(module)) or [] if not hasattr(loaded, name)]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_name_has_two_homes(package):
    names = [name for name, _ in offered_by(package)]
    assert not sorted({name for name in names if names.count(name) > 1})


@pytest.mark.parametrize("package", PACKAGES)
def test_the_package_offers_what_its_modules_list(package):
    """A package may also offer names of a package below it (`questions` the errors of `facets`)."""
    offered = {name for name, _ in offered_by(package)}
    declared = set(declared_all(module_path(f"{package}.__init__")) or [])
    below = set(chain.from_iterable(declared_all(module_path(f"{name}.__init__")) or [] for name in BELOW[package]))
    assert offered - declared == set(), "listed by a module, not offered by the package"
    assert declared - offered - below == set(), "offered by the package, listed by no module"


BELOW = {"facets": (), "questions": ("facets",)}


def test_the_internal_list_is_up_to_date():
    listed = {module: set(declared_all(module_path(module)) or []) for module in INTERNAL}
    assert not {module: names - listed[module] for module, names in INTERNAL.items() if names - listed[module]}
