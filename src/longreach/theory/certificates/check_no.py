"""The independent checker of certificates that say no, and what a check can find.

Only definitions are used, and nothing is shared with the code that finds certificates. Let a strongly
connected graph, a partition of its vertices and flows be given such that each flow sums to zero on the edges
of every (class, label) group and the flows connect the vertices of every class. Then by induction on the
depth no program can tell vertices of one class apart. Programs are checked elsewhere.

A flow certificate refutes prediction as well if its letter may follow both states of its pair and leads them
to different states. Let v be a word that is accepted after only one of the two, and y its longest beginning
that may follow both: after y the sets of legal next symbols differ, and up to there both words begin words of
the language. No program tells them apart, by the argument for membership.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from longreach.errors import InputError
from longreach.theory.certificates.documents import (
    AutomatonTable,
    Certificate,
    FlowCertificate,
    FoolingWords,
    NoCertificate,
    SampledFlowCertificate,
)
from longreach.theory.program_class import LOCAL


class Status(StrEnum):
    """The words of `longreach verify`."""

    VALID = "valid"
    """The statement holds for inputs of all lengths: about this task, alphabet, class and convention."""
    INVALID = "invalid"
    """The certificate does not prove the statement, or is refuted by an input."""
    NOT_PROVED = "not proved"
    """A program that no input refutes, among all short and many long ones, and that no proof confirms."""
    CHECKED = "checked to a length"
    """What can be counted or tried is as claimed, up to a length; nothing says that it goes on."""
    CLAIMED = "claimed, not checked"
    """There is nothing to check, or the task cannot be asked."""


@dataclass(frozen=True)
class Finding:
    """The outcome for one certificate.

    >>> Finding.invalid("the flows do not balance").valid
    False
    """

    status: Status
    how: str = ""
    """What was done."""
    problem: str | None = None
    """Why it is not valid; None if it is."""

    @property
    def valid(self) -> bool:
        return self.status is Status.VALID

    @staticmethod
    def invalid(problem: str) -> Finding:
        return Finding(Status.INVALID, "", problem)

    @staticmethod
    def claimed(problem: str) -> Finding:
        return Finding(Status.CLAIMED, "", problem)


BELIEVED = (Status.VALID, Status.CHECKED)
"""What a forecast says no for; `longreach verify` tells the two apart."""


# Flows


Edges = dict[tuple[int, int], int]
"""From (vertex, label) to vertex."""


class Rejected(Exception):
    """What is wrong with a certificate."""


def check_certificate(certificate: Certificate, expected: AutomatonTable | None = None) -> str | None:
    """What is wrong with a certificate, in one sentence; None if it proves what it claims.

    With `expected`, its automaton must accept the same language as that one.

    >>> from longreach.theory.certificates.documents import NoCertificate
    >>> check_certificate(NoCertificate(reason="undecided"))
    'this certificate proves nothing: undecided'
    """
    try:
        if isinstance(certificate, FlowCertificate):
            _check_automaton(certificate.automaton, expected)
            _check_flow(certificate)
            if certificate.prediction:
                return flow_prediction_problem(certificate)
        elif isinstance(certificate, SampledFlowCertificate):
            _check_automaton(certificate.automaton, expected)
            _check_sampled(certificate)
        elif certificate.kind == "none":
            return f"this certificate proves nothing: {certificate.reason}"
        else:
            raise InputError("a program is checked by running it, not by this checker")
    except Rejected as rejected:
        return str(rejected)
    return None


def check_flows(
    certificate: FlowCertificate | SampledFlowCertificate, expected: AutomatonTable | None = None
) -> Finding:
    """Check a certificate that carries flows."""
    problem = check_certificate(certificate, expected)
    how = "flows recomputed from the automaton"
    return Finding(Status.VALID, how) if problem is None else Finding.invalid(problem)


def check_nothing(certificate: NoCertificate, expected: AutomatonTable | None = None) -> Finding:
    """Where there is no certificate, nothing is proved."""
    return Finding.claimed(f"this certificate proves nothing: {certificate.reason}")


def require(condition: bool, message: str) -> None:
    if not condition:
        raise Rejected(message)


def _check_automaton(table: AutomatonTable, expected: AutomatonTable | None) -> None:
    count = len(table.transitions)
    require(count > 0, "the automaton has no states")
    require(len(table.alphabet) > 0, "the alphabet is empty")
    require(len(set(table.alphabet)) == len(table.alphabet), "a letter appears twice in the alphabet")
    for row in table.transitions:
        require(len(row) == len(table.alphabet), "the automaton is not complete")
        require(all(0 <= target < count for target in row), "a transition leads to no state")
    require(all(0 <= state < count for state in table.accepting), "an accepting state does not exist")
    reached = _closure(0, table.transitions)
    require(len(reached) == count, "the automaton has unreachable states")
    require(_distinct_behaviours(table) == count, "the automaton is not minimal")
    if expected is not None:
        require(_same_language(table, expected), "the automaton is not that of the language in question")


def _closure(start: int, moves: Sequence[Iterable[int]]) -> set[int]:
    seen = {start}
    stack = [start]
    while stack:
        for target in moves[stack.pop()]:
            if target not in seen:
                seen.add(target)
                stack.append(target)
    return seen


def _distinct_behaviours(table: AutomatonTable) -> int:
    kind: list[int] = [int(state in set(table.accepting)) for state in range(len(table.transitions))]
    while True:
        numbers: dict[tuple[int, ...], int] = {}
        finer = [
            numbers.setdefault((kind[state], *(kind[target] for target in row)), len(numbers))
            for state, row in enumerate(table.transitions)
        ]
        if len(numbers) == len(set(kind)):
            return len(numbers)
        kind = finer


def _same_language(left: AutomatonTable, right: AutomatonTable) -> bool:
    if set(left.alphabet) != set(right.alphabet) or len(left.alphabet) != len(right.alphabet):
        return False
    order = [right.alphabet.index(token) for token in left.alphabet]
    seen = {(0, 0)}
    stack = [(0, 0)]
    while stack:
        p, q = stack.pop()
        if (p in left.accepting) != (q in right.accepting):
            return False
        for a, b in enumerate(order):
            pair = (left.transitions[p][a], right.transitions[q][b])
            if pair not in seen:
                seen.add(pair)
                stack.append(pair)
    return True


def _check_flow(certificate: FlowCertificate) -> None:
    table = certificate.automaton
    inside = set(certificate.states)
    require(len(inside) == len(certificate.states), "a state of the component appears twice")
    require(inside <= set(range(len(table.transitions))), "a state of the component does not exist")
    edges = {
        (state, letter): target
        for state in inside
        for letter, target in enumerate(table.transitions[state])
        if target in inside
    }
    _check_connected(inside, edges)
    kind = _check_partition(certificate.classes, inside)
    flows = []
    for flow in certificate.flows:
        weights = []
        for weight in flow.weights:
            require(weight.letter in table.alphabet, f"{weight.letter!r} is not a letter")
            weights.append(((weight.state, table.alphabet.index(weight.letter)), weight.weight))
        flows.append((flow.first, flow.second, weights))
    _check_flows(flows, edges, kind)
    first, second = certificate.pair
    _check_pair(first, second, kind)
    if certificate.convention == "end-of-sequence":
        require(certificate.letter is None, "at the end of the sequence no letter follows")
    else:
        require(certificate.letter in table.alphabet, "the letter of the pair is not in the alphabet")
        letter = table.alphabet.index(certificate.letter or "")
        targets = {table.transitions[state][letter] for state in (first, second)}
        require(len(targets) == 2, "the letter leads from both states of the pair to the same state")
    _check_words(certificate.words, table, certificate.pair, certificate.letter)


def _check_sampled(certificate: SampledFlowCertificate) -> None:
    table, objects, block = certificate.automaton, certificate.objects, certificate.block
    local = certificate.program_class == LOCAL
    require(block is not None or local, "with periodic relations the block length is needed")
    require(block is None or block > 0, "the block length must be positive")
    for word in objects:
        require(
            len(word) > 0 and block in (None, len(word)), "an object word does not have the block's length"
        )
    for arrow in certificate.arrows:
        require(0 <= arrow.source < len(objects), "an arrow starts at no object")
        require(0 <= arrow.target < len(objects), "an arrow ends at no object")
        length = len(arrow.word)
        require(
            length > 0 and (block is None or length % block == 0), "the block does not divide an arrow word"
        )
    number: dict[tuple[int, int], int] = {}
    for vertex in certificate.vertices:
        require(0 <= vertex.state < len(table.transitions), "a vertex names no state")
        require(0 <= vertex.object < len(objects), "a vertex names no object")
        fixed = _run(table, objects[vertex.object], vertex.state)
        require(fixed == vertex.state, "an object word does not fix the state of a vertex")
        require((vertex.state, vertex.object) not in number, "a vertex appears twice")
        number[vertex.state, vertex.object] = len(number)
    edges: Edges = {}
    for index, vertex in enumerate(certificate.vertices):
        for label, arrow in enumerate(certificate.arrows):
            if arrow.source == vertex.object:
                state = _run(table, objects[arrow.target], _run(table, arrow.word, vertex.state))
                if (state, arrow.target) in number:
                    edges[index, label] = number[state, arrow.target]
    vertices = set(range(len(certificate.vertices)))
    _check_connected(vertices, edges)
    kind = _check_partition(certificate.classes, vertices)
    flows = [
        (flow.first, flow.second, [((weight.vertex, weight.arrow), weight.weight) for weight in flow.weights])
        for flow in certificate.flows
    ]
    _check_flows(flows, edges, kind)
    first, second = certificate.pair
    _check_pair(first, second, kind)
    ends = [certificate.vertices[v] for v in (first, second)]
    require(ends[0].object == ends[1].object, "the pair does not follow the same object word")
    require(ends[0].state != ends[1].state, "the pair is one state")


def _run(table: AutomatonTable, word: Iterable[str], state: int) -> int:
    for token in word:
        require(token in table.alphabet, f"{token!r} is not a letter")
        state = table.transitions[state][table.alphabet.index(token)]
    return state


def _check_connected(vertices: set[int], edges: Edges) -> None:
    require(len(vertices) > 0, "the component is empty")
    size = max(vertices) + 1
    forward: list[list[int]] = [[] for _ in range(size)]
    backward: list[list[int]] = [[] for _ in range(size)]
    for (source, _), target in edges.items():
        forward[source].append(target)
        backward[target].append(source)
    start = min(vertices)
    for moves in (forward, backward):
        require(_closure(start, moves) == vertices, "the component is not strongly connected")


def _check_partition(classes: Sequence[Sequence[int]], vertices: set[int]) -> dict[int, int]:
    kind: dict[int, int] = {}
    for number, members in enumerate(classes):
        for vertex in members:
            require(vertex not in kind, "the classes overlap")
            kind[vertex] = number
    require(set(kind) == vertices, "the classes do not cover the component")
    return kind


def _check_flows(
    flows: list[tuple[int, int, list[tuple[tuple[int, int], str]]]], edges: Edges, kind: dict[int, int]
) -> None:
    joined = {vertex: {vertex} for vertex in kind}
    for first, second, weights in flows:
        require(first in kind and second in kind, "a flow joins vertices outside the component")
        outflow = dict.fromkeys(kind, Fraction(0))
        group: dict[tuple[int, int], Fraction] = {}
        used = set()
        for edge, text in weights:
            require(edge in edges, "a flow uses an edge outside the component")
            require(edge not in used, "a flow gives an edge two weights")
            used.add(edge)
            weight = _fraction(text)
            outflow[edge[0]] += weight
            outflow[edges[edge]] -= weight
            key = (kind[edge[0]], edge[1])
            group[key] = group.get(key, Fraction(0)) + weight
        require(not any(group.values()), "a flow is not balanced on some group of edges")
        outflow[first] -= 1
        outflow[second] += 1
        require(not any(outflow.values()), "a flow does not lead from its first to its second vertex")
        if joined[first] is not joined[second]:
            union = joined[first] | joined[second]
            for vertex in union:
                joined[vertex] = union
    for members in _by_class(kind):
        require(joined[members[0]] >= set(members), "the flows do not connect all vertices of a class")


def _by_class(kind: dict[int, int]) -> list[list[int]]:
    members: dict[int, list[int]] = {}
    for vertex, number in kind.items():
        members.setdefault(number, []).append(vertex)
    return list(members.values())


def _fraction(text: str) -> Fraction:
    # `Fraction` alone would also read 1e999999999, and spend its life on it.
    if re.fullmatch(r"[+-]?[0-9]{1,1000}(/0*[1-9][0-9]{0,999})?", text) is None:
        raise Rejected(f"{text[:40]!r} is not a fraction")
    return Fraction(text)


def _check_pair(first: int, second: int, kind: dict[int, int]) -> None:
    require(first in kind and second in kind, "the pair lies outside the component")
    require(first != second, "the pair is one vertex")
    require(kind[first] == kind[second], "the pair is not in one class")


def _check_words(
    words: FoolingWords, table: AutomatonTable, pair: tuple[int, int], letter: str | None
) -> None:
    base = _run(table, words.before, 0)
    for loop in words.loops:
        require(len(loop) > 0 and _run(table, loop, base) == base, "a loop of the words does not return")
    require(letter is None or words.after[:1] == (letter,), "the words do not continue with the letter")
    reached = tuple(_run(table, part, base) for part in (words.first, words.second))
    require(reached == pair, "the words do not lead to the pair")
    answers = {_run(table, words.after, state) in table.accepting for state in reached}
    require(len(answers) == 2, "the two words do not differ in the language")


# Prediction on prefixes


def live_states_of(table: AutomatonTable) -> set[int]:
    """The states from which an accepting one can be reached.

    >>> table = AutomatonTable(alphabet=("a",), transitions=((1,), (2,), (2,)), accepting=(1,))
    >>> sorted(live_states_of(table))
    [0, 1]
    """
    live = set(table.accepting)
    while True:
        more = {q for q, row in enumerate(table.transitions) if q not in live and not live.isdisjoint(row)}
        if not more:
            return live
        live |= more


def flow_prediction_problem(certificate: FlowCertificate) -> str | None:
    """Why a flow certificate that is valid for membership does not refute prediction on prefixes as well."""
    table = certificate.automaton
    if certificate.letter not in table.alphabet:
        return "without a letter nothing is said of prediction"
    letter = table.alphabet.index(certificate.letter)
    targets = {table.transitions[state][letter] for state in certificate.pair}
    if len(targets) != 2:
        return "the letter leads from both states of the pair to the same state"
    if not targets | set(certificate.states) <= live_states_of(table):
        return "the letter may not follow both states of the pair, so prediction is not refuted"
    return None
