"""Do two programs agree on all words, and what is a program's automaton?

All words up to a length are compared (`crasp.compare`). Beyond it, programs whose counters read no other
counter are decided exactly (`first_difference`); for others a proof by induction is tried, which may fail:
whether two programs with nested counts agree is undecidable. Then nothing is known beyond the length.

A program's automaton is learned from its answers on short words and then proved right for words of every
length; without a proof there is no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from longreach.errors import InputError, MissingExtra
from longreach.theory.automata.automaton import Automaton, LabelledAutomaton, Word, minimal
from longreach.theory.automata.learn import ObservationTable
from longreach.theory.automata.samples import short_words
from longreach.theory.budget import DEFAULT_BUDGET, Budget, OverBudget
from longreach.theory.crasp import core as c
from longreach.theory.crasp.compare import (
    MAX_STATES,
    Comparison,
    ProgramSide,
    common_alphabet,
    compare,
)
from longreach.theory.crasp.compare import equal as equal_up_to
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.evaluate import accepts
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.transform import symmetric_difference, union
from longreach.theory.crasp.words import Encoder
from longreach.theory.prove.first_difference import Decision, first_difference
from longreach.theory.prove.induction import Induction, prove
from longreach.theory.prove.step import automaton_side

# The automaton of a program's language, where the language is found to be regular.


MOST_GUESSED_STATES = 40
FIRST_TESTS = 40
"""Suffixes that tell states apart at first: all up to some length, at most so many."""
COMPARED_LENGTH = 9
FEW_LETTERS = 5
LARGEST_PROGRAM = 10_000
"""Operations times letters, for an answer in a moment."""


def regular_language(core: Core) -> Automaton | None:
    """The automaton of what an acceptor accepts; None if none was found, or none could be proved.

    >>> from longreach.theory.crasp.library import load
    >>> len(regular_language(load("tomita-4").core)), regular_language(load("dyck-1").core)
    (4, None)
    """
    if core.is_predictor or core.size * len(core.alphabet) > LARGEST_PROGRAM:
        return None
    length = COMPARED_LENGTH if len(core.alphabet) <= FEW_LETTERS else FEW_LETTERS
    encoder = Encoder(core)

    def answers(words: Sequence[Word]) -> Iterator[str]:
        return map(str, accepts(core, [encoder.tokens(word) for word in words]))

    def wrong(guess: LabelledAutomaton) -> Word | None:
        side = automaton_side(guess.language("True"))
        return compare(ProgramSide(core, core.alphabet, length=length), side, core.alphabet, length).witness

    suffixes = short_words(core.alphabet, FIRST_TESTS, longest=FIRST_TESTS)[1]
    table = ObservationTable(answers, core.alphabet, MOST_GUESSED_STATES, suffixes)
    try:
        guessed = table.learn(wrong).language("True")
    except OverBudget:
        return None
    return guessed if _proved(core, guessed) else None


def _proved(core: Core, automaton: Automaton) -> bool:
    try:
        return prove(core, automaton).proved
    except MissingExtra:
        return False


# Do two programs agree on all words, and does a program accept any word: by search, and for all lengths.


SMALL = 400
"""Operations times letters up to which the automaton of a program is looked for."""
Attempt = Callable[[], Induction | None]


@dataclass(frozen=True)
class Equivalence:
    """A comparison, what is known beyond its length, and why no more is known."""

    comparison: Comparison
    """`proof` says whether it holds for all lengths; a witness may be longer than `length`."""
    reason: str = ""
    """Why nothing is known beyond the length; empty if all is known."""
    shortest: int | None = None
    """The length of the shortest words on which the two differ, where it is known."""


def equivalent(
    left: Core,
    right: Core,
    length: int,
    budget: Budget = DEFAULT_BUDGET,
    max_states: int = MAX_STATES,
) -> Equivalence:
    """Whether two programs agree, on all words up to `length` and, where that can be known, on all words.

    >>> left, right = parse('P = # "a" >= # "b"').core, parse('P = # "b" - # "a" <= 0').core
    >>> equivalent(left, right, 3).comparison.proof
    'proved'
    >>> more = parse('P = # "a" >= # "b" && # "b" != 40').core
    >>> equivalent(left, more, 3).shortest
    80
    """
    found = equal_up_to(left, right, length, max_states=max_states)
    if not found.equal or found.proof == "proved":
        return Equivalence(found, shortest=None if found.witness is None else len(found.witness))
    letters = common_alphabet(left, right)
    differing = replace(simplify(_differing(left, right)), alphabet=letters)
    nothing = empty_language(letters)
    budget = budget.running()  # one time for all attempts
    # Where words alone are too many to compare, so are the runs from which facts are guessed.
    attempts: list[Attempt] = [partial(prove, differing, nothing, budget=budget)] * found.complete
    if not left.is_predictor and found.complete and (left.size + right.size) * len(letters) <= SMALL:
        attempts.append(partial(_by_automaton, left, right, letters, budget))
        attempts.append(partial(_by_automaton, right, left, letters, budget))
    return _beyond(found, differing, nothing, attempts, budget)


def accepts_nothing(core: Core, length: int, budget: Budget = DEFAULT_BUDGET) -> Equivalence:
    """Whether a program accepts no word; a witness is the first word that it accepts.

    >>> found = accepts_nothing(parse('P = # "a" > # "b" && # "b" > # "a"').core, 5)
    >>> found.comparison.equal, found.comparison.proof
    (True, 'proved')
    """
    if core.is_predictor:
        raise InputError("the program is a predictor: it accepts no words, nor refuses any")
    return equivalent(core, _never(core), length, budget)


def agrees_with(
    core: Core, automaton: Automaton, found: Comparison, budget: Budget = DEFAULT_BUDGET
) -> Equivalence:
    """Whether a program accepts an automaton's language, after both agreed on all words up to a length.

    >>> from longreach.theory.crasp.library import load
    >>> agreed = Comparison(True, 12, None)
    >>> agrees_with(load("d-2").core, from_expression("(a(ab)*b)*"), agreed).comparison.proof
    'proved'
    """
    budget = budget.running()
    return _beyond(found, core, automaton, [partial(prove, core, automaton, budget=budget)], budget)


def empty_language(letters: tuple[str, ...]) -> Automaton:
    """The automaton that accepts nothing.

    >>> empty_language(("a", "b")).accepts("ab")
    False
    """
    return minimal(letters, [[0] * len(letters)], 0, ())


def _differing(left: Core, right: Core) -> Core:
    """The program of the words on which two programs give different answers."""
    if left.accept is not None:
        return symmetric_difference(left, right)
    symbols = dict.fromkeys(symbol for core in (left, right) for symbol, _ in core.outputs)
    pairs = [symmetric_difference(_says(left, symbol), _says(right, symbol)) for symbol in symbols]
    return union(*pairs)


def _says(core: Core, symbol: str) -> Core:
    """The program of the words after which a predictor predicts the token."""
    root = dict(core.outputs).get(symbol)
    if root is None:
        return _never(core)
    return replace(core, accept=root, outputs=(), names=())


def _never(core: Core) -> Core:
    """Over the same alphabet, the program that accepts nothing."""
    return Core((c.Top(), c.Not(0)), core.alphabet, core.closed, 1)


def _beyond(
    found: Comparison, core: Core, automaton: Automaton, attempts: list[Attempt], budget: Budget
) -> Equivalence:
    """What is known for all lengths, after all words up to a length have been compared."""
    try:
        decision = first_difference(core, automaton, budget)
        reasons = [decision.reason]
        if decision.equal is not None:
            return _decided(found, decision)
        for attempt in _outcomes(attempts):
            if attempt.proved:
                return Equivalence(replace(found, proof="proved", complete=True))
            if attempt.witness is not None:
                return _differs(found, core, automaton, attempt.witness)
            reasons.append(attempt.reason)
    except MissingExtra as missing:
        return Equivalence(found, missing.message)
    return Equivalence(found, "; ".join(dict.fromkeys(reasons)))


def _outcomes(attempts: list[Attempt]) -> Iterator[Induction]:
    for attempt in attempts:
        outcome = attempt()
        if outcome is not None:
            yield outcome


def _by_automaton(one: Core, other: Core, letters: tuple[str, ...], budget: Budget) -> Induction | None:
    """The proof that a program accepts the language of another one, where that is found to be regular."""
    automaton = regular_language(replace(one, alphabet=letters, closed=False))
    return None if automaton is None else prove(other, automaton, budget=budget)


def _decided(found: Comparison, decision: Decision) -> Equivalence:
    if decision.equal:
        return Equivalence(replace(found, proof="proved", complete=True))
    assert decision.length is not None
    length = max(found.length, decision.length)
    different = replace(found, equal=False, length=length, witness=decision.witness, complete=True)
    return Equivalence(different, shortest=decision.length)


def _differs(found: Comparison, core: Core, automaton: Automaton, word: Word) -> Equivalence:
    """A run met a difference; search for the first one, up to the length of that word."""
    sides = ProgramSide(core, automaton.alphabet, length=len(word)), automaton_side(automaton)
    again = compare(*sides, automaton.alphabet, len(word))
    if not again.equal:
        assert again.witness is not None
        length = max(found.length, len(again.witness))
        return Equivalence(replace(again, length=length), shortest=len(again.witness))
    length = max(found.length, len(word))
    return Equivalence(replace(found, equal=False, length=length, witness=word, complete=True))
