"""Arrows point down only, and what is pure stays pure: read from the imports, without importing anything."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.house.source import (
    PACKAGES,
    ROOT,
    is_type_checking,
    module_name,
    module_path,
    python_files,
    tree_of,
    where,
)

LAYERS = ROOT / "tests" / "house" / "layers.txt"


def written_order() -> dict[str, str]:
    """The rows of each package, as `layers.txt` has them."""
    text = "\n".join(line for line in LAYERS.read_text().splitlines() if not line.startswith("#"))
    sections = (section.partition("]\n") for section in text.split("[")[1:])
    return {package: rows for package, _, rows in sections}


ORDER = written_order()

ARROWS = {"facets": set(), "questions": {"facets"}}

# No clock, no chance, no input, no output, no scheduler: time and everything else is an argument.
IMPURE = set(
    "asyncio concurrent http logging msvcrt multiprocessing os pathlib queue random sched secrets select selectors "
    "shutil signal socket sqlite3 ssl subprocess tempfile threading time trio urllib uuid websockets".split()
)
IMPURE_CALLS = {"input", "open", "print", "now", "utcnow", "today"}

VAGUE_NAMES = {"base", "common", "core", "helper", "helpers", "manager", "misc", "util", "utils"}

RANKS = {
    f"{package}.{row.removesuffix(' ○')}": rank
    for package, rows in ORDER.items()
    for rank, row in enumerate(line.strip() for line in rows.strip().splitlines())
}
PURE = {
    f"{package}.{row.split()[0]}" for package, rows in ORDER.items() for row in rows.splitlines() if row.endswith(" ○")
}
MODULES = {module_name(path): path for path in python_files(*PACKAGES)}


def row_of(module: str) -> str | None:
    """The line of the table that a module stands on: its own, or the `*` of a folder above it."""
    folders = module.split(".")
    stars = (".".join(folders[:depth]) + ".*" for depth in range(len(folders) - 1, 0, -1))
    return next((row for row in (module, *stars) if row in RANKS), None)


def resolved(name: str) -> str:
    """The module that `import name` runs: a package's own file when it names a package."""
    return f"{name}.__init__" if f"{name}.__init__" in MODULES else name


def imported_by(module: str, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (resolved(alias.name) for alias in node.names)
        return
    above = module.split(".")[: -node.level] if node.level else []
    source = ".".join([*above, *([node.module] if node.module else [])])
    submodules = [resolved(f"{source}.{alias.name}") for alias in node.names]
    found = [name for name in submodules if name in MODULES]
    yield from found
    if len(found) < len(submodules):
        yield resolved(source)


def import_nodes(node: ast.AST, *, inside_functions: bool) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports that run; those under TYPE_CHECKING do not."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif is_type_checking(child) or (
            isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and not inside_functions
        ):
            continue
        else:
            yield from import_nodes(child, inside_functions=inside_functions)


def imports(module: str, *, inside_functions: bool = True) -> list[tuple[str, str]]:
    """(imported module, place) for every import of a module."""
    nodes = import_nodes(tree_of(MODULES[module]), inside_functions=inside_functions)
    return [(name, where(MODULES[module], node)) for node in nodes for name in imported_by(module, node)]


def is_ours(module: str) -> bool:
    return module.split(".")[0] in PACKAGES


def is_arrow_down(module: str, target: str) -> bool:
    here, there = module.split(".")[0], target.split(".")[0]
    if here != there:
        return there in ARROWS[here]
    row, target_row = row_of(module), row_of(target)
    if row is None or target_row is None:
        return False
    return RANKS[target_row] < RANKS[row] or (row == target_row and row.endswith("*"))


def test_the_table_and_the_files_agree():
    unlisted = sorted(module for module in MODULES if row_of(module) is None)
    assert not unlisted, "not in layers.txt"
    gone = sorted(set(RANKS) - {row_of(module) for module in MODULES})
    assert not gone, "in layers.txt, but there is no such file"


@pytest.mark.parametrize("module", MODULES)
def test_arrows_point_down(module):
    ours = [(target, place) for target, place in imports(module) if is_ours(target)]
    assert not [f"{place}: {target}" for target, place in ours if not is_arrow_down(module, target)]


@pytest.mark.parametrize("module", MODULES)
def test_no_module_imports_its_own_package(module):
    """A module that imports its root ties every module of the package into one cycle."""
    root = module.split(".")[0] + ".__init__"
    assert not [place for target, place in imports(module) if target == root]


@pytest.mark.parametrize("module", sorted(PURE & set(MODULES)))
def test_a_pure_module_imports_only_pure_ones(module):
    outside = [f"{place}: {name}" for name, place in imports(module) if name.split(".")[0] in IMPURE]
    ours = [f"{place}: {name}" for name, place in imports(module) if is_ours(name) and name not in PURE]
    assert not outside + ours


@pytest.mark.parametrize("module", sorted(PURE & set(MODULES)))
def test_a_pure_module_asks_nobody_what_time_it_is(module):
    path = module_path(module)
    calls = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call)]
    names = {id(call): getattr(call.func, "attr", getattr(call.func, "id", "")) for call in calls}
    assert not [f"{where(path, call)}: {names[id(call)]}()" for call in calls if names[id(call)] in IMPURE_CALLS]


def test_no_import_cycle():
    """Imports that run when a module is loaded; an import inside a function breaks a cycle only for the loader."""
    graph = {
        module: {target for target, _ in imports(module, inside_functions=False) if target in MODULES}
        for module in MODULES
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_no_star_imports():
    nodes = [(path, node) for path in MODULES.values() for node in import_nodes(tree_of(path), inside_functions=True)]
    assert not [where(path, node) for path, node in nodes if any(alias.name == "*" for alias in node.names)]


def test_every_module_is_named_after_what_it_holds():
    assert not [module for module in MODULES if VAGUE_NAMES & set(module.lstrip("_").split("."))]
