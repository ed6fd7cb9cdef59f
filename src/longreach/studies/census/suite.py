"""The tasks of suite 1 of `longreach profile`, drawn from the census and the catalogue by a fixed rule.

The languages of a need are those of the first census that a proof sorts there. They are ordered by a hash of
the seed, the need and the language, and the first ones are taken, from the development part for development
and from the held-out part for held-out. What the census does not have, tasks that are no regular language and
the word problems of groups, is listed here; of the counting tasks each part gets some, of the others both
parts have the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from longreach.answers.profile_suite import PARTS, Part, grid_lengths, suite_hash
from longreach.studies.census.tables import LANGUAGES, LanguageFacts, language_table
from longreach.tasks.catalog import load_task
from longreach.theory.automata.monoid import measure

NAME = "1"
SEED = 35
TRAINED_TO = 20
EACH = 5
"""Tasks of a need and a part, where there are so many."""
COUNTED = ("binary-majority", "majority", "anbn", "anbncn")
"""Tasks that need counts without a bound."""
NEARLY_TIED = ("binary-majority", "majority")
"""Tasks without an automaton that had probing words when the suite was drawn; others have got them since."""
OF_CENSUS = 3
"""Languages of the census among the counting tasks of a part."""
BUDGET: dict[str, Any] = {
    "batch": 64, "seeds": 3, "rates": [0.001, 0.003, 0.01], "usual_rate": 0.003, "layers": 2, "heads": 4,
    "width": 64, "words": 100,
}  # fmt: skip
"""Batch, sizes and the usual rate are the setting of the census, chosen on its development languages."""
ABOUT = (
    "Tasks sorted by what a proof says they need. Languages of the census are drawn by a hash; a task is "
    "never exchanged: another choice is another suite."
)


class Need(NamedTuple):
    name: str
    about: str
    steps: int
    belongs: Callable[[LanguageFacts], bool] | None = None
    """Of languages of the census."""
    listed: tuple[str, ...] = ()


def _needs(window: bool, modulus: bool) -> Callable[[LanguageFacts], bool]:
    """Whether the program with positions needs a window, a modulus, both, and none without them exists."""

    def belongs(language: LanguageFacts) -> bool:
        side = language.sides["ape"]
        if language.verdict != "no/yes" or side.window is None or side.modulus is None:
            return False
        return (side.window > 0, side.modulus > 1) == (window, modulus)

    return belongs


def _in_ac0(language: LanguageFacts) -> bool:
    return language.verdict == "no/no" and measure(load_task(language.task).automaton).ac0 is True  # type: ignore[attr-defined]


NEEDS = (
    Need(
        "counting", "a C-RASP program without positions exists", 1000,
        lambda language: language.verdict == "yes/yes", COUNTED,
    ),
    Need("window", "the shortest program looks some letters back", 1000, _needs(True, False)),
    Need("modulus", "the shortest program knows the position modulo a number", 1000, _needs(False, True)),
    Need("window and modulus", "the shortest program does both", 1000, _needs(True, True)),
    Need("memory", "in AC⁰, but no C-RASP program exists", 1000, _in_ac0),
    Need(
        "groups", "the product so far in a group: Z2, Z3, S3 and A5", 2000,
        listed=("word-problem:Z2", "word-problem:Z3", "word-problem:S3", "word-problem:A5"),
    ),
    Need(
        "depth", "nested brackets, of any depth and at most 2, 3 and 4 deep", 1000,
        listed=("dyck-1", "d-2", "d-3", "d-4"),
    ),
    Need(
        "whole answers", "the answer is as long as the input", 3000,
        listed=("copy-unique", "copy-repeat", "copy-unique+reversed", "reverse", "sort", "addition"),
    ),
    Need(
        "recall", "what was said before is asked for", 3000,
        listed=("mqar", "flip-flop", "selective-copy", "recall-then-fold"),
    ),
)  # fmt: skip


def _ordered(names: Iterable[str], need: str) -> list[str]:
    return sorted(names, key=lambda name: hashlib.sha256(f"{SEED}:{need}:{name}".encode()).hexdigest())


def _drawn(need: Need, part: Part) -> list[tuple[str, float | None]]:
    """The tasks of a need, each with the chance that the census states."""
    if need.belongs is None:
        return [(name, None) for name in need.listed]
    table = language_table(LANGUAGES)  # the first census: its second round came later
    known = {key: each for key, each in table.items() if each.part == part and need.belongs(each)}
    taken = _ordered(known, need.name)[: OF_CENSUS if need.listed else EACH]
    drawn: list[tuple[str, float | None]] = [
        (known[key].task, known[key].chance(TRAINED_TO, 5)) for key in taken
    ]
    others = _ordered(need.listed, need.name)[PARTS.index(part) :: len(PARTS)]
    return drawn + [(name, None) for name in others][: EACH - len(drawn)]


def _document(name: str, chance: float | None, longest: int) -> dict[str, Any]:
    task = load_task(name)
    last = int(task.lengths(TRAINED_TO + 1, longest)[-1])
    longest = longest if task.has(np.arange(last + 1, longest + 3)).any() else last
    return {
        "task": name,
        "chance": round(task.chance if chance is None else chance, 4),
        "probing": task.probed_by == "loop" or name in NEARLY_TIED,
        "longest": longest,
    }


def draw_suite() -> dict[str, Any]:
    """The document of suite 1, the same whenever it is drawn."""
    grid = grid_lengths(TRAINED_TO)
    needs = [
        {
            "need": need.name,
            "about": need.about,
            "steps": need.steps,
            "tasks": {
                part: [_document(*each, longest=grid[-1]) for each in _drawn(need, part)] for part in PARTS
            },
        }
        for need in NEEDS
    ]
    found: dict[str, Any] = {
        "suite": NAME, "about": ABOUT, "seed": SEED, "trained_to": TRAINED_TO, "grid": list(grid),
        "budget": BUDGET, "needs": needs,
    }  # fmt: skip
    return {**found, "hash": suite_hash(found)}
