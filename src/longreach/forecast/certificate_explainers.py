"""What certificates about tasks say, for people: sentences, numbers, and one line."""

from __future__ import annotations

from longreach.config.task_name import TaskName
from longreach.forecast.task_certificates import CommunicationCertificate, ReductionCertificate
from longreach.languages.prove.flow_explainer import explain_flow, explain_sampled_flow
from longreach.languages.prove.language_certificates import FlowCertificate


def explain_communication(certificate: CommunicationCertificate) -> tuple[str, ...]:
    """Why the bits go on growing."""
    return (_sentence(certificate.proof),) if certificate.proof else ()


def communication_facts(certificate: CommunicationCertificate) -> tuple[tuple[str, str], ...]:
    """The bits at each length, and how they grow."""
    pairs = zip(certificate.lengths, certificate.bits, strict=True)
    bits = ", ".join(f"{bit:.4g} at N = {length}" for length, bit in pairs)
    return ("bits needed", bits), ("growth", certificate.growth)


def communication_in_short(certificate: CommunicationCertificate) -> str:
    """One line."""
    n = certificate.lengths[-1]
    return (
        f"communication: {certificate.bits[-1]:.0f} bits between halves of {n} symbols, "
        f"{certificate.growth}; limit transformers pass C log N"
    )


def explain_reduction(certificate: ReductionCertificate) -> tuple[str, ...]:
    """How a program would decide the language, and why that has none."""
    inner, about = certificate.certificate, certificate.reduction.about
    language = language_name(certificate)
    lines = (f"It would decide the language {language}, which has no program{_read(certificate)}:",)
    why = explain_flow(inner) if isinstance(inner, FlowCertificate) else explain_sampled_flow(inner)
    return (*((_sentence(about),) if about else ()), *lines, *why)


def reduction_in_short(certificate: ReductionCertificate) -> str:
    """One line."""
    language, where = language_name(certificate), certificate.program_class
    return f"reduction to {language}, which has no program in {where}{_read(certificate)} (flow)"


def _read(certificate: ReductionCertificate) -> str:
    """Where a program would be read, if it is not at the last letter."""
    usual = getattr(certificate.certificate, "convention", "last-letter") == "last-letter"
    return "" if usual else " that is read after the last letter"


def language_name(certificate: ReductionCertificate) -> str:
    """The language that a task is reduced to."""
    name = TaskName(certificate.language)
    return name.expression if name.is_regex else name.short


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].rstrip('.')}."
