"""Further functions as people bring them, with what theory says of each: without positions, and with them.

The truths were written down before the functions were asked about. Two were corrected by an argument before
they were decided: `equal_parts` draws parts that differ in one place at most, so counts tell; and a letter
that came at most twice can be seen to be the last one (`count_of_last`). A no to programs with positions: n
bits must be carried, or a group acts that a stable word leaves alone. A no to those without: a window or a
position matters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from longreach.tasks.task import Task
from tests.helpers.own_functions import word

Rng = np.random.Generator
ODD: dict[str, Any] = {"has": lambda n: n % 2 == 1 and n >= 3, "least_length": 3}
EVEN: dict[str, Any] = {"has": lambda n: n % 2 == 0, "least_length": 2}
DIGITS = "0123456789"


def _of(letters: str, answer: Callable[[Any], Any], **said: Any) -> Task:
    return Task.from_function(lambda length, rng: word(length, rng, letters), answer, **said)


def _grams(x: list[str], gram: str) -> int:
    return sum(u + v == gram for u, v in pairwise(x))


def _halves(x: list[str]) -> tuple[list[str], list[str]]:
    """Around a sign in the middle."""
    return x[: len(x) // 2], x[len(x) // 2 + 1 :]


def _prefixes(x: list[str], of: Callable[[list[str]], Any]) -> list[str]:
    return [str(of(x[: end + 1])) for end in range(len(x))]


def _draw_equal_counts(length: int, rng: Rng) -> list[str]:
    if length % 3 == 0 and rng.integers(0, 2):
        return ["abcabcabc"[k % 3] for k in rng.permutation(length)]
    return word(length, rng, "abc")


def _draw_sum(length: int, rng: Rng) -> list[str]:
    return [*word(length // 2, rng, "01"), "+", *word(length // 2, rng, "01")]


def _add(x: list[str]) -> list[str]:
    left, right = _halves(x)
    return list(f"{int(''.join(left), 2) + int(''.join(right), 2):b}".zfill(len(left) + 1))


def _draw_nearly_equal(length: int, rng: Rng) -> list[str]:
    left = word(length // 2, rng)
    right = list(left)
    if rng.integers(0, 2):
        place = int(rng.integers(0, len(right)))
        right[place] = "ab"[right[place] == "a"]
    return [*left, "#", *right]


def _draw_equal(length: int, rng: Rng) -> list[str]:
    left = word(length // 2, rng, DIGITS)
    return [*left, "#", *(left if rng.integers(0, 2) else word(length // 2, rng, DIGITS))]


def _draw_unary(length: int, rng: Rng) -> list[str]:
    left = (length - 1) // 2 if rng.integers(0, 2) else int(rng.integers(0, length))
    return ["a"] * left + ["#"] + ["a"] * (length - 1 - left)


def _draw_blocks(length: int, rng: Rng) -> list[str]:
    if rng.integers(0, 2):
        return [*"a" * (length // 3), *"b" * (length // 3), *"c" * (length - 2 * (length // 3))]
    return word(length, rng, "abc")


def _draw_balanced(length: int, rng: Rng) -> list[str]:
    found: list[str] = []
    depth = 0
    for left in range(length, 0, -1):
        up = depth == 0 or (depth < left and bool(rng.integers(0, 2)))
        found.append("(" if up else ")")
        depth += 1 if up else -1
    return found


def _max_depth(x: list[str]) -> str:
    depths = [x[: end + 1].count("(") - x[: end + 1].count(")") for end in range(len(x))]
    return str(min(5, max(depths)))


def _draw_anagram(length: int, rng: Rng) -> list[str]:
    left = word(length // 2, rng, "abc")
    right = (
        [left[k] for k in rng.permutation(len(left))] if rng.integers(0, 2) else word(len(left), rng, "abc")
    )
    return [*left, "#", *right]


def _draw_pairs(length: int, rng: Rng) -> list[str]:
    x = [t for _ in range(length // 2) for t in (word(1, rng)[0], word(1, rng, "01")[0])]
    return [*x, x[2 * int(rng.integers(0, length // 2))]]


def _first_value(x: list[str]) -> str:
    return next(value for key, value in zip(x[:-1:2], x[1:-1:2], strict=True) if key == x[-1])


def _by_count(x: list[str], sign: int) -> list[str]:
    count = Counter(x)
    return sorted("abc", key=lambda letter: (sign * count[letter], letter))


def _is_abc(w: Any) -> bool:
    return "".join(w) == "".join(letter * (len(w) // 3) for letter in "abc")


FURTHER: dict[str, tuple[str, Task]] = {
    # no and yes: a window, or a position, matters, and a program may look at it
    "second_last": ("no yes", _of("abc", lambda x: x[-2], least_length=2)),
    "fifth_from_end": ("no yes", _of("ab", lambda x: x[-5], least_length=5)),
    "contains_abc": ("no yes", _of("abc", lambda x: "abc" in "".join(x))),
    "ends_abb": ("no yes", _of("ab", lambda x: x[-3:] == ["a", "b", "b"])),
    "long_run": ("no yes", _of("abc", lambda x: "aaaa" in "".join(x))),
    "first_plus_last": ("no yes", _of("01234", lambda x: int(x[0]) + int(x[-1]))),
    "more_aa_than_bb": ("no yes", _of("ab", lambda x: _grams(x, "aa") > _grams(x, "bb"))),
    "more_ab_than_bc": ("no yes", _of("abc", lambda x: _grams(x, "ab") > _grams(x, "bc"))),
    "even_against_odd": ("no yes", _of("ab", lambda x: x[::2].count("a") > x[1::2].count("a"))),
    "lookup_first": ("no yes", Task.from_function(_draw_pairs, _first_value, **ODD)),
    # yes and yes: counts tell
    "fourth_token": ("yes yes", _of("abcd", lambda x: x[3], least_length=4)),
    "more_a_than_rest": ("yes yes", _of("abc", lambda x: 2 * x.count("a") > len(x))),
    "sum_above_20": ("yes yes", _of(DIGITS, lambda x: sum(map(int, x)) > 20)),
    "mean_between": ("yes yes", _of(DIGITS, lambda x: 3 * len(x) < sum(map(int, x)) < 5 * len(x))),
    "least_frequent": ("yes yes", _of("abc", lambda x: _by_count(x, 1)[0])),
    "second_most": ("yes yes", _of("abc", lambda x: _by_count(x, -1)[1])),
    "equal_counts": (
        "yes yes",
        Task.from_function(_draw_equal_counts, lambda x: len({x.count(each) for each in "abc"}) == 1),
    ),
    "starts_ab": ("yes yes", _of("ab", lambda x: x[:2] == ["a", "b"])),
    "is_sorted": ("yes yes", Task.from_predicate(lambda w: list(w) == sorted(w), "0123")),
    "sort_desc": ("yes yes", _of("abcd", lambda x: sorted(x, reverse=True))),
    "unique_sorted": ("yes yes", _of("abcd", lambda x: sorted({*x}))),
    "running_min": ("yes yes", _of("0123", lambda x: _prefixes(x, min))),
    "equal_parts": (
        "yes yes",
        Task.from_function(_draw_nearly_equal, lambda x: _halves(x)[0] == _halves(x)[1], **ODD),
    ),
    "unary_equal": ("yes yes", Task.from_function(_draw_unary, lambda x: 2 * x.index("#") + 1 == len(x))),
    "anbncn": ("yes yes", Task.from_predicate(_is_abc, "abc", draw=_draw_blocks)),
    "max_depth": ("yes yes", Task.from_function(_draw_balanced, _max_depth, **EVEN)),
    "anagram": (
        "yes yes",
        Task.from_function(_draw_anagram, lambda x: sorted(_halves(x)[0]) == sorted(_halves(x)[1]), **ODD),
    ),
    "majority_tie": (
        "yes yes",
        _of("ab", lambda x: ("tie", "a", "b")[int(np.sign(x.count("a") - x.count("b")))]),
    ),
    "count_of_last": ("yes yes", _of("abc", lambda x: x[:-1].count(x[-1]) > 2)),
    "median_digit": ("yes yes", _of(DIGITS, lambda x: sorted(x)[(len(x) - 1) // 2])),
    "range_of_digits": ("yes yes", _of("0123456", lambda x: int(max(x)) - int(min(x)))),
    "vowels": ("yes yes", _of("abcdefgh", lambda x: 3 * sum(t in "ae" for t in x) > len(x))),
    "runs_at_least_4": ("yes yes", _of("ab", lambda x: sum(u != v for u, v in pairwise(x)) >= 3)),
    # no and no: too much must be carried, or something is counted modulo a number
    "last_seen_order": ("no no", _of("abc", lambda x: list(dict.fromkeys(x[::-1])))),
    "prefix_parity": ("no no", _of("01", lambda x: _prefixes(x, lambda part: part.count("1") % 2))),
    "first_half": ("no no", _of("ab", lambda x: x[: len(x) // 2], least_length=2)),
    "interleave": (
        "no no",
        _of("ab", lambda x: [t for k in range(len(x) // 2) for t in (x[k], x[len(x) // 2 + k])], **EVEN),
    ),
    "swap_pairs": (
        "no no",
        _of("abc", lambda x: [t for k in range(0, len(x), 2) for t in x[k : k + 2][::-1]]),
    ),
    "drop_b": ("no no", _of("abc", lambda x: [t for t in x if t != "b"])),
    "caesar": ("no no", _of("abcd", lambda x: ["bcda"["abcd".index(t)] for t in x])),
    "run_lengths": (
        "no no",
        _of("ab", lambda x: [t for k, g in groupby(x) for t in (k, str(min(9, len(list(g)))))]),
    ),
    "add_binary": ("no no", Task.from_function(_draw_sum, _add, **ODD)),
    "equal_numbers": (
        "no no",
        Task.from_function(_draw_equal, lambda x: _halves(x)[0] == _halves(x)[1], **ODD),
    ),
    "digit_root": ("no no", _of(DIGITS, lambda x: sum(map(int, x)) % 9)),
    "check_digit": (
        "no no",
        _of(DIGITS, lambda x: -sum((1 + 2 * (k % 2)) * int(d) for k, d in enumerate(x)) % 10),
    ),
    "three_a_and_even_b": (
        "no no",
        Task.from_predicate(lambda w: w.count("a") >= 3 and w.count("b") % 2 == 0, "ab"),
    ),
}
"""By name: the answers without positions and with them, and the task."""
