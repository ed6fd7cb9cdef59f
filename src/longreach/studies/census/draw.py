"""The languages of the census, drawn by a fixed rule.

Each language is drawn once, and as many of each stratum. The rule was fixed before anything was trained, and
a test pins it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from typing import Literal, NamedTuple, TypeAlias, get_args

from longreach.answers.odds_features import range_at
from longreach.errors import InputError
from longreach.studies.census.sources import Draw, Source, draws, to_expression
from longreach.studies.census.typed import typed_draws
from longreach.tasks.lengths import LengthRange
from longreach.theory.automata.automaton import Automaton, minimal
from longreach.theory.automata.named import NAMED_LANGUAGES, bracket_depth, named_automaton
from longreach.theory.budget import DEFAULT_BUDGET, Budget
from longreach.theory.decide.decisions import decide
from longreach.theory.names import REGEX
from longreach.theory.shares.words import WordMeasure, label_entropy, position_chance

Part: TypeAlias = Literal["development", "held-out"]

LETTERS = "abcdef"
_Table: TypeAlias = tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]


def canonical(automaton: Automaton) -> Automaton:
    """The same language over a, b, … so that languages that differ in the names of letters become equal.

    Letters that stand in no word are left out: no example shows them. Of all ways to name the rest, the one
    with the least table of transitions, then of accepting states, is taken.

    >>> one, other = from_expression("(yx)*y", "wxy"), from_expression("0(10)*")
    >>> canonical(one) == canonical(other), canonical(one).alphabet
    (True, ('a', 'b'))
    """
    live = automaton.live
    used = [
        letter
        for letter in range(len(automaton.alphabet))
        if any(automaton.transitions[state][letter] in live for state in live)
    ]
    if not used or len(used) > len(LETTERS):
        raise InputError(f"a language of the census has 1 to {len(LETTERS)} letters, not {len(used)}")
    rows = [[row[letter] for letter in used] for row in automaton.transitions]
    trimmed = minimal([LETTERS[place] for place in range(len(used))], rows, 0, automaton.accepting)
    table = min(_renamed(trimmed, order) for order in permutations(range(len(used))))
    return Automaton(trimmed.alphabet, table[0], frozenset(table[1]))


def _renamed(automaton: Automaton, order: Sequence[int]) -> _Table:
    """Transitions and accepting states when the letters stand in this order, states breadth-first again."""
    number = {0: 0}
    queue = [0]
    for state in queue:
        for letter in order:
            target = automaton.transitions[state][letter]
            if target not in number:
                number[target] = len(number)
                queue.append(target)
    rows = tuple(tuple(number[automaton.transitions[state][letter]] for letter in order) for state in queue)
    return rows, tuple(sorted(number[state] for state in automaton.accepting))


def canonical_text(automaton: Automaton) -> str:
    """The canonical form in one line; the same text means the same language.

    >>> canonical_text(from_expression("(10)*"))
    '{"accepting":[0],"transitions":[[1,2],[1,1],[0,1]]}'
    """
    found = canonical(automaton)
    document = {"accepting": sorted(found.accepting), "transitions": [list(row) for row in found.transitions]}
    return json.dumps(document, separators=(",", ":"), sort_keys=True)


def part_of(automaton: Automaton) -> Part:
    """The part of the census in which a language is: one third is for development, the rest held out.

    It depends on the language alone, so that nobody can move one.

    >>> part_of(from_expression("(ab)*")), part_of(from_expression("(a|b)*a"))
    ('held-out', 'held-out')
    """
    digest = hashlib.sha256(canonical_text(automaton).encode()).digest()
    return "development" if int.from_bytes(digest[:8], "big") % 3 == 0 else "held-out"


def in_benchmark(automaton: Automaton) -> bool:
    """Whether it is a language of the benchmark, D_n for any n included.

    >>> in_benchmark(from_expression("(xy)*")), in_benchmark(from_expression("(xyy)*"))
    (True, False)
    """
    return bracket_depth(canonical(automaton)) is not None or canonical_text(automaton) in _benchmark()


@cache
def _benchmark() -> frozenset[str]:
    return frozenset(canonical_text(named_automaton(name)) for name in NAMED_LANGUAGES)


def is_finite(automaton: Automaton) -> bool:
    """Whether there are only finitely many words.

    >>> is_finite(from_expression("a(b|ba)?")), is_finite(from_expression("a*"))
    (True, False)
    """
    live = automaton.live
    left = set(live)
    while True:
        ends = {state for state in left if not left & set(automaton.transitions[state])}
        if not ends:
            return not left
        left -= ends


RATIOS = (1, 2, 3, 5)
"""The ends of the tested ranges, as multiples of the training length; the rules below refer to them."""
FAR = (*RATIOS, 10)
"""The same of runs that are tested farther."""
TRAINED_TO = 20
"""The training length that the rules of the census refer to."""
LEAST_WORDS = 50
"""So many at half the tested lengths at least."""
LEAST_ENTROPY = 0.3
"""Bits, of the set of legal next symbols at a random position beyond training, in the longest range."""
MOST_CHANCE = 0.9
"""Of the best predictor that sees only the position, on the longest range."""


def bins(trained_to: int, ratios: Iterable[int] = RATIOS) -> dict[int, LengthRange]:
    """The range of lengths tested at each ratio, the training range first.

    >>> {ratio: lengths.name for ratio, lengths in bins(10).items()}
    {1: '1-10', 2: '11-20', 3: '21-30', 5: '41-50'}
    """
    return {ratio: range_at(trained_to, ratio) for ratio in ratios}


def refusal(automaton: Automaton, trained_to: int = TRAINED_TO) -> str | None:
    """Why a test of the language would mean little; None if it means something.

    >>> for expression in ("(ab)*", "((a|b)(a|c))*(a|b)?", "(a|b)*", "(a|b)*a"):
    ...     print(refusal(from_expression(expression)))
    few words
    guessed from the position
    answers hardly vary
    None
    """
    words = WordMeasure(automaton)
    tested = [range(first, last + 1) for first, last in bins(trained_to).values()]
    enough = [words.count(length) >= LEAST_WORDS for lengths in tested for length in lengths]
    longest = tested[-1]
    if 2 * sum(enough) < len(enough) or not any(map(words.count, longest)):
        return "few words"
    if label_entropy(automaton, longest, after=trained_to + 1) < LEAST_ENTROPY:
        return "answers hardly vary"
    return "guessed from the position" if position_chance(automaton, longest) > MOST_CHANCE else None


VerdictPair: TypeAlias = Literal["yes/yes", "no/yes", "no/no"]
SizeClass: TypeAlias = Literal["2-3", "4-5", "6-8"]
SIZES: dict[SizeClass, tuple[int, int]] = {"2-3": (2, 3), "4-5": (4, 5), "6-8": (6, 8)}
"""The least and the greatest number of states."""


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


STRATA = tuple(Stratum(*each) for each in product(get_args(VerdictPair), SIZES))


def size_class(states: int) -> SizeClass | None:
    """The size of an automaton with so many states; None if it is not one of the census.

    >>> size_class(3), size_class(8), size_class(9)
    ('2-3', '6-8', None)
    """
    return next((name for name, (least, most) in SIZES.items() if least <= states <= most), None)


def verdict_pair(automaton: Automaton, budget: Budget = DEFAULT_BUDGET) -> VerdictPair | None:
    """The verdicts on predicting what may follow on words of the language, without and with positions.

    None if one is undecided. A program without positions is one with positions: "yes/no" does not occur.

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


