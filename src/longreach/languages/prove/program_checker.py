"""Checks program certificates: the program is read, measured and compared with the automaton anew."""

from __future__ import annotations

from longreach.crasp.program import parse
from longreach.errors import InputError
from longreach.languages.program_class import RELATIONS
from longreach.languages.prove.findings import Finding, Status
from longreach.languages.prove.language_certificates import END, AutomatonTable, ProgramCertificate
from longreach.languages.prove.predictor_checker import check_predictor
from longreach.languages.prove.rightness import LONGEST_WORD, rightness
from longreach.languages.regular.automaton import Automaton, minimal
from longreach.wording import counted

CHECKED_LENGTH = 14


def check_program(certificate: ProgramCertificate, expected: AutomatonTable | None) -> Finding:
    """Whether a program of the class accepts exactly the certificate's language, for all lengths."""
    try:
        automaton = automaton_of(certificate.automaton)
        core = parse(certificate.program, "program").core
    except (InputError, IndexError, ValueError) as error:
        return Finding.invalid(str(error))
    if expected is not None and not _same(automaton_of(expected), automaton):
        return Finding.invalid("the automaton is not that of the language in question")
    if certificate.convention != "last-letter":
        return Finding.claimed("a program is read at the last letter, not after it")
    if core.is_predictor != certificate.prediction:
        return Finding.invalid(f"the program is {'a predictor' if core.is_predictor else 'not a predictor'}")
    allowed = RELATIONS[certificate.program_class]
    beyond = [relation for relation in core.relations if relation not in allowed]
    if beyond:
        return Finding.invalid(
            f"the program uses {beyond[0]} relations, which {certificate.program_class} lacks"
        )
    if core.locality > certificate.window:
        back = counted(core.locality, "letter")
        return Finding.invalid(f"the program looks {back} back, beyond the window")
    if certificate.modulus < 1 or certificate.modulus % core.modulus:
        return Finding.invalid(f"the program's modulus {core.modulus} does not divide the certificate's")
    if set(core.alphabet) - ({END} if certificate.prediction else set()) != set(automaton.alphabet):
        return Finding.invalid("the alphabet of the program is not that of the language")
    if certificate.prediction:
        return check_predictor(core, automaton)
    known = rightness(core, automaton, CHECKED_LENGTH)
    if known.witness is not None:
        return Finding.invalid(f"the program is wrong on {shown(known.witness)}")
    if known.proved:
        return Finding(Status.VALID, "proved for all lengths")
    how = (
        f"tried on all words to length {known.length} and on {known.tried} random words "
        f"to length {LONGEST_WORD}: no difference"
    )
    return Finding(Status.NOT_PROVED, how, f"no proof for all lengths: {known.reason}")


def shown(word: tuple[str, ...]) -> str:
    """A word on one line; of a long one the beginning, and its length."""
    text = " ".join(word[:60]) or "ε"
    return text if len(word) <= 60 else f"{text} … ({len(word)} letters)"


def _same(left: Automaton, right: Automaton) -> bool:
    """Whether two automata accept the same language; the order of letters does not matter."""
    if set(left.alphabet) != set(right.alphabet):
        return False
    order = [right.letter_index[letter] for letter in left.alphabet]
    rows = [[row[place] for place in order] for row in right.transitions]
    return left == minimal(left.alphabet, rows, 0, right.accepting)


def automaton_of(table: AutomatonTable) -> Automaton:
    """The minimal automaton of a table; a ValueError says what is wrong with the table."""
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
