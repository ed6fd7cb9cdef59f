"""Coupled ids against worked examples, and against the definition row by row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks.addition import Addition
from longreach.tasks.catalog import load_task
from longreach.tasks.coupling import significance
from longreach.tasks.task import Batch, Task

WORD = {
    # SOS 1 … L SEP … EOS (Golowich et al., arXiv 2502.16792, equation (2) and appendix E.2.1).
    "reverse": lambda x, y: [0, *range(1, len(x) + 1), 0, *range(len(x), 0, -1), 0],
    "copy-repeat": lambda x, y: [0, *range(1, len(x) + 1), 0, *range(1, len(x) + 1), 0],
    "copy-unique": lambda x, y: [0, *range(1, len(x) + 1), 0, *range(1, len(x) + 1), 0],
    "duplicate-string": lambda x, y: [0, *range(1, len(x) + 1), 0, *2 * [*range(1, len(x) + 1)], 0],
    "parity": lambda x, y: [0, *[1] * len(x), 0, 1, 0],
    "parity-with-empty": lambda x, y: [0, *[1] * len(x), 0, 1, 0],
}


def _rows(task: Task, batch: Batch) -> list[tuple[list[str], list[int], int]]:
    """Tokens that are read, ids of these and of the next, and what lies beyond."""
    ids = task.coupled_ids(batch)
    assert ids is not None
    assert ids.shape == (len(batch), batch.tokens.shape[1] + 1)
    return [
        (
            task.decode(batch.tokens[row, :size].tolist()),
            ids[row, : size + 1].tolist(),
            int(ids[row, size + 1 :].sum()),
        )
        for row, size in enumerate(batch.sizes.tolist())
    ]


@pytest.mark.parametrize("name", WORD)
def test_ids_of_tasks_with_a_separator(name: str) -> None:
    task = load_task(name)
    lengths = [*range(task.least_length, task.least_length + 6)] * 2
    for tokens, ids, beyond in _rows(task, task.sample(lengths, np.random.default_rng(0))):
        at = tokens.index("SEP")
        assert ids == WORD[name](tokens[1:at], tokens[at + 1 :])
        assert beyond == 0


def _significance(number: Sequence[str]) -> list[int]:
    return [len(number) - place for place in range(len(number))]


@pytest.mark.parametrize("name", ["addition", "addition-no-leading-zeros"])
@pytest.mark.parametrize("reverse", [False, True])
def test_digits_of_equal_significance_share_an_id(name: str, reverse: bool) -> None:
    task = load_task(name)
    assert isinstance(task, Addition)
    batch = task.sample([*range(4, 16)] * 3, np.random.default_rng(0))
    plus, equals = task.tokens.index("+"), task.tokens.index("=")
    reversed_ids = significance(batch, plus=plus, equals=equals, reversed_answer=True)
    for row, (tokens, ids, beyond) in enumerate(_rows(task, batch)):
        text = "".join(tokens[1:])
        first, second = text[: text.index("=")].split("+")
        answer = _significance(text[text.index("=") + 1 :])
        before = [0, *_significance(first), 0, *_significance(second), 0]
        assert ids == [*before, *answer, 0]
        assert beyond == 0
        if reverse:
            assert reversed_ids[row, : len(ids)].tolist() == [*before, *answer[::-1], 0]


def test_the_example_of_addition() -> None:
    # Two bits and three: SOS a b + c d e =
    task = Addition()
    batch = next(
        batch
        for number in range(1000)
        if (batch := task.sample([7], np.random.default_rng(number))).tokens[0, 3] == task.tokens.index("+")
    )
    ((_, ids, _),) = _rows(task, batch)
    assert ids[:8] == [0, 2, 1, 0, 3, 2, 1, 0]


def test_copies_that_go_on_have_the_id_of_what_comes_next() -> None:
    task = load_task("repeated-copy")
    batch = task.sample([*range(2, 30)], np.random.default_rng(0))
    for tokens, ids, beyond in _rows(task, batch):
        word = tokens[1 : tokens.index("SEP")]
        endless = [0, *range(1, len(word) + 1)] * len(tokens)
        assert ids == endless[: len(tokens) + 1]
        assert beyond == 0


def test_the_ids_say_nothing_where_nothing_belongs_together() -> None:
    for name in ("sort", "dyck-1", "majority", "(aa)*".join(["regex:", ""])):
        task = load_task(name)
        assert task.coupled_ids(task.sample([4], np.random.default_rng(0))) is None


def _word(length: int, rng: np.random.Generator) -> list[str]:
    return ["ab"[k] for k in rng.integers(0, 2, length)]


def test_a_scheme_of_ones_own() -> None:
    def pairs(x: tuple[str, ...], y: tuple[str, ...]) -> list[int]:
        places = [1 + place // 2 for place in range(len(x))]
        return [0, *places, 0, *places, 0]

    task = Task.from_function(_word, lambda x: x, ids=pairs)
    rows = _rows(task, task.sample([1, 4, 3], np.random.default_rng(0)))
    assert [ids for _, ids, _ in rows] == [
        [0, 1, 0, 1, 0],
        [0, 1, 1, 2, 2, 0, 1, 1, 2, 2, 0],
        [0, 1, 1, 2, 0, 1, 1, 2, 0],
    ]
    assert (
        Task.from_function(_word, lambda x: x).coupled_ids(task.sample([1], np.random.default_rng(0))) is None
    )


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (lambda x, y: [0] * len(x), "mine: ids('a', 'a') gives 1 ids, not 5, for SOS x SEP y EOS"),
        (lambda x, y: [0, -1, 0, 1, 0], "mine: ids('a', 'a') gives -1; ids are whole numbers from 0 on"),
        (lambda x, y: [0, 1.5, 0, 1, 0], "mine: ids('a', 'a') gives 1.5; ids are whole numbers from 0 on"),
        (
            lambda x, y: 1 // 0,
            "mine: ids('a', 'a') fails: ZeroDivisionError: integer division or modulo by zero",
        ),
    ],
)
def test_what_a_scheme_must_not_say(ids: object, message: str) -> None:
    task = Task.from_function(lambda length, rng: ["a"] * length, lambda x: x, name="mine", ids=ids)  # type: ignore[arg-type]
    with pytest.raises(InputError) as caught:
        task.coupled_ids(task.sample([1], np.random.default_rng(0)))
    assert caught.value.message == message
