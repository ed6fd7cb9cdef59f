from __future__ import annotations

from collections.abc import Sequence

from longreach.tasks.anbn import AnBn
from tests.helpers.task_checks import assert_program_predicts, assert_samples_are_right, statuses


def _literal(x: Sequence[str]) -> list[str]:
    word = "".join(x)
    assert word == "a" * (len(word) // 2) + "b" * (len(word) // 2)
    found = ["{a,EOS}"]
    for end in range(1, len(word) + 1):
        left = word[:end].count("a") - word[:end].count("b")
        found.append("{a,b}" if word[end - 1] == "a" else "{b}" if left else "{EOS}")
    return found


def test_samples() -> None:
    assert_samples_are_right(AnBn(), _literal)


def test_program_on_all_short_prefixes() -> None:
    assert_program_predicts("anbn", ["a" * n + "b" * n for n in range(20)])


def test_forecast() -> None:
    assert statuses("anbn") == {"nope": ("yes", "not proved"), "ape": ("yes", "not proved")}
