"""Tests of `tasks.copying`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from longreach.tasks.copying import BucketSort, DuplicateString, Reverse
from tests.helpers.task_checks import assert_program_solves, assert_samples_are_right, statuses


def _literal(x: Sequence[str]) -> list[str]:
    return [digit for digit in "01234" for _ in range(list(x).count(digit))]


def test_samples() -> None:
    assert_samples_are_right(BucketSort(), _literal)


def test_program_on_all_short_inputs() -> None:
    words = (word for length in range(1, 5) for word in product("01234", repeat=length))
    assert_program_solves("bucket-sort", words, _literal)


def test_forecast() -> None:
    assert statuses("bucket-sort") == {"nope": ("yes", "not proved"), "ape": ("yes", "not proved")}


def test_samples_duplicate_string() -> None:
    assert_samples_are_right(DuplicateString(), lambda x: list(x) * 2)


def test_forecast_duplicate_string() -> None:
    assert statuses("duplicate-string") == {"nope": ("no", "valid"), "ape": ("no", "valid")}


def test_samples_reverse() -> None:
    assert_samples_are_right(Reverse(), lambda x: [x[-1 - k] for k in range(len(x))])


def test_forecast_reverse() -> None:
    assert statuses("reverse") == {"nope": ("no", "valid"), "ape": ("no", "valid")}
