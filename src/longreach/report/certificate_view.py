"""Certificates as people read them: the sentences, the program, and the document itself where it is short."""

from __future__ import annotations

import json

from longreach.crasp.program import Program
from longreach.forecast.certificate_kinds import kind_of
from longreach.report.text import plural
from longreach.report.view import CertificateView, ProgramView
from longreach.verdicts.verdict import CertificateDocument

MOST_JSON = 6_000
MOST_LINES = 40
MOST_LINE = 400


def certificate_view(certificate: CertificateDocument, program: Program | None = None) -> CertificateView:
    """The view of a certificate of any kind; with the program that it is about, if it is about one.

    >>> from longreach.forecast import forecast
    >>> certificate_view(forecast("copy-repeat").sides["ape"].certificate).facts[1]
    ('growth', 'linear')
    """
    kind = kind_of(certificate)
    if kind.proves is None:
        return CertificateView(kind=kind.name)
    text = json.dumps(certificate.model_dump(mode="json", by_alias=True), ensure_ascii=False)
    return CertificateView(
        kind=kind.name,
        lines=kind.explain(certificate),
        facts=kind.facts(certificate),
        program=program_view(program) if kind.proves == "yes" and program is not None else None,
        json=text if len(text) <= MOST_JSON else None,
        size=len(text),
    )


def program_view(program: Program) -> ProgramView:
    """A program with its measures; of a long one the beginning."""
    core = program.core
    summary = f"{core.class_name}, {plural(core.size, 'operation')}, depth {core.depth}"
    summary += f", modulus {core.modulus}" if core.modulus > 1 else ""
    summary += f", locality {core.locality}" if core.locality else ""
    lines = program.text.strip().splitlines()
    shown = [line if len(line) <= MOST_LINE else f"{line[:MOST_LINE]} …" for line in lines[:MOST_LINES]]
    if len(lines) > MOST_LINES:
        shown.append(f"// … {plural(len(lines) - MOST_LINES, 'more line')}")
    return ProgramView(text="\n".join(shown), summary=summary)
