"""The languages of the census, drawn by a fixed rule.

Random expressions and random automata, each language once, as many of each stratum. The rule was fixed before
anything was trained, and a test pins it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from random import Random
from typing import Literal, NamedTuple, TypeAlias, get_args

from longreach.errors import InputError
from longreach.tasks.lengths import LengthRange
from longreach.theory.automata.automaton import Automaton, minimal
from longreach.theory.automata.named import NAMED_LANGUAGES, bracket_depth, named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.budget import DEFAULT_BUDGET, Budget
from longreach.theory.decide.decisions import decide
from longreach.theory.names import REGEX
from longreach.theory.shares.words import WordMeasure, label_entropy, position_chance

# Automaton → expression, by state elimination: first the state whose removal costs least (Delgado and
# Morais, CIAA 2004).


_NOTHING = ""  # the expression of the empty word
_START, _END = -1, -2
Edges = dict[tuple[int, int], str]


def to_expression(automaton: Automaton) -> str:
    """An expression of the language; letters must be single characters without a meaning of their own.

    >>> to_expression(from_expression("(a|ba)*b?"))
    '(a|ba)*b?'
    """
    for letter in automaton.alphabet:
        if not (len(letter) == 1 and letter.isalnum()):
            raise InputError(f"letter {letter!r}: an expression needs letters or digits")
    if not automaton.accepting:
        raise InputError("the language is empty: it has no expression here")
    live = automaton.live
    edges: Edges = {(_START, 0): _NOTHING}
    for state in live:
        for token, target in zip(automaton.alphabet, automaton.transitions[state], strict=True):
            if target in live:
                edges[state, target] = _either(edges.get((state, target)), token)
        if state in automaton.accepting:
            edges[state, _END] = _NOTHING
    left = set(live)
    while left:
        gone = min(left, key=lambda state: (_growth(edges, state), state))
        left.remove(gone)
        edges = _without(edges, gone)
    return edges[_START, _END] or "()"


def _growth(edges: Mapping[tuple[int, int], str], state: int) -> int:
    """How many letters are written more often without the state."""
    into = [len(text) for (source, target), text in edges.items() if target == state != source]
    out = [len(text) for (source, target), text in edges.items() if source == state != target]
    loop = len(edges.get((state, state), ""))
    pairs = len(into) * len(out)
    return sum(into) * (len(out) - 1) + sum(out) * (len(into) - 1) + loop * (pairs - 1)


def _without(edges: Edges, gone: int) -> Edges:
    loop = edges.get((gone, gone))
    found = {edge: text for edge, text in edges.items() if gone not in edge}
    for (source, one), into in edges.items():
        for (other, target), out in edges.items():
            if one == gone == other and gone not in (source, target):
                way = _joined(_joined(into, _NOTHING if loop is None else _repeated(loop)), out)
                found[source, target] = _either(found.get((source, target)), way)
    return found


def _either(one: str | None, other: str) -> str:
    if one is None or one == other:
        return other
    if _NOTHING in (one, other):
        text = one or other
        half = text[: len(text) // 2]
        if text == f"{half}{half}*" and _is_factor(half):  # at least once, or not at all
            return f"{half}*"
        return text if text.endswith("*") and _is_factor(text) else f"{_factor(text)}?"
    return f"{one}|{other}"


def _joined(one: str, other: str) -> str:
    return "".join(f"({each})" if _top_level_choice(each) else each for each in (one, other))


def _repeated(text: str) -> str:
    if text == _NOTHING:
        return _NOTHING
    if _is_factor(text) and text[-1] in "*?":
        text = text[:-1]
    return f"{_factor(text)}*"


def _factor(text: str) -> str:
    """The text so that a repetition after it is about all of it."""
    return text if _is_factor(text) and text[-1] not in "*?" else f"({text})"


def _is_factor(text: str) -> bool:
    """Whether it is one letter or one bracket, with at most one repetition behind it."""
    body = text[:-1] if text[-1] in "*?" else text
    if len(body) == 1:
        return True
    if not (body.startswith("(") and body.endswith(")")):
        return False
    depth = 0
    for place, char in enumerate(body):
        depth += (char == "(") - (char == ")")
        if depth == 0 and place < len(body) - 1:
            return False
    return True


def _top_level_choice(text: str) -> bool:
    depth = 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if char == "|" and depth == 0:
            return True
    return False


# Two sources: random expressions, and random automata that are already minimal.


Source: TypeAlias = Literal["expression", "automaton"]

ALPHABETS = ("ab", "abc")
SIZES = range(4, 25)
"""Letters and operators of an expression."""
STATES = range(2, 9)
"""Of a minimal complete automaton, its sink included."""
SINK_SHARES = (0.0, 0.2, 0.4)
"""Moves of a random automaton that lead to a sink: without one, every letter is always legal."""


@dataclass(frozen=True, kw_only=True)
class Draw:
    """One language as it was drawn."""

    source: Source
    expression: str | None
    """Of a language drawn as an expression."""
    automaton: Automaton


def draws(seed: int) -> Iterator[Draw]:
    """Languages without end, from each source in turn; expressions whose automaton has 2 to 8 states.

    >>> first = next(draws(0))
    >>> first.source, len(first.automaton) in STATES
    ('expression', True)
    """
    random = Random(seed)
    while True:
        yield _by_expression(random)
        yield _by_automaton(random)


def _by_expression(random: Random) -> Draw:
    while True:
        alphabet = random.choice(ALPHABETS)
        text = random_expression(random, random.choice(SIZES), alphabet)
        automaton = from_expression(text, alphabet)
        if len(automaton) in STATES:
            return Draw(source="expression", expression=text, automaton=automaton)


def _by_automaton(random: Random) -> Draw:
    while True:
        alphabet, states = random.choice(ALPHABETS), random.choice(STATES)
        automaton = random_automaton(random, states, alphabet, random.choice(SINK_SHARES))
        if len(automaton) == states:
            return Draw(source="automaton", expression=None, automaton=automaton)


def random_expression(random: Random, size: int, alphabet: str) -> str:
    """An expression of so many letters and operators.

    A tree grown from its root, operators of two arguments dividing the rest evenly at random, as in a random
    search tree; trees that are all equally likely are, in the limit, nearly all trivial languages (Koechlin,
    Nicaud and Rotondo, MFCS 2019).

    >>> random_expression(Random(1), 7, "ab")
    '(b|(b|a)*)*'
    """
    return _tree(random, size, alphabet, repeat=True)[0]


def _tree(random: Random, size: int, alphabet: str, *, repeat: bool) -> tuple[str, int]:
    """A text and how tightly it binds: 0 a choice, 1 a product, 2 one letter, bracket or repetition."""
    if size == 1:
        return random.choice(alphabet), 2
    # A star is drawn a third as often as the two of two arguments together, an option a third of that.
    kind = random.choices(["star", "option", "product", "choice"], [3, 1, 4, 4])[0]
    # Of size 3 the only thing to repeat would be a repetition.
    if size == 2 or (kind in ("star", "option") and repeat and size > 3):
        kind = kind if kind in ("star", "option") else "star"
        text, tight = _tree(random, size - 1, alphabet, repeat=False)
        return (text if tight == 2 else f"({text})") + ("*" if kind == "star" else "?"), 2
    kind = kind if kind in ("product", "choice") else random.choice(["product", "choice"])
    first = random.randint(1, size - 2)
    least = 1 if kind == "product" else 0
    parts = [_tree(random, each, alphabet, repeat=True) for each in (first, size - 1 - first)]
    texts = [text if tight >= least else f"({text})" for text, tight in parts]
    return ("" if kind == "product" else "|").join(texts), least


def random_automaton(random: Random, states: int, alphabet: str, sink_share: float) -> Automaton:
    """The minimal automaton of a random table; a share of its moves leads to a sink.

    >>> random_automaton(Random(0), 3, "ab", 0.0).alphabet
    ('a', 'b')
    """
    sink = states - 1 if sink_share else None
    rows = []
    for state in range(states):
        row = [random.randrange(states) for _ in alphabet]
        to_sink = [random.random() < sink_share for _ in alphabet]
        if sink is not None:
            row = [
                sink if gone or state == sink else target for target, gone in zip(row, to_sink, strict=True)
            ]
        rows.append(row)
    accepting = [state for state in range(states) if random.random() < 0.5 and state != sink]
    return minimal(alphabet, rows, 0, accepting)


# Identity of a language: its minimal automaton up to renaming letters.


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


# Languages worth testing: enough words, and answers that vary and cannot be guessed.


Refusal: TypeAlias = Literal["few words", "answers hardly vary", "guessed from the position"]

TRAINED_TO = 20
"""The training length that the rules of the census refer to."""
LEAST_WORDS = 50
"""So many at half the tested lengths at least."""
LEAST_ENTROPY = 0.3
"""Bits, of the set of legal next symbols at a random position beyond training, in the longest range."""
MOST_CHANCE = 0.9
"""Of the best predictor that sees only the position, on the longest range."""


def ranges_tested(trained_to: int) -> tuple[LengthRange, ...]:
    """The training range, then those that end at two, three and five times its end.

    >>> [each.name for each in ranges_tested(20)]
    ['1-20', '21-40', '41-60', '81-100']
    """
    return (
        LengthRange(1, trained_to),
        *(LengthRange((k - 1) * trained_to + 1, k * trained_to) for k in (2, 3, 5)),
    )


def refusal(automaton: Automaton, trained_to: int = TRAINED_TO) -> Refusal | None:
    """Why a test of the language would mean little; None if it means something.

    >>> for expression in ("(ab)*", "((a|b)(a|c))*(a|b)?", "(a|b)*", "(a|b)*a"):
    ...     print(refusal(from_expression(expression)))
    few words
    guessed from the position
    answers hardly vary
    None
    """
    words = WordMeasure(automaton)
    ranges = ranges_tested(trained_to)
    tested = [length for first, last in ranges for length in range(first, last + 1)]
    if 2 * sum(words.count(length) >= LEAST_WORDS for length in tested) < len(tested):
        return "few words"
    longest = range(ranges[-1].first, ranges[-1].last + 1)
    if not any(map(words.count, longest)):
        return "few words"
    if label_entropy(automaton, longest, after=trained_to + 1) < LEAST_ENTROPY:
        return "answers hardly vary"
    return "guessed from the position" if position_chance(automaton, longest) > MOST_CHANCE else None


# Strata: the verdicts, and the number of states.


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

    >>> stratum_of(from_expression("(a|b)*a(a|b)(a|b)"))
    Stratum(verdict='no/yes', size='6-8')
    """
    size = size_class(len(automaton))
    verdict = None if size is None else verdict_pair(automaton, budget)
    return None if size is None or verdict is None else Stratum(verdict, size)


