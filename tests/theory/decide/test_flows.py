""""""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given

from longreach.theory.decide.flows import flows_between_mates
from longreach.theory.decide.potentials import Graph, refine
from tests.theory.decide.test_potentials import graphs


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
