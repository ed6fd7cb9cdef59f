"""Counters as numbers of steps along edges, against the definition."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.crasp import core as c
from longreach.crasp import parse
from longreach.crasp.core import Core
from longreach.languages.budget import OverBudget
from longreach.languages.prove.equivalence import empty_language
from longreach.languages.prove.machine import Algebra
from longreach.languages.prove.window_graph import WindowGraph, not_one_level
from longreach.languages.regular.expression_to_automaton import from_expression
from tests.helpers.small_programs import ALL_CLASSES, literal_values, programs


def walk(graph: WindowGraph, word: str) -> tuple[list[int], bool, int]:
    """The counters, the answer and the automaton's state after a word that is not empty."""
    vertex, totals = 0, [0] * len(graph.counters)
    for token in word:
        edge = graph.edges[graph.step[vertex, graph.automaton.alphabet.index(token)]]
        vertex = edge.target
        totals = [total + adds for total, adds in zip(totals, edge.adds, strict=True)]
    return totals, bool(graph.answer(edge, totals, Algebra())), edge.state


@pytest.mark.parametrize("relations", ALL_CLASSES)
@settings(max_examples=20)
@given(data=st.data(), word=st.text("ab", min_size=1, max_size=9))
def test_counters_and_answers_are_those_of_the_definition(  # type: ignore[no-untyped-def]
    data: st.DataObject, word: str, relations
) -> None:
    core: Core = data.draw(programs(relations, layers=1))
    assert not_one_level(core) is None
    automaton = from_expression("(a|b)*ab*", "ab")
    graph = WindowGraph(core, automaton)
    totals, said, state = walk(graph, word)
    values = literal_values(core, word)
    assert totals == [values[k, len(word)] for k in graph.counters]
    assert core.accept is not None
    assert said == bool(values[core.accept, len(word)])
    assert state == automaton.run(word)


def test_counts_are_read_some_positions_back() -> None:
    text = '#alphabet a b\nN = # "a" >= 2\nP = #[{i-1, i-3}] (#[i-2] N >= 1 && "b") >= 1'
    program = parse(text)
    graph = WindowGraph(program.core, empty_language(("a", "b")))
    for number in range(2, 2**8):
        word = bin(number)[3:].replace("0", "a").replace("1", "b")
        assert word == "" or walk(graph, word)[1] == program.accepts(word)


def test_letters_that_nothing_tells_apart_are_one() -> None:
    core = parse('#alphabet z b a c\nP = # "a" >= 2').core
    assert WindowGraph(core, empty_language(core.alphabet)).letters == [0, 2]
    assert WindowGraph(core, from_expression("z*", "zbac")).letters == [0, 1, 2]


def test_nested_counts_are_refused_and_too_many_cases_are_a_budget() -> None:
    assert not_one_level(parse('N = # "a"\nP = # (N >= 1 && "b") >= 1').core) is not None
    ops = (c.Token("a"), c.Count(0, (0, 3)), c.One(), c.Leq(2, 1), c.Count(3), c.Leq(2, 4))
    assert not_one_level(Core(ops, ("a",), accept=5)) is None
    core = parse('#alphabet a b\nP = # (#[i-40..i] "a" >= 3) >= 2').core
    with pytest.raises(OverBudget, match="more than 4000 cases"):
        WindowGraph(core, empty_language(core.alphabet))
