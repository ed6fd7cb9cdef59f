"""Tests of `tasks.pumped` and of hard inputs of tasks without an automaton, by their literal properties."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

from longreach.tasks.catalog import load_task
from longreach.tasks.lengths import LengthRange
from longreach.tasks.probing import counting_comparisons
from longreach.tasks.pumped import inputs_of, position_share, pumped_pieces
from longreach.tasks.task import Batch, Probes, Task
from longreach.theory.crasp.core import Leq
from longreach.theory.crasp.evaluate import Kernel, State
from longreach.theory.crasp.library import load_program

LENGTHS = LengthRange(24, 40)


def _probes(name: str, count: int = 200) -> tuple[Task, Probes]:
    task = load_task(name)
    found = task.probing_sample(LENGTHS, count, np.random.default_rng(0))
    assert found is not None
    return task, found


def _of(name: str, sort: str, count: int = 200) -> list[list[str]]:
    """The inputs of one sort of a task."""
    task, found = _probes(name, count)
    inputs = inputs_of(task, found.batch)
    chosen = np.flatnonzero(found.loops == found.names.index(sort))
    assert len(chosen)
    return [list(inputs[row]) for row in chosen]


def _behind_closing(x: list[str], kind: str) -> list[int]:
    """How many brackets of a kind are open behind each closing one of it."""
    opening, closing = kind
    return [
        x[: end + 1].count(opening) - x[: end + 1].count(closing)
        for end, letter in enumerate(x)
        if letter == closing
    ]


BRACKETS = {"dyck-1": ["()"], "shuffle-dyck": ["()", "[]"]}


@pytest.mark.parametrize("name", BRACKETS)
def test_bracket_counts_differ_by_zero_or_one(name: str) -> None:
    for x in _of(name, "counts nearly equal"):
        half = len(x) // 4 * 2
        for kind in BRACKETS[name]:
            assert x[:half].count(kind[0]) == x[:half].count(kind[1])
            assert set(_behind_closing(x[half:], kind)) <= {0, 1}
    for x in _of(name, "one open"):
        behind = [_behind_closing(x, kind) for kind in BRACKETS[name]]
        always = BRACKETS[name][[kind[0] for kind in BRACKETS[name]].index(x[0])]
        for kind, found in zip(BRACKETS[name], behind, strict=True):
            if kind == always:
                assert set(found[:-1]) <= {1}
                assert found[-1] == 0
            else:
                assert set(found) <= {0}
    for x in _of(name, "many open"):
        deep = len(x) // 2 - len(x) // 6
        assert set(x[:deep]) <= set("([")
        assert set(x[-deep:]) <= set(")]")


@pytest.mark.parametrize("name", BRACKETS)
def test_brackets_have_the_same_window_at_both_ends_and_between(name: str) -> None:
    insides = set()
    for x in _of(name, "window repeated"):
        sizes = [
            size
            for size in range(2, len(x) // 3 + 1, 2)
            if x[:size] == x[-size:]
            and (outside := (len(x) - 3 * size) // 2) >= 0
            and x[size + outside : 2 * size + outside] == x[:size]
            and set(x[size : size + outside]) <= set("([")
        ]
        assert sizes
        insides.add(len(x) - 3 * sizes[-1])
    assert len(insides) > 3


@pytest.mark.parametrize("name", ["dyck-1", "anbn", "anbncn"])
def test_counts_that_the_program_compares_are_tied(name: str) -> None:
    """Those of the program that solves the task, run over each hard word."""
    task, found = _probes(name, 80)
    assert task.nope.name is not None
    core = load_program(f"lib:{task.nope.name}").core
    pairs = [op for index in counting_comparisons(core) if isinstance(op := core.ops[index], Leq)]
    compared = 0
    for row, x in enumerate(inputs_of(task, found.batch)):
        letters = np.array([[core.alphabet.index(letter) for letter in x]], dtype=np.uint32)
        wanted = [side for op in pairs for side in (op.left, op.right)]
        values = Kernel(core, wanted).advance(State(), letters)
        for op in pairs:
            left, right = (
                np.broadcast_to(np.asarray(values[side], dtype=np.int64), letters.shape)[0]
                for side in (op.left, op.right)
            )
            if np.ptp(left) == 0 or np.ptp(right) == 0:
                continue  # a comparison with a number that is always the same
            compared += 1
            apart = np.abs(left - right)
            assert apart[-1] == 0
            if found.names[found.loops[row]] in ("counts nearly equal", "one open"):
                assert apart[len(x) // 2 :].max() <= 2
                assert set(apart[len(x) // 2 :][[letter == ")" for letter in x[len(x) // 2 :]]]) <= {0, 1}
    assert compared >= 80


def test_letters_of_equal_blocks_come_equally_often() -> None:
    for name, letters in (("anbn", "ab"), ("anbncn", "abc")):
        for x in _of(name, "counts equal at the end"):
            assert x == sorted(x)
            assert {*Counter(x).values()} == {len(x) // len(letters)}


@pytest.mark.parametrize("name", ["sort", "copy-unique", "copy-unique+reversed"])
def test_distinct_symbols_are_neighbours_or_in_order(name: str) -> None:
    for x in _of(name, "neighbours"):
        values = sorted(map(int, x))
        assert values == list(range(values[0], values[0] + len(x)))
    assert len({tuple(x) for x in _of(name, "neighbours")}) > 50
    for sort, sign in (("ascending", 1), ("descending", -1)):
        for x in _of(name, sort):
            assert all(sign * (int(after) - int(before)) > 0 for before, after in pairwise(x))


@pytest.mark.parametrize("name", ["copy-repeat", "reverse", "duplicate-string"])
def test_a_window_comes_again_and_something_else_follows(name: str) -> None:
    for x in _of(name, "window repeated", 300):
        size, half = len(x) // 4, len(x) // 2
        places = [
            (first, second)
            for first in range(half - size)
            for second in range(-(-len(x) // 2), len(x) - size)
            if x[first : first + size] == x[second : second + size] and x[first + size] != x[second + size]
        ]
        assert places


def test_three_interleaved_sequences_are_nearly_tied() -> None:
    answers = Counter[str]()
    for sort in map("".join, product("01", repeat=3)):
        for x in _of("binary-majority-interleave", f"nearly tied, {sort}"):
            for start, bit in enumerate(sort):
                part = x[start::3]
                more = part.count(bit) - (len(part) - part.count(bit))
                assert more == (1 if len(part) % 2 else 2)
            answers[sort] += 1
    assert max(answers.values()) - min(answers.values()) <= 1


@pytest.mark.parametrize("name", ["addition", "addition-no-leading-zeros"])
def test_sums_are_near_powers_of_two(name: str) -> None:
    for sort, shift in (("the sum is 2ᵏ − 1", -1), ("the sum is 2ᵏ", 0), ("the sum is 2ᵏ + 1", 1)):
        for x in _of(name, sort):
            first, second = "".join(x).rstrip("=").split("+")
            total = int(first, 2) + int(second, 2) - shift
            assert total == 1 << max(len(first), len(second))
            if name == "addition-no-leading-zeros":
                assert all(part == "0" or part[0] == "1" for part in (first, second))


def test_factors_are_near_powers_of_two() -> None:
    for sort, shift in (("a factor is 2ᵏ − 1", -1), ("a factor is 2ᵏ", 0), ("a factor is 2ᵏ + 1", 1)):
        for x in _of("multiplication", sort):
            parts = "".join(x).rstrip("=").split("*")
            factor = int(max(parts, key=len), 2) if len(parts[0]) != len(parts[1]) else None
            near = [int(part, 2) - shift for part in parts] if factor is None else [factor - shift]
            assert any(each.bit_count() == 1 for each in near)


def test_keys_are_asked_for_at_once_or_at_the_end() -> None:
    for sort, last in (("asked at once", False), ("asked at the end", True)):
        for x in _of_mqar(sort):
            pairs = len({token for token in x if token.startswith("k")})
            asked = [place for place in range(2 * pairs, len(x)) if x[place].startswith("k")]
            assert len(asked) == pairs
            begin = len(x) - 2 * pairs if last else 2 * pairs
            assert asked == list(range(begin, begin + 2 * pairs, 2))


def _of_mqar(sort: str) -> list[list[str]]:
    task, found = _probes("mqar")
    chosen = np.flatnonzero(found.loops == found.names.index(sort)).tolist()
    rows = [task.decode(found.batch.tokens[row, 1 : found.batch.sizes[row]].tolist()) for row in chosen]
    return [list(row) for row in rows]


def test_words_that_are_repeated_have_all_sizes_alike() -> None:
    task, found = _probes("repeated-copy")
    for row in range(200):
        tokens = task.decode(found.batch.tokens[row, 1 : found.batch.sizes[row]].tolist())
        assert found.names[found.loops[row]].startswith(f"w of {tokens.index('SEP')} symbol")
    assert {*Counter(found.loops.tolist()).values()} == {20}


def test_the_chain_that_is_asked_for_is_first_or_last_or_takes_turns() -> None:
    for sort in ("chain first", "chain last", "chains in turns"):
        for x in _of("variable-assignment", sort):
            steps = [(x[place], x[place + 2]) for place in range(2, len(x), 3)]
            mine = next(place for place, (left, _) in enumerate(steps) if left == x[0])
            follows = [left == steps[mine][1] for left, _ in steps].index(True)
            if sort == "chain first":
                assert (mine, follows) == (0, 1)
            elif sort == "chain last":
                assert (mine, follows) == (len(steps) - 2, len(steps) - 1)
            else:
                assert mine < len(steps) // 2 <= follows


@pytest.mark.parametrize(
    "name", ["copy-repeat", "count", "bucket-sort", "boolean-expressions", "addition", "selective-copy:3"]
)
def test_a_piece_is_repeated_nearly_everywhere_or_over_a_third(name: str) -> None:
    task, found = _probes(name, 240)
    hard = len(task.hard)
    inputs = inputs_of(task, found.batch)
    for row in np.flatnonzero(found.loops >= hard).tolist():
        x, piece = inputs[row], tuple(found.names[found.loops[row]].split())
        longest = max(
            sum(1 for _ in _run(x, piece, start)) for start in range(len(x) - len(piece) + 1)
        ) * len(piece)
        if found.kinds[row] == 0:
            assert longest >= len(x) - task.least_length - 6 - 2 * len(piece)
        else:
            assert longest >= len(x) // 3 - 3 * len(piece)


def _run(x: tuple[str, ...], piece: tuple[str, ...], start: int) -> list[int]:
    """Where the piece stands again and again from a place on."""
    found = []
    while x[start : start + len(piece)] == piece:
        found.append(start)
        start += len(piece)
    return found


def test_pieces_change_the_answer_where_they_can() -> None:
    for name in ("recall-then-fold", "boolean-expressions", "parity-scratchpad"):
        task = load_task(name)
        pieces = pumped_pieces(task)
        assert pieces
        rng = np.random.default_rng(5)
        for piece in pieces:
            assert _changes(task, piece, rng), piece
    assert pumped_pieces(load_task("sort")) == ()


def _changes(task: Task, piece: tuple[str, ...], rng: np.random.Generator) -> bool:
    """Whether answers differ by how often it stands somewhere; literally, at all places of many inputs."""
    from longreach.errors import InputError

    known = task.lengths(task.least_length, task.least_length + 12)
    for x in inputs_of(task, task.sample(np.repeat(known, 40), rng)):
        for place in range(len(x) + 1):
            try:
                answers = {task.answer((*x[:place], *piece * times, *x[place:])) for times in (1, 2, 3)}
            except InputError:
                continue
            if len(answers) > 1:
                return True
    return False


def test_changed_tasks_answer_the_inputs_of_their_base() -> None:
    for name in ("addition+reversed", "parity+scratchpad", "copy-repeat+index-hints"):
        task, found = _probes(name)
        base, known = _probes(name.partition("+")[0])
        assert found.names == known.names
        assert found.loops.tolist() == known.loops.tolist()
        for row in range(0, 200, 7):
            batch = found.batch
            tokens = task.decode(batch.tokens[row, 1 : batch.sizes[row]].tolist())
            x = tokens[: tokens.index("SEP") if "SEP" in tokens else tokens.index("=") + 1]
            assert tuple(task.decode(batch.targets[row][batch.mask[row]].tolist())) == task.answer(x)
            assert tuple(token for token in x if token[0] != "#") == inputs_of(base, known.batch)[row]


def _batch(rows: list[list[int]]) -> Batch:
    width = max(map(len, rows))
    targets = np.array([row + [0] * (width - len(row)) for row in rows])
    mask = np.array([[place < len(row) for place in range(width)] for row in rows])
    return Batch(targets, targets, mask, np.tile(np.arange(width), (len(rows), 1)), mask.sum(axis=1))


@pytest.mark.parametrize("seed", range(20))
def test_chance_is_that_of_the_best_of_all_sequences(seed: int) -> None:
    """By brute force over all sequences of three labels."""
    rng = np.random.default_rng(seed)
    rows = [rng.integers(0, 2, int(rng.integers(1, 5))).tolist() for _ in range(12)]
    best = max(
        sum(tuple(row) == said[: len(row)] for row in rows) / len(rows)
        for said in product(range(3), repeat=4)
    )
    assert position_share(_batch(rows)) == pytest.approx(best)


def test_rare_guesses_are_no_chance() -> None:
    assert position_share(_batch([[number] for number in range(40)])) == 0.0


def test_short_lengths_have_what_they_can() -> None:
    """A range in which some lengths are too short for some sorts still has all of them alike."""
    for name in ("copy-repeat", "addition", "dyck-1", "sort", "recall-then-fold"):
        task = load_task(name)
        found = task.probing_sample(LengthRange(*task.train_range(20)), 110, np.random.default_rng(1))
        assert found is not None
        assert len(found.batch) == 110
        counts = Counter(found.loops.tolist())
        assert max(counts.values()) - min(counts.values()) <= 1


def test_examples_of_a_file_are_probed_by_others_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "lengths.jsonl"
    path.write_text("".join(f'{{"input": "{"ab" * n}", "output": "{n}"}}\n' for n in range(1, 20)))
    found = load_task(f"data:{path}").probing_sample(LengthRange(10, 30), 10, np.random.default_rng(0))
    assert found is not None
    assert found.names == ("a b", "b a")
    letters = np.random.default_rng(0).integers(0, 2, (30, 40))
    words = ["".join("ab"[letter] for letter in row[: 5 + size]) for size, row in enumerate(letters)]
    path.write_text("".join(f'{{"input": "{word}", "output": "{word[0]}"}}\n' for word in words))
    task = load_task(f"data:{path}")
    assert task.probing_sample(LengthRange(10, 30), 10, np.random.default_rng(0)) is None
