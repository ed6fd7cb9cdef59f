"""What `longreach language`, `forecast` and `ask` print with --json, as a strict schema for reading it back.

Each field is an answer, which `longreach verify` derives from certificates and compares, or it is context:
prose, odds and measurements, which no certificate carries and nothing checks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from longreach.theory.program_class import CLASSES, AnyClass

CONTEXT: Final = "context: not checked"

SIDE_FIELDS: Final[Mapping[str, str]] = {
    "verdict": "what `certificate` proves for the class, read as `convention` says",
    "class": "the side, and the class of each certificate",
    "reason": CONTEXT,
    "certificate": "checked against the task",
    "end_of_sequence": "`certificate`; without relations also `end_of_sequence_certificate`",
    "end_of_sequence_certificate": "checked against the task",
    "last_letter": "`certificate`; without relations also `last_letter_certificate`",
    "last_letter_certificate": "checked against the task",
    "prediction": "`certificate` or `prediction_certificate`",
    "prediction_certificate": "checked against the task",
    "prediction_reason": CONTEXT,
    "prediction_everywhere": "membership in the language, by the certificates",
    "prediction_everywhere_certificate": "checked against the task",
    "window": "the program of `certificate`",
    "modulus": "the program of `certificate`, or its cascade",
    "levels": "the cascade of `certificate`",
    "depth": "the program of a task; for a language recomputed from the automaton",
    "prediction_window": "the program of `prediction_certificate`, else of `certificate`",
    "prediction_modulus": "the program of `prediction_certificate`, else of `certificate`, or its cascade",
    "prediction_levels": "the cascade of `prediction_certificate`",
    "prediction_depth": "recomputed from the automaton",
    "checked_to": "makes every claim one that is checked to a length",
    "note": CONTEXT,
    "program": "the program of a certificate",
    "proof": "whether that program is proved right",
    "checked_length": CONTEXT,
    "not_proved": CONTEXT,
    "not_written": CONTEXT,
    "predictor": "the program of a certificate, or checked as one",
    "predictor_not_written": CONTEXT,
}
"""From what each field of a side is derived."""
DOCUMENT_FIELDS: Final[Mapping[str, str]] = {
    "task": "the task that the certificates are about",
    "alphabet": "the task",
    "convention": "the convention of each certificate",
    "about": CONTEXT,
    "states": "the automaton of the task",
    "classes": "the automaton of the task",
    "nope": "its certificates",
    "ape": "its certificates",
    "local": "its certificates",
    "reach": "its certificates",
    "trained": "`prediction` for a language, else `verdict`",
    "model": "its certificate, for the architecture and its options",
    "meaning_of_no": CONTEXT,
    "encodings": CONTEXT,
    "bounds": CONTEXT,
    "bounds_note": CONTEXT,
    "odds": CONTEXT,
    "odds_note": CONTEXT,
    "paper": CONTEXT,
    "measured": CONTEXT,
    "measures": "recomputed from the automaton",
}
MODEL_FIELDS: Final[Mapping[str, str]] = {
    "name": "the architecture that the certificate decides",
    "options": "those of the architecture that the certificate decides",
    "verdict": "what `certificate` proves for the architecture",
    "class": "the architecture and its options",
    "reason": CONTEXT,
    "source": CONTEXT,
    "condition": CONTEXT,
    "meaning": CONTEXT,
    "modulus": "the cascade of `certificate`",
    "levels": "the cascade of `certificate`",
    "certificate": "checked against the task",
}
"""From what each field of the side `model` is derived."""
ASK_FIELDS: Final[Mapping[str, str]] = {
    "task": "the task of `forecast`",
    "forecast": "its certificates",
    **dict.fromkeys(
        (
            "measured", "threshold", "odds", "odds_note", "advice", "judgement", "judgements", "minutes",
            "seeds", "share_of_steps", "whole", "interrupted", "seconds", "page",
        ),
        CONTEXT,
    ),
}  # fmt: skip

Word = Literal["yes", "no", "undecided"]
Natural = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Written = dict[str, Any] | None
"""A certificate, read by its kind."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class SideDocument(_Strict):
    """What a document says for one class."""

    verdict: Word
    program_class: AnyClass | None = Field(default=None, alias="class")
    reason: str | None = None
    certificate: Written = None
    end_of_sequence: Word | None = None
    end_of_sequence_certificate: Written = None
    last_letter: Word | None = None
    last_letter_certificate: Written = None
    prediction: Word | None = None
    prediction_certificate: Written = None
    prediction_reason: str | None = None
    prediction_everywhere: Word | None = None
    prediction_everywhere_certificate: Written = None
    window: Natural | None = None
    modulus: Positive | None = None
    depth: Natural | None = None
    levels: Natural | None = None
    prediction_window: Natural | None = None
    prediction_modulus: Positive | None = None
    prediction_depth: Natural | None = None
    prediction_levels: Natural | None = None
    checked_to: Natural | None = None
    note: str | None = None
    program: str | None = None
    proof: Literal["proved", "checked"] | None = None
    checked_length: Natural | None = None
    not_proved: str | None = None
    not_written: str | None = None
    predictor: str | None = None
    predictor_not_written: str | None = None


class ModelDocument(_Strict):
    """What a document says of one architecture."""

    name: str
    options: dict[str, Any] = Field(default_factory=dict)
    verdict: Literal["yes", "no", "not known"]
    model_class: str | None = Field(default=None, alias="class")
    reason: str | None = None
    source: str | None = None
    condition: str | None = None
    meaning: str | None = None
    modulus: Positive | None = None
    levels: Natural | None = None
    certificate: Written = None


class VerdictDocument(_Strict):
    """What `longreach language` and `longreach forecast` print."""

    task: str
    alphabet: list[str] | None = None
    convention: Literal["last-letter", "end-of-sequence"] = "last-letter"
    about: str | None = None
    states: Positive | None = None
    classes: list[str] | None = None
    nope: SideDocument | None = None
    ape: SideDocument | None = None
    local: SideDocument | None = None
    reach: SideDocument | None = None
    trained: dict[str, Word] | None = None
    model: ModelDocument | None = None
    meaning_of_no: str | None = None
    encodings: dict[str, Any] | None = None
    bounds: list[Any] | None = None
    bounds_note: str | None = None
    odds: dict[str, Any] | None = None
    odds_note: str | None = None
    paper: dict[str, Any] | None = None
    measured: list[Any] | None = None
    measures: dict[str, Any] | None = None

    @property
    def sides(self) -> dict[str, SideDocument]:
        """Those that the document has."""
        found = {key: getattr(self, key) for key in CLASSES}
        return {key: side for key, side in found.items() if side is not None}


def unchecked(document: BaseModel) -> list[str]:
    """The fields of a document that say something and that nothing certifies.

    >>> unchecked(SideDocument(verdict="yes", reason="it counts"))
    ['reason']
    """
    table = (
        SIDE_FIELDS
        if isinstance(document, SideDocument)
        else MODEL_FIELDS
        if isinstance(document, ModelDocument)
        else DOCUMENT_FIELDS
    )
    return [
        name for name, source in table.items() if source == CONTEXT and getattr(document, name) is not None
    ]
