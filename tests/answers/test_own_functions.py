"""What decides functions as people bring them: terms of programs, slices, and attention to the last match."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise, product

import numpy as np
import pytest

from longreach.answers.black_box import black_box_sides
from longreach.answers.black_box_checkers import check_learned, check_learned_machine, check_measured_rows
from longreach.answers.certificates import LearnedFlowCertificate, MeasuredRowsCertificate
from longreach.answers.forecast import forecast
from longreach.answers.kinds import ArchitectureKind, kind_of
from longreach.answers.sliced import Slice, sliced_sides, slices
from longreach.tasks.own import FunctionTask
from longreach.tasks.task import Task
from longreach.theory.certificates.check_no import Status
from longreach.theory.program_class import PROGRAM_SIDES
from longreach.theory.verdicts.verdict import Answer
from tests.helpers.further_functions import FURTHER
from tests.helpers.own_functions import THIRTY, word
from tests.helpers.reported_functions import REPORTED


@pytest.mark.parametrize(
    "name",
    ["vowels", "anagram", "max_depth", "unary_equal", "fifth_from_end", "lookup_first", "never_overdrawn",
     "commas_at_depth_one", "clear_lead", "first_unique", "signed_sum"],
)  # fmt: skip
def test_each_kind_of_terms_finds_its_program(name: str) -> None:
    """Letters that are alike, parts, heights, few inputs, wide windows, what follows a first letter; then
    heights of a double, at a letter, more numbers in pairs of comparisons, and digits behind a sign."""
    truth, task = {**FURTHER, **REPORTED}[name]
    found = black_box_sides(task, name, ["ape"], seconds=20.0)["ape"]
    assert found.answer.value == truth.split()[1] == "yes"
    assert found.proof.certificate.kind == "found-program"


def test_an_answer_that_changes_beyond_the_lengths_tried_gets_no_program() -> None:
    task = Task.from_function(word, lambda x: x[-1] if len(x) > 150 else x[0])
    for verdict in black_box_sides(task, "mine", PROGRAM_SIDES, seconds=2.0).values():
        assert verdict.answer is Answer.UNDECIDED


def test_numbers_of_many_digits_are_cut_at_the_sign() -> None:
    task = FURTHER["equal_numbers"][1]
    found = black_box_sides(task, "mine", PROGRAM_SIDES, seconds=20.0)
    assert {verdict.answer for verdict in found.values()} == {Answer.NO}
    certificate = found["ape"].proof.certificate
    assert isinstance(certificate, MeasuredRowsCertificate)
    assert certificate.between == ("#",)
    assert check_measured_rows(certificate, task, False).status is Status.CHECKED


# Slices


@pytest.mark.parametrize("part", list(slices("abc"))[::7], ids=str)
def test_a_slice_holds_what_it_says(part: Slice) -> None:
    """Against the definition, on all words to length 6."""

    def belongs(letters: tuple[str, ...]) -> bool:
        for end in range(len(letters) + 1):
            shown = "".join(letters[:end])
            counts = [
                sum(shown[k:].startswith("".join(gram)) for k in range(len(shown)))
                for gram in (part.more, part.less)
            ]
            pairs = set(pairwise(letters[:end]))
            if abs(counts[0] - counts[1]) > 1 or pairs & part.without or not {*letters} <= {*part.letters}:
                return False
        return True

    words = [letters for size in range(7) for letters in product("abc", repeat=size)]
    assert [letters in part for letters in words] == [belongs(letters) for letters in words]
    rng = np.random.default_rng(0)
    assert all(part.draw(20, rng)[0] in part for _ in range(20))


@pytest.mark.parametrize(
    ("name", "separated", "answer"),
    [
        ("majority", True, lambda x: "a" if 2 * x.count("a") > len(x) else "b"),
        ("thirds", True, lambda x: "yes" if 2 * x.count("a") >= x.count("b") else "no"),
        ("at the last letter", False, lambda x: str(x.count("a") > x.count("b"))),
        ("the last letter", False, lambda x: str(x[-1:] == ("a",))),
    ],
)
def test_slices_say_no_only_where_theory_does(
    name: str, separated: bool, answer: Callable[[tuple[str, ...]], str]
) -> None:
    found = sliced_sides(
        "mine", PROGRAM_SIDES, "ab", answer, separated=separated, left=lambda: 9.0, clock=time.thread_time
    )
    assert found == {}, name


def test_counts_of_pairs_are_compared_with_positions_alone() -> None:
    task = THIRTY["most_often_after_a"]
    found = black_box_sides(task, "mine", PROGRAM_SIDES, seconds=20.0)
    assert [found[key].answer for key in PROGRAM_SIDES] == [Answer.NO, Answer.YES]
    certificate = found["nope"].proof.certificate
    assert isinstance(certificate, LearnedFlowCertificate)
    assert certificate.reads == "answers to some"
    assert check_learned(certificate, task, False).status is Status.CHECKED
    other = Task.from_function(
        lambda length, rng: word(length, rng, "abc"), lambda x: min("abc", key=lambda s: (-x.count(s), s))
    )
    assert check_learned(certificate, other, False).status is Status.INVALID
    inner = certificate.certificate
    for change in ({"letter": "a"}, {"pair": inner.pair[::-1], "letter": "b"}):
        wrong = certificate.model_copy(update={"certificate": inner.model_copy(update=change)})
        assert check_learned(wrong, task, False).status is Status.INVALID
    assert check_learned(certificate.model_copy(update={"reads": "classes of some"}), task, False).status in (
        Status.INVALID, Status.CLAIMED,
    )  # fmt: skip


# Attention to the last match


@pytest.mark.parametrize(
    ("name", "answer"), [("last_token", "yes"), ("first_b_parity", "yes"), ("sum_mod5", "no")]
)
def test_a_learned_automaton_decides_attention_to_the_last_match(name: str, answer: str) -> None:
    task = THIRTY[name]
    side = forecast(task).sides["reach"]
    assert (side.answer.value, side.checked_to) == (answer, 100)
    certificate = side.proof.certificate
    kind = kind_of(certificate)
    assert isinstance(kind, ArchitectureKind)
    assert check_learned_machine(certificate, kind.check(certificate, None), task).status is Status.CHECKED
    assert isinstance(task, FunctionTask)
    other = Task.from_function(task.drawer, lambda x: task.answerer(x[:6]))
    assert (
        check_learned_machine(certificate, kind.check(certificate, None), other).status is not Status.CHECKED
    )
