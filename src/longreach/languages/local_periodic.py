"""C-RASP with local and periodic relations: is the language in it? Exact, within a budget.

A language is in C-RASP[periodic, local] if and only if in the graph of idempotents of its stable semigroup
the potentials separate any two states after the same idempotent; with the semigroup of all nonempty words
the same test decides C-RASP[local]. Where the answer is yes, an extended automaton gives the window and
the modulus.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longreach.languages.arrows import Failure
from longreach.languages.automaton import Automaton, Word
from longreach.languages.budget import DEFAULT_BUDGET, Budget
from longreach.languages.extended import Analysis, analyse, extend
from longreach.languages.idempotents import idempotent_graph
from longreach.languages.membership import plain_analysis
from longreach.languages.monoid import (
    StableSemigroup,
    TransitionMonoid,
    stable_semigroup,
    transition_monoid,
)
from longreach.languages.sampling import sampled_failure


@dataclass(frozen=True, eq=False)
class ArrowRefutation:
    """The proof that a language is outside C-RASP[periodic, local] or outside C-RASP[local]."""

    automaton: Automaton
    block: int | None
    """Every object word has this length and it divides that of every arrow word; None without periodic
    relations, where lengths do not matter."""
    objects: tuple[Word, ...]
    words: tuple[Word, ...]
    """The word of each arrow of the failure."""
    failure: Failure


@dataclass(frozen=True, eq=False)
class Decision:
    """The answer for one class of programs: yes, no, or None where the budget ended the search."""

    answer: bool | None
    analysis: Analysis | None = None
    """For yes: the extended automaton with its potentials; None if it is beyond the budget."""
    refutation: ArrowRefutation | None = None
    """For no."""
    exhausted: str = ""
    """The budget that ended the search, in words."""


@dataclass(frozen=True, eq=False)
class PositionalDecisions:
    """The answers with both kinds of relations and with local ones alone."""

    periodic_local: Decision
    local: Decision


def decide_positional(
    automaton: Automaton, plain: Analysis | None = None, budget: Budget = DEFAULT_BUDGET
) -> PositionalDecisions:
    """Decides C-RASP[periodic, local] and C-RASP[local].

    >>> from longreach.languages.expression import from_expression
    >>> both = decide_positional(from_expression("(aa)*"))
    >>> both.periodic_local.answer, both.local.answer, both.periodic_local.analysis.extended.modulus
    (True, False, 2)
    """
    plain = plain or plain_analysis(automaton)
    if plain.holds():
        return PositionalDecisions(Decision(True, plain), Decision(True, plain))
    sample = sampled_failure(automaton, budget.samples)
    if sample is not None:
        spell = automaton.alphabet
        proof = ArrowRefutation(
            automaton,
            sample.block,
            tuple(tuple(spell[a] for a in word) for word in sample.objects),
            tuple(tuple(spell[a] for a in word) for word in sample.words),
            sample.failure,
        )
        return PositionalDecisions(Decision(False, refutation=proof), Decision(False, refutation=proof))
    monoid = transition_monoid(automaton, budget.monoid)
    if monoid is None:
        return _without_monoid(automaton, budget)
    stable = stable_semigroup(monoid)
    both = _periodic_local(stable, budget)
    if both.answer is False:
        return PositionalDecisions(both, both)
    if both.analysis is not None and both.analysis.extended.modulus == 1:
        return PositionalDecisions(both, both)
    return PositionalDecisions(both, _local(monoid, budget))


def _without_monoid(automaton: Automaton, budget: Budget) -> PositionalDecisions:
    exhausted = f"the transition monoid has more than {budget.monoid} elements"
    # A small window alone may still be enough; that needs no monoid.
    found = _smallest_window(automaton, 1, budget)
    decision = Decision(True, found) if found is not None else Decision(None, exhausted=exhausted)
    return PositionalDecisions(decision, decision)


def _periodic_local(stable: StableSemigroup, budget: Budget) -> Decision:
    automaton = stable.monoid.automaton
    elements = stable.monoid.elements[stable.members]
    graph = idempotent_graph(elements, budget.arrows)
    if graph is None:
        found = _smallest_window(automaton, stable.length, budget)
        if found is not None:
            return Decision(True, found)
        return Decision(None, exhausted=f"the graph of idempotents has more than {budget.arrows} edges")
    failure = graph.failure()
    if failure is None:
        return Decision(True, _smallest_window(automaton, stable.length, budget))
    proof = ArrowRefutation(
        automaton,
        stable.length,
        tuple(stable.word(int(stable.members[e])) for e in graph.objects),
        tuple(stable.word(int(stable.members[arrow.name])) for arrow in failure.arrows),
        failure,
    )
    return Decision(False, refutation=proof)


def _local(monoid: TransitionMonoid, budget: Budget) -> Decision:
    members = monoid.semigroup()
    graph = idempotent_graph(monoid.elements[members], budget.arrows)
    if graph is None:
        found = _smallest_window(monoid.automaton, 1, budget)
        if found is not None:
            return Decision(True, found)
        return Decision(None, exhausted=f"the graph of idempotents has more than {budget.arrows} edges")
    failure = graph.failure()
    if failure is None:
        return Decision(True, _smallest_window(monoid.automaton, 1, budget))
    proof = ArrowRefutation(
        monoid.automaton,
        None,
        tuple(_nonempty(monoid, int(members[e])) for e in graph.objects),
        tuple(_nonempty(monoid, int(members[arrow.name])) for arrow in failure.arrows),
        failure,
    )
    return Decision(False, refutation=proof)


def _nonempty(monoid: TransitionMonoid, element: int) -> Word:
    if element:
        return monoid.word(element)
    before, letter = (int(found[0]) for found in np.nonzero(monoid.right == 0))
    return (*monoid.word(before), monoid.automaton.alphabet[letter])


def _smallest_window(automaton: Automaton, length: int, budget: Budget) -> Analysis | None:
    """The extended automaton with the smallest window, and then the smallest modulus dividing the length."""
    moduli = [m for m in range(1, length + 1) if length % m == 0]
    window = 0
    while True:
        # A multiple of a modulus sees more: if the largest one fails, so do all.
        extended = extend(automaton, window, length, budget.window_states)
        if extended is None:
            return None
        analysis = analyse(extended, complete=False)
        if analysis.holds():
            break
        window += 1
    for modulus in moduli[:-1]:
        smaller = extend(automaton, window, modulus, budget.window_states)
        if smaller is not None:
            found = analyse(smaller, complete=False)
            if found.holds():
                return found
    return analysis
