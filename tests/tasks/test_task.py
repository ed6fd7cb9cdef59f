"""Tests of `tasks.task`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks.arithmetic import Addition
from longreach.tasks.catalog import TASKS, load_task
from longreach.tasks.counting import ModularArithmetic
from longreach.tasks.layouts import SequenceTask, base_of, check_distinct, joined, laid_out, places_of
from longreach.tasks.task import PAD_ID, SOS_ID, Batch, Task, draw_lengths, significance
from tests.helpers.refusals import refusal

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
    most = Task.from_function(_word, lambda x: "ab"[x.count("b") > x.count("a")])
    assert most.coupled_ids(most.sample([3], np.random.default_rng(0))) is None


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
    assert refusal(task.coupled_ids, task.sample([1], np.random.default_rng(0))) == message


NAMES = [*TASKS, "d-5", "regex:(a|b)*c{2,5}", "regex:[a-z]*b[x-z]{3}"]
RANGES = [(1, 12), (20, 50), (51, 100), (101, 150)]


def _tasks() -> list[Task]:
    return [load_task(name) for name in NAMES]


def _rows_task(task: Task, batch: Batch) -> list[tuple[list[str], list[str]]]:
    """What is read after SOS and what is predicted, one example after the other."""
    rows = []
    for tokens, targets, mask, size in zip(batch.tokens, batch.targets, batch.mask, batch.sizes, strict=True):
        rows.append((task.decode(tokens[1:size].tolist()), task.decode(targets[mask].tolist())))
    return rows


@pytest.mark.parametrize("task", _tasks(), ids=lambda task: task.name)
@pytest.mark.parametrize("span", RANGES, ids=str)
def test_every_sample_has_the_right_shape_and_answer(task: Task, span: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    lengths = draw_lengths(task, *span, 40, rng)
    batch = task.sample(lengths, rng)
    width = int(batch.sizes.max())
    columns = np.arange(width)
    inside = columns < batch.sizes[:, None]
    assert batch.tokens.shape == batch.targets.shape == batch.mask.shape == (40, width)
    assert batch.tokens.dtype == batch.targets.dtype == batch.position_ids.dtype == np.int64
    assert (batch.position_ids == columns).all()
    for array in (batch.tokens, batch.targets, batch.mask, batch.position_ids):
        assert array.flags.c_contiguous
        assert array.flags.writeable
    assert (batch.tokens[:, 0] == SOS_ID).all()
    assert (batch.tokens[~inside] == PAD_ID).all()
    assert (batch.tokens[inside] != PAD_ID).all()
    assert (batch.targets[~batch.mask] == PAD_ID).all()
    assert (batch.targets[batch.mask] != PAD_ID).all()
    assert not (batch.mask & ~inside).any()
    assert (batch.sizes <= [task.input_size(int(length)) for length in lengths]).all()
    # From the first supervised position to the last token, all are supervised, but where keys are asked for.
    if task.name != "mqar":
        assert (batch.mask == inside & (columns >= batch.mask.argmax(axis=1)[:, None])).all()
    for (read, predicted), length in zip(_rows_task(task, batch), lengths.tolist(), strict=True):
        assert tuple(predicted) == task.answer(read[:length])


@pytest.mark.parametrize("task", _tasks(), ids=lambda task: task.name)
def test_algorithmic_tasks_read_their_answer_while_they_write_it(task: Task) -> None:
    if task.kind == "language" or task.name == "mqar":  # where blanks follow what is asked for
        return
    batch = task.sample(task.lengths(2, 30), np.random.default_rng(2))
    following = np.roll(batch.tokens, -1, axis=1)
    still = batch.mask & (np.arange(batch.tokens.shape[1]) < batch.sizes[:, None] - 1)
    assert (batch.targets[still] == following[still]).all()


@pytest.mark.parametrize("task", _tasks(), ids=lambda task: task.name)
def test_the_generator_decides_everything(task: Task) -> None:
    lengths = task.lengths(20, 50)[:5].repeat(8)
    one, same, other = (task.sample(lengths, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert (one.tokens == same.tokens).all()
    assert (one.targets == same.targets).all()
    fresh = load_task(task.name)
    fresh.sample(task.lengths(101, 150)[:1], np.random.default_rng(0))  # larger tables change nothing
    assert (fresh.sample(lengths, np.random.default_rng(3)).tokens == one.tokens).all()
    single = ("tomita-1", "tomita-2", "aa", "aaaa", "abab", "anbn", "anbncn")  # one word per length
    if task.name not in single:
        assert one.tokens.tolist() != other.tokens.tolist()


@pytest.mark.parametrize("task", _tasks(), ids=lambda task: task.name)
def test_lengths_are_uniform_over_those_the_task_has(task: Task) -> None:
    known = task.lengths(0, 60)
    assert known[known >= min(1, task.least_length)][0] == task.least_length
    known = task.lengths(1, 50)
    drawn = draw_lengths(task, 1, 50, 400 * len(known), np.random.default_rng(5))
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == known.tolist()
    assert abs(counts - 400).max() < 5 * 400**0.5


@pytest.mark.parametrize("task", _tasks(), ids=lambda task: task.name)
def test_the_most_tokens_are_reached(task: Task) -> None:
    length = int(task.lengths(8, 16)[0])
    batch = task.sample([length] * 2000, np.random.default_rng(6))
    assert batch.sizes.max() == task.input_size(length)


def test_lengths_that_a_task_lacks() -> None:
    assert load_task("aaaa").lengths(1, 12).tolist() == [4, 8, 12]
    assert load_task("binary-majority-interleave").lengths(1, 10).tolist() == [3, 6, 9]
    assert load_task("regex:ab|c").lengths(-3, 99).tolist() == [1, 2]
    with pytest.raises(
        InputError, match=r"^aaaa: no input has a length in 5:7, the longest of shorter ones is 4$"
    ):
        load_task("aaaa").lengths(5, 7)
    with pytest.raises(
        InputError, match=r"^sort: no input has a length in 151:200, the longest of shorter ones is 150$"
    ):
        load_task("sort").lengths(151, 200)


@pytest.mark.parametrize("name", ["tomita-1", "dyck-1", "anbncn"])
def test_the_empty_word_can_be_asked_for(name: str) -> None:
    task = load_task(name)
    batch = task.sample([0], np.random.default_rng(0))
    assert batch.tokens.tolist() == [[SOS_ID]]
    assert _rows_task(task, batch) == [([], list(task.answer([])))]


TASKS = [
    "addition", "addition+reversed", "addition+reversed+index-hints", "binary-majority", "copy-unique",
    "cycle-navigation", "modular-arithmetic", "multiplication", "parity", "parity+scratchpad",
    "parity-scratchpad:3", "reverse+index-hints", "sort", "sparse-parity:2",
    "variable-assignment:2,variables=20", "boolean-expressions+scratchpad",
]  # fmt: skip


@pytest.mark.parametrize("name", TASKS)
def test_drawn_inputs_are_laid_out_as_the_sampler_does(name: str) -> None:
    task = load_task(name)
    assert isinstance(task, SequenceTask)
    length = int(task.lengths(task.least_length + 3, task.least_length + 30)[0])
    batch = task.sample([length] * 12, np.random.default_rng(1))
    read = []
    for row in range(12):
        begin = int(batch.mask[row].argmax()) + (not task.separated)
        read.append(task.decode(batch.tokens[row, 1:begin].tolist()))
    again = laid_out(task.tokens, read, [task.answer(x) for x in read], separated=task.separated)
    assert (again.tokens == batch.tokens).all()
    assert (again.targets == batch.targets).all()
    assert (again.mask == batch.mask).all()
    assert (again.sizes == batch.sizes).all()
    assert all(task.is_drawn(x) for x in read)


@pytest.mark.parametrize("name", TASKS)
def test_neighbours_differ_in_their_input_and_are_answered(name: str) -> None:
    task, rng = load_task(name), np.random.default_rng(2)
    length = int(task.lengths(task.least_length + 3, task.least_length + 30)[0])
    batch = task.sample([length] * 400, rng)
    found = task.counterfactuals(batch, 0, batch, count=100, rng=rng)
    assert found is not None
    begin = int(batch.mask[0].argmax())
    first = begin + (not task.separated)
    for row in range(len(found)):
        x = task.decode(found.tokens[row, 1:first].tolist())
        assert x != task.decode(batch.tokens[0, 1:first].tolist())
        assert task.decode(found.targets[row][found.mask[row]].tolist()) == list(task.answer(x))
        assert task.is_drawn(x)


def test_words_of_a_language_are_not_changed() -> None:
    task, rng = load_task("regex:(ab)*"), np.random.default_rng(0)
    batch = task.sample([6] * 5, rng)
    assert task.counterfactuals(batch, 0, batch, count=10, rng=rng) is None


def test_batches_of_two_widths() -> None:
    task, rng = load_task("reverse"), np.random.default_rng(0)
    short, long = task.sample([2] * 3, rng), task.sample([5] * 2, rng)
    both = joined(short, long)
    assert len(both) == 5
    assert both.tokens.shape[1] == long.tokens.shape[1]
    assert (both.tokens[:3, : short.tokens.shape[1]] == short.tokens).all()
    assert not both.tokens[:3, short.tokens.shape[1] :].any()
    assert both.sizes.tolist() == [*short.sizes.tolist(), *long.sizes.tolist()]


def test_continuations_are_what_the_answers_say() -> None:
    for name, letters, after in (
        ("even-pairs", {"x": ("a", "b"), "y": "a"}, ("SEP",)),
        ("even-pairs", {"x": "a", "y": "b"}, ("b", "SEP")),
        ("cycle-navigation", {"x": "left", "y": ("right", "right")}, ("stay", "SEP")),
        ("modular-arithmetic", {"x": ("2", "*"), "y": ("3", "-")}, ("4", "SEP")),
    ):
        task = load_task(name)
        for token in ("even", "odd") if name == "even-pairs" else tuple("01234"):
            automaton = task.continuation(letters, after, token)
            assert automaton is not None
            for word in (word for length in range(1, 6) for word in product("xy", repeat=length)):
                x = [s for c in word for s in ([letters[c]] if isinstance(letters[c], str) else letters[c])]
                assert automaton.accepts(word) == (task.answer([*x, *after[:-1]])[0] == token)


def test_what_is_not_asked() -> None:
    task = ModularArithmetic()
    assert task.continuation({"x": "1"}, ("SEP",), "0") is None  # two digits side by side are no input
    assert task.continuation({"x": ("1", "+")}, ("SEP",), "0") is None
    assert task.continuation({"x": ("1", "+")}, ("1",), "0") is None
    assert task.continuation({"x": ("1", "+")}, ("1", "SEP"), "7") is None
    assert task.continuation({"x": ("y", "+")}, ("1", "SEP"), "0") is None


def test_lengths_are_those_of_the_base() -> None:
    lengths = np.arange(12)
    assert load_task("addition+reversed").has(lengths).tolist() == load_task("addition").has(lengths).tolist()
    assert load_task("addition+reversed").least_length == 4


def test_the_base_of_all_changes() -> None:
    assert base_of(load_task("addition+reversed+index-hints")) == load_task("addition")


def test_tokens_that_stand_twice() -> None:
    check_distinct("mine", ["a", "b"])
    assert places_of(("a", "b"), ("b", "b")) == [1, 1]
