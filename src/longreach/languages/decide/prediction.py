"""The prediction task: at each position the set of legal next symbols, end of sequence included.

On all words, the task is in a class of programs if the language of every label is: for each letter a the
words w such that wa begins a word of the language, and for the end of sequence the language itself. That is
as hard as membership. What is trained is prediction on prefixes of words of the language, which is easier for
some languages: there a program need not notice a letter that may not follow.
"""

from __future__ import annotations

from dataclasses import dataclass

from longreach.languages.budget import DEFAULT_BUDGET, Budget
from longreach.languages.decide.extended_automaton import Analysis, judged_on
from longreach.languages.decide.with_positions import decide_positional
from longreach.languages.decide.without_positions import plain_analysis
from longreach.languages.regular.automaton import Automaton, live_states


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

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> [len(label.language) for label in labels(from_expression("(ab)*"))]
    [3, 3, 3]
    """
    live = live_states(automaton)
    letters = [
        Label(
            token,
            automaton.with_accepting(q for q, row in enumerate(automaton.transitions) if row[a] in live),
        )
        for a, token in enumerate(automaton.alphabet)
    ]
    return (*letters, Label(None, automaton))


def label_answers(automaton: Automaton, budget: Budget = DEFAULT_BUDGET) -> tuple[LabelAnswers, ...]:
    """Each label decided on its own.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
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

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> plain = plain_analysis(from_expression("(a|ba)*b?"))
    >>> plain.holds(), on_prefixes(plain).holds()
    (False, True)
    """
    automaton = plain.extended.automaton
    return judged_on(plain, frozenset(range(len(automaton))) - live_states(automaton))
