"""Every task against a literal oracle: its samples, its program on short inputs, and its forecast."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import product

import pytest

from longreach.tasks.catalog import TASKS, load_task
from longreach.theory.automata.named import NAMED_LANGUAGES
from tests.helpers.task_checks import (
    assert_program_predicts,
    assert_program_solves,
    assert_samples_are_right,
    least_share,
    statuses,
)
from tests.helpers.task_oracles import ORACLES, balanced

BY_DEFINITION = {*NAMED_LANGUAGES, "dyck-1", "anbncn"}
"""Their words and labels are compared with definitions in `test_regular`."""


def test_no_task_is_without_an_oracle() -> None:
    assert set(TASKS) <= {*ORACLES} | BY_DEFINITION


@pytest.mark.parametrize("name", ORACLES)
def test_samples_are_right(name: str) -> None:
    assert_samples_are_right(load_task(name), ORACLES[name])


@pytest.mark.parametrize(
    ("name", "length", "share"),
    [
        ("even-pairs", 40, 0.45),
        ("cycle-navigation", 40, 0.15),
        ("modular-arithmetic", 41, 0.12),
        ("mode", 40, 0.15),
        ("boolean-expressions", 40, 0.45),
        ("sparse-parity:4-4", 16, 0.44),
        *((f"parity-scratchpad:{k}", 7, 0.44) for k in (1, 2, 3, 4)),
    ],
)
def test_no_answer_is_rare(name: str, length: int, share: float) -> None:
    assert least_share(load_task(name), length) > share


def _words(
    letters: str, longest: int, good: Callable[[Sequence[str]], bool] | None = None
) -> Iterator[Sequence[str]]:
    for length in range(1, longest + 1):
        yield from (word for word in product(letters, repeat=length) if good is None or good(word))


def _has_mode(x: Sequence[str]) -> bool:
    counts = sorted(Counter(x).values(), reverse=True)
    return len(counts) == 1 or counts[0] > counts[1]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("count", _words("ab", 9)),
        ("even-pairs", _words("ab", 9)),
        ("bucket-sort", _words("01234", 4)),
        ("mode", _words("abcde", 4, _has_mode)),
    ],
)
def test_the_program_of_the_evidence_on_all_short_inputs(name: str, words: Iterator[Sequence[str]]) -> None:
    assert_program_solves(name, words, ORACLES[name])


def test_the_program_of_the_evidence_on_all_short_prefixes() -> None:
    assert_program_predicts("anbn", ["a" * n + "b" * n for n in range(20)])
    assert_program_predicts("shuffle-dyck", ["", *_words("()[]", 8, balanced)])


PROVED_NO = {"nope": ("no", "valid"), "ape": ("no", "valid")}
TRIED_YES = {"nope": ("yes", "not proved"), "ape": ("yes", "not proved")}
A_GROUP = {"reach": ("no", "valid")}
FORECASTS = {
    **dict.fromkeys(("count", "mode", "bucket-sort", "anbn", "shuffle-dyck"), TRIED_YES),
    **dict.fromkeys(
        (
            "reverse", "duplicate-string", "boolean-expressions", "multiplication", "parity-scratchpad",
            "parity+scratchpad", "regex:(a|b)*abb+scratchpad",
            "addition+reversed", "copy-repeat+reversed", "multiplication+reversed",
        ),
        PROVED_NO,
    ),
    **dict.fromkeys(("cycle-navigation", "modular-arithmetic"), PROVED_NO | A_GROUP),
    "even-pairs": {"nope": ("no", "valid"), "ape": ("yes", "not proved"), "reach": ("yes", "valid")},
    "flip-flop": PROVED_NO | {"local": ("no", "valid"), "reach": ("yes", "claimed, not checked")},
    **dict.fromkeys(
        (
            "word-problem", "word-problem:Z2", "word-problem:Z60", "word-problem:Q8",
            "word-problem:A5", "word-problem:S5", "word-problem:S3,generators=yes",
            "word-problem:S5,generators=yes",
        ),
        PROVED_NO | A_GROUP | {"local": ("no", "valid")},
    ),
    **dict.fromkeys(
        ("selective-copy:0", "recall-then-fold", "recall-then-fold:Z5,pairs=2", "recall-then-fold:A5"),
        PROVED_NO,
    ),
    "selective-copy": TRIED_YES,
    "mqar:symbols=32": {"ape": ("yes", "not proved")},
    "mqar:8,symbols=16": TRIED_YES,
    "sparse-parity:6": {"ape": ("yes", "not proved")},
}  # fmt: skip
UNDECIDED = [
    "parity-scratchpad:3",
    "variable-assignment:2,variables=20",
    "boolean-expressions+scratchpad",
    # A choice at every second letter is not counted as linear; without one there is nothing to tell.
    "regex:(ab|ba)*+scratchpad",
    "regex:(aa)*+scratchpad",
    "mqar:symbols=8192",
    "selective-copy:4,symbols=5",
]


@pytest.mark.parametrize("name", FORECASTS)
def test_forecasts(name: str) -> None:
    assert statuses(name) == FORECASTS[name]


@pytest.mark.parametrize("name", UNDECIDED)
def test_what_is_not_decided(name: str) -> None:
    assert {verdict for verdict, _ in statuses(name).values()} == {"undecided"}
