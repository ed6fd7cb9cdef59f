"""Is a language in C-RASP with periodic and local relations? Exact, within a budget.

A language is in C-RASP[periodic, local] if and only if in the graph of idempotents of its stable semigroup
the potentials separate any two states after the same idempotent; with the semigroup of all nonempty words
the same test decides C-RASP[local]. Where the answer is yes, an extended automaton gives the window and
the modulus.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from longreach.theory.automata.automaton import Automaton, IntArray, Word
from longreach.theory.automata.monoid import (
    StableSemigroup,
    TransitionMonoid,
    stable_semigroup,
    transition_monoid,
)
from longreach.theory.budget import DEFAULT_BUDGET, Budget, OverBudget
from longreach.theory.decide.arrows import Failure, idempotent_graph, sampled_failure
from longreach.theory.decide.views import Analysis, analyse, extend, settled_states
from longreach.theory.decide.without_positions import plain_analysis


@dataclass(frozen=True, eq=False)
class ArrowRefutation:
    """The proof that a language is outside C-RASP[periodic, local] or outside C-RASP[local]."""

    automaton: Automaton
    block: int | None
    """Every object word has this length and it divides that of every arrow word; None without periodic
    relations, where lengths do not matter."""
    objects: Mapping[int, Word]
    """The word of each object that the failure names by number."""
    words: tuple[Word, ...]
    failure: Failure


@dataclass(frozen=True, eq=False)
class Decision:
    """The answer for one class of programs: yes, no, or None where the budget ended the search."""

    answer: bool | None
    analysis: Analysis | None = None
    """For yes: the extended automaton with its potentials; None if it is beyond the budget."""
    smallest: bool = True
    """Whether window and modulus are known to be the smallest."""
    refutation: ArrowRefutation | None = None
    exhausted: str = ""
    """The budget that ended the search, in words."""
    length: int = 1
    """The moduli that are looked at divide it: the stable length, or 1 without periodic relations."""


@dataclass(frozen=True, eq=False)
class PositionalDecisions:
    """The answers with both kinds of relations and with local ones alone."""

    periodic_local: Decision
    local: Decision


def decide_positional(
    automaton: Automaton, plain: Analysis | None = None, budget: Budget = DEFAULT_BUDGET
) -> PositionalDecisions:
    """Decides C-RASP[periodic, local] and C-RASP[local].

    >>> both = decide_positional(from_expression("(aa)*"))
    >>> both.periodic_local.answer, both.local.answer, both.periodic_local.analysis.extended.modulus
    (True, False, 2)
    """
    budget = budget.running()
    try:
        plain = plain or plain_analysis(automaton, budget)
        if plain.holds():
            return PositionalDecisions(Decision(True, plain), Decision(True, plain))
        return _decide(automaton, plain, budget)
    except OverBudget as spent:
        unknown = Decision(None, exhausted=str(spent))
        return PositionalDecisions(unknown, unknown)


def _decide(automaton: Automaton, plain: Analysis, budget: Budget) -> PositionalDecisions:
    essential = automaton.essential
    sample = sampled_failure(essential, budget.samples, budget)
    if sample is not None:
        spell = essential.alphabet
        proof = ArrowRefutation(
            automaton,
            sample.block,
            {number: tuple(spell[a] for a in word) for number, word in enumerate(sample.objects)},
            tuple(tuple(spell[a] for a in word) for word in sample.words),
            sample.failure,
        )
        return PositionalDecisions(Decision(False, refutation=proof), Decision(False, refutation=proof))
    monoid = transition_monoid(essential, budget.monoid, budget)
    if monoid is None:
        return _without_monoid(plain, budget)
    stable = stable_semigroup(monoid)
    both = _periodic_local(plain, stable, budget)
    if both.answer is False:
        return PositionalDecisions(both, both)
    if both.analysis is not None and both.analysis.extended.modulus == 1 and both.smallest:
        return PositionalDecisions(both, replace(both, length=1))
    try:
        local = _local(plain, monoid, budget)
    except OverBudget as spent:
        local = Decision(None, exhausted=str(spent))
    if both.analysis is None and local.analysis is not None:
        # A program that looks back is also one that may look at the position.
        both = replace(local, smallest=False, length=both.length)
    return PositionalDecisions(both, local)


def _without_monoid(plain: Analysis, budget: Budget) -> PositionalDecisions:
    exhausted = f"the transition monoid has more than {budget.monoid} elements"
    # A small window alone may still be enough; that needs no monoid.
    found = _yes(plain, 1, budget)
    local = found or Decision(None, exhausted=exhausted)
    return PositionalDecisions(local if found is None else replace(found, smallest=False), local)


def _periodic_local(plain: Analysis, stable: StableSemigroup, budget: Budget) -> Decision:
    members = stable.members
    return _by_idempotents(plain, stable.monoid, members, stable.length, stable.word, budget)


def _local(plain: Analysis, monoid: TransitionMonoid, budget: Budget) -> Decision:
    return _by_idempotents(plain, monoid, monoid.semigroup(), None, lambda x: _nonempty(monoid, x), budget)


def _by_idempotents(
    plain: Analysis,
    monoid: TransitionMonoid,
    members: IntArray,
    block: int | None,
    spell: Callable[[int], Word],
    budget: Budget,
) -> Decision:
    """The exact test on the graph of idempotents of the members, whose words have the block's length."""
    graph = idempotent_graph(monoid.elements[members], budget.arrows, budget)
    failure = graph.failure(budget)
    if failure is None:
        exhausted = f"the graph of idempotents has more than {budget.arrows} edges"
        length = block or 1
        unknown = (
            Decision(True, smallest=False, length=length)
            if graph.complete
            else Decision(None, exhausted=exhausted)
        )
        return _yes(plain, length, budget) or unknown
    # Only the objects that occur in the failing component are part of the proof.
    used = sorted({number for _, number in failure.vertices})
    proof = ArrowRefutation(
        plain.extended.automaton,
        block,
        {number: spell(int(members[graph.objects[number]])) for number in used},
        tuple(spell(int(members[arrow.name])) for arrow in failure.arrows),
        failure,
    )
    return Decision(False, refutation=proof)


