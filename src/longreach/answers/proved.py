"""From a certificate to every answer that a document may give: what it proves, field by field."""

from __future__ import annotations

from longreach.answers.certificates import TaskProgramCertificate
from longreach.answers.kinds import ArchitectureKind, TaskKind, kind_of
from longreach.answers.verify import Subject, is_about_membership
from longreach.tasks.outside import ProgramTask
from longreach.tasks.regular import LabelledLanguage, RegularLanguage, StateTask
from longreach.tasks.task import Task
from longreach.theory.architectures.classes import AC0
from longreach.theory.certificates.documents import FlowCertificate, ProgramCertificate
from longreach.theory.program_class import EMPTY
from longreach.theory.verdicts.verdict import CertificateDocument

LAST_LETTER, AT_END = "last-letter", "end-of-sequence"


def answers_of(certificate: CertificateDocument, subject: Subject | None) -> dict[str, str]:
    """Every answer that a certificate proves, by its field in a document read at the last letter.

    >>> from longreach.theory.verdicts.judge import judge
    >>> flow = judge(from_expression("(a|b)*b")).nope.at_end.proof.certificate
    >>> answers_of(flow, None)
    {'end_of_sequence': 'no'}
    """
    kind = kind_of(certificate)
    if isinstance(kind, ArchitectureKind):
        return _answers_about_automaton(certificate, subject)
    if kind.proves is None:
        return {}
    task = None if subject is None else subject.task
    relations = getattr(certificate, "program_class", EMPTY) != EMPTY
    if isinstance(kind, TaskKind):
        return _answers_about_task(certificate, task, kind.proves, relations)
    found = _answers_about_language(certificate, relations)
    if isinstance(task, LabelledLanguage):
        return {"end_of_sequence": "no"}
    membership, prediction = found.get("membership"), found.get("prediction")
    fields = {
        "verdict": prediction if isinstance(task, StateTask) else membership,
        "prediction": prediction,
        "prediction_everywhere": membership,
        "end_of_sequence": found.get("end"),
    }
    return {field: answer for field, answer in fields.items() if answer is not None}


def _answers_about_automaton(certificate: CertificateDocument, subject: Subject | None) -> dict[str, str]:
    """For attention to the last match.

    The class is closed under quotients, so membership settles what may follow, and reading after the end as
    well. What may follow refutes membership: states that it tells apart, membership does.
    """
    answer = AC0.proves(certificate)  # type: ignore[arg-type]
    if answer is None:
        return {}
    is_language = subject is None or isinstance(subject.task, RegularLanguage | None)
    if answer == "yes" and is_language and not is_about_membership(certificate, subject):
        return {"prediction": answer}
    return dict.fromkeys(("verdict", "prediction", "prediction_everywhere", "end_of_sequence"), answer)


def _answers_about_task(
    certificate: CertificateDocument, task: Task | None, proves: str, relations: bool
) -> dict[str, str]:
    if proves == "no":
        return dict.fromkeys(("verdict", "prediction", "prediction_everywhere", "end_of_sequence"), "no")
    found = {"verdict": "yes"}
    if isinstance(task, StateTask):
        return found | {"prediction": "yes"}
    if not isinstance(task, ProgramTask) or task.core.is_predictor:
        found |= {"prediction": "yes", "prediction_everywhere": "yes"}
    # With relations a program looks one token back from the end.
    at_end = isinstance(certificate, TaskProgramCertificate) and certificate.convention == AT_END
    return found | ({"end_of_sequence": "yes"} if relations or at_end else {})


def _answers_about_language(certificate: CertificateDocument, relations: bool) -> dict[str, str]:
    """For membership, reading at the end, and prediction on prefixes.

    A program that is read after the last letter gives one that is read at it, and a program for membership
    gives one for prediction with the same window and modulus (docs/languages-proofs.md).
    """
    if isinstance(certificate, FlowCertificate):
        if certificate.convention == AT_END:
            return {"end": "no"}
        return {"membership": "no", "end": "no"} | ({"prediction": "no"} if certificate.prediction else {})
    if not isinstance(certificate, ProgramCertificate):
        return {"membership": "no", "end": "no", "prediction": "no"}
    if certificate.prediction:
        return {"prediction": "yes"}
    at_end = {"end": "yes"} if relations or certificate.convention == AT_END else {}
    return {"membership": "yes", "prediction": "yes"} | at_end
