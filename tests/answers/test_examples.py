"""What files of examples speak for, also where some labels are wrong, and which labels would decide."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from longreach.answers.examples import deciding_inputs, example_sides
from longreach.errors import InputError
from longreach.tasks.data import DataTask, read_examples
from longreach.theory.automata.automaton import Word
from longreach.theory.verdicts.verdict import Answer


def parity(word: Sequence[str]) -> str:
    return str(word.count("a") % 2)


def more(word: Sequence[str]) -> str:
    return "yes" if word.count("a") > word.count("b") else "no"


def most_frequent(word: Sequence[str]) -> str:
    counts = Counter(word)
    return min("abc", key=lambda letter: (-counts[letter], letter))


def first_is_last(word: Sequence[str]) -> str:
    return "same" if word[0] == word[-1] else "other"


def made(answer: Callable[[Sequence[str]], str], letters: str, wrong: float, count: int = 900) -> DataTask:
    """Random words with their answers, a share of which is another one."""
    rng = np.random.default_rng(0)
    found: dict[Word, Word] = {}
    while len(found) < count:
        size = int(rng.integers(1, 16))
        word = tuple(letters[k] for k in rng.integers(0, len(letters), size))
        found[word] = (answer(word),)
    labels = sorted(set(found.values()))
    for word, said in found.items():
        if rng.random() < wrong:
            others = [label for label in labels if label != said]
            found[word] = others[int(rng.integers(len(others)))]
    return DataTask("data:mine", tuple(found.items()), "0" * 64)


@pytest.mark.parametrize("wrong", [0.0, 0.02, 0.05])
@pytest.mark.parametrize(
    ("answer", "letters", "nope", "ape"),
    [
        (parity, "ab", "no", "no"),
        (more, "ab", "yes", "yes"),
        (most_frequent, "abc", "yes", "yes"),
        (first_is_last, "ab", "no", "yes"),
    ],
)
def test_wrong_labels(
    answer: Callable[[Sequence[str]], str], letters: str, nope: str, ape: str, wrong: float
) -> None:
    task = made(answer, letters, wrong)
    found = example_sides(task, ["nope", "ape"], seconds=5.0)
    for key, known in (("nope", nope), ("ape", ape)):
        assert found[key].answer is Answer.UNDECIDED
        assert found[key].reason.startswith(f"examples decide nothing, these speak for a {known}: ")
        assert ("speak against it" in found[key].reason) == bool(wrong)


def test_random_labels_speak_for_nothing() -> None:
    rng = np.random.default_rng(1)
    task = made(lambda word: "01"[int(rng.integers(2))], "ab", 0.0)
    for verdict in example_sides(task, ["nope", "ape"], seconds=1.5).values():
        assert "these speak for" not in verdict.reason


def test_labels_that_hardly_vary_speak_for_nothing() -> None:
    """A constant answer is nearly always right, and explains nothing."""
    rng = np.random.default_rng(2)
    task = made(lambda word: "1" if rng.random() < 0.04 else "0", "ab", 0.0)
    for verdict in example_sides(task, ["nope", "ape"], seconds=1.5).values():
        assert "these speak for" not in verdict.reason


def test_inputs_on_which_hypotheses_differ_come_first() -> None:
    """Where counts stay close together an automaton does it as well as a program."""
    words = [word for size in range(1, 11) for word in product("ab", repeat=size)]
    ahead = {word: [2 * word[:k].count("a") - k for k in range(len(word) + 1)] for word in words}
    close = [word for word in words if min(ahead[word]) >= -1 and max(ahead[word]) <= 2]
    task = DataTask("data:mine", tuple((word, (more(word),)) for word in close), "0" * 64)
    found = deciding_inputs(task, 4, seconds=3.0)
    assert len(found) == 4
    for each in found:
        assert each.input not in close
        assert {name.split()[0] for name, _ in each.answers} == {"automaton", "program"}
        assert len({said for _, said in each.answers}) > 1
    assert [len(each.input) for each in found] == sorted(len(each.input) for each in found)


def test_one_hypothesis_is_asked_for_longer_inputs() -> None:
    task = made(parity, "ab", 0.02)
    longest = max(len(x) for x, _ in task.examples)
    found = deciding_inputs(task, 6, seconds=5.0)
    assert len({each.input for each in found}) == len(found) == 6
    assert all(len(each.input) > longest for each in found)
    assert {said for each in found for _, said in each.answers} == {"0", "1"}


def test_lines_that_contradict_others_are_wrong_labels(tmp_path: Path) -> None:
    """The most frequent output of an input counts; where too many lines are left out, the file is refused."""
    rng = np.random.default_rng(0)
    words = ["".join("ab"[k] for k in rng.integers(0, 2, rng.integers(1, 9))) for _ in range(600)]

    def written(wrong: float, lines: int) -> str:
        file = tmp_path / f"{wrong}-{lines}.jsonl"
        rows = [
            {"input": w, "output": str((w.count("a") + (rng.random() < wrong)) % 2)} for w in words[:lines]
        ]
        file.write_text("\n".join(json.dumps(row) for row in rows))
        return f"data:{file}"

    task = read_examples(written(0.04, 600))
    assert 0 < task.contradicted == 600 - len(task.examples) < 60
    assert all(
        y == (parity(x),) for x, y in task.examples if sum(x == other for other, _ in task.examples) > 4
    )
    assert "left out that others contradict" in task.about
    for wrong, lines in ((0.4, 600), (0.04, 90)):
        with pytest.raises(InputError, match="again, with another output"):
            read_examples(written(wrong, lines))
