"""Random graphs of cells and derived readables against plain recomputation."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facets import Cell, derive
from tests.facets.graphs import Told
from tests.rules import rule

pytestmark = rule("Q-VIEW-2")


CELLS = 3
derivations = st.lists(
    st.tuples(st.lists(st.integers(0, 9), min_size=1, max_size=3), st.integers(1, 4)), min_size=1, max_size=6
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("set"), st.integers(0, CELLS - 1), st.integers(-2, 4)),
        st.tuples(st.just("read"), st.integers(0, 8), st.just(0)),
        st.tuples(st.just("listen"), st.integers(0, 8), st.just(0)),
        st.tuples(st.just("unlisten"), st.integers(0, 8), st.just(0)),
    ),
    max_size=25,
)


class Graph:
    """Cells and derived readables, and beside them the formulas that say what each one must be."""

    def __init__(self, derivations):
        self.values = [0] * CELLS
        self.nodes: list[Any] = [Cell(0) for _ in range(CELLS)]
        self.formulas = []
        self.told = {}
        for picks, modulus in derivations:
            sources = [pick % len(self.nodes) for pick in picks]
            self.formulas.append((sources, modulus))
            self.nodes.append(derive([self.nodes[at] for at in sources], self.formula(modulus)))

    @staticmethod
    def formula(modulus):
        return lambda *values: (6 // (sum(values) + 2)) % modulus  # sometimes fails, often gives the same

    def expected(self):
        results: list[Any] = list(self.values)
        for sources, modulus in self.formulas:
            inputs = [results[at] for at in sources]
            failed = next((value for value in inputs if isinstance(value, type)), None)
            results.append(failed or outcome(lambda: self.formula(modulus)(*inputs)))  # noqa: B023
        return results

    def check(self, at):
        assert outcome(lambda: self.nodes[at].value) == self.expected()[at]

    def set(self, at, value):
        self.values[at] = value
        self.nodes[at].set(value)

    def listen(self, at):
        self.nodes[at].listen(self.told.setdefault(at, Told()))


def outcome(read):
    try:
        return read()
    except ZeroDivisionError as error:
        return type(error)


@pytest.mark.fuzz
@given(derivations, steps)
def test_every_graph_agrees_with_plain_recomputation(derivations, steps):
    graph = Graph(derivations)
    for action, pick, value in steps:
        at = pick % len(graph.nodes)
        match action:
            case "set":
                graph.set(at, value)
            case "read":
                graph.check(at)
            case "listen":
                graph.listen(at)
            case "unlisten" if at in graph.told:
                graph.nodes[at].unlisten(graph.told.pop(at))
    for at in range(len(graph.nodes)):
        graph.check(at)


@pytest.mark.fuzz
@given(derivations, steps)
def test_every_listener_hears_of_every_difference(derivations, steps):
    """A listener that was not told may rely on what it read: nothing is different."""
    graph = Graph(derivations)
    known = {}
    for action, pick, value in steps:
        if action == "set":
            graph.set(pick, value)
        else:
            at = pick % len(graph.nodes)
            graph.told.pop(at, None)
            known[at] = graph.expected()[at]
            graph.listen(at)
        for listened, told in graph.told.items():
            assert told.times or graph.expected()[listened] == known[listened]