def key_of(automaton: Automaton) -> str:
    """The short name of a language."""
    return hashlib.sha256(canonical_text(automaton).encode()).hexdigest()[:10]


SEED = 2026
MOST_DRAWN = 20_000


@dataclass(frozen=True, kw_only=True)
class CensusLanguage:
    """A language of the census."""

    automaton: Automaton
    """In canonical form."""
    source: Source
    part: Part
    stratum: Stratum
    drawn: int
    """The how-manyth draw it was, from 0."""
    typed: str | None = None
    """The expression, of a language that is drawn as people type it."""

    @property
    def key(self) -> str:
        """A short name, the same wherever and whenever the language is drawn."""
        return key_of(self.automaton)

    @property
    def task(self) -> str:
        """The name under which it is trained; every letter stands in the expression."""
        return REGEX + (to_expression(self.automaton) if self.typed is None else self.typed)


@dataclass(frozen=True, kw_only=True)
class Census:
    """What was drawn."""

    languages: tuple[CensusLanguage, ...]
    """In the order of their drawing."""
    drawn: int
    """How many draws it took."""
    left_out: Mapping[str, int]
    """Draws that are not among them, by reason."""
    missing: Mapping[tuple[Stratum | None, Part], int]
    """How many languages a stratum lacks in a part, where it does; None: of any stratum."""


