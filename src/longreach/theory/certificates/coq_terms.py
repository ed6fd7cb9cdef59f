"""Certificates as terms of the Coq development in `formal/`: an automaton, and what is said of it.

Whatever is written here, Coq checks it: what is proved in the end is about the automaton that stands in the
instance, and the rest of a certificate only helps to prove it.

Of a "yes" without positions Coq proves that some program accepts the language, the one of the construction;
not that the program of the certificate, which is shorter, does. Of a cascade it proves that some decoder with
attention to the last match, with as many layers as the certificate says, is right at every length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TypeAlias, TypeGuard

from longreach.theory.architectures.documents import (
    NOTHING,
    CascadeCertificate,
    CascadeLevel,
    MachineTable,
    StableGroupCertificate,
)
from longreach.theory.automata.automaton import minimal
from longreach.theory.automata.paths import Paths
from longreach.theory.certificates.check_no import live_states_of
from longreach.theory.certificates.documents import (
    AutomatonTable,
    FlowCertificate,
    ProgramCertificate,
    SampledFlowCertificate,
    StateFlow,
    VertexFlow,
)
from longreach.theory.certificates.tables import automaton_table
from longreach.theory.decide.views import Analysis, Convention
from longreach.theory.decide.without_positions import plain_analysis
from longreach.theory.program_class import EMPTY, LOCAL

Checkable: TypeAlias = FlowCertificate | SampledFlowCertificate | CascadeCertificate | StableGroupCertificate
"""The certificates that Coq can check, besides programs without positions."""

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

    >>> from longreach.theory.certificates.documents import AutomatonTable
    >>> table = AutomatonTable(alphabet=("a",), transitions=((1,), (0,)), accepting=(0,))
    >>> automaton_term(table)
    'Automaton 1 [[1]; [0]] [0]'
    """
    if isinstance(certificate, CascadeCertificate):
        return _cascade(certificate)
    if isinstance(certificate, StableGroupCertificate):
        return _stable_group(certificate)
    if isinstance(certificate, SampledFlowCertificate):
        return _with_positions(certificate)
    return _without_positions(certificate)


def _without_positions(certificate: FlowCertificate) -> Instance:
    table = certificate.automaton
    eos = certificate.convention == "end-of-sequence"
    flows = [
        _flow(each, [(edge.state, _letter(table, edge.letter)) for edge in each.weights])
        for each in certificate.flows
    ]
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
    flows = [_flow(each, [(edge.vertex, edge.arrow) for edge in each.weights]) for each in certificate.flows]
    first, second = certificate.pair
    if not all(0 <= vertex < len(vertices) for vertex in (0, first, second)):
        raise NotWritten("a vertex of the pair does not exist")
    ends = (vertices[first], vertices[second])
    if not 0 <= ends[0].object < len(certificate.objects):
        raise NotWritten("a vertex names no object")
    start = _together(table, 0).first(lambda places: places == (vertices[0].state,)) or ()
    pairs = _together(table, ends[0].state, ends[1].state)
    told = pairs.first(lambda pair: _is_told_apart(table, pair)) or ()
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


def _together(table: AutomatonTable, *states: int) -> Paths[tuple[int, ...], int]:
    """Words, as numbers of letters, that several states read at once."""

    def moves(places: tuple[int, ...]) -> Iterable[tuple[int, tuple[int, ...]]]:
        return enumerate(zip(*(_row(table, state) for state in places), strict=False))

    return Paths(states, moves)


def legal_difference(
    table: AutomatonTable, first: int, second: int
) -> tuple[tuple[int, ...], int | None] | None:
    """A word that may follow both states, and a letter that may follow it after exactly one (None: the end).

    >>> table = AutomatonTable(alphabet=("a",), transitions=((1,), (2,), (2,)), accepting=(1,))
    >>> legal_difference(table, 0, 1)
    ((), None)
    """
    live = live_states_of(table)

    def moves(pair: tuple[int, int]) -> list[tuple[int, tuple[int, int]]]:
        return list(enumerate(zip(_row(table, pair[0]), _row(table, pair[1]), strict=False)))

    paths = Paths(
        (first, second), lambda pair: ((letter, to) for letter, to in moves(pair) if live.issuperset(to))
    )
    for pair in paths:
        if _is_told_apart(table, pair):
            return paths.to(pair), None
        for letter, targets in moves(pair):
            if len(live.intersection(targets)) == 1 and not live.issuperset(targets):
                return paths.to(pair), letter
    return None


def _is_told_apart(table: AutomatonTable, pair: tuple[int, ...]) -> bool:
    return (pair[0] in table.accepting) != (pair[1] in table.accepting)


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
    return f"[{'; '.join(items)}]"


def _letter(table: AutomatonTable | MachineTable, token: str) -> int:
    """Its number; a token that is no letter has the number after those of all letters."""
    return table.alphabet.index(token) if token in table.alphabet else len(table.alphabet)


def _word(table: AutomatonTable | MachineTable, word: Sequence[str]) -> str:
    return nats(_letter(table, token) for token in word)


