"""Answers that are recognized as made step by step, their ids and their scratchpads."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.answers.forecast import forecast
from longreach.answers.remedies import remedies
from longreach.answers.trained import train
from longreach.errors import InputError
from longreach.tasks.aligned import recognized
from longreach.tasks.alignments import NOTHING, ORDERS, operands, separators
from longreach.tasks.catalog import load_task
from longreach.tasks.changes import changed_task
from longreach.tasks.data import DataTask
from longreach.tasks.layouts import ChangedTask
from longreach.tasks.own import FunctionTask
from longreach.tasks.predicates import PredicateLanguage
from longreach.tasks.scratchpads import MARK
from longreach.tasks.task import EOS, IntArray, Task, draw_lengths
from tests.helpers.own_functions import MORE, THIRTY, word
from tests.helpers.task_checks import assert_samples_are_right

FORMS = {
    "diff_mod3": "+scratchpad",
    "palindrome": "+scratchpad",
    "copy": "",
    "reverse": "",
    "lookup_consistent": "+scratchpad",
    "lookup_latest": "+scratchpad",
    "flip_flop": "+scratchpad",
    "sum_mod5": "+scratchpad",
    "compare_binary": "+scratchpad",
    "increment": "+reversed",
    "rotate_left": "",
    "trailing_run_even": "+scratchpad",
    "running_max": "",
    "json_depth3": "+scratchpad",
    "add": "+reversed",
    "subtract": "+reversed",
    "times_three": "+scratchpad",
    "twice_the_number": "+reversed",
    "half_of_the_number": "",
    "shifted_letters": "",
    "swapped_pairs": "",
    "one_later": "",
    "one_earlier": "+reversed",
    "prefix_parities": "",
    "suffix_parities": "+reversed",
    "every_second": "",
    "each_twice": "",
    "without_a": "",
    "square": "+scratchpad",
    "toggled": "+scratchpad",
    "mirrored": "+scratchpad",
}
"""The surest form of own functions, as theory alone says it, each with coupled-local."""
NONE = ("sort_digits", "dedupe", "all_twice", "majority3", "most_often_after_a")
"""Functions of which no such form is known."""
KNOWN = {**THIRTY, **MORE}


def _form(name: str) -> Task:
    return changed_task(KNOWN[name], FORMS[name].split("+")[1:])


@pytest.mark.parametrize("name", FORMS)
def test_the_remedy_of_own_functions(name: str) -> None:
    """Nothing else is known of the task here: a forecast without seconds."""
    assert getattr(KNOWN[name], "aligned", None) is not None  # looked for before, however busy the machine is
    known = forecast(KNOWN[name], budget=0)
    first = remedies(known)[0]
    assert (first.task, first.encoding) == (f"{known.stored}{FORMS[name]}", "coupled-local")
    assert first.ground == "local steps"
    assert "not proved" in first.basis
    assert first.basis.startswith(
        ("each symbol of the answer comes from one of the input", "an automaton with ")
    )


@pytest.mark.parametrize("name", NONE)
def test_functions_without_steps(name: str) -> None:
    task = KNOWN[name]
    assert isinstance(task, FunctionTask | PredicateLanguage)
    assert task.aligned is None
    with pytest.raises(InputError, match="its answers show no steps that could be written down"):
        changed_task(task, ["scratchpad"])


def _seen(tokens: list[str], ids: list[int], place: int) -> tuple[tuple[tuple[int, str, int], int], ...]:
    """What an attention that is local in ids sees from a place: the tokens within 1 and the marks, each with
    the number of marks before it, but not their order."""
    marks = [number for number in range(place + 1) if ids[number] == 0]
    found = Counter(
        (99 if ids[k] == 0 else ids[k] - ids[place], tokens[k], sum(mark <= k for mark in marks))
        for k in range(place + 1)
        if ids[k] == 0 or abs(ids[k] - ids[place]) <= 1
    )
    return tuple(sorted(found.items()))


@pytest.mark.parametrize("name", FORMS)
def test_what_is_near_in_ids_says_the_next_token(name: str) -> None:
    """A literal reading of locality: the same neighbours, the same next token, at all lengths, and as many
    marks in long inputs as in short ones."""
    task, rng = _form(name), np.random.default_rng(3)
    told: dict[object, str] = {}
    marks, seen = set[int](), 0
    for span in ((task.least_length, 8), (task.least_length, 8), (20, 26)):
        batch = task.sample(draw_lengths(task, *span, 100, rng), rng)
        ids = task.coupled_ids(batch)
        assert ids is not None
        for row, size in enumerate(batch.sizes.tolist()):
            tokens = task.decode(batch.tokens[row, :size].tolist())
            mine = ids[row, :size].tolist()
            marks.add(mine.count(0))
            for place in np.flatnonzero(batch.mask[row]).tolist():
                view, target = _seen(tokens, mine, place), task.tokens[batch.targets[row, place]]
                seen += view in told
                assert told.setdefault(view, target) == target, (tokens, place, view)
    assert len(marks) == 1
    assert seen > 300  # else nothing could have contradicted


@pytest.mark.parametrize("name", FORMS)
def test_samples_are_right(name: str) -> None:
    task, base = _form(name), KNOWN[name]

    def oracle(x: Sequence[str]) -> list[str]:
        """The end of the answer is that of the function; before it the steps that its machine has."""
        y = list(base.answer(x)[:-1]) if isinstance(base, FunctionTask) else ["no", "yes"][base.contains(x)]  # type: ignore[attr-defined]
        y = [y] if isinstance(y, str) else y
        written = list(task.answer(x)[:-1])
        if isinstance(task, ChangedTask) and task.change == "scratchpad":
            steps = sum(token[0] == "q" or token == MARK for token in written)
            assert "".join(written[steps:]).lstrip("0") == "".join(y).lstrip("0")
            assert all(token[0] == "q" for token in written[:steps] if token != MARK)
            assert written.count(MARK) <= 1
        elif task is not base:
            digits = "".join(reversed(written))
            plain = "".join(y)
            assert digits == plain or digits.lstrip("0") == plain.lstrip("0")
        else:
            assert written == y
        return written

    assert_samples_are_right(task, oracle, 5)


# Alignments


@pytest.mark.parametrize("name", ORDERS)
def test_orders_read_each_place_once_and_back(name: str) -> None:
    order = ORDERS[name]
    for size in range(10):
        x = tuple("abcdefghij"[:size])
        columns = order.columns(x)
        assert columns is not None
        places = [place for (place,) in columns]
        assert len({*places}) == len(places)
        assert all(place is not None and 0 <= place < size for place in places)
        letters = order.letters(x)
        assert letters == [x[place] for place in places if place is not None]
        if len(places) == size and size:
            assert order.word(letters) == x


NUMBER = st.text("012", min_size=1, max_size=5)


@given(NUMBER, NUMBER, st.booleans(), st.booleans(), st.booleans())
def test_operands_stand_in_columns(
    first: str, second: str, from_end: bool, in_turns: bool, behind: bool
) -> None:
    between = ("+",) if behind else ("+", "=")
    x = tuple(first + "+" + second + ("" if behind else "="))
    found = operands(between, behind=behind, from_end=from_end, in_turns=in_turns)
    letters = found.letters(x)
    assert letters is not None
    assert found.word(letters) == x
    size = max(len(first), len(second))
    rows = [(f"{n[::-1] if from_end else n:{NOTHING}<{size}}") for n in (first, second)]
    wanted = [" ".join(pair) for pair in zip(*rows, strict=True)]
    assert letters == (" ".join(wanted).split(" ") if in_turns else wanted)


def test_words_that_are_no_operands() -> None:
    sums = operands(("+",), behind=True, from_end=True, in_turns=False)
    assert sums.columns("1+1+1") is None
    assert sums.columns("11") is None
    assert sums.word(["1 □", "1 1"]) is None  # a digit above nothing
    assert sums.word(["□ □"]) is None
    assert separators([]) == ()
    assert separators([tuple("a+b"), tuple("+ab")]) == ()  # + stands before a once


# What is recognized


def test_a_wrong_long_answer_is_no_copy() -> None:
    """Short words are copied, and so are most long ones."""

    def answer(x: tuple[str, ...]) -> tuple[str, ...]:
        return x if len(x) < 40 else x[::-1]

    rng = np.random.default_rng(0)
    inputs = {tuple(word(n, rng)): () for n in range(1, 60) for _ in range(5)}
    assert recognized(answer, {x: answer(x) for x in inputs}) is None
    short = {x: answer(x) for x in inputs if len(x) < 40}
    found = recognized(answer, short)
    assert found is not None
    assert found.length < 40


def test_the_machine_agrees_with_the_function_on_all_short_inputs() -> None:
    for name, letters in (
        ("increment", "01"),
        ("sum_mod5", "01234"),
        ("toggled", "xab"),
        ("times_three", "01"),
    ):
        task = KNOWN[name]
        assert isinstance(task, FunctionTask)
        found = task.aligned
        assert found is not None
        for size in range(1, 6):
            for x in product(letters, repeat=size):
                y = task.answer(x)[:-1]
                assert found.answer(x) == found.padded(x, y)
                assert "".join(found.padded(x, y)).lstrip("0") == "".join(y).lstrip("0")


def test_what_a_user_says_goes_first() -> None:
    task = Task.from_function(word, lambda x: x, ids=lambda x, y: [0] * (len(x) + len(y) + 3))
    assert task.aligned is None
    batch = task.sample([3], np.random.default_rng(0))
    ids = task.coupled_ids(batch)
    assert ids is not None
    assert not ids.any()
    steps = Task.from_function(word, lambda x: x, steps=lambda x: x)
    assert steps.aligned is None


def test_slow_functions_end_in_time() -> None:
    calls = 0

    def slow(x: list[str]) -> list[str]:
        nonlocal calls
        calls += 1
        raise InputError("never mind") if calls > 50 else InputError("no input")

    task = Task.from_function(word, slow, tokens="ab", longest_answer=1)
    assert task.aligned is None


def test_examples_of_a_file(tmp_path: Path) -> None:
    """A copy is a map; the sum modulo three has an automaton; random answers have none."""
    rng = np.random.default_rng(0)
    words = {tuple(word(int(n), rng, "012")) for n in rng.integers(1, 30, 600)}

    def loaded(name: str, answers: dict[tuple[str, ...], list[str]]) -> Task:
        lines = (json.dumps({"input": list(x), "output": y}) for x, y in answers.items())
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
        return load_task(f"data:{tmp_path / name}")

    copied = loaded("copy", {x: list(x[::-1]) for x in words})
    assert isinstance(copied, DataTask)
    assert copied.aligned is not None
    assert copied.aligned.alignment.name == "backwards"
    sums = loaded("sums", {x: [str(sum(map(int, x)) % 3)] for x in words})
    task = changed_task(sums, ["scratchpad"])
    x = ("2", "1", "0", "2")
    if x in words:
        assert task.answer(x)[-2:] == ("2", EOS)
    found: IntArray | None = task.coupled_ids(task.sample([4], np.random.default_rng(0)))
    assert found is not None
    assert found[0].tolist() == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 5, 0]
    noise = loaded("noise", {x: [str(rng.integers(0, 2))] for x in sorted(words)[:150]})
    assert isinstance(noise, DataTask)
    assert noise.aligned is None


def test_what_was_seen_in_words() -> None:
    said = {
        "every_second": "each symbol of the answer comes from one of the input, read only at every second "
        "symbol",
        "add": "an automaton with 44 states writes the answer, its last symbol first; it reads a digit of "
        "each operand side by side, from the last on",
        "palindrome": "an automaton with 5 states gives the answer; it reads the input from both ends in "
        "turns",
        "without_a": "each symbol of the answer comes from one of the input, read without a",
    }
    for name, words in said.items():
        task = KNOWN[name]
        assert isinstance(task, FunctionTask)
        assert task.aligned is not None
        assert task.aligned.about == words


def test_forms_of_a_file_keep_its_lengths(tmp_path: Path) -> None:
    """Training and tests take lengths that the file has."""
    rng = np.random.default_rng(0)
    words = sorted({tuple(word(int(n), rng)) for n in rng.integers(2, 21, 400)})
    lines = (json.dumps({"input": x, "output": [str(x.count("a") % 2)]}) for x in words)
    (tmp_path / "parity").write_text("\n".join(lines), encoding="utf-8")
    base = load_task(f"data:{tmp_path / 'parity'}")
    task = changed_task(base, ["scratchpad"])
    assert task.train_range(12) == base.train_range(12) == (2, 12)
    assert task.test_ranges(12) == base.test_ranges(12) == ((13, 16), (17, 20))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rotate_left", "increment", "palindrome", "compare_binary"])
def test_the_remedy_works_at_three_times_the_training_length(name: str, tmp_path: Path) -> None:
    found = train(
        _form(name), "coupled-local", seeds=1, runs=tmp_path, max_steps=700, train_lengths=(3, 13),
        test_lengths=[(25, 36)], test_size=300,
    )  # fmt: skip
    (row,) = found.found
    assert row.accuracy["25-36"] >= 0.99
