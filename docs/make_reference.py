"""Writes the pages of docs/ that are read out of the code: reference.md and states.md.

Run by `make docs`; a test fails when a page differs from what this would write. The reference is taken from the
syntax trees, not from live objects, so that it is the same under every version of Python.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import Any

import attrs

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 100

# Pages in this order: a package offers the names that it lists, wherever they are defined.
PUBLIC = ("facets", "facets.link", "questions", "questions.testing", "questions.web", "questions.operations")

# What has states, and the module with the table of its transitions.
MACHINES = {
    "question": "questions.settlement",
    "decision": "questions.durable.steps",
    "gate": "questions.gates.steps",
    "channel effect": "questions.gates.outbox",
}

NOTE = "<!-- Written by `make docs`; edit the code instead. -->"

Function = ast.FunctionDef | ast.AsyncFunctionDef


@attrs.frozen
class Name:
    """One public name: the nodes that define it (several when it is overloaded), and what is said of it."""

    name: str
    nodes: tuple[ast.stmt, ...]
    doc: str


def module_file(module: str) -> Path:
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def parse(module: str) -> ast.Module:
    return ast.parse(module_file(module).read_text(encoding="utf-8"))


def defined_names(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.AnnAssign(target=ast.Name(name)):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
    return []


def text_after(node: ast.stmt, following: ast.stmt | None) -> str:
    """A docstring: inside a function or class, right below a constant or field."""
    if isinstance(node, Function | ast.ClassDef):
        return ast.get_docstring(node) or ""
    match following:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return inspect.cleandoc(text)
    return ""


def flat(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements, with those of both branches of an `if` in its place."""
    for node in body:
        if isinstance(node, ast.If):
            yield from flat([*node.body, *node.orelse])
        else:
            yield node


def definitions(body: list[ast.stmt]) -> dict[str, Name]:
    """What a module or class defines; overloads of a name are gathered, the implementation only adds its text."""
    found: dict[str, Name] = {}
    for node, following in pairwise([*flat(body), None]):
        assert node is not None
        for name in defined_names(node):
            earlier = found.get(name, Name(name, (), ""))
            nodes = earlier.nodes
            if not any(is_decorated(before, "overload") for before in nodes) or is_decorated(node, "overload"):
                nodes = (*nodes, node)
            found[name] = Name(name, nodes, text_after(node, following) or earlier.doc)
    return found


def is_decorated(node: ast.stmt, *names: str) -> bool:
    decorators = node.decorator_list if isinstance(node, Function | ast.ClassDef) else []
    return any(ast.unparse(part).split("(")[0].split(".")[-1] in names for part in decorators)


def listed(tree: ast.Module) -> list[str]:
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name("__all__")], value=value):
                return list(ast.literal_eval(value))
    return []


def origin_of(module: str, node: ast.ImportFrom) -> str:
    """The module that a `from ... import` in a package's own file names."""
    parts = module.split(".")[: len(module.split(".")) + 1 - node.level] if node.level else []
    return ".".join([*parts, *([node.module] if node.module else [])])


def find(module: str, name: str) -> Name:
    """Follow a name through `from ... import` to the module that defines it."""
    tree = parse(module)
    for node in imports(tree):
        for alias in node.names:
            if (alias.asname or alias.name) == name:
                return find(origin_of(module, node), alias.name)
    return definitions(tree.body)[name]


def imports(tree: ast.Module) -> list[ast.ImportFrom]:
    """What a module imports by name; a package may say so to type checkers alone, and do it late."""
    inside = [node for top in tree.body for node in (top.body if isinstance(top, ast.If) else [top])]
    return [node for node in inside if isinstance(node, ast.ImportFrom)]


