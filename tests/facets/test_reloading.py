"""Real modules, edited on disk, imported again: all of them or none."""

import importlib.abc
import importlib.machinery
import sys
from textwrap import dedent

import attrs
import pytest

from facets import InvalidFacet, ReloadFailed, facet, open_host
from facets.reloading import current_modules, fresh_modules, install_modules
from tests.facets.stubs import ALICE
from tests.rules import rule

pytestmark = rule("Q-FAC-1")

RULES = """
    from shop.things import Thing
    PRICE = 1

    def price(thing):
        return PRICE
"""

VIEWS = """
    import attrs
    from facets import Resource, facet, serve
    import shop.rules
    from shop.rules import PRICE

    EDITION = "first"

    @attrs.frozen
    class Settings:
        color: str = "red"

    class Stall:
        def __init__(self, environment):
            self.environment = environment

        def price(self):
            return self.environment.logic.rules.price(None)

        def edition(self):
            return self.environment.logic.views.EDITION

    async def open_box(environment):
        return [EDITION]

    async def take_over(old, environment):
        return [*old, EDITION]

    the_facet = facet(
        "shop",
        resources=[Resource("box", open_box, EDITION, take_over)],
        serves=[serve(Stall, lambda environment, input, principal: Stall(environment))],
        logic=["shop.rules", "shop.views"],
        config=Settings(),
    )
"""


class Package:
    """A package on disk, called shop, with sources to edit."""

    def __init__(self, folder):
        self.folder = folder / "shop"
        self.folder.mkdir()
        for name, source in {"__init__": "", "things": "class Thing: pass\n"}.items():
            self.write(name, source)

    def write(self, name, source):
        (self.folder / f"{name}.py").write_text(dedent(source))

    def edit(self, name, old, new):
        path = self.folder / f"{name}.py"
        source = path.read_text()
        assert old in source
        path.write_text(source.replace(old, new))

    def module(self, name):
        return importlib.import_module(f"shop.{name}")


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """The package, importable for the length of a test."""
    monkeypatch.syspath_prepend(str(tmp_path))
    package = Package(tmp_path)
    package.write("rules", RULES)
    package.write("views", VIEWS)
    yield package
    for name in [name for name in sys.modules if name.partition(".")[0] == "shop"]:
        del sys.modules[name]


def loaded():
    """What is imported of the package, as imports and as attributes see it."""
    modules = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "shop"}
    return modules, {name: value for name, value in vars(modules["shop"]).items() if name[0] != "_"}


# Importing again


def test_current_modules_are_those_that_are_imported(shop):
    assert current_modules(["shop.rules"]) == {"shop.rules": shop.module("rules")}
    assert current_modules([]) == {}


def test_edit_within_the_same_second_and_of_the_same_length_is_seen(shop):
    """Byte code is kept by time stamp and size; neither tells these two apart."""
    old = shop.module("rules")
    for price in range(2, 7):
        shop.edit("rules", f"PRICE = {price - 1}", f"PRICE = {price}")
        assert price == fresh_modules("f", ["shop.rules"])["shop.rules"].PRICE
    assert old.PRICE == 1


def test_importing_again_changes_nothing_until_the_modules_are_installed(shop):
    shop.module("views")
    before = loaded()
    modules = fresh_modules("f", ["shop.rules", "shop.views"])
    assert loaded() == before
    install_modules(modules)
    assert sys.modules["shop.rules"] is modules["shop.rules"] is sys.modules["shop"].rules


def test_each_new_module_sees_the_new_ones_before_it(shop):
    shop.module("views")
    shop.edit("rules", "PRICE = 1", "PRICE = 9")
    modules = fresh_modules("f", ["shop.rules", "shop.views"])
    assert modules["shop.views"].PRICE == 9
    assert modules["shop.views"].shop.rules.PRICE == 1
    install_modules(modules)
    assert modules["shop.views"].shop.rules.PRICE == 9


def test_modules_that_refer_to_each_other_meet_in_their_new_versions(shop):
    shop.write("ping", "import shop.pong\nN = 1\ndef other(): return shop.pong.N\n")
    shop.write("pong", "import shop.ping\nN = 1\ndef other(): return shop.ping.N\n")
    shop.module("ping")
    for name in ("ping", "pong"):
        shop.edit(name, "N = 1", "N = 2")
    install_modules(fresh_modules("f", ["shop.ping", "shop.pong"]))
    assert (shop.module("ping").other(), shop.module("pong").other()) == (2, 2)


