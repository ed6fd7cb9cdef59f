"""An automaton to the decisions for all classes of programs, for recognition and prediction.

On all words, the task is in a class of programs if the language of every label is: for each letter a the
words w such that wa begins a word of the language, and for the end of sequence the language itself. That is
as hard as membership. What is trained is prediction on prefixes of words of the language, which is easier for
some languages: there a program need not notice a letter that may not follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from longreach.theory.automata.automaton import Automaton
from longreach.theory.budget import DEFAULT_BUDGET, Budget, OverBudget
from longreach.theory.decide.views import Analysis, Convention, judged_on
from longreach.theory.decide.with_positions import (
    ArrowRefutation,
    Decision,
    decide_positional,
    decide_prediction,
)
from longreach.theory.decide.without_positions import Refutation, plain_analysis, refutation
from longreach.theory.program_class import EMPTY, LOCAL, PERIODIC_LOCAL, ProgramClass


def on_prefixes(plain: Analysis) -> Analysis:
    """The analysis of a language for programs that are judged on prefixes of its words only.

    Without relations such a program exists if and only if this analysis holds: states that no potential
    separates have the same successor by every letter that may follow both.

    >>> plain = plain_analysis(from_expression("(a|ba)*b?"))
    >>> plain.holds(), on_prefixes(plain).holds()
    (False, True)
    """
    automaton = plain.extended.automaton
    return judged_on(plain, frozenset(range(len(automaton))) - automaton.live)


# All decisions about one language: without positions (NoPE), with absolute ones, with local relations.


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassDecision:
    """What is found for one class of programs; None stands for undecided."""

    program_class: ProgramClass
    membership: Decision
    """About programs that are read at the last letter."""
    at_end: bool | None
    """The answer for programs that are read after the last letter."""
    plain: Analysis | None
    """None if even that exceeds the budget; then the answer is undecided."""
    prefixes: Analysis | None
    """The plain one for programs that are judged on prefixes of words of the language only."""
    budget: Budget

    @property
    def answer(self) -> bool | None:
        """Whether there is a program, read at the last letter."""
        return self.membership.answer

    @property
    def analysis(self) -> Analysis | None:
        """For yes: what a program is built from; None where the extended automaton is beyond the budget."""
        return self.membership.analysis

    @property
    def prediction(self) -> bool | None:
        """For predicting the legal next symbols, end included, on prefixes of words of the language.

        With local relations it is as hard as membership: a program that looks one letter back notices the
        first letter that may not follow. Without, it can be easier, and then is so for every class.
        """
        return True if self.prefixes is not None and self.prefixes.holds() else self.answer

    @cached_property
    def predicted(self) -> Decision:
        """The decision about prediction on prefixes, with the smallest window and modulus for it."""
        if self.prefixes is None:
            return self.membership
        return decide_prediction(self.membership, self.prefixes, self.budget)

    @property
    def failing(self) -> Analysis:
        """Where to look for a pair of states that refutes: one that refutes prediction refutes both."""
        assert self.plain is not None
        assert self.prefixes is not None
        return self.plain if self.prefixes.holds() else self.prefixes

    @cached_property
    def refutation(self) -> Refutation | ArrowRefutation | None:
        """The proof of a no; None for other answers and for components beyond the budget."""
        arrows = self.membership.refutation
        if self.answer is not False or arrows is not None:
            return arrows
        assert self.plain is not None
        limit = self.budget.certificate
        both = refutation(self.failing, Convention.LAST_LETTER, limit)
        # Where prediction fails in large components only, a small one may still refute membership.
        return both or refutation(self.plain, Convention.LAST_LETTER, limit)


@dataclass(frozen=True, eq=False)
class Decisions:
    automaton: Automaton
    nope: ClassDecision
    """C-RASP[∅]."""
    ape: ClassDecision
    """C-RASP[periodic, local]."""
    local: ClassDecision
    """C-RASP[local]."""
    budget: Budget


def decide(automaton: Automaton, budget: Budget = DEFAULT_BUDGET) -> Decisions:
    """Decides all classes under both conventions, and the prediction task.

    With local relations the two conventions agree: a program looks one letter back from the end of the
    sequence, and the other way round it can ask what it would say if the sequence ended here.

    >>> found = decide(from_expression("(a|b)*b"))
    >>> found.nope.answer, found.nope.at_end, found.ape.answer
    (True, False, True)
    """
    running = budget.running()
    plain = prefixes = None

    def of(program_class: ProgramClass, membership: Decision, at_end: bool | None) -> ClassDecision:
        return ClassDecision(
            program_class=program_class,
            membership=membership,
            at_end=at_end,
            plain=plain,
            prefixes=prefixes,
            budget=budget,
        )

    try:
        plain = plain_analysis(automaton, running)
    except OverBudget as spent:
        unknown = Decision(None, exhausted=str(spent))
        nope, ape, local = (of(each, unknown, None) for each in (EMPTY, PERIODIC_LOCAL, LOCAL))
        return Decisions(automaton, nope, ape, local, budget)
    prefixes = on_prefixes(plain)
    both = decide_positional(automaton, plain, running)
    member = Decision(plain.holds(), plain if plain.holds() else None)
    nope = of(EMPTY, member, plain.holds(Convention.END_OF_SEQUENCE))
    ape = of(PERIODIC_LOCAL, both.periodic_local, both.periodic_local.answer)
    local = of(LOCAL, both.local, both.local.answer)
    return Decisions(automaton, nope, ape, local, budget)