_Wanted: TypeAlias = "Counter[tuple[Stratum | None, Part]]"


def draw_census(development: int, held_out: int, *, most_drawn: int = MOST_DRAWN) -> Census:
    """So many languages of each stratum in each part, as far as they are found within so many draws.

    The first ones that are drawn are taken: a larger census holds every smaller one.

    >>> census = draw_census(0, 1, most_drawn=40)
    >>> len(census.languages) + sum(census.missing.values())
    9
    """
    quota: dict[Part, int] = {"development": development, "held-out": held_out}
    wanted: _Wanted = Counter({(stratum, part): quota[part] for stratum in STRATA for part in quota})
    return _drawn(draws(SEED), wanted, most_drawn)


def draw_typed(
    development: int, held_out: int, *, known: Iterable[str] = (), most_drawn: int = MOST_DRAWN
) -> Census:
    """So many languages in each part as people type them, of whatever stratum, without those of `known` keys.

    >>> [each.task for each in draw_typed(1, 1, most_drawn=40).languages]
    ['regex:aab[ab]*bba', 'regex:(a|bb*[ab])*']
    """
    wanted: _Wanted = Counter({(None, "development"): development, (None, "held-out"): held_out})
    return _drawn(typed_draws(SEED), wanted, most_drawn, known)


def _drawn(source: Iterator[Draw], wanted: _Wanted, most_drawn: int, known: Iterable[str] = ()) -> Census:
    found: dict[str, CensusLanguage | None] = dict.fromkeys(known)
    left_out: Counter[str] = Counter()
    drawn = 0
    while wanted.total() and drawn < most_drawn:
        reason = _take(next(source), drawn, wanted, found)
        drawn += 1
        if reason is not None:
            left_out[reason] += 1
    return Census(
        languages=tuple(each for each in found.values() if each is not None),
        drawn=drawn,
        left_out=dict(left_out),
        missing={place: lacking for place, lacking in wanted.items() if lacking},
    )


def _take(
    draw: Draw,
    drawn: int,
    wanted: _Wanted,
    found: dict[str, CensusLanguage | None],
) -> str | None:
    """Takes a language into `found`, or says why not."""
    if is_finite(draw.automaton):
        return "finite"
    automaton = canonical(draw.automaton)
    key = key_of(automaton)
    if key in found:
        return "seen before"
    found[key] = None
    if in_benchmark(automaton):
        return "in the benchmark"
    size = size_class(len(automaton))
    if size is None:
        return "another size without unused letters"
    verdict = verdict_pair(automaton)
    if verdict is None:
        return "undecided"
    stratum, part = Stratum(verdict, size), part_of(automaton)
    place = (None if draw.source == "typed" else stratum), part
    if not wanted[place]:
        return "enough of these"
    refused = refusal(automaton)
    if refused is not None:
        return refused
    wanted[place] -= 1
    found[key] = CensusLanguage(
        automaton=automaton, source=draw.source, part=part, stratum=stratum, drawn=drawn,
        typed=draw.expression if draw.source == "typed" else None,
    )  # fmt: skip
    return None
