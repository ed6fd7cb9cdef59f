from __future__ import annotations

import pytest

from longreach.languages.decide.extended_automaton import Convention
from longreach.languages.decide.without_positions import plain_analysis, refutation
from longreach.languages.prove.coq_instance import NotWritten, instance_of
from longreach.languages.prove.language_certificates import FlowCertificate
from longreach.languages.prove.proof_to_certificate import flow_certificate
from longreach.languages.regular.expression_to_automaton import from_expression


def _certificate(convention: Convention = Convention.LAST_LETTER) -> FlowCertificate:
    proof = refutation(plain_analysis(from_expression("(aa)*")), convention, 100)
    assert proof is not None
    return flow_certificate(proof)


def test_a_certificate_becomes_terms() -> None:
    instance = instance_of(_certificate())
    assert instance.automaton == "Automaton 1 [[1]; [0]] [0]"
    flow = "[Flow 0 1 2%Z [(0, 0, (1)%Z); (1, 0, (-1)%Z)]]"
    assert instance.certificate == f"Certificate [0; 1] [[0; 1]] {flow} 0 1 [] [0]"
    assert (instance.check, instance.claim) == ("check_both [0] None", "no_program_nor_predictor")


def test_each_claim_has_its_theorem() -> None:
    instance = instance_of(_certificate(Convention.END_OF_SEQUENCE))
    assert (instance.check, instance.claim) == ("check_eos", "no_program_eos")
    instance = instance_of(_certificate().model_copy(update={"prediction": False}))
    assert (instance.check, instance.claim) == ("check_last_letter", "no_program")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"pair": (-1, 0)}, "the pair has no successor"),
        ({"states": (0, -1)}, "-1 is not a number"),
        ({"states": (0, 10**9)}, "1000000000 is not a number"),
    ],
)
def test_what_cannot_be_written(change: dict[str, object], reason: str) -> None:
    with pytest.raises(NotWritten, match=reason):
        instance_of(_certificate().model_copy(update=change))


def test_tokens_that_are_no_letters_get_a_number_that_coq_rejects() -> None:
    certificate = _certificate()
    words = certificate.words.model_copy(update={"after": ("z",)})
    assert instance_of(certificate.model_copy(update={"words": words})).certificate.endswith(" [] [1]")