def signature(node: ast.stmt) -> str:
    """A definition without its body, one parameter a line when it is long."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return function_signature(node)
        case ast.ClassDef(name=name, bases=bases):
            inherited = ", ".join(ast.unparse(base) for base in bases)
            return f"class {name}({inherited})" if inherited else f"class {name}"
    return ast.unparse(node)


def function_signature(node: Function) -> str:
    keyword = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    parameters = list(parameters_of(node.args))
    line = f"{keyword} {node.name}({', '.join(parameters)}){returns}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{keyword} {node.name}(", *(f"    {part}," for part in parameters), f"){returns}"])


def parameters_of(arguments: ast.arguments) -> Iterator[str]:
    """Each parameter as it is written."""
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    for index, (argument, default) in enumerate(zip(positional, [*defaults, *arguments.defaults], strict=True), 1):
        yield with_default(argument, default)
        if index == len(arguments.posonlyargs):
            yield "/"
    if arguments.vararg:
        yield f"*{ast.unparse(arguments.vararg)}"
    elif arguments.kwonlyargs:
        yield "*"
    yield from map(with_default, arguments.kwonlyargs, arguments.kw_defaults)
    if arguments.kwarg:
        yield f"**{ast.unparse(arguments.kwarg)}"


def with_default(argument: ast.arg, default: ast.expr | None) -> str:
    if default is None:
        return ast.unparse(argument)
    return f"{ast.unparse(argument)}{' = ' if argument.annotation else '='}{ast.unparse(default)}"


def fence(lines: list[str]) -> list[str]:
    return ["```python", *lines, "```", ""]


def is_field(node: ast.stmt) -> bool:
    return isinstance(node, ast.AnnAssign | ast.Assign)


def members(node: ast.ClassDef) -> list[Name]:
    return [name for name in definitions(node.body).values() if not name.name.startswith("_")]


def class_lines(node: ast.ClassDef) -> list[str]:
    """The class's line, how it is made, and its fields with what they mean, as one would write it."""
    lines = [signature(node)]
    constructor = definitions(node.body).get("__init__")
    if constructor:
        lines += [f"    {line}" for line in method_lines(constructor.nodes)]
    for field in (member for member in members(node) if is_field(member.nodes[0])):
        lines.append(f"    {signature(field.nodes[0])}")
        lines += [f"    # {line}" for line in field.doc.splitlines()]
    return lines


def entry(name: Name, heading: str, owner: str = "") -> Iterator[str]:
    """The section of one name, and below it those of its methods."""
    first = name.nodes[0]
    yield from (f"{heading} `{owner}{name.name}`", "")
    shown = class_lines(first) if isinstance(first, ast.ClassDef) else method_lines(name.nodes)
    yield from fence(shown)
    if name.doc:
        yield from (name.doc, "")
    if isinstance(first, ast.ClassDef):
        for member in members(first):
            if not is_field(member.nodes[0]):
                yield from entry(member, heading + "#", f"{name.name}.")


def method_lines(nodes: tuple[ast.stmt, ...]) -> list[str]:
    lines = []
    for node in nodes:
        for kind in ("property", "classmethod", "staticmethod"):
            lines += [f"@{kind}"] * is_decorated(node, kind)
        lines += signature(node).splitlines() * (not is_decorated(node, "setter"))
    return lines


def reference() -> str:
    """docs/reference.md: every public name with its signature and its docstring."""
    lines = ["# Reference", "", NOTE, ""]
    seen: set[str] = set()
    for module in PUBLIC:
        tree = parse(module)
        lines += [f"## `{module}`", "", ast.get_docstring(tree) or "", ""]
        for name in listed(tree):
            # A name that a package passes on is described where it comes from.
            if name not in seen and not name.startswith("__"):
                lines += entry(find(module, name), "###")
        seen |= set(listed(tree))
    return "\n".join(lines).rstrip() + "\n"


def states() -> str:
    """docs/states.md: the tables that questions and decisions run on, drawn."""
    lines = ["# States", "", NOTE, ""]
    for noun, module in MACHINES.items():
        machine = importlib.import_module(module)
        lines += [f"## The states of a {noun}", "", inspect.cleandoc(machine.__doc__ or ""), ""]
        first = f"    [*] --> {label(next(iter(machine.TRANSITIONS)))}"
        lines += ["```mermaid", "stateDiagram-v2", first, *arrows(machine.TRANSITIONS), "```", ""]
    return "\n".join(lines)


def arrows(transitions: Mapping[Enum, Mapping[type, Any]]) -> Iterator[str]:
    for state, by_event in transitions.items():
        for event, transition in by_event.items():
            for target in leads_to(transition.then, type(state)):
                yield f"    {label(state)} --> {label(target)}: {event.__name__}"
        if not by_event:
            yield f"    {label(state)} --> [*]"


def leads_to(then: Callable[..., object], states: type[Enum]) -> list[Enum]:
    """The states that a transition's `then` can name: those that it closes over, or that stand in its text."""
    names = inspect.getclosurevars(then)
    held = [
        value for scope in (names.nonlocals, names.globals) for value in scope.values() if isinstance(value, states)
    ]
    return held or [states[name] for name in then.__code__.co_names if name in states.__members__]


def label(state: Enum) -> str:
    return state.name.lower()


PAGES = {"reference.md": reference, "states.md": states}


def main() -> int:
    for name, page in PAGES.items():
        (ROOT / "docs" / name).write_text(page(), encoding="utf-8")
        print(f"wrote docs/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
