"""Tasks as people bring them: plain Python functions, most of them answers to random words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from longreach.tasks.task import Task


def word(length: int, rng: np.random.Generator, letters: str = "ab") -> list[str]:
    return [letters[k] for k in rng.integers(0, len(letters), length)]


def _of(letters: str, answer: Callable[[Any], Any], **said: Any) -> Task:
    """Of all words over some letters."""
    return Task.from_function(lambda length, rng: word(length, rng, letters), answer, **said)


def _half_palindromes(length: int, rng: np.random.Generator) -> list[str]:
    w = word(length, rng)
    half = w[: length // 2]
    return half + w[length // 2 : length - length // 2] + half[::-1] if rng.integers(0, 2) else w


def _running_max(x: list[str]) -> list[str]:
    return [max(x[: end + 1]) for end in range(len(x))]


def _draw_lookup(length: int, rng: np.random.Generator) -> list[str]:
    """Keys that always have the same value, and one of them."""
    value = {key: "012"[rng.integers(0, 3)] for key in "abcd"}
    keys = word(length // 2, rng, "abcd")
    return [token for key in keys for token in (key, value[key])] + [keys[rng.integers(0, len(keys))]]


def _draw_assignments(length: int, rng: np.random.Generator) -> list[str]:
    x = [token for _ in range(length // 2) for token in (*word(1, rng), *word(1, rng, "01"))]
    return [*x, x[2 * rng.integers(0, length // 2)]]


def _lookup(x: list[str]) -> str:
    return dict(zip(x[0:-1:2], x[1:-1:2], strict=True))[x[-1]]


def _after_a(x: list[str]) -> str:
    count = Counter(v for u, v in pairwise(x) if u == "a")
    return min("abc", key=lambda s: (-count[s], s))


def _draw_flip_flop(length: int, rng: np.random.Generator) -> list[str]:
    x = ["w", *word(1, rng, "01")]
    while len(x) < length - 1:
        x += ["wi"[int(rng.integers(0, 10) > 1)], *word(1, rng, "01")]
    return [*x, "r"]


def _flip_flop(x: list[str]) -> str | None:
    return next((bit for op, bit in reversed([*zip(x[0:-1:2], x[1:-1:2], strict=True)]) if op == "w"), None)


def _nested(word: str, pairs: dict[str, str], deep: int = 10**9) -> bool:
    stack: list[str] = []
    for letter in word:
        if letter in pairs.values():
            stack.append(letter)
            if len(stack) > deep:
                return False
        elif letter in pairs and (not stack or stack.pop() != pairs[letter]):
            return False
    return not stack


def _two_numbers(length: int, rng: np.random.Generator) -> list[str]:
    n = (length - 1) // 2
    left, right = word(n, rng, "01"), word(n, rng, "01")
    if rng.integers(0, 2):  # a long common beginning
        same = int(rng.integers(0, n + 1))
        right[:same] = left[:same]
    return [*left, "#", *right]


def _draw_third(length: int, rng: np.random.Generator) -> list[str]:
    w = word(length, rng)
    if rng.integers(0, 2):
        w[::3] = ["a"] * len(w[::3])
    return w


def _number(x: list[str], base: int = 2) -> int:
    return int("".join(x), base)


PAIRS: dict[str, Any] = {"has": lambda n: n % 2 == 1 and n >= 3, "least_length": 3}

THIRTY: dict[str, Task] = {
    "last_token": _of("abc", lambda x: x[-1]),
    "first_token": _of("abc", lambda x: x[0]),
    "majority3": _of("abc", lambda x: min("abc", key=lambda s: (-x.count(s), s))),
    "diff_mod3": _of("ab", lambda x: (x.count("a") - x.count("b")) % 3),
    "first_equals_last": _of("abc", lambda x: x[0] == x[-1]),
    "contains_aba": _of("ab", lambda x: "aba" in "".join(x)),
    "two_distinct": _of("abcd", lambda x: len({*x}) <= 2),
    "palindrome": Task.from_function(_half_palindromes, lambda x: x == x[::-1]),
    "copy": _of("ab", lambda x: x),
    "reverse": _of("0123", lambda x: x[::-1]),
    "sort_digits": _of("0123456789", sorted),
    "dedupe": _of("abcd", lambda x: list(dict.fromkeys(x))),
    "running_max": _of("0123", _running_max),
    "lookup_consistent": Task.from_function(_draw_lookup, _lookup, **PAIRS),
    "lookup_latest": Task.from_function(_draw_assignments, _lookup, **PAIRS),
    "most_often_after_a": _of("abc", _after_a),
    "flip_flop": Task.from_function(_draw_flip_flop, _flip_flop, **PAIRS),
    "dyck1": Task.from_predicate(lambda w: _nested(w, {")": "("}), "()"),
    "dyck2": Task.from_predicate(lambda w: _nested(w, {")": "(", "]": "["}), "()[]"),
    "sum_mod5": _of("01234", lambda x: sum(map(int, x)) % 5),
    "compare_binary": Task.from_function(
        _two_numbers, lambda x: _number(x[: x.index("#")]) > _number(x[x.index("#") + 1 :]), **PAIRS
    ),
    "average_digit": _of("0123456789", lambda x: 2 * sum(map(int, x)) > 9 * len(x)),
    "increment": _of("01", lambda x: list(f"{_number(x) + 1:b}".zfill(len(x)))),
    "rotate_left": _of("01", lambda x: x[1:] + x[:1]),
    "trailing_run_even": _of("ab", lambda x: (len(x) - len("".join(x).rstrip("a"))) % 2 == 0),
    "every_third_a": Task.from_function(_draw_third, lambda x: {*x[::3]} == {"a"}),
    "five_a": _of("abcdefgh", lambda x: x.count("a") >= 5),
    "json_depth3": Task.from_predicate(lambda w: _nested(w, {"]": "[", "}": "{"}, 3), "[]{}x"),
    "first_b_parity": _of("ab", lambda x: x.index("b") % 2 if "b" in x else "none"),
    "run_of_three": _of("abc", lambda x: any(c * 3 in "".join(x) for c in "abc")),
}


def _operands(letters: str, sign: str, end: str = "") -> Callable[[int, np.random.Generator], list[str]]:
    def draw(length: int, rng: np.random.Generator) -> list[str]:
        n = length - 1 - len(end)
        x = word(n, rng, letters)
        x.insert(int(rng.integers(1, n)), sign)
        return [*x, *end]

    return draw


def _split(x: list[str], sign: str) -> tuple[int, int]:
    first, second = "".join(x).rstrip("=").split(sign)
    return int(first), int(second)


def _difference(x: list[str]) -> list[str]:
    size = max(map(len, "".join(x).split("-")))
    first, second = _split(x, "-")
    return list(str((first - second) % 10**size).zfill(size))


def _doubled(length: int, rng: np.random.Generator) -> list[str]:
    w = word(length, rng)
    return w[: length // 2] * 2 if rng.integers(0, 2) else w


def _toggled(x: list[str], k: int) -> str:
    """Capitals behind an odd number of x, which itself stays as it is."""
    return x[k].upper() if x[k] != "x" and x[:k].count("x") % 2 else x[k]


EVEN: dict[str, Any] = {"has": lambda n: n % 2 == 0, "least_length": 2}

MORE: dict[str, Task] = {
    "add": Task.from_function(
        _operands("0123456789", "+", "="), lambda x: list(str(sum(_split(x, "+")))), least_length=4
    ),
    "subtract": Task.from_function(_operands("0123456789", "-"), _difference, least_length=3),
    "times_three": _of("01", lambda x: list(f"{3 * _number(x):b}")),
    "twice_the_number": _of("0123456789", lambda x: list(str(2 * _number(x, 10)))),
    "half_of_the_number": _of("01", lambda x: list(f"{_number(x) // 2:b}".zfill(len(x)))),
    "shifted_letters": _of("abcd", lambda x: ["bcda"["abcd".index(c)] for c in x]),
    "swapped_pairs": _of("abc", lambda x: [c for k in range(0, len(x), 2) for c in x[k : k + 2][::-1]]),
    "one_later": _of("abc", lambda x: ["-", *x[:-1]]),
    "one_earlier": _of("abc", lambda x: [*x[1:], "-"]),
    "prefix_parities": _of("01", lambda x: [str(sum(map(int, x[: k + 1])) % 2) for k in range(len(x))]),
    "suffix_parities": _of("01", lambda x: [str(sum(map(int, x[k:])) % 2) for k in range(len(x))]),
    "every_second": _of("abc", lambda x: x[::2]),
    "each_twice": _of("ab", lambda x: [c for c in x for _ in range(2)]),
    "without_a": _of("abc", lambda x: [c for c in x if c != "a"]),
    "square": Task.from_function(_doubled, lambda x: x[: len(x) // 2] == x[len(x) // 2 :], **EVEN),
    "toggled": _of("xab", lambda x: [_toggled(x, k) for k in range(len(x))]),
    "mirrored": Task.from_predicate(lambda w: w == w[::-1], "ab"),
    "all_twice": _of("ab", lambda x: x + x),
}
