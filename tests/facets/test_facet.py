"""Declaring a facet: every fault at once, settings that are checked, logic that can be swapped."""

import copy
from types import ModuleType

import attrs
import pytest

from facets import InvalidFacet, Logic, Resource, facet, serve
from tests.facets.stubs import Desk, Ledger, make_desk


@attrs.frozen
class Settings:
    limit: int = 3
    linger: float = 30.0


async def opened(_):
    return None


def test_every_fault_of_a_declaration_is_listed():
    with pytest.raises(InvalidFacet) as caught:
        facet(
            "",
            resources=[Resource("store", opened), Resource("store", opened)],
            serves=[serve(Desk, make_desk), serve(Desk, make_desk)],
            logic=["a.views", "b.views"],
        )
    paths = [fault.split(":")[0] for fault in caught.value.faults]
    assert paths == ["$.name", "$.resources", "$.serves", "$.logic"]


def test_configured_changes_settings_and_leaves_the_original_alone():
    original = facet("f", config=Settings())
    changed = original.configured(limit=5).configured(linger=1)
    assert (changed.config, original.config) == (Settings(5, 1), Settings())
    assert changed.settings == {"limit": 5, "linger": 1}


def test_configured_with_nothing_is_the_same_facet():
    original = facet("f", config=Settings())
    assert original.configured() == original


@pytest.mark.parametrize("config", [Settings(), None, {"limit": 3}])
def test_unknown_setting_is_refused_with_the_known_ones(config):
    with pytest.raises(InvalidFacet) as caught:
        facet("f", config=config).configured(size=1, color=2)
    assert [fault.split(":")[0] for fault in caught.value.faults] == ["$.color", "$.size"]
    assert ("limit" in caught.value.faults[0]) == isinstance(config, Settings)


def test_a_declaration_is_itself_whatever_its_settings():
    original = facet("f", serves=[serve(Desk, make_desk)], config=Settings())
    assert original.configured(limit=5).is_declared_as(original)
    assert not facet("f", serves=[serve(Desk, make_desk)], config=Settings()).is_declared_as(original)
    assert not facet("g").is_declared_as(facet("f"))


def test_logic_hands_out_modules_by_name():
    views = ModuleType("views")
    assert Logic({"views": views}).views is views


def test_logic_that_is_not_there_is_named():
    with pytest.raises(AttributeError, match="names no logic module 'scopes'"):
        _ = Logic({}).scopes


def test_who_keeps_the_logic_runs_the_new_modules():
    logic = Logic({"views": ModuleType("old")})
    logic.swap({"views": ModuleType("new")})
    assert logic.views.__name__ == "new"


def test_logic_can_be_copied():
    """A half-made copy has no modules yet; looking for one must not go round in circles."""
    views = ModuleType("views")
    assert copy.copy(Logic({"views": views})).views is views


async def test_resource_that_needs_no_closing_has_none():
    await Resource("r", opened).close(None)


async def test_ledger_notices_what_is_closed_twice():
    """The stub that other tests count with has to be right itself."""
    ledger = Ledger()
    resource = ledger.resource("a")
    value = await resource.open(None)
    await resource.close(value)
    with pytest.raises(KeyError):
        await resource.close(value)
