from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest

from longreach.forecast.certificate_explainers import reduction_in_short
from longreach.forecast.reduction_checker import check_reduction
from longreach.forecast.task_certificates import ReductionCertificate
from longreach.forecast.task_forecast import forecast
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.tasks.even_pairs import EvenPairs
from tests.helpers.task_checks import assert_program_solves, assert_samples_are_right, least_share, statuses


def _literal(x: Sequence[str]) -> list[str]:
    word = "".join(x)
    pairs = sum(word[k : k + 2] in ("ab", "ba") for k in range(len(word)))
    return ["even" if pairs % 2 == 0 else "odd"]


def test_samples() -> None:
    assert_samples_are_right(EvenPairs(), _literal)
    assert least_share(EvenPairs(), 40) > 0.45


def test_program_on_all_short_inputs() -> None:
    words = (word for length in range(1, 10) for word in product("ab", repeat=length))
    assert_program_solves("even-pairs", words, _literal)


def test_forecast() -> None:
    assert statuses("even-pairs") == {"nope": ("no", "valid"), "ape": ("yes", "not proved")}


@pytest.mark.parametrize("length", range(1, 8))
def test_the_answer_is_whether_the_ends_are_equal(length: int) -> None:
    machine, language = EvenPairs().machine, from_expression("a|b|a(a|b)*a|b(a|b)*b")
    for word in product("ab", repeat=length):
        assert [machine.class_of(word)] == _literal(word)
        assert language.accepts(word) == (_literal(word) == ["even"]) == (word[0] == word[-1])


def test_the_proof_is_about_reading_after_the_last_letter() -> None:
    certificate = forecast("even-pairs").sides["nope"].certificate
    assert isinstance(certificate, ReductionCertificate)
    assert getattr(certificate.certificate, "convention", None) == "end-of-sequence"
    assert reduction_in_short(certificate).endswith("in C-RASP[∅] that is read after the last letter (flow)")
    assert check_reduction(certificate, EvenPairs(), True).valid
    # Read at the last letter there is a program: without SEP the same certificate proves nothing.
    read_before = certificate.reduction.model_copy(update={"after": ()})
    found = check_reduction(certificate.model_copy(update={"reduction": read_before}), EvenPairs(), True)
    assert (
        found.problem == "the language's certificate is about programs that are not read at the last letter"
    )