def test_data_classes_of_modules_that_are_not_named_stay_the_same(shop):
    old = shop.module("rules")
    new = fresh_modules("f", ["shop.rules"])["shop.rules"]
    assert new.Thing is old.Thing
    assert new.price is not old.price


@pytest.mark.parametrize("names", [["shop.rules"], ["shop.views", "shop.rules"], ["shop.rules", "shop.views"]])
@pytest.mark.parametrize("fault", ["raise RuntimeError('bad day')", "def (", "import no_such_module"])
def test_module_that_cannot_be_imported_leaves_everything_as_it_was(shop, names, fault):
    shop.module("views")
    before = loaded()
    shop.edit("rules", "PRICE = 1", fault)
    with pytest.raises(ReloadFailed) as caught:
        fresh_modules("f", names)
    assert caught.value.name == "f"
    assert caught.value.why.startswith("shop.rules cannot be imported: ")
    assert caught.value.__cause__ is not None
    assert loaded() == before


@pytest.mark.parametrize("written", ["", "PRICE = 1\n", "__all__ = ['price', 'PRICE']\nPRICE = 1\n"])
def test_module_that_an_editor_has_half_written_is_refused(shop, written):
    """It can be imported, and would serve without what the rest of it says."""
    shop.write("whole", "__all__ = ['price', 'PRICE']\nPRICE = 1\ndef price(): return PRICE\n")
    shop.module("whole")
    shop.write("whole", written)
    before = loaded()
    with pytest.raises(ReloadFailed, match="half written"):
        fresh_modules("f", ["shop.whole"])
    assert loaded() == before
    shop.write("whole", "__all__ = ['PRICE']\nPRICE = 2\n")
    assert fresh_modules("f", ["shop.whole"])["shop.whole"].PRICE == 2


def test_new_module_of_a_failed_reload_is_not_left_behind(shop):
    shop.module("rules")
    shop.write("extra", "N = 1")
    before = loaded()
    shop.edit("rules", "PRICE = 1", "1 / 0")
    with pytest.raises(ReloadFailed):
        fresh_modules("f", ["shop.extra", "shop.rules"])
    assert loaded() == before


@pytest.mark.parametrize("name", ["shop.nothing", "no_such_package", "sys"])
def test_module_without_a_source_is_refused(shop, name):
    shop.module("rules")
    with pytest.raises(ReloadFailed, match=f"{name} cannot be imported"):
        fresh_modules("f", [name])


def test_source_that_has_been_deleted_is_refused(shop):
    shop.module("rules")
    (shop.folder / "rules.py").unlink()
    with pytest.raises(ReloadFailed, match="FileNotFoundError"):
        fresh_modules("f", ["shop.rules"])


def test_module_whose_loader_has_no_source_is_run_by_its_loader(shop):
    module = shop.module("rules")

    class Loader(importlib.abc.Loader):
        def create_module(self, spec):
            return None

        def exec_module(self, module):
            module.PRICE = 42

    module.__spec__ = importlib.machinery.ModuleSpec("shop.rules", Loader())
    assert fresh_modules("f", ["shop.rules"])["shop.rules"].PRICE == 42


def test_module_outside_packages_can_be_imported_again(shop, tmp_path):
    (tmp_path / "shop_alone.py").write_text("N = 1")
    (tmp_path / "shop_new.py").write_text("N = 2")
    importlib.import_module("shop_alone")
    modules = fresh_modules("f", ["shop_alone", "shop_new"])
    assert (modules["shop_alone"].N, modules["shop_new"].N) == (1, 2)
    assert "shop_new" not in sys.modules
    del sys.modules["shop_alone"]


# Reloading a facet that runs


@pytest.fixture
async def host(shop):
    async with open_host([shop.module("views").the_facet.configured(color="blue")]) as host:
        yield host


async def get_stall(host, shop):
    async with host.root(ALICE) as ctx:
        return await ctx.get(shop.module("views").Stall)


