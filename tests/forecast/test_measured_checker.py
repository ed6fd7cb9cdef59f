"""Programs that were found and bits that were measured are checked to a length, refuted, or claimed."""

from __future__ import annotations

import numpy as np
import pytest

from longreach.crasp.library import load
from longreach.forecast.black_box_certificates import FoundProgramCertificate, MeasuredRowsCertificate
from longreach.forecast.black_box_to_verdicts import black_box_sides
from longreach.forecast.certificate_kinds import read_any
from longreach.forecast.found_program import found_verdict, tried_program
from longreach.forecast.measured_checker import check_found_program, check_measured_rows
from longreach.forecast.rows_to_verdict import measured_verdict
from longreach.languages.prove.findings import Status
from longreach.limit.measure.answers_to_rows import rows_of_function
from longreach.tasks.catalog import load_task
from longreach.tasks.task import Task


def _word(length: int, rng: np.random.Generator) -> list[str]:
    return ["ab"[k] for k in rng.integers(0, 2, length)]


BACKWARDS = Task.from_function(_word, lambda x: x[::-1], name="backwards")
LAST = Task.from_function(_word, lambda x: x[-1], name="last")


def _rows(most: int = 256) -> MeasuredRowsCertificate:
    measured = rows_of_function(lambda word: word[::-1], "ab", most=most)
    assert measured is not None
    certificate = measured_verdict(measured, name="mine", key="ape").certificate
    assert isinstance(certificate, MeasuredRowsCertificate)
    return certificate


@pytest.mark.parametrize("trusted", [True, False])
def test_measured_rows(trusted: bool) -> None:
    certificate = _rows()
    assert read_any(certificate.model_dump(mode="json", by_alias=True)) == certificate
    found = check_measured_rows(certificate, BACKWARDS, trusted)
    assert found.status is Status.CHECKED
    assert found.how == "rows recounted from the task's own answers up to length 8"
    assert check_measured_rows(certificate, LAST, trusted).status is Status.INVALID


def test_rows_that_are_no_reason_are_refused() -> None:
    certificate = _rows()
    few = certificate.model_copy(
        update={
            "lengths": certificate.lengths[:3],
            "rows": certificate.rows[:3],
            "bits": certificate.bits[:3],
        }
    )
    more = certificate.model_copy(update={"rows": (3, *certificate.rows[1:])})
    for wrong in (few, more):
        assert check_measured_rows(wrong, BACKWARDS, True).status is Status.INVALID


def test_inputs_that_are_drawn_are_drawn_anew() -> None:
    task = load_task("addition")
    certificate = MeasuredRowsCertificate.model_validate(
        {
            "class": "C-RASP[∅]",
            "task": "mine",
            "alice": ["0", "1"],
            "bob": [],
            "bob_size": 3,
            "lengths": [1, 2, 3, 4, 5, 6],
            "rows": [2, 4, 8, 16, 32, 64],
            "bits": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            "exhaustive": False,
        }
    )
    found = check_measured_rows(certificate, task, False)
    assert found.status is Status.CHECKED
    assert found.how.endswith("up to length 6")


def test_found_programs() -> None:
    task = load_task("bucket-sort")
    program = tried_program(task, load("bucket-sort"), "program bucket-sort of the library")
    assert program is not None
    verdict = found_verdict(program, name="mine", key="nope")
    assert verdict is not None
    certificate = verdict.certificate
    assert isinstance(certificate, FoundProgramCertificate)
    assert read_any(certificate.model_dump(mode="json", by_alias=True)) == certificate
    assert check_found_program(certificate, task, True).status is Status.CHECKED
    assert check_found_program(certificate, load_task("mode"), True).status is Status.INVALID


def test_the_answers_of_a_predicate_are_recounted() -> None:
    mirrored = Task.from_predicate(lambda word: word == word[::-1], "ab")
    certificate = black_box_sides(mirrored, "mine", ["ape"])["ape"].certificate
    assert isinstance(certificate, MeasuredRowsCertificate)
    assert check_measured_rows(certificate, mirrored, False).status is Status.CHECKED
    sorted_words = Task.from_predicate(lambda word: word == tuple(sorted(word)), "ab")
    assert check_measured_rows(certificate, sorted_words, False).status is Status.INVALID
