"""A no from a part of the inputs: which parts are found, and what the certificates say of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from longreach.answers.black_box import black_box_sides
from longreach.answers.black_box_checkers import check_measured_rows
from longreach.answers.certificates import MeasuredRowsCertificate, ReductionCertificate
from longreach.answers.checkers import check_reduction, never_drawn
from longreach.answers.embedded import Embedding, drawn_embeddings, two_parts
from longreach.tasks.own import FunctionTask
from longreach.tasks.task import Task
from longreach.theory.certificates.check_no import Status
from longreach.theory.program_class import PROGRAM_SIDES
from longreach.theory.verdicts.verdict import Answer


def draw_flip_flop(length: int, rng: np.random.Generator) -> list[str]:
    x = ["w", "01"[rng.integers(0, 2)]]
    while len(x) < length - 1:
        x += ["wi"[int(rng.integers(0, 2))], "01"[rng.integers(0, 2)]]
    return [*x, "r"]


def draw_once(length: int, rng: np.random.Generator) -> list[str]:
    """The same symbols, but only the first bit is ever written."""
    rest = [letter for _ in range(length // 2 - 1) for letter in ("i", "01"[rng.integers(0, 2)])]
    return ["w", "01"[rng.integers(0, 2)], *rest, "r"]


def last_written(x: Sequence[str]) -> str:
    return [bit for op, bit in zip(x[:-1:2], x[1:-1:2], strict=True) if op == "w"][-1]


def task_of(answer: object, draw: object = draw_flip_flop) -> FunctionTask:
    found = Task.from_function(draw, answer, has=lambda n: n % 2 == 1 and n >= 3, least_length=3)  # type: ignore[arg-type]
    assert isinstance(found, FunctionTask)
    return found


def draw_numbers(length: int, rng: np.random.Generator) -> list[str]:
    size = length // 2
    left, right = (["01"[k] for k in rng.integers(0, 2, size)] for _ in range(2))
    same = int(rng.integers(0, size + 1))
    return [*left, "#", *left[:same], *right[same:]]


def larger(x: Sequence[str], digits: int | None = None) -> bool:
    cut = x.index("#")
    return list(x[:cut][:digits]) > list(x[cut + 1 :][:digits])


def test_the_last_written_bit_is_a_no_with_a_reduction() -> None:
    task = task_of(last_written)
    found = black_box_sides(task, "mine", PROGRAM_SIDES, seconds=60.0)  # it takes about 2
    for key in PROGRAM_SIDES:
        assert found[key].answer is Answer.NO
        certificate = found[key].certificate
        assert isinstance(certificate, ReductionCertificate)
        assert check_reduction(certificate, task, False).status is Status.CHECKED
        # Another function, and inputs that are never drawn, are not what it is about.
        other = task_of(lambda x: x[1])
        assert check_reduction(certificate, other, False).status is Status.INVALID
        seldom = task_of(last_written, draw_once)
        refused = check_reduction(certificate, seldom, False)
        assert refused.status is Status.INVALID
        assert refused.problem is not None
        assert refused.problem.startswith("no input")


def test_two_numbers_are_compared_by_rows() -> None:
    task = task_of(larger, draw_numbers)
    found = black_box_sides(task, "mine", PROGRAM_SIDES, seconds=60.0)  # it takes about 2
    for key in PROGRAM_SIDES:
        assert found[key].answer is Answer.NO
    certificate = found["ape"].certificate
    assert isinstance(certificate, MeasuredRowsCertificate)
    assert (certificate.alice, certificate.between, certificate.bob) == (("0", "1"), ("#",), ("0", "1"))
    assert check_measured_rows(certificate, task, False).status is Status.CHECKED
    window = task_of(lambda x: larger(x, 4), draw_numbers)
    assert check_measured_rows(certificate, window, False).status is Status.INVALID


def test_a_window_of_two_numbers_is_no_growth() -> None:
    found = black_box_sides(task_of(lambda x: larger(x, 7), draw_numbers), "mine", PROGRAM_SIDES, seconds=2.0)
    assert all(side.answer is not Answer.NO for side in found.values())


def test_only_what_is_drawn_is_embedded() -> None:
    pairs = {2 * n: [sum(w, ()) for w in product([("a", "0"), ("b", "1")], repeat=n)] for n in (1, 2, 3)}
    found = list(drawn_embeddings(pairs))
    assert Embedding((), (("a", "0"), ("b", "1")), ()) in found
    drawn = {word for words in pairs.values() for word in words}
    for embedding in found:
        for size in (1, 2):
            for names in product(embedding.letters, repeat=size):
                assert embedding.word(names) in drawn


def test_two_parts_need_all_pairs() -> None:
    def inputs(sizes: Sequence[int]) -> dict[int, list[tuple[str, ...]]]:
        bits = {n: list(product("01", repeat=n)) for n in sizes}
        return {2 * n + 1: [(*a, "#", *b) for a in bits[n] for b in bits[n]] for n in sizes}

    assert len(list(two_parts(inputs((1, 2, 3))))) == 1
    some = inputs((1, 2, 3))
    some[5] = [word for word in some[5] if word[0] == word[3]]
    assert list(two_parts(some)) == []


@pytest.mark.parametrize(("words", "problem"), [([("w", "0", "r")], None), ([("i", "0", "r")], "i 0 r")])
def test_never_drawn(words: list[tuple[str, ...]], problem: str | None) -> None:
    found = never_drawn(task_of(last_written), words)
    assert found == (None if problem is None else f"no input {problem} is drawn")
