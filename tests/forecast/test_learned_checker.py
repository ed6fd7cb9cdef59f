"""Certificates of learned automata are checked to a length, refuted, or claimed; never valid."""

from __future__ import annotations

import json

import numpy as np
import pytest

from longreach.forecast.black_box_certificates import LearnedFlowCertificate, LearnedProgramCertificate
from longreach.forecast.black_box_to_verdicts import black_box_sides
from longreach.forecast.certificate_kinds import read_any
from longreach.forecast.claims import read_statements
from longreach.forecast.learned_checker import check_learned
from longreach.forecast.task_forecast import forecast
from longreach.forecast.verification import Subject, check_claims, own_subject
from longreach.languages.prove.findings import Status
from longreach.tasks.catalog import load_task
from longreach.tasks.task import Task


def _word(length: int, rng: np.random.Generator) -> list[str]:
    return ["ab"[k] for k in rng.integers(0, 2, length)]


EVEN = Task.from_predicate(lambda word: len(word) % 2 == 0, "ab", name="even")
ODD = Task.from_predicate(lambda word: len(word) % 2 == 1, "ab", name="odd")
COUNTED = Task.from_function(_word, lambda x: x.count("a") % 2, name="counted")
OTHER = Task.from_function(_word, lambda x: x.count("b") % 2, name="other")


@pytest.mark.parametrize(("task", "other"), [(EVEN, ODD), (COUNTED, OTHER)], ids=["language", "answer"])
@pytest.mark.parametrize("key", ["nope", "ape"])
def test_right_on_the_task_and_wrong_on_another(task: Task, other: Task, key: str) -> None:
    certificate = black_box_sides(task, "mine", [key])[key].certificate
    assert isinstance(certificate, LearnedFlowCertificate | LearnedProgramCertificate)
    again = read_any(certificate.model_dump(mode="json", by_alias=True))
    assert again == certificate
    for trusted in (True, False):
        found = check_learned(certificate, task, trusted)
        assert found.status is Status.CHECKED
        assert "learned to length 100" in found.how
        assert check_learned(certificate, other, trusted).status is Status.INVALID


def test_a_broken_proof_is_refused() -> None:
    certificate = black_box_sides(COUNTED, "mine", ["nope"])["nope"].certificate
    assert isinstance(certificate, LearnedFlowCertificate)
    broken = certificate.certificate.model_copy(update={"flows": ()})
    assert (
        check_learned(certificate.model_copy(update={"certificate": broken}), COUNTED, True).status
        is Status.INVALID
    )
    moved = certificate.model_copy(update={"program_class": "C-RASP[local]"})
    assert check_learned(moved, COUNTED, True).status is Status.INVALID


def test_a_task_that_cannot_be_asked_leaves_a_claim() -> None:
    certificate = black_box_sides(EVEN, "mine", ["nope"])["nope"].certificate
    assert isinstance(certificate, LearnedFlowCertificate)
    assert check_learned(certificate, load_task("sort"), True).status is Status.CLAIMED


def test_documents_are_checked_and_never_valid() -> None:
    found = forecast(COUNTED)
    document = json.loads(json.dumps(found.document()))
    assert [document[key]["checked_to"] for key in ("nope", "ape")] == [100, 100]
    assert document["meaning_of_no"].endswith("it proves nothing")
    assert document["encodings"]["rope"]["statement"].endswith(", if the task goes on so beyond length 100")
    (statement,) = read_statements(json.dumps(document), "mine.json")
    # A document must not choose what is imported.
    unasked = check_claims(statement, own_subject(statement))
    assert [finding.status for _, finding in unasked] == [Status.CLAIMED, Status.CLAIMED]
    checked = check_claims(statement, Subject(found.stored, COUNTED))
    assert [finding.status for _, finding in checked] == [Status.CHECKED, Status.CHECKED]
    other = check_claims(statement, Subject(found.stored, OTHER))
    assert [finding.status for _, finding in other] == [Status.INVALID, Status.INVALID]
    document["nope"]["verdict"] = "yes"
    (statement,) = read_statements(json.dumps(document), "mine.json")
    assert check_claims(statement, Subject(found.stored, COUNTED))[0][1].status is Status.INVALID
