"""Certificates about prediction on prefixes: genuine ones are valid, changed ones are not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from longreach.forecast.certificate_kinds import read_any
from longreach.languages.budget import Budget
from longreach.languages.decide.extended_automaton import Convention
from longreach.languages.decide.without_positions import plain_analysis, refutation
from longreach.languages.prove import prediction_checker
from longreach.languages.prove.findings import Finding, Status
from longreach.languages.prove.flow_checker import check_certificate
from longreach.languages.prove.language_certificates import NoCertificate
from longreach.languages.prove.prediction_checker import live_states_of, prediction_claim_problem
from longreach.languages.prove.program_checker import check_program
from longreach.languages.prove.proof_to_certificate import flow_certificate
from longreach.languages.regular.automaton import minimal
from longreach.languages.regular.automaton_documents import automaton_table
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.languages.regular.named_languages import named_automaton
from longreach.verdicts.automaton_to_verdicts import judge
from tests.helpers.language_oracles import all_minimal, live

EASIER = "(a|ba)*b?"


def answer_of(expression: str):
    return judge(from_expression(expression)).sides["nope"]


def test_live_states_by_definition() -> None:
    for automaton in all_minimal(2) + all_minimal(3)[::7]:
        assert live_states_of(automaton_table(automaton)) == live(automaton)


def test_a_predictor_is_a_certificate_of_its_own() -> None:
    answer = answer_of(EASIER)
    certificate = answer.prediction_certificate
    assert certificate.kind == "program"
    assert certificate.prediction
    assert read_any(certificate.model_dump(mode="json", by_alias=True)) == certificate
    assert check_program(certificate, None) == Finding(Status.VALID, "proved for all lengths")
    assert not check_program(certificate, automaton_table(from_expression("(a|ba)*"))).valid
    # The flow of membership is not one of prediction.
    assert not answer.certificate.prediction
    assert check_certificate(answer.certificate) is None


CHANGES = {
    "another language": {"automaton": automaton_table(from_expression("(a|b)*")).model_dump()},
    "membership": {"prediction": False},
    "wrong": {"program": '#alphabet a b EOS\noutput "a" = true\noutput "b" = true\noutput "EOS" = true'},
    "at the start": {
        "program": '#alphabet a b EOS\noutput "a" = true\noutput "b" = "a"\noutput "EOS" = true'
    },
    "late": {
        "program": '#alphabet a b EOS\noutput "a" = # "a" <= 40\noutput "b" = !"b"\noutput "EOS" = true'
    },
    "no end": {"program": '#alphabet a b EOS\noutput "a" = true\noutput "b" = !"b"'},
    "local": {
        "program": '#alphabet a b EOS\noutput "a" = true\noutput "b" = #[i-1..i] "b" == 0'
        '\noutput "EOS" = true'
    },
    "an acceptor": {"program": '#alphabet a b\nL = # "b" >= 1'},
}


@pytest.mark.parametrize("change", list(CHANGES))
def test_changed_predictors(change) -> None:
    document = (
        answer_of(EASIER).prediction_certificate.model_dump(mode="json", by_alias=True) | CHANGES[change]
    )
    assert check_program(read_any(document), None).status is Status.INVALID


def test_a_flow_must_be_about_a_letter_that_may_follow_both() -> None:
    certificate = answer_of(EASIER).certificate
    changed = certificate.model_copy(update={"prediction": True})
    assert check_certificate(changed) == (
        "the letter may not follow both states of the pair, so prediction is not refuted"
    )
    at_end = flow_certificate(
        refutation(plain_analysis(from_expression("(a|b)*b")), Convention.END_OF_SEQUENCE, 100)
    )
    assert not at_end.prediction
    assert check_certificate(at_end.model_copy(update={"prediction": True})) is not None


def test_a_pair_for_both_is_used_where_there_is_one() -> None:
    """One component with two kinds of bad pairs: by a letter that may follow one state only, and by one that
    may follow both."""
    rows = [[1, 3, 0], [1, 2, 1], [1, 4, 2], [1, 1, 3], [4, 4, 4]]
    automaton = minimal("abc", rows, 0, {1})
    certificate = judge(automaton).nope.certificate
    assert certificate.prediction
    assert check_certificate(certificate) is None


@pytest.mark.parametrize(("budget", "of_both"), [(150, True), (2, False)])
def test_where_prediction_fails_in_a_larger_component(budget, of_both) -> None:
    automaton = from_expression("(a|ba)*b?c(ddd)*")
    verdict = judge(automaton, Budget(certificate=budget)).nope
    assert (verdict.answer, verdict.prediction) == ("no", "no")
    certificate = verdict.certificate
    assert certificate.prediction == of_both
    assert check_certificate(certificate) is None


def side_of(name_or_expression: str, key: str = "nope"):
    automaton = (
        named_automaton(name_or_expression)
        if "-" in name_or_expression
        else from_expression(name_or_expression)
    )
    return judge(automaton).document("")[key]


@pytest.mark.parametrize("language", [EASIER, "(aa)*", "(a|b)*b", "tomita-3", "tomita-4", "d-2"])
@pytest.mark.parametrize("key", ["nope", "ape", "local"])
def test_documents_claim_what_they_prove(language, key) -> None:
    side = side_of(language, key)
    assert prediction_claim_problem(side) is None
    for other in {"yes", "no"} - {side["prediction"]}:
        assert prediction_claim_problem(side | {"prediction": other}) is not None
    assert prediction_claim_problem(side | {"prediction_everywhere": "undecided"}) is not None


def test_a_prediction_without_its_certificate() -> None:
    side = side_of(EASIER)
    assert side.pop("prediction_certificate")["prediction"] is True
    assert prediction_claim_problem(side) == (
        "the document says that prediction is 'yes', with no certificate for it"
    )
    side["prediction"] = "no"
    assert prediction_claim_problem(side) == (
        "the document says that prediction is 'no', and the flow is about membership only"
    )


def test_where_the_token_of_the_end_is_a_letter() -> None:
    automaton = minimal(("EOS", "b"), [[0, 1], [0, 2], [2, 2]], 0, {0, 1})
    answer = judge(automaton).sides["nope"]
    assert (answer.answer, answer.prediction) == ("no", "yes")
    assert isinstance(answer.prediction_certificate, NoCertificate)
    assert "EOS" in answer.prediction_certificate.reason


def test_the_checker_shares_no_code_with_the_deciders() -> None:
    tree = ast.parse(Path(prediction_checker.__file__).read_text())
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported == {
        "__future__",
        "collections.abc",
        "typing",
        "longreach.languages.prove.language_certificates",
    }
