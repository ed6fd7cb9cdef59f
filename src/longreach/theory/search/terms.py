"""What predictors may look at, simplest first: tests, counts, and small sums of counts, as programs say them.

A task reads SOS x SEP y, so letters are counted before and after SEP. Each kind of terms is a class of small
programs; the kinds are tried in order, and the later ones take relations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise, permutations, product

import numpy as np
from numpy.typing import NDArray

from longreach.theory.crasp.evaluate import Kernel, State
from longreach.theory.crasp.program import Builder
from longreach.theory.crasp.syntax import TRUE, Expr, all_of, any_of, count, exists, position, token

SOS, SEP, EOS = "SOS", "SEP", "EOS"
SIMPLE, SUMS, PARTS, ORDER, HEIGHTS = "counts", "sums", "parts", "order", "heights"
LOCAL, WIDE, MODULAR = "windows", "wide windows", "positions"
NUMBERS = "numbers"
"""No terms: those of the other kinds, compared with more numbers."""
KINDS: tuple[tuple[str, ...], ...] = (
    (SIMPLE,),
    (SIMPLE, SUMS),
    (SIMPLE, PARTS),
    (SIMPLE, SUMS, ORDER),
    (SIMPLE, ORDER, HEIGHTS),
    (SIMPLE, ORDER, NUMBERS),
)
"""Without relations; each is tried after the one before, but those that add no term."""
WITH_RELATIONS: tuple[tuple[str, ...], ...] = (
    (SIMPLE, LOCAL),
    (SIMPLE, WIDE),
    (SIMPLE, MODULAR),
    (SIMPLE, SUMS, PARTS, ORDER, LOCAL),
)
MOST_FORMS = 4000
MOST_COMPARED = 40
"""Counts of which all pairs are compared."""
COEFFICIENTS, MOST_SUMMED = 3, 4
"""Of a sum of counts, at most, and of how many counts every such sum is tried."""
LENGTHS = 30
"""How many times the length may be compared with a sum of numbers."""
ORDERED, GRAMS, COMPARED = 12, 7, 4
"""Letters at most for terms about which letter comes first, about two letters in a row, and about how often
one letter is ahead of another."""
REPEATED = 3
"""How often letters came, where it is counted how many letters did."""
FIRST_GRAMS = 10
"""Letters at most for terms about what follows the first occurrence of each."""
MODULI, WINDOW, FIRST = (2, 3, 4), 3, 3
FARTHEST, HIGHEST = 12, 5
"""The last place of a wide window, and by how much one letter is ahead of another at most."""


@dataclass(frozen=True)
class Form:
    """A small sum of counts."""

    parts: tuple[tuple[int, int], ...]
    """Pairs of a coefficient and the place of a term."""

    @property
    def cost(self) -> int:
        return sum(abs(factor) for factor, _ in self.parts)


@dataclass
class Terms:
    """Terms in order: tests, whose truth at a position counts, and counts, compared with one another."""

    letters: tuple[str, ...]
    """Of inputs."""
    written: tuple[str, ...] = ()
    """Of answers; none for a language, whose words are read alone."""
    kinds: tuple[str, ...] = (SIMPLE,)
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of letters that stand for several."""
    marks: tuple[str, ...] = ()
    """Letters that divide inputs into parts."""
    tests: list[Expr] = field(default_factory=list)
    counts: list[Expr] = field(default_factory=list)
    forms: list[Form] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.separated = bool(self.written)
        letters = tuple(each for letter in self.letters for each in self._members(letter))
        read = (SOS, *letters, SEP) if self.separated else letters
        ends = (EOS,) if self.separated else ()
        self.alphabet = tuple(dict.fromkeys((*read, *self.written, *ends)))
        self._build = Builder(self.alphabet)
        self._numbered = 0
        self._known: dict[tuple[object, ...], int] = {}
        self._sums: dict[tuple[tuple[int, int], ...], None] = {}
        self._inside = self._outside = TRUE
        if self.separated:
            self._outside = self._let(exists(token(SEP)))
            self._inside = self._let(~self._outside & ~token(SOS))
        self._fill()
        self.forms = [Form(parts) for parts in list(self._sums)[:MOST_FORMS]]

    # What there is

    def _let(self, expr: Expr) -> Expr:
        self._numbered += 1
        return self._build.let(f"T{self._numbered}", expr)

    def _count(self, *key: object, body: Expr) -> int:
        """The place of a count, made once."""
        if key not in self._known:
            self._known[key] = len(self.counts)
            self.counts.append(self._let(count(body)))
        return self._known[key]

    def _sum(self, *parts: tuple[int, int]) -> None:
        self._sums.setdefault(tuple(parts))

    def _difference(self, left: int, right: int) -> None:
        if left != right and ((1, right), (-1, left)) not in self._sums:
            self._sum((1, left), (-1, right))

    def _members(self, letter: str) -> tuple[str, ...]:
        return self.members.get(letter, (letter,))

    def _is(self, *letters: str) -> Expr:
        """One of the letters stands here."""
        return any_of(token(each) for letter in letters for each in self._members(letter))

    def _read(self, *letters: str) -> Expr:
        """The same, in the input."""
        known = {each for letter in letters for each in self._members(letter)}
        return self._is(*letters) & self._inside if known & {*self.written} else self._is(*letters)

    def _fill(self) -> None:
        order = sorted(self.letters, key=_place)
        self._x = {a: self._count("x", a, body=self._read(a)) for a in order}
        self._n = self._count("n", body=self._inside)
        self._m: int | None = None
        self._y: dict[str, int] = {}
        if self.separated:
            after = self._let(self._outside & ~token(SEP))
            self._y = {b: self._count("y", b, body=token(b) & after) for b in self.written}
            self._m = self._count("m", body=after)
        else:
            self.tests += [self._is(letter) for letter in order]
        singles = [*self._x.values(), self._n, *self._y.values(), *([] if self._m is None else [self._m])]
        for place in singles:
            self._sum((1, place))
        pairs = combinations(self._x.values() if len(order) <= MOST_COMPARED else (), 2)
        if len(singles) <= MOST_COMPARED:
            pairs = combinations(singles, 2)
        for left, right in pairs:
            self._difference(left, right)
        for letter, place in self._x.items():
            for other in [self._n, self._y.get(letter), self._m]:
                if other is not None:
                    self._difference(place, other)
        if self.separated:
            self.tests += [token(b) for b in (SEP, *self.written)]
        for kind, fill in (
            (SUMS, self._fill_sums), (PARTS, self._fill_parts), (ORDER, self._fill_order),
            (HEIGHTS, self._fill_heights), (LOCAL, self._fill_local), (WIDE, self._fill_wide),
            (MODULAR, self._fill_modular),
        ):  # fmt: skip
            if kind in self.kinds:
                fill(order)

    def _sets(self, order: Sequence[str]) -> list[tuple[str, ...]]:
        """The letters up to one of them, and those from one on."""
        if not 2 < len(order) <= ORDERED:
            return []
        return [tuple(part) for cut in range(1, len(order)) for part in (order[:cut], order[cut:])]

    def _fill_sums(self, order: Sequence[str]) -> None:
        for part in self._sets(order):
            body = self._is(*part)
            mine = self._count("x", part, body=body & self._inside if self.separated else body)
            self._sum((1, mine))
            self._sum((2, mine), (-1, self._n))  # what stands in the middle, once sorted
            for other in [self._n, *([] if self._m is None else [self._m])]:
                self._difference(mine, other)
            if self.separated and (written := [b for b in part if b in self._y]):
                body = any_of(token(b) for b in written) & self._outside
                self._difference(mine, self._count("y", part, body=body))
        for part in pairwise(order) if len(order) <= ORDERED else ():
            self._sum(*((1, self._x[letter]) for letter in part))
        if self._m is not None:
            for place, times in product([*self._x.values(), self._n], range(2, COEFFICIENTS + 1)):
                self._sum((times, place), (-1, self._m))
                self._sum((1, place), (-times, self._m))
        counts = list(self._x.values())
        numbers = [int(letter) if letter.isdecimal() else -1 for letter in order]
        if min(numbers) >= 0 and 1 < max(numbers) <= 100:
            total = [
                (number, self._x[letter]) for number, letter in zip(numbers, order, strict=True) if number
            ]
            for times, length in product(range(1, COEFFICIENTS + 1), range(LENGTHS + 1)):
                self._sum(*((times * number, place) for number, place in total), (-length, self._n))
        if len(counts) <= MOST_SUMMED:
            factors = range(-COEFFICIENTS, COEFFICIENTS + 1)
            for chosen in sorted(product(factors, repeat=len(counts)), key=lambda each: sum(map(abs, each))):
                parts = [(factor, place) for factor, place in zip(chosen, counts, strict=True) if factor]
                if len(parts) > 1 and parts[0][0] > 0 and np.gcd.reduce([f for f, _ in parts]) == 1:
                    self._sum(*parts)
        for place in counts:
            for times in range(2, COEFFICIENTS + 3):
                self._sum((times, place), (-1, self._n))

    def _fill_parts(self, order: Sequence[str]) -> None:
        """Counts before and after each mark."""
        for mark in self.marks:
            seen = self._let(self._x_expr(mark) >= 1)
            letters = [letter for letter in order if letter != mark]
            parts: dict[bool, dict[object, int]] = {}
            for after in (False, True):
                here = self._let(self._inside & (seen & ~self._is(mark) if after else ~seen))
                found = parts[after] = {"n": self._count("part", mark, after, "n", body=here)}
                for letter in letters:
                    found[letter] = self._count("part", mark, after, letter, body=self._is(letter) & here)
                for part in self._sets(letters):
                    found[part] = self._count("part", mark, after, part, body=self._is(*part) & here)
                for place in found.values():
                    self._sum((1, place))
            for key in parts[True]:
                left, right = parts[False][key], parts[True][key]
                self._difference(left, right)
                self._sum((2, left), (-1, right))
                self._sum((1, left), (-2, right))
                if self._m is not None:
                    self._sum((1, left), (-1, right), (-1, self._m))
                    self._sum((1, right), (-1, left), (-1, self._m))
            for after in (False, True):
                for one, other in combinations(letters if len(letters) <= ORDERED else (), 2):
                    self._difference(parts[after][one], parts[after][other])
            for one, other in product(letters if len(letters) <= COMPARED else (), repeat=2):
                if one != other:
                    self._difference(parts[False][one], parts[True][other])
            if letters and all(letter.isdecimal() for letter in letters):
                values = [(int(letter), letter) for letter in letters if int(letter)]
                self._sum(
                    *((value, parts[False][letter]) for value, letter in values),
                    *((-value, parts[True][letter]) for value, letter in values),
                )

    def _fill_order(self, order: Sequence[str]) -> None:
        for times in range(1, REPEATED + 1):
            # How many different letters came at least so often.
            body = any_of(self._read(letter) & (self._x_expr(letter) == times) for letter in order)
            came = self._count("came", times, body=body)
            self._sum((1, came))
            self._difference(came, self._n)
            if self._m is not None:
                self._difference(came, self._m)
        if len(order) > ORDERED:
            return
        seen = {letter: self._let(self._x_expr(letter) >= 1) for letter in order}
        ahead = self._m if self._m is not None else self._n
        for part in [*((letter,) for letter in order), *self._sets(order)]:
            none = all_of(~seen[letter] for letter in part)
            before = self._count("before", part, body=self._inside & none)
            self._sum((1, before))
            self._difference(before, ahead)
        for first, second in product(order, repeat=2):
            if first != second:
                body = self._read(first) & ~seen[second]
                self._sum((1, self._count("first", first, second, body=body)))
        places = self._let(count(self._inside))
        for place, letter in product(range(1, FIRST + 1), order):
            body = self._read(letter) & (places == place)
            self._sum((1, self._count("at", place, letter, body=body)))
        if len(order) <= COMPARED:
            for first, second in product(order, repeat=2):
                if first != second:
                    body = self._inside & (self._x_expr(first) > self._x_expr(second))
                    leads = self._count("leads", first, second, body=body)
                    self._sum((1, leads))
                    self._difference(leads, self._n)

    def _fill_heights(self, order: Sequence[str]) -> None:
        """How far one letter was ahead of another, or of its double, anywhere or at some letter."""
        for first, second in permutations(order if len(order) <= COMPARED else (), 2):
            one, other = self._x_expr(first), self._x_expr(second)
            for ahead in range(1, HIGHEST + 1):
                body = self._inside & (one > other + ahead)
                self._sum((1, self._count("leads", first, second, ahead, body=body)))
            for times in range(2, COEFFICIENTS + 1):
                for key, over in ((times, 1), one > times * other), ((1, times), times * one > other):
                    self._sum((1, self._count("leads", first, second, key, body=self._inside & over)))
            for letter, ahead in product(order, range(HIGHEST)):
                at = self._count("leads at", letter, first, second, ahead,
                                 body=self._read(letter) & (one > other + ahead))  # fmt: skip
                self._sum((1, at))
                self._difference(self._x[letter], at)

    def _x_expr(self, letter: str) -> Expr:
        return self.counts[self._x[letter]]

    def _fill_local(self, order: Sequence[str]) -> None:
        self._look_back(order, range(1, WINDOW + 1))
        for first, second in product(order if len(order) <= FIRST_GRAMS else (), repeat=2):
            times = 1 + (first == second)
            near = self._read(second) & (count(self._is(first), 1) >= 1)
            body = near & (self._x_expr(first) == times)
            self._sum((1, self._count("first gram", first, second, body=body)))
        if len(order) > GRAMS:
            return
        grams = {}
        for first, second in product(order, repeat=2):
            body = self._read(second) & (count(self._is(first), 1) >= 1)
            grams[first, second] = self._count("gram", first, second, body=body)
        for place in grams.values():
            self._sum((1, place))
        for left, right in combinations(grams.values(), 2):
            self._difference(left, right)
        digits = [letter for letter in order if letter.isdecimal()]
        values = {  # of all digits behind a letter, such as a sign
            first: [(int(digit), grams[first, digit]) for digit in digits if int(digit)]
            for first in (order if digits else ())
            if first not in digits
        }
        for (_, mine), (_, others) in combinations(values.items(), 2):
            self._sum(*mine, *((-value, place) for value, place in others))
        for (first, second), place in grams.items():
            self._difference(place, self._x[first])
            self._difference(place, self._x[second])
        if (same := [place for (first, second), place in grams.items() if first == second]) and len(same) > 1:
            self._sum(*((1, place) for place in same))
        if len(order) <= 3:
            for first, second, third in product(order, repeat=3):
                near = self._read(third) & (count(self._is(second), 1) >= 1)
                body = near & (count(self._is(first), 2) >= 1)
                self._sum((1, self._count("gram", first, second, third, body=body)))

    def _fill_wide(self, order: Sequence[str]) -> None:
        self._look_back(order, range(WINDOW + 1, FARTHEST + 1))

    def _look_back(self, order: Sequence[str], distances: range) -> None:
        near = [*order, *(b for b in self.written if b not in order)]
        for distance, letter in product(distances, near):
            self.tests.append(self._let(count(self._is(letter), distance) >= 1))

    def _fill_modular(self, order: Sequence[str]) -> None:
        shift = int(self.separated)  # positions of the input are counted from 1
        for modulus in MODULI:
            self.tests += [self._let(position(modulus, residue)) for residue in range(modulus)]
            for letter in order:
                placed = []
                for residue in range(modulus):
                    here = position(modulus, (residue + shift) % modulus)
                    placed.append(
                        self._count("mod", modulus, residue, letter, body=self._read(letter) & here)
                    )
                    self._sum((1, placed[-1]))
                for left, right in combinations(placed, 2):
                    self._difference(left, right)
            if len(order) <= COMPARED:
                for residue, (first, second) in product(range(modulus), combinations(order, 2)):
                    left, right = (self._known["mod", modulus, residue, each] for each in (first, second))
                    self._difference(left, right)

    # What they say

    def values(self, words: Sequence[Sequence[str]], asked: Sequence[Sequence[int]]) -> Values:
        """The tests and counts at the positions asked about of each word, one column each."""
        program = self._build.draft()
        build = Builder(self.alphabet)
        names = []
        for statement in program.statements:
            build.let(statement.name, statement.expr)
        for number, expr in enumerate((*self.tests, *self.counts)):
            names.append(f"V{number}")
            build.let(names[-1], expr)
        build.let("P", TRUE)
        core = build.program().core
        places = dict(core.names)
        kept = [places[name] for name in names]
        codes = {symbol: code for code, symbol in enumerate(core.alphabet)}
        columns: list[tuple[NDArray[np.bool_], NDArray[np.int32]]] = []
        order = sorted(range(len(words)), key=lambda row: len(words[row]))
        found_order: list[tuple[int, int]] = []
        for part in _parts(order, words):
            block = np.zeros((len(part), max(len(words[row]) for row in part)), dtype=np.uint32)
            for place, row in enumerate(part):
                block[place, : len(words[row])] = [codes[symbol] for symbol in words[row]]
            at = [(place, position) for place, row in enumerate(part) for position in asked[row]]
            found_order += [(part[place], position) for place, position in at]
            rows, positions = (np.array(each, dtype=np.int64) for each in zip(*at, strict=True))
            read = Kernel(core, kept).advance(State(), block)
            values = [np.broadcast_to(read[index], block.shape)[rows, positions] for index in kept]
            tests = np.array(values[: len(self.tests)], dtype=np.bool_).reshape(len(self.tests), len(at))
            columns.append((tests, np.array(values[len(self.tests) :], dtype=np.int32)))
        return Values(
            tests=np.concatenate([tests for tests, _ in columns], axis=1),
            counts=np.concatenate([counts for _, counts in columns], axis=1),
            columns=tuple(found_order),
        )

    def sums(self, counts: NDArray[np.int32]) -> NDArray[np.int32]:
        """The values of all forms, one row each."""
        found = np.zeros((len(self.forms), counts.shape[1]), dtype=np.int32)
        for number, form in enumerate(self.forms):
            for factor, place in form.parts:
                found[number] += factor * counts[place]
        return found

    def expression(self, form: Form) -> tuple[Expr | int, Expr | int]:
        """What stands on both sides of a comparison: the terms with a plus, and those with a minus."""
        sides = []
        for sign in (1, -1):
            parts = [(sign * factor, place) for factor, place in form.parts if sign * factor > 0]
            total: Expr | int = 0
            for factor, place in parts:
                part = self.counts[place] if factor == 1 else factor * self.counts[place]
                total = part if isinstance(total, int) else total + part
            sides.append(total)
        return sides[0], sides[1]

    def builder(self) -> Builder:
        """A program with all terms, to which outputs are added."""
        build = Builder(self.alphabet)
        for statement in self._build.draft().statements:
            build.let(statement.name, statement.expr)
        return build


@dataclass(frozen=True, eq=False)
class Values:
    """Of terms at positions."""

    tests: NDArray[np.bool_]
    counts: NDArray[np.int32]
    columns: tuple[tuple[int, int], ...]
    """Of each column the word and the position."""


BLOCK = 60_000
"""Symbols of words that are read at once."""


def _parts(order: Sequence[int], words: Sequence[Sequence[str]]) -> Iterator[list[int]]:
    """Words of similar lengths together."""
    part: list[int] = []
    for row in order:
        if part and (len(part) + 1) * len(words[row]) > BLOCK:
            yield part
            part = []
        part.append(row)
    if part:
        yield part


def _place(letter: str) -> tuple[int, int, str]:
    """Numbers in their order, then other letters in theirs."""
    return (0, int(letter), "") if letter.isdecimal() else (1, 0, letter)
