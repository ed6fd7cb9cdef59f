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


@dataclass(frozen=True)
class Label:
    """One label of the prediction task with the language of the words at which it is right."""

    token: str | None
    """A letter, or None for the end of the sequence."""
    language: Automaton


@dataclass(frozen=True)
class LabelAnswers:
    """Whether the language of one label is in each class; None where the budget ended the search."""

    token: str | None
    plain: bool
    periodic_local: bool | None
    local: bool | None


def labels(automaton: Automaton) -> tuple[Label, ...]:
    """The labels and their languages.

    >>> [len(label.language) for label in labels(from_expression("(ab)*"))]
    [3, 3, 3]
    """
    letters = [
        Label(token, automaton.with_accepting(automaton.legal_at(a)))
        for a, token in enumerate(automaton.alphabet)
    ]
    return (*letters, Label(None, automaton))


def label_answers(automaton: Automaton, budget: Budget = DEFAULT_BUDGET) -> tuple[LabelAnswers, ...]:
    """Each label decided on its own.

    >>> [answer.plain for answer in label_answers(from_expression("(a|b|e)*be*"))]
    [True, True, True, False]
    """
    known: dict[Automaton, tuple[bool, bool | None, bool | None]] = {}
    answers = []
    for label in labels(automaton):
        if label.language not in known:
            plain = plain_analysis(label.language)
            both = decide_positional(label.language, plain, budget)
            known[label.language] = (plain.holds(), both.periodic_local.answer, both.local.answer)
        answers.append(LabelAnswers(label.token, *known[label.language]))
    return tuple(answers)


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

    @cached_property
    def labels(self) -> tuple[LabelAnswers, ...]:
        """The labels of the prediction task, each decided on its own."""
        return label_answers(self.automaton, self.budget)


def decide(automaton: Automaton, budget: Budget = DEFAULT_BUDGET) -> Decisions:
    """Decides all classes under both conventions, and the prediction task.

    With local relations the two conventions agree: a program looks one letter back from the end of the
    sequence, and the other way round it can ask what it would say if the sequence ended here.

    >>> found = decide(from_expression("(a|b)*b"))
    >>> found.nope.answer, found.nope.at_end, found.ape.answer
    (True, False, True)
    """
    running = budget.running()
    try:
        plain = plain_analysis(automaton, running)
    except OverBudget as spent:
        unknown = Decision(None, exhausted=str(spent))
        nope, ape, local = (
            ClassDecision(
                program_class=each, membership=unknown, at_end=None, plain=None, prefixes=None, budget=budget
            )
            for each in (EMPTY, PERIODIC_LOCAL, LOCAL)
        )
        return Decisions(automaton, nope, ape, local, budget)
    prefixes = on_prefixes(plain)
    both = decide_positional(automaton, plain, running)

    def of(program_class: ProgramClass, membership: Decision, at_end: bool | None) -> ClassDecision:
        return ClassDecision(
            program_class=program_class,
            membership=membership,
            at_end=at_end,
            plain=plain,
            prefixes=prefixes,
            budget=budget,
        )

    member = Decision(plain.holds(), plain if plain.holds() else None)
    nope = of(EMPTY, member, plain.holds(Convention.END_OF_SEQUENCE))
    ape = of(PERIODIC_LOCAL, both.periodic_local, both.periodic_local.answer)
    local = of(LOCAL, both.local, both.local.answer)
    return Decisions(automaton, nope, ape, local, budget)
