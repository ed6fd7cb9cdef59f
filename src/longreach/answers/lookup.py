"""Answers that are one earlier token of the input: which one, seen from what changes the answer.

A rule names a place of the input. It is believed if the token there is the answer to every input tried, and
if changing that token changes the answer while changing others does not. Theory then says when attention can
find the place: each key with one value, or a bounded distance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np

from longreach.theory.automata.automaton import Word
from longreach.theory.crasp.program import Builder, Program
from longreach.theory.crasp.syntax import Expr, all_of, any_of, as_expr, count, exists, token

LEAST_INPUTS, LEAST_DIFFERENT = 60, 2
"""Inputs that a rule must be right on, and answers that they must have."""
FARTHEST = 3
"""Places behind a key, or from an end, at most."""
CHANGED, MOST_WRONG = 60, 0.05
"""Changes of each kind that are tried, and the share that may go otherwise: some words are no inputs."""
OFTEN = 0.05
"""The share of long inputs whose place lies farthest back, from which on it is taken to be bounded."""
MOST_KEYS = 5
"""For the program that finds a value without positions: it has a part for each set of keys."""
SOS, SEP, EOS = "SOS", "SEP", "EOS"


@dataclass(frozen=True)
class Rule:
    """A place of the input, in words, and as a function; None where an input has no such place."""

    words: str
    place: Callable[[Word], int | None]
    looks_up: bool = False
    """Whether the place depends on a key, of which there may be several."""


def rules(letters: tuple[str, ...]) -> Iterator[Rule]:
    """Places that answers come from, simple ones first."""
    names = {1: "last", 2: "second to last", 3: "third to last"}
    for back in range(1, FARTHEST + 1):
        yield Rule(f"the {names[back]} token", lambda x, back=back: len(x) - back if len(x) >= back else None)  # type: ignore[misc]
    for front, name in enumerate(("first", "second", "third")):
        yield Rule(f"the {name} token", lambda x, front=front: front if len(x) > front else None)  # type: ignore[misc]
    for step in (1, -1, 2):
        side = {1: "after", -1: "before", 2: "two places after"}[step]
        for which in ("last", "first"):
            yield Rule(
                f"the token {side} the {which} earlier occurrence of the query, the last token",
                _beside_query(step, which),
                looks_up=True,
            )
    for letter in letters:
        for which in ("last", "first"):
            yield Rule(f"the token after the {which} {letter}", _beside_letter(letter, which))


def _beside_query(step: int, which: str) -> Callable[[Word], int | None]:
    def place(x: Word) -> int | None:
        places = [k for k in range(len(x) - 1) if x[k] == x[-1] and 0 <= k + step < len(x) - 1]
        return None if not places else (places[-1] if which == "last" else places[0]) + step

    return place


def _beside_letter(letter: str, which: str) -> Callable[[Word], int | None]:
    def place(x: Word) -> int | None:
        places = [k for k in range(len(x) - 1) if x[k] == letter]
        return None if not places else (places[-1] if which == "last" else places[0]) + 1

    return place


@dataclass(frozen=True)
class Lookup:
    """The place that decides the answer, and what inputs show of it."""

    rule: Rule
    inputs: int
    alone: bool
    """Whether every key has one value in all inputs tried."""
    distance: int | None
    """The largest distance from the place to the end if that does not grow with the input."""

    @property
    def words(self) -> str:
        """What was seen, and theory's view."""
        says = f"the answer is {self.rule.words}, on {self.inputs} inputs"
        if not self.rule.looks_up:
            return says
        if self.distance is not None:
            return f"{says}; it lies at most {self.distance} places back: a window finds it"
        if self.alone:
            return f"{says}; every key has one value, so that counting pairs finds it with positions"
        return f"{says}; a key may have several values: no attention picks the latest at every length"


