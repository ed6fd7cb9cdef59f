"""The checker of certificates that say yes with a program."""

from __future__ import annotations

from collections.abc import Mapping, Set

import numpy as np
import numpy.typing as npt

from longreach import wording
from longreach.errors import InputError, MissingExtra
from longreach.theory.automata.automaton import Automaton, IntArray, minimal
from longreach.theory.certificates.check_no import Finding, Status, live_states_of
from longreach.theory.certificates.documents import AutomatonTable, ProgramCertificate
from longreach.theory.certificates.tables import automaton_of, automaton_table, same_language
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.evaluate import Kernel, State, at_empty_word
from longreach.theory.crasp.program import parse
from longreach.theory.crasp.words import Encoder
from longreach.theory.names import END
from longreach.theory.program_class import RELATIONS
from longreach.theory.prove.induction import LONGEST_WORD, prove_announcer, rightness
from longreach.wording import counted


def check_program(certificate: ProgramCertificate, expected: AutomatonTable | None) -> Finding:
    """Whether a program of the class accepts exactly the certificate's language, for all lengths."""
    try:
        automaton = automaton_of(certificate.automaton)
        core = parse(certificate.program, "program").core
    except (InputError, IndexError, ValueError) as error:
        return Finding.invalid(str(error))
    if expected is not None and not same_language(automaton_of(expected), automaton):
        return Finding.invalid("the automaton is not that of the language in question")
    if certificate.convention != "last-letter":
        # Read after the last letter: the program reads the word and then EOS.
        if certificate.prediction or END in automaton.alphabet:
            return Finding.invalid(f"nothing is predicted after {END}, which is not a letter")
        automaton = ended(automaton)
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


def ended(automaton: Automaton) -> Automaton:
    """The words of the language with EOS behind them."""
    ends, dead = len(automaton), len(automaton) + 1
    table = [
        [*row, ends if q in automaton.accepting else dead] for q, row in enumerate(automaton.transitions)
    ]
    nothing = [dead] * (len(automaton.alphabet) + 1)
    return minimal((*automaton.alphabet, END), [*table, nothing, nothing], 0, {ends})


def shown(word: tuple[str, ...]) -> str:
    """A word on one line; of a long one the beginning, and its length."""
    text = wording.word(word, 60)
    return text if len(word) <= 60 else f"{text} ({len(word)} letters)"


# Prediction on prefixes


BoolArray = npt.NDArray[np.bool_]
CHECKED_LENGTH = 14
MOST_WORDS = 4_000


def check_predictor(core: Core, automaton: Automaton) -> Finding:
    """Whether a program predicts, after every prefix of a word of the language, what may follow.

    >>> last = parse('#alphabet a b EOS\\noutput "a" = true\\noutput "b" = !"b"\\noutput "EOS" = true').core
    >>> check_predictor(last, from_expression("(a|ba)*b?")).how
    'proved for all lengths'
    >>> check_predictor(last, from_expression("(a|b)*")).problem
    'after b it predicts a EOS, not a b EOS'
    """
    if {token for token, _ in core.outputs} != {*automaton.alphabet, END}:
        return Finding.invalid("the program does not predict the letters and EOS")
    return check_announcer(core, automaton, legal_symbols(automaton))


def legal_symbols(automaton: Automaton) -> dict[str, Set[int]]:
    """For each letter, and for the end, the states at which it may come next."""
    live = live_states_of(automaton_table(automaton))
    letters: dict[str, Set[int]] = {
        token: {q for q, row in enumerate(automaton.transitions) if row[letter] in live}
        for letter, token in enumerate(automaton.alphabet)
    }
    return letters | {END: automaton.accepting}


def check_announcer(core: Core, automaton: Automaton, labels: Mapping[str, Set[int]]) -> Finding:
    """Whether a program says, after every prefix of a word of the language, the labels of the state.

    >>> last = parse('#alphabet a b q0 q1\\noutput "q0" = !"a"\\noutput "q1" = "a"').core
    >>> check_announcer(last, from_expression("(ab)*"), {"q0": {0}, "q1": {1}}).how
    'proved for all lengths'
    """
    wrong, length = wrong_after(core, automaton, labels)
    if wrong is not None:
        return Finding.invalid(wrong)
    try:
        found = prove_announcer(core, automaton, labels)
    except MissingExtra as missing:
        return _not_proved(length, str(missing))
    if found.witness is not None:
        return Finding.invalid(f"it is wrong after {wording.word(found.witness)}")
    return (
        Finding(Status.VALID, "proved for all lengths") if found.proved else _not_proved(length, found.reason)
    )


def _not_proved(length: int, reason: str) -> Finding:
    how = f"tried on all prefixes to length {length}: no difference"
    return Finding(Status.NOT_PROVED, how, f"no proof for all lengths: {reason}")


def wrong_after(
    core: Core, automaton: Automaton, labels: Mapping[str, Set[int]], length: int = CHECKED_LENGTH
) -> tuple[str | None, int]:
    """The first prefix of a word after which a program predicts something else, in words, and the length up
    to which all prefixes were tried."""
    live = live_states_of(automaton_table(automaton))
    if 0 not in live:
        return None, length
    symbols = tuple(labels)
    legal = np.array([[q in labels[symbol] for symbol in symbols] for q in range(len(automaton))])
    roots = [dict(core.outputs)[symbol] for symbol in symbols]
    empty = at_empty_word(core)
    first = np.array([bool(empty[root]) for root in roots])
    if (first != legal[0]).any():
        return _message((), first, legal[0], symbols), 0
    codes = np.array(Encoder(core).tokens(automaton.alphabet), dtype=np.uint32)
    groups, length = _prefixes(automaton, live, length)
    for letters in groups:
        values = Kernel(core, roots).advance(State(), codes[letters])
        said = np.stack([np.broadcast_to(values[root], letters.shape) for root in roots], axis=-1)
        state = np.zeros(len(letters), dtype=np.int64)
        for place in range(letters.shape[1]):
            state = automaton.table[state, letters[:, place]]
            wrong = np.flatnonzero((said[:, place] != legal[state]).any(axis=1))
            if len(wrong):
                word = tuple(automaton.alphabet[a] for a in letters[wrong[0], : place + 1])
                return _message(word, said[wrong[0], place], legal[state[wrong[0]]], symbols), place
    return None, length


def _message(word: tuple[str, ...], said: BoolArray, right: BoolArray, symbols: tuple[str, ...]) -> str:
    shown, wanted = (
        " ".join(symbol for symbol, good in zip(symbols, each, strict=True) if good) for each in (said, right)
    )
    return f"after {wording.word(word)} it predicts {shown or 'nothing'}, not {wanted}"


def _prefixes(automaton: Automaton, live: set[int], length: int) -> tuple[list[IntArray], int]:
    """Words, by their lengths, whose beginnings are all prefixes up to a length: as far as there are not too
    many. Letters are places in the alphabet."""
    alive = np.isin(np.arange(len(automaton)), list(live))
    words, state = np.zeros((1, 0), dtype=np.int64), np.zeros(1, dtype=np.int64)
    groups: list[IntArray] = []
    for reached in range(length):
        row, letter = np.nonzero(alive[automaton.table[state]])
        if len(row) + sum(map(len, groups)) > MOST_WORDS:
            length = reached
            break
        groups.append(words[~np.isin(np.arange(len(words)), row)])  # nothing may follow
        words = np.concatenate([words[row], letter[:, None]], axis=1)
        state = automaton.table[state[row], letter]
    return [group for group in (*groups, words) if group.size], length
