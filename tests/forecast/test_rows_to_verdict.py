"""A no from bits that were measured."""

from __future__ import annotations

from longreach.forecast.rows_to_verdict import measured_verdict
from longreach.limit.measure.answers_to_rows import rows_of_function
from longreach.verdicts.verdict import Answer


def test_the_verdict_and_what_it_rests_on() -> None:
    measured = rows_of_function(lambda word: word, "ab", most=256)
    assert measured is not None
    found = measured_verdict(measured, name="mine", key="nope")
    assert found.answer is Answer.NO
    assert found.checked_to == 8
    assert not found.by_communication
    assert found.proof.basis == "measured to length 8"
    assert found.reason.startswith("measured up to length 8: ")
    document = found.certificate.model_dump(mode="json", by_alias=True)
    assert document["rows"] == [2, 4, 8, 16, 32, 64, 128, 256]
    assert document["class"] == "C-RASP[∅]"
