"""Short Boolean expressions over what a program sees directly: the last letters and the position."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from longreach.theory.crasp.printer import expression_text
from longreach.theory.crasp.program import conjunction, disjunction, negation
from longreach.theory.crasp.syntax import FALSE, TRUE, Expr, any_of, count, position, token

Key = TypeVar("Key", bound=Hashable)
Alike = Mapping[str, tuple[str, ...]]
Values = Collection[str | int | None]
Test = Callable[[Values, Values], Expr]
"""Makes an expression that holds for the first values and not for the second ones."""


@dataclass(frozen=True, slots=True)
class View:
    """What is seen at a position: the letters at distance 0, 1, …, and the position modulo the modulus.

    A distance that reaches before the word shows None.
    """

    letters: tuple[str | None, ...]
    residue: int

    def letter_alone(self) -> View:
        """The view of the current letter, and not of the position."""
        return View(self.letters[:1], 0)


def grouped(items: Iterable[tuple[Key, Expr]]) -> list[tuple[list[Key], Expr]]:
    """The keys that have the same expression together; false ones are left out."""
    groups: dict[str, tuple[list[Key], Expr]] = {}
    for key, expr in items:
        if expr is not FALSE:
            groups.setdefault(expression_text(expr), ([], expr))[0].append(key)
    return list(groups.values())


def separate(
    positive: Collection[View], negative: Collection[View], modulus: int, alike: Alike | None = None
) -> Expr | None:
    """An expression that holds on the positive views and not on the negative ones; None if they overlap.

    `alike` lists, for letters of the views, all letters for which they stand.

    >>> from longreach.theory.crasp.printer import expression_text
    >>> seen = [View((here, before), 0) for here in "ab" for before in ("a", "b", None)]
    >>> print(expression_text(separate(seen[:1], seen[1:], 1)))
    "a" && #[i-1] "a" >= 1
    """
    if set(positive) & set(negative):
        return None
    return _tree(set(positive), set(negative), modulus, alike or {})


def _tree(positive: set[View], negative: set[View], modulus: int, alike: Alike) -> Expr:
    if not positive:
        return FALSE
    if not negative:
        return TRUE
    features = _features(next(iter(positive)), modulus, alike)
    # A feature that is the same everywhere tells nothing.
    useful = [k for k, f in enumerate(features) if len({f.of(view) for view in positive | negative}) > 1]
    pick = min(useful, key=lambda k: (*_impurity(features[k].of, positive, negative), k))
    feature = features[pick]
    values = {feature.of(view) for view in positive | negative}
    branches: list[tuple[str | int | None, Expr]] = []
    for value in sorted(values, key=str):
        inside = {view for view in positive if feature.of(view) == value}
        outside = {view for view in negative if feature.of(view) == value}
        branches.append((value, _tree(inside, outside, modulus, alike)))
    result = FALSE
    for chosen, below in grouped(branches):
        rest = [value for value, expr in branches if value not in chosen]
        test = feature.test(chosen, rest)
        # The current letter first, as people would say it.
        result = disjunction(result, conjunction(test, below) if pick == 0 else conjunction(below, test))
    return result


@dataclass(frozen=True)
class _Feature:
    of: Callable[[View], str | int | None]
    test: Test


def _features(example: View, modulus: int, alike: Alike) -> list[_Feature]:
    found = [_letter_feature(distance, alike) for distance in range(len(example.letters))]
    return found + [_Feature(lambda view: view.residue, _residue_test(modulus))] * (modulus > 1)


def _letter_feature(distance: int, alike: Alike) -> _Feature:
    return _Feature(lambda view: view.letters[distance], _letter_test(distance, alike))


def _impurity(of: Callable[[View], object], positive: set[View], negative: set[View]) -> tuple[int, int]:
    """How many views stay together with views of the other side, and how many values there are."""
    inside = {of(view) for view in positive}
    mixed = inside & {of(view) for view in negative}
    left = sum(of(view) in mixed for view in positive) + sum(of(view) in mixed for view in negative)
    return left, len(mixed)


def _letter_test(distance: int, alike: Alike) -> Test:
    def whole(letters: Values) -> list[str]:
        return [other for letter in letters for other in alike.get(str(letter), (str(letter),))]

    def one_of(letters: Values) -> Expr:
        tests = any_of(token(letter) for letter in sorted(whole(letters)))
        return tests if distance == 0 else count(tests, distance) >= 1

    def test(chosen: Values, rest: Values) -> Expr:
        if not rest:
            return TRUE
        if None in chosen or (None not in rest and len(whole(rest)) < len(whole(chosen))):
            return negation(one_of(rest))
        return one_of(chosen)

    return test


def _residue_test(modulus: int) -> Test:
    def test(chosen: Values, rest: Values) -> Expr:
        if not rest:
            return TRUE
        wanted, other = {int(r or 0) for r in chosen}, {int(r or 0) for r in rest}
        # The smallest modulus that tells the two apart.
        smallest = next(
            m
            for m in range(1, modulus + 1)
            if modulus % m == 0 and not {r % m for r in wanted} & {r % m for r in other}
        )
        return position(smallest, *{r % smallest for r in wanted})

    return test
