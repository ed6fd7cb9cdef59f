"""All that the report shows of a task but its runs: forecasts, published numbers, drawings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from longreach.comparison.agreement import level
from longreach.comparison.paper import published_accuracy, published_lengths
from longreach.comparison.places import Place
from longreach.config.cell_label import CellLabel
from longreach.errors import InputError
from longreach.forecast import forecast
from longreach.languages.program_class import ENCODING_SIDES
from longreach.report.certificate_view import certificate_view
from longreach.report.task_figures import attention_view, automaton_drawing
from longreach.report.text import encoding_title
from longreach.report.view import Answer, AttentionView, EncodingView
from longreach.tasks.published import FIGURE_1_TASKS
from longreach.verdicts.plain_words import clause, expectation, rests_on
from longreach.verdicts.verdict import Verdict

NO_FORECAST = "no forecast"
SAME_PROGRAM = "The program for NoPE uses no positions, and serves here as well."
BENCHMARK = FIGURE_1_TASKS
"""The tasks that are always shown, in this order."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """What is known of a task without its runs."""

    about: str | None = None
    """None: the task was not loaded, and the note says why."""
    kind: str | None = None
    chance: float | None = None
    """The accuracy of guessing; None if that is not known."""
    comparable: bool = False
    """Whether its name alone tells what it is, so that the rule of agreement can be applied."""
    verdicts: tuple[EncodingView, ...] = ()
    """For no positions and for learned absolute ones."""
    statements: Mapping[str, str]
    """What theory says of other encodings, by their names."""
    automaton: str | None = None
    automaton_note: str = ""
    attention: AttentionView | None = None
    note: str = ""

    def answer(self, encoding: str) -> Answer | None:
        """The verdict for an encoding; None where there is no forecast."""
        return next((verdict.answer for verdict in self.verdicts if verdict.encoding == encoding), None)


@lru_cache(maxsize=256)
def known_of(name: str, alphabet: tuple[str, ...] | None, slug: str) -> Known:
    """The forecast of a task with its drawings; `slug` is its name in links.

    >>> known_of("aa", None, "aa").answer("nope")
    'no'
    """
    found = forecast(name, alphabet)
    shown = {key: found.sides[key] for key in ENCODING_SIDES}
    certificates = [verdict.trained_certificate for verdict in shown.values()]
    programs = [
        program
        for verdict in shown.values()
        if verdict.trained_certificate.kind == "program"
        and (program := verdict.trained_proof.program) is not None
    ]
    drawing, note = automaton_drawing(found.task, certificates, slug)
    verdicts = tuple(_verdict(name, key, verdict) for key, verdict in shown.items())
    return Known(
        about=found.task.about,
        kind=found.task.kind,
        chance=found.task.chance,
        comparable=_is_comparable(name),
        verdicts=_without_repetition(verdicts),
        statements={key: f"{note.statement} ({note.source})" for key, note in found.encodings.items()},
        automaton=drawing,
        automaton_note=note,
        attention=attention_view(found.task, programs),
    )


def _is_comparable(name: str) -> bool:
    try:
        level(name)
    except InputError:  # an expression whose alphabet cannot be told from it
        return False
    return True


def _verdict(name: str, key: str, verdict: Verdict) -> EncodingView:
    return EncodingView(
        encoding=key,
        answer=verdict.trained.value,
        title=encoding_title(key),
        expected=expectation(verdict.trained),
        clause=clause(verdict),
        basis=rests_on(verdict),
        program_class=verdict.program_class,
        reason=_reason(verdict),
        published=published_accuracy(Place(name, key)) or (),
        published_lengths=published_lengths(name),
        certificate=certificate_view(verdict.trained_certificate, verdict.trained_proof.program),
    )


def _reason(verdict: Verdict) -> str:
    if not verdict.differs:
        return verdict.reason
    return (
        f"for what is trained, words of the language only: {verdict.trained_proof.reason}; "
        f"as membership over all words: {verdict.answer.value}, {verdict.reason}"
    )


def _without_repetition(verdicts: tuple[EncodingView, ...]) -> tuple[EncodingView, ...]:
    """A program for one encoding that serves the next as well is shown once."""
    first, second = (verdict.certificate for verdict in verdicts)
    if first is None or second is None or first.program is None or first.program != second.program:
        return verdicts
    short = replace(second, program=None, json=None, size=0, lines=(SAME_PROGRAM,))
    return verdicts[0], replace(verdicts[1], certificate=short)


def further_verdicts(name: str, columns: Iterable[str], known: Known) -> tuple[EncodingView, ...]:
    """For the other columns of the matrix: other encodings, and encodings with a penalty."""
    views = []
    for column in columns:
        label = CellLabel.read(column)
        encoding, penalty = label.encoding, label.penalty
        if column in ENCODING_SIDES:
            continue
        base = next((verdict for verdict in known.verdicts if verdict.encoding == encoding), None)
        views.append(
            EncodingView(
                encoding=column,
                answer="unknown" if base is None else base.answer,
                title=encoding_title(column),
                expected=NO_FORECAST if base is None else base.expected,
                clause="" if base is None else base.clause,
                basis="" if base is None else base.basis,
                program_class="" if base is None else base.program_class,
                reason=known.statements.get(encoding, "") if base is None else base.reason,
                published=published_accuracy(Place(name, encoding, penalty)) or (),
                published_lengths=published_lengths(name),
            )
        )
    return tuple(views)
