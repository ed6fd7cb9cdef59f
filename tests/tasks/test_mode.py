from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from longreach.tasks.mode import Mode
from tests.helpers.task_checks import assert_program_solves, assert_samples_are_right, least_share, statuses


def _literal(x: Sequence[str]) -> list[str]:
    most = max(list(x).count(symbol) for symbol in x)
    (mode,) = {symbol for symbol in x if list(x).count(symbol) == most}
    return [mode]


def _has_mode(x: Sequence[str]) -> bool:
    counts = sorted((list(x).count(symbol) for symbol in set(x)), reverse=True)
    return len(counts) == 1 or counts[0] > counts[1]


def test_samples() -> None:
    assert_samples_are_right(Mode(), _literal)
    assert least_share(Mode(), 40) > 0.15


def test_program_on_all_short_inputs() -> None:
    words = (word for length in range(1, 5) for word in product("abcde", repeat=length) if _has_mode(word))
    assert_program_solves("mode", words, _literal)


def test_forecast() -> None:
    assert statuses("mode") == {"nope": ("yes", "not proved"), "ape": ("yes", "not proved")}
