"""Potentials, refinement and flows, against their definitions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.theory.decide import potentials
from longreach.theory.decide.flows import flows_between_mates
from longreach.theory.decide.potentials import Graph, numbered, refine
from tests.helpers.language_oracles import mutual_reachability, refined


@st.composite
def graphs(draw, largest: int = 7) -> tuple[int, list[tuple[int, int, int]], list[int]]:
    """A strongly connected graph with start classes."""
    count = draw(st.integers(1, largest))
    labels = draw(st.integers(1, 3))
    moves = draw(
        st.dictionaries(
            st.tuples(st.integers(0, count - 1), st.integers(0, labels - 1)), st.integers(0, count - 1)
        )
    )
    edges = [(s, a, t) for (s, a), t in sorted(moves.items())]
    part = max(mutual_reachability(count, edges), key=len)
    place = {v: i for i, v in enumerate(part)}
    inside = [(place[s], a, place[t]) for s, a, t in edges if s in place and t in place]
    start = draw(st.sampled_from([[0] * len(part), [i % 2 for i in range(len(part))]]))
    return len(part), inside, start


@given(graphs())
def test_rounds_are_the_literal_ones(data) -> None:
    count, edges, start = data
    found = refine(Graph.of(count, edges, start))
    wanted = refined(count, edges, numbered(start))
    assert [found.after(k) for k in range(len(found.rounds) + 1)] == [numbered(classes) for classes in wanted]


@pytest.mark.parametrize("fold_from", [0, 10**9])
@given(data=graphs())
def test_folding_changes_nothing(data, fold_from) -> None:
    count, edges, start = data
    usual = refine(Graph.of(count, edges, start)).classes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(potentials, "_FOLD_FROM", fold_from)
        assert refine(Graph.of(count, edges, start)).classes == usual


@given(graphs())
def test_both_ways_of_solving_agree(data) -> None:
    count, edges, start = data
    graph = Graph.of(count, edges, start)
    group = graph.groups(graph.start)
    by_shifts = potentials._space_by_shifts(
        count, graph.source, graph.target, group, int(group.max(initial=-1)) + 1
    )
    by_values = potentials._space_by_values(count, graph.source, graph.target, group)
    assert numbered(by_shifts.keys()) == numbered(by_values.keys())


@given(graphs())
def test_potentials_change_as_they_say_and_separate(data) -> None:
    count, edges, start = data
    graph = Graph.of(count, edges, start)
    found = refine(graph)
    for number, step in enumerate(found.rounds):
        before = found.after(number)
        for potential in step.potentials:
            assert all(isinstance(value, int) for value in potential.values)
            for s, a, t in edges:
                change = potential.values[t] - potential.values[s]
                assert change == potential.shifts[before[s], a]
        keys = [(before[v], *(p.values[v] for p in step.potentials)) for v in range(count)]
        assert numbered(keys) == step.classes


def test_two_coordinates_of_a_grid() -> None:
    size = 6
    place = {(x, y): x * size + y for x in range(size) for y in range(size)}
    moves = [(1, 0), (-1, 0), (0, 1), (0, -1)]
    edges = [
        (v, a, place[x + dx, y + dy])
        for (x, y), v in place.items()
        for a, (dx, dy) in enumerate(moves)
        if (x + dx, y + dy) in place
    ]
    found = refine(Graph.of(len(place), edges))
    assert len(found.rounds) == 1
    assert len(set(found.classes)) == size * size


def test_enough_stops_early() -> None:
    cycle = Graph.of(2, [(0, 0, 1), (1, 1, 0)])
    assert not refine(cycle, lambda classes: True).rounds
    assert refine(cycle).classes == (0, 1)


# Flows


@given(graphs(largest=9))
def test_flows_prove_that_mates_stay_together(data) -> None:
    count, edges, start = data
    graph = Graph.of(count, edges, start)
    classes = refine(graph).classes
    flows = flows_between_mates(graph, classes)
    assert len(flows) == count - len(set(classes))
    for flow in flows:
        outflow = [Fraction(0)] * count
        groups: dict[tuple[int, int], Fraction] = {}
        for number, weight in flow.weights.items():
            s, a, t = edges[number]
            outflow[s] += weight
            outflow[t] -= weight
            groups[classes[s], a] = groups.get((classes[s], a), Fraction(0)) + weight
        outflow[flow.first] -= 1
        outflow[flow.second] += 1
        assert not any(outflow)
        assert not any(groups.values())


def test_separated_vertices_have_no_flow() -> None:
    graph = Graph.of(2, [(0, 0, 1), (1, 1, 0)])
    with pytest.raises(ValueError, match="separated"):
        flows_between_mates(graph, (0, 0))
