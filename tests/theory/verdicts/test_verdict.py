"""One verdict: its program and certificates are made once, when they are asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from longreach.theory.automata.regex import from_expression
from longreach.theory.certificates.documents import NoCertificate
from longreach.theory.crasp.program import Program, parse
from longreach.theory.program_class import EMPTY, RELATIONS, SIDES
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import Answer, Proof, same_answers, undecided


def test_programs_and_certificates_are_made_once_and_late() -> None:
    made: list[str] = []

    def write() -> Program:
        made.append("program")
        return parse('L = # "a" >= 1')

    def certify() -> NoCertificate:
        made.append("certificate")
        return NoCertificate(reason="a test")

    verdict = same_answers(EMPTY, Answer.YES, Proof(reason="why", certify=certify, write=write))
    assert (verdict.reason, verdict.trained, made) == ("why", Answer.YES, [])
    assert verdict.program is verdict.program
    assert verdict.certificate is verdict.certificate
    assert made == ["program", "certificate"]


def test_deciding_writes_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> Program:
        raise AssertionError("a program was written")

    monkeypatch.setattr("longreach.theory.write.programs.acceptor", refuse)
    monkeypatch.setattr("longreach.theory.write.programs.predictor", refuse)
    verdict = judge(from_expression("(ab)*")).nope
    assert (verdict.answer, verdict.prediction.answer, verdict.proof.window) == ("yes", "yes", 0)


def test_what_is_trained_may_differ() -> None:
    verdict = judge(from_expression("(a|ba)*b?")).nope
    assert (verdict.answer, verdict.trained, verdict.differs) == ("no", "no", False)
    assert verdict.trained_proof is verdict.proof
    trained = replace(verdict, predicts=True)
    assert (trained.answer, trained.trained, trained.differs) == ("no", "yes", True)
    assert trained.trained_proof is trained.prediction.proof
    assert (trained.trained_certificate.kind, trained.certificate.kind) == ("program", "flow")
    assert trained.document() == verdict.document()


def test_a_document_without_a_language_says_nothing_of_predictors() -> None:
    document = undecided(EMPTY, "nobody knows").document()
    assert document == {
        "verdict": "undecided",
        "class": "C-RASP[∅]",
        "reason": "nobody knows",
        "certificate": {"kind": "none", "reason": "nobody knows"},
        "end_of_sequence": "undecided",
        "prediction": "undecided",
        "prediction_everywhere": "undecided",
    }


def test_every_side_has_a_class_with_its_relations() -> None:
    assert {RELATIONS[program_class] for program_class in SIDES.values()} == set(RELATIONS.values())
    verdicts = judge(from_expression("a*"))
    assert {side: verdict.program_class for side, verdict in verdicts.sides.items()} == SIDES
