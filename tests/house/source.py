"""The project's own source as the house tests read it: files, module names, syntax trees."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("facets", "questions")
SOURCE_FOLDERS = (*PACKAGES, "examples", "benchmarks", "docs", "tests")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


def python_files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(text_of(path), filename=str(path))


def module_name(path: Path) -> str:
    """`questions.cli.demo` for questions/cli/demo.py; a package's own file is `questions.cli.__init__`."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def module_path(name: str) -> Path:
    return ROOT.joinpath(*name.split(".")).with_suffix(".py")


def where(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def is_overload(node: Definition) -> bool:
    return any(ast.unparse(decorator).endswith("overload") for decorator in node.decorator_list)


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def declared_all(path: Path) -> list[str] | None:
    """The names in a module's `__all__`, or None when it has none written out as a plain list."""
    for node in tree_of(path).body:
        match node:
            case ast.Assign(targets=[ast.Name("__all__")], value=value):
                return list(ast.literal_eval(value))
    return None