def _nonempty(monoid: TransitionMonoid, element: int) -> Word:
    if element:
        return monoid.word(element)
    before, letter = (int(found[0]) for found in np.nonzero(monoid.right == 0))
    return (*monoid.word(before), monoid.automaton.alphabet[letter])


def decide_prediction(membership: Decision, plain: Analysis, budget: Budget) -> Decision:
    """The same class for programs that are judged on prefixes of the language only, as `plain` is.

    The answer is that of membership, because a program that sees one letter more notices the first letter
    that may not follow. So the window is that of membership, or one less.

    >>> from longreach.theory.decide.decisions import on_prefixes
    >>> plain = plain_analysis(from_expression("(b|ab|aab)*(a|aa)?"))
    >>> member = decide_positional(plain.extended.automaton, plain).local
    >>> predicted = decide_prediction(member, on_prefixes(plain), DEFAULT_BUDGET)
    >>> [found.analysis.extended.window for found in (member, predicted)]
    [2, 1]
    """
    if plain.holds():
        return Decision(True, plain)
    if not membership.answer or not plain.extended.never:
        return membership  # where every word is a prefix, the two are one question
    known = membership.analysis
    first = max(0, known.extended.window - 1) if known is not None and membership.smallest else 0
    try:
        found = _yes(plain, membership.length, budget, first)
    except OverBudget:
        found = None
    if found is None:
        return replace(membership, analysis=None, smallest=False)
    return replace(found, smallest=found.smallest and membership.smallest)


def _yes(plain: Analysis, length: int, budget: Budget, first: int = 0) -> Decision | None:
    """A yes with the smallest window from `first` on, then the smallest modulus dividing the length; None
    beyond the budget.

    A multiple of a modulus sees more, so the largest one decides whether a window is wide enough. Where that
    has too many states, smaller moduli are tried; wider windows are then no longer known to be the smallest.
    """
    moduli = [m for m in range(1, length + 1) if length % m == 0]
    views = _Views(plain, budget)
    smallest = True
    for window in range(first, budget.window + 1):
        widest = views.analysis(window, length)
        if widest is not None and not widest.holds():
            continue
        tried = 0
        for modulus in moduli[:-1]:
            analysis = views.analysis(window, modulus)
            if analysis is None:
                smallest = False
                continue
            tried += 1
            if analysis.holds():
                return Decision(True, analysis, smallest=smallest, length=length)
        if widest is not None:
            return Decision(True, widest, smallest=smallest, length=length)
        if not tried:
            return None
        smallest = False
    return None


class _Views:
    """Extended automata of one language, as many as the budget allows."""

    def __init__(self, plain: Analysis, budget: Budget) -> None:
        self.automaton = plain.extended.automaton
        self.never = plain.extended.never
        self.settled = settled_states(plain)
        self.budget = budget
        self.most = budget.window_states
        self.left = 10 * budget.window_states

    def analysis(self, window: int, modulus: int) -> Analysis | None:
        """Whether this window and modulus are enough; None beyond the budget."""
        limit = min(self.most, self.left)
        extended = extend(self.automaton, window, modulus, limit, self.settled, self.never)
        if extended is None:
            return None
        self.left -= len(extended.states)
        try:
            return analyse(extended, complete=False, budget=self.budget)
        except OverBudget:
            # Out of memory for this view is not yet out of time.
            self.budget.check()
            return None
