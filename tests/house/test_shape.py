"""The shape budget, so that nobody argues about it.

A body is counted from `def` to its last line, docstring taken off; nested functions and overload stubs count.
"""

import ast
from collections.abc import Iterator
from statistics import median

import pytest

from tests.house.source import (
    PACKAGES,
    SOURCE_FOLDERS,
    Definition,
    Function,
    functions,
    is_overload,
    python_files,
    text_of,
    tree_of,
    where,
)

LONGEST_FILE = 400
LONGEST_BODY = 40
MEDIAN_BODY = 8
TEST_LINES_PER_SOURCE_LINE = (0.9, 2.2)

FILES = python_files(*SOURCE_FOLDERS)
SOURCES = python_files(*PACKAGES)


def body_length(function: Function) -> int:
    lines = (function.end_lineno or 0) - function.lineno + 1
    if ast.get_docstring(function) is not None:
        docstring = function.body[0]
        lines -= (docstring.end_lineno or 0) - docstring.lineno + 1
    return lines


def line_count(paths) -> int:
    return sum(len(text_of(path).splitlines()) for path in paths)


def public_definitions(node: ast.Module | ast.ClassDef) -> Iterator[Definition]:
    """Public functions and classes, and those of public classes; what a function defines is nobody's business."""
    for child in node.body:
        if isinstance(child, Definition) and not child.name.startswith("_"):
            yield child
            if isinstance(child, ast.ClassDef):
                yield from public_definitions(child)


def needs_no_docstring(node: Definition) -> bool:
    """An overload stub and a property's setter are documented where the function itself is."""
    return is_overload(node) or any(ast.unparse(part).endswith(".setter") for part in node.decorator_list)


def unannotated(function: Function, *, is_method: bool) -> list[str]:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    bound = is_method and "staticmethod" not in map(ast.unparse, function.decorator_list)
    rest = [arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
    named = [*positional[bound:], *(argument for argument in rest if argument)]
    return [argument.arg for argument in named if argument.annotation is None]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_can_be_read_in_one_sitting(path):
    assert line_count([path]) <= LONGEST_FILE


def test_no_body_is_longer_than_a_screen():
    lengths = [(body_length(node), where(path, node)) for path in FILES for node in functions(tree_of(path))]
    assert not sorted((length, place) for length, place in lengths if length > LONGEST_BODY)


def test_most_bodies_are_short():
    lengths = [body_length(node) for path in SOURCES for node in functions(tree_of(path))]
    assert median(lengths) <= MEDIAN_BODY


def test_every_public_name_is_documented():
    trees = [(path, tree_of(path)) for path in SOURCES]
    bare = [where(path, tree) for path, tree in trees if ast.get_docstring(tree) is None]
    nodes = [(path, node) for path, tree in trees for node in public_definitions(tree)]
    undocumented = [
        (path, node) for path, node in nodes if not needs_no_docstring(node) and ast.get_docstring(node) is None
    ]
    assert not bare + [f"{where(path, node)}: {node.name}" for path, node in undocumented]


def test_every_parameter_is_annotated():
    found = []
    for path in SOURCES:
        tree = tree_of(path)
        methods = {id(part) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for part in node.body}
        for function in functions(tree):
            names = unannotated(function, is_method=id(function) in methods)
            found += [f"{where(path, function)}: {function.name}({name})" for name in names]
    assert not found


def test_tests_are_neither_thin_nor_bloated():
    least, most = TEST_LINES_PER_SOURCE_LINE
    assert least <= line_count(python_files("tests")) / line_count(SOURCES) <= most