def box(host):
    (resource,) = host.describe()["facets"][0]["resources"]
    return resource["version"]


async def test_object_that_is_alive_runs_the_new_logic(host, shop):
    stall = await get_stall(host, shop)
    shop.edit("rules", "PRICE = 1", "PRICE = 5")
    assert stall.price() == 1
    await host.reload(shop.module("views").the_facet)
    assert stall.price() == 5


async def test_import_error_leaves_the_old_code_serving(host, shop):
    stall = await get_stall(host, shop)
    before = loaded()
    shop.edit("rules", "return PRICE", "return PRICE +")
    with pytest.raises(ReloadFailed):
        await host.reload(shop.module("views").the_facet)
    assert stall.price() == 1
    assert loaded() == before
    assert type(await get_stall(host, shop)) is type(stall)


@pytest.mark.parametrize("keep", ["the declaration that was given first", "the newest declaration"])
async def test_declaration_in_the_logic_is_taken_over_again_and_again(host, shop, keep):
    """Whoever reloads may hold the very first declaration for ever; it names the facet, not the version."""
    first = shop.module("views").the_facet
    stall = await get_stall(host, shop)
    for old, new in (("first", "second"), ("second", "third")):
        shop.edit("views", f'EDITION = "{old}"', f'EDITION = "{new}"')
        await host.reload(first if "first" in keep else shop.module("views").the_facet)
        assert (stall.edition(), box(host)) == (new, new)
        assert type(await get_stall(host, shop)) is shop.module("views").Stall


async def test_resource_is_handed_over_to_the_new_version(host, shop):
    shop.edit("views", 'EDITION = "first"', 'EDITION = "second"')
    await host.reload(shop.module("views").the_facet)
    stall = await get_stall(host, shop)
    assert stall.environment.resource("box") == ["first", "second"]


async def test_settings_are_carried_over_to_the_new_declaration(host, shop):
    shop.edit("views", 'color: str = "red"', 'color: str = "green"; size: int = 7')
    await host.reload(shop.module("views").the_facet)
    config = (await get_stall(host, shop)).environment.config
    assert attrs.asdict(config) == {"color": "blue", "size": 7}


async def test_settings_given_with_a_reload_count(host, shop):
    await host.reload(shop.module("views").the_facet.configured(color="white"))
    assert (await get_stall(host, shop)).environment.config.color == "white"


async def test_new_code_that_lacks_a_setting_in_use_is_refused(host, shop):
    before = loaded()
    stall = await get_stall(host, shop)
    shop.edit("views", "color: str", "shade: str")
    with pytest.raises(InvalidFacet, match="color"):
        await host.reload(shop.module("views").the_facet)
    assert (loaded(), stall.environment.config.color) == (before, "blue")


async def test_new_declaration_may_name_more_logic(host, shop):
    stall = await get_stall(host, shop)
    shop.write("extra", "from shop.rules import PRICE")
    shop.edit("rules", "PRICE = 1", "PRICE = 8")
    shop.edit("views", '["shop.rules", "shop.views"]', '["shop.rules", "shop.extra", "shop.views"]')
    await host.reload(shop.module("views").the_facet)
    assert stall.environment.logic.extra.PRICE == 8
    assert stall.environment.logic.extra is sys.modules["shop.extra"]


async def test_new_declaration_may_name_less_logic(host, shop):
    stall = await get_stall(host, shop)
    shop.edit("views", '["shop.rules", "shop.views"]', '["shop.views"]')
    await host.reload(shop.module("views").the_facet)
    assert stall.edition() == "first"
    with pytest.raises(AttributeError):
        stall.price()


async def test_another_declaration_of_the_same_name_is_taken_as_it_is(host, shop):
    """Also when its logic contains a declaration of that name."""
    stall = await get_stall(host, shop)
    running = shop.module("views").the_facet
    await host.reload(attrs.evolve(running, resources=()))
    assert host.describe()["facets"] == [{"name": "shop", "resources": []}]
    assert stall.environment.config.color == "blue"


async def test_facet_that_does_not_run_cannot_be_reloaded(host):
    with pytest.raises(InvalidFacet) as caught:
        await host.reload(facet("unknown"))
    assert caught.value.name == "unknown"
