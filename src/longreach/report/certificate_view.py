"""Certificates as people read them: the sentences, the program, and the document itself where it is short."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from longreach.crasp.program import Program
from longreach.languages.decide.automaton_to_verdict import decide
from longreach.languages.prove.flow_explainer import explain
from longreach.languages.regular.automaton import Automaton
from longreach.report.text import plural
from longreach.report.view import CertificateView, ProgramView

MOST_JSON = 6_000
MOST_LINES = 40
MOST_LINE = 400


def certificate_view(document: Mapping[str, Any], program: Program | None = None) -> CertificateView:
    """The view of a certificate in JSON, of any kind; with the program that it is about, if it is about one.

    >>> from longreach.crasp import parse
    >>> view = certificate_view({"kind": "program"}, parse('L = # "a" >= 1'))
    >>> view.program.summary
    'C-RASP[∅], 4 operations, depth 1'
    """
    kind = str(document.get("kind", "none"))
    text = json.dumps(document, ensure_ascii=False)
    short = len(text) <= MOST_JSON
    lines: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    if kind in ("flow", "sampled-flow"):
        lines = _flow_lines(document, kind)
    elif kind == "reduction":
        lines = _reduction_lines(document)
    elif kind == "communication":
        lines, facts = _communication(document)
    return CertificateView(
        kind=kind,
        lines=lines,
        facts=facts,
        program=program_view(program) if kind == "program" and program is not None else None,
        json=text if short and kind != "none" else None,
        size=len(text) if kind != "none" else 0,
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


def automaton_of(document: Mapping[str, Any]) -> Automaton:
    """The automaton that a certificate speaks of."""
    table = document["automaton"]
    rows = tuple(tuple(row) for row in table["transitions"])
    return Automaton(tuple(table["alphabet"]), rows, frozenset(table["accepting"]))


def language_name(document: Mapping[str, Any]) -> str:
    """The language that a task is reduced to."""
    return str(document["language"]).removeprefix("regex:")


_decided = lru_cache(maxsize=64)(decide)  # both sides of a task often speak of one automaton


def _flow_lines(document: Mapping[str, Any], kind: str) -> tuple[str, ...]:
    verdicts = _decided(automaton_of(document))
    if kind == "flow":
        proof = verdicts.nope.refutation
    else:
        proof = (verdicts.local if document["class"] == "C-RASP[local]" else verdicts.ape).refutation
    return () if proof is None else tuple(explain(proof))


def _reduction_lines(document: Mapping[str, Any]) -> tuple[str, ...]:
    inner = document.get("certificate", {})
    lines = [f"It would decide the language {language_name(document)}, which has no program:"]
    about = document.get("reduction", {}).get("about")
    if about:
        lines.insert(0, f"{about[0].upper()}{about[1:].rstrip('.')}.")
    return (*lines, *_flow_lines(inner, str(inner["kind"]))) if "automaton" in inner else tuple(lines)


def _communication(document: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    pairs = zip(document["lengths"], document["bits"], strict=True)
    bits = ", ".join(f"{bit:.4g} at N = {length}" for length, bit in pairs)
    proof = str(document.get("proof", ""))
    lines = (f"{proof[0].upper()}{proof[1:].rstrip('.')}.",) if proof else ()
    return lines, (("bits needed", bits), ("growth", str(document["growth"])))
