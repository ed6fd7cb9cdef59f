"""For Coq, why a program without positions exists: potentials, round by round, for each component.

What Coq then proves is that some program accepts the language, the one of the construction; not that the
program of the certificate, which is shorter, does.
"""

from __future__ import annotations

from typing import TypeGuard

from longreach.languages.decide.extended_automaton import Analysis, Convention
from longreach.languages.decide.without_positions import plain_analysis
from longreach.languages.program_class import EMPTY
from longreach.languages.prove.coq_instance import Instance, NotWritten, automaton_term, listed, nats
from longreach.languages.prove.language_certificates import ProgramCertificate
from longreach.languages.regular.automaton import minimal
from longreach.languages.regular.automaton_documents import automaton_table


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

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
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
