"""Certificates as terms of the Coq development in `formal/`: an automaton, and why it has no program.

Whatever is written here, Coq checks it: what is proved in the end is about the automaton that stands in the
instance, and the rest of a certificate only helps to prove it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TypeAlias

from longreach.languages.program_class import LOCAL
from longreach.languages.prove.language_certificates import (
    AutomatonTable,
    FlowCertificate,
    SampledFlowCertificate,
)
from longreach.languages.prove.prediction_checker import live_states_of

Checkable: TypeAlias = FlowCertificate | SampledFlowCertificate
"""The certificates that Coq can check."""

LARGEST = 5000
"""Numbers of states and letters in Coq are counted in ones."""


class NotWritten(ValueError):
    """Why a certificate cannot be written for Coq."""


@dataclass(frozen=True, kw_only=True)
class Instance:
    """One certificate for Coq."""

    automaton: str
    certificate: str
    check: str
    """The function that checks it."""
    sound: str
    """The theorem that the check is right."""
    claim: str
    """What follows for the automaton."""


def instance_of(certificate: Checkable) -> Instance:
    """The instance of a certificate.

    >>> from longreach.languages.prove.language_certificates import AutomatonTable
    >>> table = AutomatonTable(alphabet=("a",), transitions=((1,), (0,)), accepting=(0,))
    >>> automaton_term(table)
    'Automaton 1 [[1]; [0]] [0]'
    """
    if isinstance(certificate, SampledFlowCertificate):
        return _with_positions(certificate)
    return _without_positions(certificate)


def _without_positions(certificate: FlowCertificate) -> Instance:
    table = certificate.automaton
    eos = certificate.convention == "end-of-sequence"
    flows = []
    for flow in certificate.flows:
        edges = [(nat(edge.state), nat(_letter(table, edge.letter))) for edge in flow.weights]
        flows.append(_flow(flow.first, flow.second, edges, [edge.weight for edge in flow.weights]))
    first, second = certificate.pair
    words = certificate.words
    theorem = ("check_eos", "no_program_eos") if eos else ("check_last_letter", "no_program")
    hint = ""
    if certificate.prediction and not eos and certificate.letter is not None:
        hint = _prediction_hint(table, certificate.pair, (_letter(table, certificate.letter),))
        theorem = ("check_both", "no_program_nor_predictor")
    return Instance(
        automaton=automaton_term(table),
        certificate=(
            f"Certificate {nats(certificate.states)} {listed(map(nats, certificate.classes))} "
            f"{listed(flows)} {nat(first)} {nat(second)} "
            f"{_word(table, words.before)} {_word(table, words.after)}"
        ),
        check=f"{theorem[0]}{hint}",
        sound=f"{theorem[0]}_sound{hint}",
        claim=theorem[1],
    )


def _with_positions(certificate: SampledFlowCertificate) -> Instance:
    table, vertices = certificate.automaton, certificate.vertices
    periodic = "false" if certificate.program_class == LOCAL else "true"
    block = "None" if certificate.block is None else f"(Some {nat(certificate.block)})"
    arrows = (
        f"Arrow {nat(each.source)} {nat(each.target)} {_word(table, each.word)}"
        for each in certificate.arrows
    )
    flows = []
    for flow in certificate.flows:
        edges = [(nat(edge.vertex), nat(edge.arrow)) for edge in flow.weights]
        flows.append(_flow(flow.first, flow.second, edges, [edge.weight for edge in flow.weights]))
    first, second = certificate.pair
    if not all(0 <= vertex < len(vertices) for vertex in (0, first, second)):
        raise NotWritten("a vertex of the pair does not exist")
    ends = (vertices[first], vertices[second])
    if not 0 <= ends[0].object < len(certificate.objects):
        raise NotWritten("a vertex names no object")
    start = shortest_words(table, 0).get(vertices[0].state, ())
    told = distinguishing(table, ends[0].state, ends[1].state) or ()
    hiding = tuple(_letter(table, token) for token in certificate.objects[ends[0].object])
    hint = _prediction_hint(table, (ends[0].state, ends[1].state), hiding)
    return Instance(
        automaton=automaton_term(table),
        certificate=(
            f"ArrowCertificate {block} {listed(_word(table, word) for word in certificate.objects)} "
            f"{listed(arrows)} {listed(f'({nat(v.state)}, {nat(v.object)})' for v in vertices)} "
            f"{listed(map(nats, certificate.classes))} {listed(flows)} {nat(first)} {nat(second)} "
            f"{nats(start)} {nats((*hiding, *told))}"
        ),
        check=f"check_both_with {periodic}{hint}",
        sound=f"check_both_with_sound {periodic}{hint}",
        claim=f"no_program_nor_predictor_with {periodic}",
    )


def shortest_words(table: AutomatonTable, state: int) -> dict[int, tuple[int, ...]]:
    """A word of letters' numbers to each state that can be reached.

    >>> table = AutomatonTable(alphabet=("a",), transitions=((1,), (0,)), accepting=(0,))
    >>> shortest_words(table, 0)
    {0: (), 1: (0,)}
    """
    found: dict[int, tuple[int, ...]] = {state: ()}
    queue = [state]
    for source in queue:
        for letter, target in enumerate(_row(table, source)):
            if target not in found:
                found[target] = (*found[source], letter)
                queue.append(target)
    return found


def distinguishing(table: AutomatonTable, first: int, second: int) -> tuple[int, ...] | None:
    """A word that is accepted from exactly one of two states.

    >>> table = AutomatonTable(alphabet=("a",), transitions=((1,), (2,), (2,)), accepting=(2,))
    >>> distinguishing(table, 0, 1), distinguishing(table, 1, 1)
    ((0,), None)
    """
    found: dict[tuple[int, int], tuple[int, ...]] = {(first, second): ()}
    queue = [(first, second)]
    for pair in queue:
        if (pair[0] in table.accepting) != (pair[1] in table.accepting):
            return found[pair]
        for letter, targets in enumerate(zip(_row(table, pair[0]), _row(table, pair[1]), strict=False)):
            if targets not in found:
                found[targets] = (*found[pair], letter)
                queue.append(targets)
    return None


def legal_difference(
    table: AutomatonTable, first: int, second: int
) -> tuple[tuple[int, ...], int | None] | None:
    """A word that may follow both states, and a letter that may follow it after exactly one (None: the end).

    >>> table = AutomatonTable(alphabet=("a",), transitions=((1,), (2,), (2,)), accepting=(1,))
    >>> legal_difference(table, 0, 1)
    ((), None)
    """
    live = live_states_of(table)
    found: dict[tuple[int, int], tuple[int, ...]] = {(first, second): ()}
    queue = [(first, second)]
    for pair in queue:
        if (pair[0] in table.accepting) != (pair[1] in table.accepting):
            return found[pair], None
        for letter, targets in enumerate(zip(_row(table, pair[0]), _row(table, pair[1]), strict=False)):
            legal = [target in live for target in targets]
            if legal[0] != legal[1]:
                return found[pair], letter
            if legal[0] and targets not in found:
                found[targets] = (*found[pair], letter)
                queue.append(targets)
    return None


def _prediction_hint(table: AutomatonTable, pair: tuple[int, int], tail: tuple[int, ...]) -> str:
    """The tail, continued until different symbols may follow, and such a symbol."""
    ends = []
    for state in pair:
        for letter in tail:
            row = _row(table, state)
            if letter >= len(row):
                raise NotWritten("the pair has no successor")
            state = row[letter]
        ends.append(state)
    found = legal_difference(table, ends[0], ends[1])
    if found is None:
        raise NotWritten("the same symbols may follow the pair for ever")
    word, symbol = found
    return f" {nats((*tail, *word))} {'None' if symbol is None else f'(Some {nat(symbol)})'}"


def _row(table: AutomatonTable, state: int) -> tuple[int, ...]:
    return table.transitions[state] if 0 <= state < len(table.transitions) else ()


def automaton_term(table: AutomatonTable) -> str:
    rows = listed(map(nats, table.transitions))
    return f"Automaton {nat(len(table.alphabet))} {rows} {nats(table.accepting)}"


def nat(number: int) -> str:
    """A natural number."""
    if not 0 <= number <= LARGEST:
        raise NotWritten(f"{number} is not a number from 0 to {LARGEST}")
    return str(number)


def nats(numbers: Iterable[int]) -> str:
    return listed(map(nat, numbers))


def listed(items: Iterable[str]) -> str:
    """A list of terms."""
    return f"[{'; '.join(items)}]"


def _letter(table: AutomatonTable, token: str) -> int:
    """Its number; a token that is no letter has the number after those of all letters."""
    return table.alphabet.index(token) if token in table.alphabet else len(table.alphabet)


def _word(table: AutomatonTable, word: Sequence[str]) -> str:
    return nats(_letter(table, token) for token in word)


def _flow(first: int, second: int, edges: Sequence[tuple[str, str]], weights: Sequence[str]) -> str:
    """A flow with its weights multiplied by their common denominator."""
    fractions = [_fraction(text) for text in weights]
    scale = lcm(*(fraction.denominator for fraction in fractions))
    entries = (
        f"({source}, {label}, ({fraction * scale})%Z)"
        for (source, label), fraction in zip(edges, fractions, strict=True)
    )
    return f"Flow {nat(first)} {nat(second)} {scale}%Z {listed(entries)}"


def _fraction(text: str) -> Fraction:
    if re.fullmatch(r"[+-]?[0-9]{1,1000}(/0*[1-9][0-9]{0,999})?", text) is None:
        raise NotWritten(f"{text[:40]!r} is not a fraction")
    return Fraction(text)