# The census: draw until every stratum has enough.


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

    @property
    def key(self) -> str:
        """A short name, the same wherever and whenever the language is drawn."""
        return hashlib.sha256(canonical_text(self.automaton).encode()).hexdigest()[:10]

    @property
    def task(self) -> str:
        """The name under which it is trained; every letter stands in the expression."""
        return REGEX + to_expression(self.automaton)


@dataclass(frozen=True, kw_only=True)
class Census:
    """What was drawn."""

    languages: tuple[CensusLanguage, ...]
    """In the order of their drawing."""
    drawn: int
    """How many draws it took."""
    left_out: Mapping[str, int]
    """Draws that are not among them, by reason."""
    missing: Mapping[tuple[Stratum, Part], int]
    """How many languages a stratum lacks in a part, where it does."""

    def of(self, part: Part) -> tuple[CensusLanguage, ...]:
        return tuple(each for each in self.languages if each.part == part)


def draw_census(
    development: int,
    held_out: int,
    *,
    seed: int = SEED,
    most_drawn: int = MOST_DRAWN,
    trained_to: int = TRAINED_TO,
) -> Census:
    """So many languages of each stratum in each part, as far as they are found within so many draws.

    The first ones that are drawn are taken: a larger census holds every smaller one with the same seed.

    >>> census = draw_census(0, 1, most_drawn=40)
    >>> len(census.languages) + sum(census.missing.values())
    9
    """
    quota: dict[Part, int] = {"development": development, "held-out": held_out}
    wanted = Counter({(stratum, part): quota[part] for stratum in STRATA for part in quota})
    found: dict[str, CensusLanguage | None] = {}
    left_out: Counter[str] = Counter()
    source = draws(seed)
    drawn = 0
    while wanted.total() and drawn < most_drawn:
        draw = next(source)
        reason = _take(draw, drawn, wanted, found, trained_to)
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
    wanted: Counter[tuple[Stratum, Part]],
    found: dict[str, CensusLanguage | None],
    trained_to: int,
) -> str | None:
    """Takes a language into `found`, or says why not."""
    if is_finite(draw.automaton):
        return "finite"
    automaton = canonical(draw.automaton)
    key = canonical_text(automaton)
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
    if not wanted[stratum, part]:
        return "enough of these"
    refused = refusal(automaton, trained_to)
    if refused is not None:
        return refused
    wanted[stratum, part] -= 1
    found[key] = CensusLanguage(
        automaton=automaton, source=draw.source, part=part, stratum=stratum, drawn=drawn
    )
    return None
