"""From the deciders' proofs to certificates."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from fractions import Fraction

from longreach.theory.certificates.documents import (
    ArrowDocument,
    ArrowWeight,
    EdgeWeight,
    FlowCertificate,
    FoolingWords,
    SampledFlowCertificate,
    StateFlow,
    Vertex,
    VertexFlow,
)
from longreach.theory.certificates.tables import automaton_table
from longreach.theory.decide.arrows import Failure
from longreach.theory.decide.flows import Flow, flows_between_mates
from longreach.theory.decide.with_positions import ArrowRefutation
from longreach.theory.decide.without_positions import Refutation
from longreach.theory.program_class import LOCAL, PERIODIC_LOCAL


def flow_certificate(proof: Refutation) -> FlowCertificate:
    """The certificate that a language is outside C-RASP[∅].

    >>> from longreach.theory.decide.views import Convention
    >>> from longreach.theory.decide.without_positions import plain_analysis, refutation
    >>> proof = refutation(plain_analysis(from_expression("(aa)*")), Convention.LAST_LETTER, 100)
    >>> [weight.weight for weight in flow_certificate(proof).flows[0].weights]
    ['1/2', '-1/2']
    """
    alphabet = proof.automaton.alphabet
    return FlowCertificate(
        convention=proof.convention.value,
        automaton=automaton_table(proof.automaton),
        states=proof.states,
        classes=proof.classes,
        flows=tuple(
            StateFlow(
                first=first,
                second=second,
                weights=tuple(
                    EdgeWeight(state=state, letter=alphabet[letter], weight=weight)
                    for (state, letter), weight in weights.items()
                ),
            )
            for first, second, weights in proof.flows
        ),
        pair=proof.pair,
        letter=None if proof.letter is None else alphabet[proof.letter],
        words=FoolingWords(**asdict(proof.fooling)),
        prediction=_may_follow_both(proof),
    )


def _may_follow_both(proof: Refutation) -> bool:
    """Whether the letter of the pair begins, after both states, something that a word may go on with."""
    if proof.letter is None:
        return False
    live = proof.automaton.live
    return all(proof.automaton.transitions[state][proof.letter] in live for state in proof.pair)


def arrow_certificate(proof: ArrowRefutation, *, periodic: bool = True) -> SampledFlowCertificate:
    """The certificate that a language is outside C-RASP[periodic, local], or (not `periodic`)
    C-RASP[local].

    >>> from longreach.theory.decide.with_positions import decide_positional
    >>> proof = decide_positional(from_expression("b*(ab*ab*)*")).periodic_local.refutation
    >>> arrow_certificate(proof).objects
    (('a', 'a'),)
    """
    failure = proof.failure
    flows = flows_between_mates(failure.graph, failure.classes)
    arrows = _needed_arrows(failure, flows)
    place = {arrow: index for index, arrow in enumerate(arrows)}
    objects = {number: index for index, number in enumerate(proof.objects)}
    return SampledFlowCertificate(
        program_class=PERIODIC_LOCAL if periodic else LOCAL,
        automaton=automaton_table(proof.automaton),
        block=proof.block,
        objects=tuple(proof.objects.values()),
        arrows=tuple(
            ArrowDocument(
                source=objects[failure.arrows[arrow].source],
                target=objects[failure.arrows[arrow].target],
                word=proof.words[arrow],
            )
            for arrow in arrows
        ),
        vertices=tuple(Vertex(state=state, object=objects[number]) for state, number in failure.vertices),
        classes=tuple(
            tuple(v for v, c in enumerate(failure.classes) if c == k) for k in range(max(failure.classes) + 1)
        ),
        flows=tuple(
            VertexFlow(
                first=flow.first,
                second=flow.second,
                weights=tuple(
                    ArrowWeight(vertex=vertex, arrow=place[arrow], weight=str(weight))
                    for (vertex, arrow, _), weight in _weighted(failure, flow)
                ),
            )
            for flow in flows
        ),
        pair=failure.pair,
    )


def _weighted(failure: Failure, flow: Flow) -> Iterator[tuple[tuple[int, int, int], Fraction]]:
    return ((failure.graph.edges[edge], weight) for edge, weight in flow.weights.items())


def _needed_arrows(failure: Failure, flows: Iterable[Flow]) -> list[int]:
    """The arrows that the flows use, and enough others to go from every vertex to every other."""
    edges = failure.graph.edges
    needed = {arrow for flow in flows for (_, arrow, _), _ in _weighted(failure, flow)}
    for forward in (True, False):
        moves: dict[int, list[tuple[int, int]]] = {}
        for s, a, t in edges:
            moves.setdefault(s if forward else t, []).append((a, t if forward else s))
        seen = {0}
        queue = deque([0])
        while queue:
            # Arrows that are there anyway come first.
            for a, other in sorted(moves.get(queue.popleft(), []), key=lambda move: move[0] not in needed):
                if other not in seen:
                    seen.add(other)
                    queue.append(other)
                    needed.add(a)
    return sorted(needed)
