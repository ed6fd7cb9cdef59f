"""Strata of the census: what the theory says of the task that is trained, and how large the language is."""

from __future__ import annotations

from itertools import product
from typing import Literal, NamedTuple, TypeAlias, get_args

from longreach.languages.budget import DEFAULT_BUDGET, Budget
from longreach.languages.decide.automaton_to_decisions import decide
from longreach.languages.regular.automaton import Automaton

VerdictPair: TypeAlias = Literal["yes/yes", "no/yes", "no/no"]
SizeClass: TypeAlias = Literal["2-3", "4-5", "6-8"]


class Stratum(NamedTuple):
    """A verdict without and with positions, and a number of states."""

    verdict: VerdictPair
    size: SizeClass

    @property
    def name(self) -> str:
        """As tables name it.

        >>> Stratum("no/yes", "4-5").name
        'no/yes, 4-5 states'
        """
        return f"{self.verdict}, {self.size} states"


STRATA = tuple(Stratum(*each) for each in product(get_args(VerdictPair), get_args(SizeClass)))


def size_class(states: int) -> SizeClass | None:
    """The size of an automaton with so many states; None if it is none of the census.

    >>> size_class(3), size_class(8), size_class(9)
    ('2-3', '6-8', None)
    """
    sizes: dict[SizeClass, range] = {"2-3": range(2, 4), "4-5": range(4, 6), "6-8": range(6, 9)}
    return next((name for name, states_of in sizes.items() if states in states_of), None)


def verdict_pair(automaton: Automaton, budget: Budget = DEFAULT_BUDGET) -> VerdictPair | None:
    """The verdicts on predicting what may follow on words of the language, without and with positions.

    None if one is undecided. A program without positions is one with positions: "yes/no" does not occur.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> [verdict_pair(from_expression(e)) for e in ("(a|ba)*b?", "(a|bb)*", "(a|ba*b)*")]
    ['yes/yes', 'no/yes', 'no/no']
    """
    found = decide(automaton, budget)
    answers: dict[tuple[bool | None, bool | None], VerdictPair] = {
        (True, True): "yes/yes",
        (False, True): "no/yes",
        (False, False): "no/no",
    }
    return answers.get((found.nope.prediction, found.ape.prediction))


def stratum_of(automaton: Automaton, budget: Budget = DEFAULT_BUDGET) -> Stratum | None:
    """The stratum of a language; None if it has another size or a verdict is undecided.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> stratum_of(from_expression("(a|b)*a(a|b)(a|b)"))
    Stratum(verdict='no/yes', size='6-8')
    """
    size = size_class(len(automaton))
    verdict = None if size is None else verdict_pair(automaton, budget)
    return None if size is None or verdict is None else Stratum(verdict, size)