def _flow(flow: StateFlow | VertexFlow, edges: Sequence[tuple[int, int]]) -> str:
    """A flow with its weights multiplied by their common denominator."""
    fractions = [_fraction(edge.weight) for edge in flow.weights]
    scale = lcm(*(fraction.denominator for fraction in fractions))
    entries = (
        f"({nat(source)}, {nat(label)}, ({fraction * scale})%Z)"
        for (source, label), fraction in zip(edges, fractions, strict=True)
    )
    return f"Flow {nat(flow.first)} {nat(flow.second)} {scale}%Z {listed(entries)}"


def _fraction(text: str) -> Fraction:
    if re.fullmatch(r"[+-]?[0-9]{1,1000}(/0*[1-9][0-9]{0,999})?", text) is None:
        raise NotWritten(f"{text[:40]!r} is not a fraction")
    return Fraction(text)


# For Coq, whether attention to the last match is enough. Answers are numbers; 0 where nothing is asked.


def _machine(table: MachineTable) -> tuple[str, dict[str, int]]:
    """The automaton, and the numbers of its answers."""
    answers = dict.fromkeys((NOTHING, *table.outputs))
    numbers = {answer: number for number, answer in enumerate(answers)}
    rows, outputs = listed(map(nats, table.transitions)), nats(numbers[each] for each in table.outputs)
    moves = f"(Automaton {nat(len(table.alphabet))} {rows} [])"
    return f"Machine {moves} {outputs} {str(table.at_end).lower()}", numbers


def _cascade(certificate: CascadeCertificate) -> Instance:
    """States and events are written from the end, so levels and memories stand the last first."""
    machine, numbers = _machine(certificate.machine)
    if len(certificate.states) != len(certificate.answers):
        raise NotWritten("there is not one answer for each state")
    said = (
        f"({nats(reversed(state))}, {nat(numbers.get(answer, len(numbers)))})"
        for state, answer in zip(certificate.states, certificate.answers, strict=True)
    )
    levels = listed(map(_level, reversed(certificate.levels)))
    return Instance(
        automaton=machine,
        certificate=f"Cascade {nat(certificate.modulus)} {levels} {listed(said)} {nat(certificate.layers)}",
        check="check_cascade",
        sound="check_cascade_sound",
        claim=f"answered_in {nat(certificate.layers)}",
    )


def _level(level: CascadeLevel) -> str:
    if any(len(values) != len(level.events) for values in level.memories):
        raise NotWritten("a memory has not one value for each event")
    values = list(zip(*reversed(level.memories), strict=True)) or [()] * len(level.events)
    events = (f"({nats(reversed(e))}, {nats(v)})" for e, v in zip(level.events, values, strict=True))
    return f"Level {nat(len(level.memories))} {listed(events)}"


def _stable_group(certificate: StableGroupCertificate) -> Instance:
    table = certificate.machine
    first, second = certificate.pair
    return Instance(
        automaton=_machine(table)[0],
        certificate=(
            f"GroupCertificate {_word(table, certificate.before)} {_word(table, certificate.word)} "
            f"{nats(certificate.states)} {_word(table, certificate.steady)} {nat(first)} {nat(second)} "
            f"{_word(table, certificate.after)}"
        ),
        check="check_group",
        sound="check_group_sound",
        claim="never_answered",
    )


# For Coq, why a program without positions exists: potentials, round by round, for each component.


def is_plain_yes(certificate: object) -> TypeGuard[ProgramCertificate]:
    """Whether a certificate says that a language has a program without positions, read at the last letter."""
    return (
        isinstance(certificate, ProgramCertificate)
        and certificate.program_class == EMPTY
        and certificate.convention == "last-letter"
        and not certificate.prediction
    )


def yes_instance(certificate: ProgramCertificate) -> Instance:
    """The instance of such a certificate; the potentials are computed anew.

    >>> table = automaton_table(from_expression("a*b?"))
    >>> one = ProgramCertificate(program_class=EMPTY, automaton=table, program="")
    >>> yes_instance(one).certificate
    'YesCertificate [0; 1; 2] [[]; []; []]'
    """
    table = certificate.automaton
    automaton = minimal(table.alphabet, table.transitions, 0, table.accepting)
    if automaton_table(automaton) != table:
        raise NotWritten("the automaton is not minimal, or its states are numbered otherwise")
    analysis = plain_analysis(automaton)
    if not analysis.holds(Convention.LAST_LETTER):
        raise NotWritten("no potentials determine the next state")
    ranks = [0] * len(automaton)
    for rank, component in enumerate(analysis.components):
        for vertex in component.states:
            ranks[analysis.extended.states[vertex].state] = rank
    return Instance(
        automaton=automaton_term(table),
        certificate=f"YesCertificate {nats(ranks)} {_potentials(analysis, len(automaton))}",
        check="check_yes",
        sound="check_yes_sound",
        claim="some_program",
    )


def _potentials(analysis: Analysis, count: int) -> str:
    components = []
    for component in analysis.components:
        rounds = []
        for step in component.refinement.rounds:
            functions = []
            for potential in step.potentials:
                values = [0] * count
                for vertex, value in zip(component.states, potential.values, strict=True):
                    values[analysis.extended.states[vertex].state] = value
                functions.append(listed(f"({value})%Z" for value in values))
            rounds.append(listed(functions))
        components.append(listed(rounds))
    return listed(components)
