"""Functions of everyday work: logs, fields of a row, dates, counters, state machines.

The truths were written down before the functions were asked about, without positions and with them. A yes
names counts that tell; a no to programs with positions names what must be carried; a no to those without
names the window or the position that matters.
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


def _of(letters: str, answer: Callable[[Any], Any], **said: Any) -> Task:
    return Task.from_function(lambda length, rng: word(length, rng, letters), answer, **said)


def _with(draw: Callable[[int, Rng], list[str]], answer: Callable[[Any], Any], **said: Any) -> Task:
    return Task.from_function(draw, answer, **said)


def _draw_some(letters: str) -> Callable[[int, Rng], list[str]]:
    """Of some of the letters only."""

    def draw(length: int, rng: Rng) -> list[str]:
        kept = [each for each in letters if rng.integers(0, 2)] or [letters[0]]
        return word(length, rng, "".join(kept))

    return draw


def _draw_favourite(length: int, rng: Rng) -> list[str]:
    return word(length, rng, "abcd" + "abcd"[int(rng.integers(0, 4))] * int(rng.integers(0, 5)))


def _draw_rare(length: int, rng: Rng) -> list[str]:
    """Each of a, b and c at most twice, among x."""
    x = ["x"] * length
    for letter in "abc":
        for place in rng.integers(0, length, int(rng.integers(0, 3))):
            x[int(place)] = letter
    return x


def _draw_ticks(length: int, rng: Rng) -> list[str]:
    return [*word(1, rng, "0123456"), *"t" * (length - 1)]


def _draw_signed(length: int, rng: Rng) -> list[str]:
    return [t for _ in range(length // 2) for t in (word(1, rng, "+-")[0], word(1, rng, "012")[0])]


def _never_overdrawn(w: Any) -> bool:
    """A deposit is 1, a withdrawal 2."""
    balance = 0
    for each in w:
        balance += {"+": 1, "-": -2}.get(each, 0)
        if balance < 0:
            return False
    return True


def _commas_at_depth_one(w: Any) -> bool:
    depth = 0
    for each in w:
        depth += (each == "(") - (each == ")")
        if each == "," and depth != 1:
            return False
    return True


def _warned(x: list[str]) -> bool:
    return "w" in x and "e" in x[x.index("w") :]


def _third_largest(x: list[str]) -> str:
    return sorted({*x, *"..."}, reverse=True)[2] if len({*x}) >= 3 else "none"


def _clear_lead(x: list[str]) -> bool:
    counts = sorted(x.count(each) for each in "abc")
    return counts[2] - counts[1] >= 3


def _majority(x: list[str]) -> str:
    letter, count = Counter(x).most_common(1)[0]
    return letter if 2 * count > len(x) else "none"


def _first_unique(x: list[str]) -> str:
    return next((each for each in x if each != "x" and x.count(each) == 1), "none")


def _race(x: list[str]) -> str:
    scores = {"a": 0, "b": 0, "x": 0}
    for each in x:
        scores[each] += 1
        if each != "x" and scores[each] == 3:
            return each
    return "none"


def _quorum(x: list[str]) -> bool:
    yes, no, none = (x.count(each) for each in "yn-")
    return yes + no >= none and yes >= 2 * no


def _by_frequency(x: list[str]) -> list[str]:
    return sorted("abc", key=lambda each: (-x.count(each), each))


def _longest_run(x: list[str]) -> str:
    return str(min(3, max([len([*run]) for letter, run in groupby(x) if letter == "a"], default=0)))


def _signed_sum(x: list[str]) -> bool:
    return sum(int(d) if sign == "+" else -int(d) for sign, d in zip(x[::2], x[1::2], strict=True)) > 0


def _unquoted_comma(w: Any) -> bool:
    quoted = False
    for each in w:
        quoted ^= each == '"'
        if each == "," and not quoted:
            return True
    return False


def _light(x: list[str]) -> str:
    state = 0
    for each in x:
        state = 0 if each == "x" else (state + 1) % 3
    return ("red", "green", "yellow")[state]


def _extension(x: list[str]) -> str:
    """What comes right after the last dot."""
    last = max((place for place, each in enumerate(x) if each == "."), default=len(x))
    return x[last + 1] if last + 1 < len(x) else "none"


def _closed(x: list[str]) -> bool:
    """Whether the last event at the door, of open and close, was not an open."""
    return next((each for each in reversed(x) if each in "oc"), "c") == "c"


REPORTED: dict[str, tuple[str, Task]] = {
    # yes and yes: counts tell
    "warning_then_error": ("yes yes", _of("iwe", _warned)),  # an e with a w before it
    "never_overdrawn": ("yes yes", Task.from_predicate(_never_overdrawn, "+-=")),  # all prefixes: #+ >= 2 #-
    "third_largest": ("yes yes", _with(_draw_some("01234"), _third_largest)),  # which digits came
    "clear_lead": ("yes yes", _of("abc", _clear_lead)),  # one count above both others by 3
    "strict_majority": ("yes yes", _with(_draw_favourite, _majority)),  # 2 #a > n
    "first_unique": ("yes yes", _with(_draw_rare, _first_unique)),  # #a = 1, and an a with no b before it
    "race_to_three": ("yes yes", _of("abx", _race)),  # a third a with fewer than three b before it
    "quorum": ("yes yes", _of("yn-", _quorum)),  # two comparisons
    "commas_at_depth_one": ("yes yes", Task.from_predicate(_commas_at_depth_one, "(),")),  # each: #( - #) = 1
    "by_frequency": ("yes yes", _of("abc", _by_frequency)),  # comparisons of three counts
    # no and yes: a window, or a position, matters
    "empty_field": (
        "no yes",
        Task.from_predicate(lambda w: "" in "".join(w).split(","), "x,"),
    ),  # two commas in a row, or one at an end
    "weekday": ("no yes", _with(_draw_ticks, lambda x: (int(x[0]) + len(x) - 1) % 7)),  # a position modulo 7
    "longest_run": ("no yes", _of("ab", _longest_run)),  # windows of 3
    "divisible_by_four": ("no yes", _of("0123456789", lambda x: int("".join(x)) % 4 == 0)),  # the last two
    "signed_sum": (
        "no yes",
        _with(_draw_signed, _signed_sum, has=lambda n: n % 2 == 0, least_length=2),
    ),  # counts of pairs
    "last_two_equal": ("no yes", _of("abcd", lambda x: x[-1] == x[-2], least_length=2)),  # a window of 2
    # no and no
    "unquoted_comma": ("no no", Task.from_predicate(_unquoted_comma, 'x,"')),  # quotes modulo 2
    "collapse_runs": ("no no", _of("abc", lambda x: [letter for letter, _ in groupby(x)])),  # a bit per run
    "traffic_light": ("no no", _of("tx", _light)),  # "ttt", "xtt" and "txt" are a flip-flop
    "extension": ("no no", _of("ab.", _extension)),  # ".a", ".b" and "aa" are a flip-flop
    "move_zeros": (
        "no no",
        _of("012", lambda x: [d for d in x if d != "0"] + [d for d in x if d == "0"]),
    ),  # a copy of the rest
    "door_closed": ("no no", _of("ocx", _closed)),  # a flip-flop
    "divisible_by_three": ("no no", _of("01", lambda x: int("".join(x), 2) % 3 == 0)),  # counts modulo 3
    "count_in_decimal": ("no no", _of("eo", lambda x: list(str(x.count("e"))))),  # no program for all lengths
    "every_second": ("no no", _of("ab", lambda x: x[::2])),  # a copy
    "changes": ("yes yes", _of("ab", lambda x: sum(u != v for u, v in pairwise(x)) >= 5)),  # ababab
}
"""By name: the answers without positions and with them, and the task."""
