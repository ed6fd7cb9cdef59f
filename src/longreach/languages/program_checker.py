"""Checks program certificates: the program is read, measured and compared with the automaton anew."""

from __future__ import annotations

from longreach.crasp.equal import ProgramSide, compare
from longreach.crasp.parser import parse
from longreach.errors import InputError, MissingExtra
from longreach.languages.automaton import Automaton, minimal
from longreach.languages.certificates import END, AutomatonTable, ProgramCertificate
from longreach.languages.induction import prove
from longreach.languages.predictor_checker import check_predictor
from longreach.languages.sides import automaton_side

CHECKED_LENGTH = 14


def check_program(certificate: ProgramCertificate, expected: AutomatonTable | None) -> tuple[str | None, str]:
    """What is wrong with a program certificate (None: nothing), and how far it was checked."""
    try:
        automaton = _automaton(certificate.automaton)
        core = parse(certificate.program, "program").core
    except (InputError, IndexError, ValueError) as error:
        return str(error), ""
    if expected is not None and _automaton(expected) != automaton:
        return "the automaton is not that of the expected language", ""
    if core.is_predictor != certificate.prediction:
        return f"the program is {'a predictor' if core.is_predictor else 'not a predictor'}", ""
    allowed = {"C-RASP[∅]": (), "C-RASP[local]": ("local",)}.get(
        certificate.program_class, ("periodic", "local")
    )
    beyond = [relation for relation in core.relations if relation not in allowed]
    if beyond:
        return f"the program uses {beyond[0]} relations, which {certificate.program_class} lacks", ""
    if core.locality > certificate.window:
        return f"the program looks {core.locality} letters back, beyond the window", ""
    if certificate.modulus < 1 or certificate.modulus % core.modulus:
        return f"the program's modulus {core.modulus} does not divide the certificate's", ""
    if set(core.alphabet) - set(automaton.alphabet) - ({END} if certificate.prediction else set()):
        return "the program names tokens outside the alphabet", ""
    if certificate.prediction:
        return check_predictor(core, automaton)
    sides = ProgramSide(core, automaton.alphabet, length=CHECKED_LENGTH), automaton_side(automaton)
    found = compare(*sides, automaton.alphabet, CHECKED_LENGTH)
    if not found.equal:
        return f"the program is wrong on {' '.join(found.witness or ()) or 'ε'}", ""
    try:
        proved = prove(core, automaton).proved
    except MissingExtra:
        proved = False
    return None, "proved for all lengths" if proved else f"checked to length {found.length}"


def _automaton(table: AutomatonTable) -> Automaton:
    count = len(table.transitions)
    if not count:
        raise ValueError("the automaton has no states")
    if len(set(table.alphabet)) != len(table.alphabet):
        raise ValueError("a letter stands twice in the alphabet")
    if any(not 0 <= state < count for state in table.accepting):
        raise ValueError("an accepting state does not exist")
    for row in table.transitions:
        if len(row) != len(table.alphabet) or any(not 0 <= target < count for target in row):
            raise ValueError("the automaton is not complete")
    return minimal(table.alphabet, table.transitions, 0, table.accepting)
