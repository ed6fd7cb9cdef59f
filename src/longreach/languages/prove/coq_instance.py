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

from longreach.languages.prove.language_certificates import AutomatonTable, FlowCertificate

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


def instance_of(certificate: FlowCertificate) -> Instance:
    """The instance of a certificate.

    >>> from longreach.languages.prove.language_certificates import AutomatonTable
    >>> table = AutomatonTable(alphabet=("a",), transitions=((1,), (0,)), accepting=(0,))
    >>> automaton_term(table)
    'Automaton 1 [[1]; [0]] [0]'
    """
    table = certificate.automaton
    eos = certificate.convention == "end-of-sequence"
    flows = []
    for flow in certificate.flows:
        edges = [(nat(edge.state), nat(_letter(table, edge.letter))) for edge in flow.weights]
        flows.append(_flow(flow.first, flow.second, edges, [edge.weight for edge in flow.weights]))
    first, second = certificate.pair
    words = certificate.words
    return Instance(
        automaton=automaton_term(table),
        certificate=(
            f"Certificate {nats(certificate.states)} {_list(map(nats, certificate.classes))} {_list(flows)} "
            f"{nat(first)} {nat(second)} {_word(table, words.before)} {_word(table, words.after)}"
        ),
        check="check_eos" if eos else "check_last_letter",
        sound="check_eos_sound" if eos else "check_last_letter_sound",
        claim="no_program_eos" if eos else "no_program",
    )


def automaton_term(table: AutomatonTable) -> str:
    rows = _list(map(nats, table.transitions))
    return f"Automaton {nat(len(table.alphabet))} {rows} {nats(table.accepting)}"


def nat(number: int) -> str:
    """A natural number."""
    if not 0 <= number <= LARGEST:
        raise NotWritten(f"{number} is not a number from 0 to {LARGEST}")
    return str(number)


def nats(numbers: Iterable[int]) -> str:
    return _list(map(nat, numbers))


def _list(items: Iterable[str]) -> str:
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
    return f"Flow {nat(first)} {nat(second)} {scale}%Z {_list(entries)}"


def _fraction(text: str) -> Fraction:
    if re.fullmatch(r"[+-]?[0-9]{1,1000}(/0*[1-9][0-9]{0,999})?", text) is None:
        raise NotWritten(f"{text[:40]!r} is not a fraction")
    return Fraction(text)
