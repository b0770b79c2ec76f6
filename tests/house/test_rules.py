"""Every rule of the design has a test, and no test claims a rule that the design does not have."""

import ast

from tests.house.source import python_files, tree_of, where
from tests.rules import RULES


def claims():
    """(tag, place) for each `rule("Q-...")` call in the tests, found without running them."""
    for path in python_files("tests"):
        for node in ast.walk(tree_of(path)):
            match node:
                case ast.Call(func=ast.Name("rule"), args=args):
                    yield from ((ast.literal_eval(tag), where(path, node)) for tag in args)


def test_every_rule_has_a_test():
    missing = RULES - {tag for tag, _ in claims()}
    assert not missing, f"no test is marked with {sorted(missing)}"


def test_no_test_names_a_rule_that_does_not_exist():
    assert not [f"{place}: {tag}" for tag, place in claims() if tag not in RULES]