def lookup_of(
    known: Mapping[Word, tuple[str, ...]],
    asked: Callable[[Word], tuple[str, ...] | None],
    left: Callable[[], float],
) -> Lookup | None:
    """The simplest rule that answers of one token follow; None if there is none.

    >>> from itertools import product
    >>> words = [(*pairs, key) for pairs in product("ab", "01", "ab", "01", "ab", "01") for key in pairs[::2]]
    >>> said = lambda x: (x[max((k for k in range(0, 6, 2) if x[k] == x[-1]), default=0) + 1], "EOS")
    >>> lookup_of({x: said(x) for x in words}, said, lambda: 1.0).rule.words
    'the token after the last earlier occurrence of the query, the last token'
    """
    inputs = [x for x, y in known.items() if len(x) > 1 and len(y) == 2]
    if len(inputs) < LEAST_INPUTS or len(inputs) < sum(len(x) > 1 for x in known):
        return None
    if len({known[x] for x in inputs}) < LEAST_DIFFERENT:
        return None
    letters = tuple(sorted({letter for x in inputs for letter in x}))
    for rule in rules(letters[: MOST_KEYS * 2]):
        places = [rule.place(x) for x in inputs]
        right = all(
            place is not None and place < len(x) and x[place] == known[x][0]
            for x, place in zip(inputs, places, strict=True)
        )
        if not right or left() < 0 or not _decides(rule, inputs, asked, left):
            continue
        back = [(len(x), len(x) - (place or 0)) for x, place in zip(inputs, places, strict=True)]
        longest, most = max(size for size, _ in back), max(distance for _, distance in back)
        far = [distance for size, distance in back if size > longest / 2]
        bounded = most < longest / 2 and far.count(most) >= OFTEN * len(far)
        return Lookup(rule, len(inputs), _one_value(inputs), most if bounded else None)
    return None


def _one_value(inputs: list[Word]) -> bool:
    return all(len({x[k + 1] for k in range(len(x) - 2) if x[k] == x[-1]}) <= 1 for x in inputs)


def _decides(
    rule: Rule,
    inputs: list[Word],
    asked: Callable[[Word], tuple[str, ...] | None],
    left: Callable[[], float],
) -> bool:
    """Whether changing the token there to another one that answers have changes the answer to it, nearly
    always, and changing other tokens does not though the place stays."""
    rng = np.random.default_rng(9)
    values = sorted({x[place] for x in inputs if (place := rule.place(x)) is not None})
    tried = failed = changed = 0
    for number in rng.integers(0, len(inputs), CHANGED).tolist():
        x = inputs[number]
        place = rule.place(x)
        if left() < 0 or place is None or len(values) < LEAST_DIFFERENT:
            return False
        other = [value for value in values if value != x[place]][int(rng.integers(len(values) - 1))]
        new = (*x[:place], other, *x[place + 1 :])
        said, moved = asked(new), rule.place(new)
        if said is not None and moved == place:
            tried += 1
            changed += said[0] == other
            failed += said[0] != other
        elsewhere = int(rng.integers(len(x)))
        letters = [y[elsewhere] for y in inputs if len(y) == len(x)]
        new = (*x[:elsewhere], letters[int(rng.integers(len(letters)))], *x[elsewhere + 1 :])
        said, moved = asked(new), rule.place(new)
        if said is not None and moved == place != elsewhere:
            tried += 1
            failed += said[0] != x[place]
    return changed > 0 and failed <= MOST_WRONG * tried


def value_program(inputs: list[Word]) -> Program | None:
    """The program without positions for (key value)* key where every key has one value; else None.

    A set of keys is the one with some value if, after every value, its keys and that value came equally
    often: each step adds one key and one value. The query then makes its keys one more.
    """
    if not inputs or any(len(x) % 2 == 0 or len(x) < 3 for x in inputs) or not _one_value(inputs):
        return None
    keys = sorted({key for x in inputs for key in x[::2]})
    values = sorted({value for x in inputs for value in x[1::2]})
    if {*keys} & {*values} or len(keys) > MOST_KEYS or len(values) > MOST_KEYS or len(values) < 2:
        return None
    alphabet = tuple(dict.fromkeys((SOS, *keys, *values, SEP, EOS)))
    build = Builder(alphabet)
    seen = {letter: build.let(f"C{k}", count(token(letter))) for k, letter in enumerate((*keys, *values))}
    # Values that are written as the answer are no values of the input.
    inside = build.let("X", ~exists(token(SEP)))
    value = build.let("V", any_of(token(v) for v in values) & inside)
    build.output(EOS, exists(token(SEP)) & ~token(SEP))
    number = 0
    for v in values:
        options: list[Expr] = []
        for part in chain.from_iterable(combinations(keys, size) for size in range(1, len(keys) + 1)):
            number += 1
            total = as_expr(seen[part[0]])
            for key in part[1:]:
                total = total + seen[key]
            same = build.let(f"S{number}", count(value & (total != seen[v])) == 0)
            options.append(same & (total == seen[v] + 1))
        build.output(v, all_of([token(SEP), any_of(options)]))
    return build.program()
