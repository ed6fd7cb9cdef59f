"""What the report shows of a task apart from its runs: forecast, certificates, drawings."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from longreach.answers.agreement import Place, level, published_accuracy, published_lengths
from longreach.answers.certificates import ReductionCertificate
from longreach.answers.forecast import Forecast, forecast
from longreach.answers.kept_forecast import KeptForecast
from longreach.answers.kinds import ArchitectureKind, kind_of
from longreach.answers.published import FIGURE_1_TASKS
from longreach.answers.task_kinds import language_name
from longreach.config.model import CellLabel
from longreach.errors import InputError
from longreach.report.words import encoding_title, escaped
from longreach.tasks.regular import LanguageTask, RegularLanguage, StateTask
from longreach.tasks.task import Task
from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.drawing import to_svg
from longreach.theory.certificates.tables import table_automaton
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.library import ENTRIES, load
from longreach.theory.crasp.program import Program
from longreach.theory.crasp.words import Encoder
from longreach.theory.limit.compiler import compile_program
from longreach.theory.limit.model import START, Array, Transformer
from longreach.theory.limit.run import attention
from longreach.theory.program_class import ENCODING_SIDES
from longreach.theory.verdicts.verdict import Answer as TheoryAnswer
from longreach.theory.verdicts.verdict import CertificateDocument, Verdict
from longreach.wording import counted, shortened

Answer: TypeAlias = Literal["yes", "no", "undecided", "unknown"]
"""Of the forecast; unknown where the theory says nothing about an encoding."""
MOST_JSON = 6_000
MOST_LINES = 40
MOST_LINE = 400


class ProgramView(NamedTuple):
    """A program as people read it."""

    text: str
    summary: str
    """Its class, size and depth."""


@dataclass(frozen=True, kw_only=True)
class CertificateView:
    """What a verdict rests on."""

    kind: str
    lines: tuple[str, ...] = ()
    """A few sentences; a line that begins with blanks is a word, not a sentence."""
    facts: tuple[tuple[str, str], ...] = ()
    program: ProgramView | None = None
    json: str | None = None
    """The document itself, unless it is too long for a page."""
    size: int = 0
    """Characters of the document."""


def certificate_view(certificate: CertificateDocument, program: Program | None = None) -> CertificateView:
    """The view of a certificate of any kind; with the program that it is about, if it is about one.

    >>> from longreach.answers.forecast import forecast
    >>> certificate_view(forecast("copy-repeat").sides["ape"].certificate).facts[1]
    ('growth', 'linear')
    """
    kind = kind_of(certificate)
    if kind.proves is None and not isinstance(kind, ArchitectureKind):
        return CertificateView(kind=certificate.kind)
    text = json.dumps(certificate.model_dump(mode="json", by_alias=True), ensure_ascii=False)
    return CertificateView(
        kind=certificate.kind,
        lines=kind.explain(certificate),
        facts=kind.facts(certificate),
        program=program_view(program) if kind.proves == "yes" and program is not None else None,
        json=text if len(text) <= MOST_JSON else None,
        size=len(text),
    )


def program_view(program: Program) -> ProgramView:
    """A program with its measures; of a long one the beginning."""
    core = program.core
    summary = f"{core.class_name}, {counted(core.size, 'operation')}, depth {core.depth}"
    summary += f", modulus {core.modulus}" if core.modulus > 1 else ""
    summary += f", locality {core.locality}" if core.locality else ""
    lines = program.text.strip().splitlines()
    shown = [line if len(line) <= MOST_LINE else f"{line[:MOST_LINE]} …" for line in lines[:MOST_LINES]]
    if len(lines) > MOST_LINES:
        shown.append(f"// … {counted(len(lines) - MOST_LINES, 'more line')}")
    return ProgramView(text="\n".join(shown), summary=summary)


MOST_HEADS = 6
MOST_WIDTH = 400  # of the compiled model: a larger one is slow to evaluate and shows nothing more
_CELL = 14  # the side of a square with its margin
_LEVELS = 20
_SHADE = 0.6  # small weights would hardly show in proportion


class HeadView(NamedTuple):
    """Where one head of a compiled program attends."""

    title: str
    svg: str


def head_views(
    core: Core, word: Sequence[str], part: str, *, most: int = MOST_HEADS
) -> tuple[list[HeadView], int]:
    """The first heads on a word, each with its title and drawing, and how many there are.

    >>> from longreach.theory.crasp.library import load
    >>> heads, number = head_views(load("dyck-1").core, "(())", "dyck-1")
    >>> [head.title for head in heads], number
    (['layer 1, head 1', 'layer 2, head 1'], 2)
    """
    model = compile_program(core, max_width=MOST_WIDTH)
    places = [(k, h) for k, layer in enumerate(model.layers) for h in range(len(layer.heads))]
    views = []
    for layer, head in places[:most]:
        title = _title(model, layer, head)
        weights = attention(model, list(word), layer, head)
        views.append(HeadView(title, _drawing(weights, [START, *word], f"{part}, {title}")))
    return views, len(places)


def _title(model: Transformer, layer: int, head: int) -> str:
    phi = model.layers[layer].heads[head].phi
    title = f"layer {layer + 1}, head {head + 1}"
    if phi is None or callable(phi) or not phi.any():
        return title
    distances = [str(distance) for distance, value in enumerate(phi) if value]
    return f"{title}, {', '.join(distances)} back"


def _drawing(weights: Array, tokens: Sequence[str], title: str) -> str:
    """Rows are queries, columns keys; squares of one shade are one path, which keeps the page small."""
    names = [escaped(shortened(token, 5)) for token in tokens]
    room = 8 + 6 * min(5, max(map(len, tokens)))
    inner = _CELL - 1
    shades: dict[int, list[str]] = {}
    for query, row in enumerate(weights.tolist()):
        for key, weight in enumerate(row[: query + 1]):
            if weight > 0:
                place = f"M{room + key * _CELL} {room + query * _CELL}h{inner}v{inner}h-{inner}z"
                shades.setdefault(max(round(weight * _LEVELS), 1), []).append(place)
    stairs = f"M{room} {room}h{inner}" + f"v{_CELL}h{_CELL}" * (len(tokens) - 1)
    parts = [f'<path class="possible" d="{stairs}v{inner}H{room}z"/>']
    parts += [
        f'<path class="weight" fill-opacity="{(level / _LEVELS) ** _SHADE:.2g}" d="{"".join(places)}"/>'
        for level, places in sorted(shades.items())
    ]
    for number, name in enumerate(names):
        middle = room + number * _CELL + inner / 2
        turned = f' transform="rotate(-90 {middle + 3:g} {room - 4})"' if room > 14 else ""
        across = f'x="{middle + (3 if turned else 0):g}" y="{room - 4}"'
        parts.append(f'<text class="{"turned" if turned else "key"}" {across}{turned}>{name}</text>')
        parts.append(f'<text class="query" x="{room - 4}" y="{middle + 3:g}">{name}</text>')
    side = room + _CELL * len(tokens) + 2
    label = escaped(f"attention weights of {title}")
    return (
        f'<svg class="attention" viewBox="0 0 {side} {side}" width="{side}" height="{side}" role="img" '
        f'aria-label="{label}"><title>{label}</title><desc>{escaped(_told(weights, tokens))}</desc>'
        f"{''.join(parts)}</svg>"
    )


def _told(weights: Array, tokens: Sequence[str]) -> str:
    """For readers who cannot see the drawing: what each position attends to most.

    >>> import numpy as np
    >>> _told(np.array([[1.0, 0.0], [0.2, 0.8]]), ["start", "a"])
    'start looks most at start; 1 a looks most at 1 a'
    """
    names = [f"{place} {token}" if place else "start" for place, token in enumerate(tokens)]
    told = []
    for query, row in enumerate(weights.tolist()):
        most = max(row[: query + 1]) - 1e-9
        keys = [names[key] for key, weight in enumerate(row[: query + 1]) if weight >= most]
        more = f" and {len(keys) - 3} more" if len(keys) > 3 else ""
        told.append(f"{names[query]} looks most at {', '.join(keys[:3])}{more}")
    return "; ".join(told)


@dataclass(frozen=True, kw_only=True)
class AttentionView:
    """Where a compiled program attends on one word."""

    program: str
    word: str
    heads: tuple[HeadView, ...]
    number: int
    """How many heads there are; not all may be drawn."""


MOST_STATES = 16
EXAMPLE_LENGTHS = (9, 10, 8, 11, 12, 7, 6, 5, 4, 3, 2, 1)
TRIED = 30
SMALL = 4  # symbols, where the program of a task has 150


def automaton_drawing(
    task: Task | None, certificates: Sequence[CertificateDocument], part: str
) -> tuple[str | None, str]:
    """The automaton of a regular language, or of the one whose states are asked for or that a task is reduced
    to, and what it is."""
    if isinstance(task, RegularLanguage):
        return _drawn(task.automaton, "The minimal automaton of the language", task.name, part)
    if isinstance(task, StateTask):
        return _drawn(task.language, "The minimal automaton whose states are asked for", task.name, part)
    for certificate in certificates:
        if isinstance(certificate, ReductionCertificate):
            name = language_name(certificate)
            note = f"The automaton of {name}, which a program for the task would decide"
            return _drawn(table_automaton(certificate.certificate.automaton), note, name, part)
    return None, ""


def _drawn(automaton: Automaton, note: str, title: str, part: str) -> tuple[str | None, str]:
    states = counted(len(automaton), "state")
    if len(automaton) > MOST_STATES:
        return None, ""
    return to_svg(automaton, title, part=part), f"{note}: {states}, those with two rings accept."


def attention_view(task: Task | None, programs: Sequence[Program]) -> AttentionView | None:
    """The attention of the first program that is small enough, on an example of the task."""
    if task is None or not programs:
        return None
    word = example_word(task)
    for program in programs:
        if word is None or program.core.size > MOST_WIDTH:
            continue
        with contextlib.suppress(InputError):  # too wide after all, or over another alphabet
            return _view("The program above", program.core, word, task.name)
    return _small(task)


def _small(task: Task) -> AttentionView | None:
    for evidence in (task.nope, task.ape):
        family = re.sub(r"-\d+$", "", evidence.name or "")
        if evidence.kind != "program" or f"{family}-N" not in ENTRIES:
            continue
        name = f"{family}-{SMALL}"
        core = load(name).core
        sample = Encoder(core).split(ENTRIES[f"{family}-N"].samples[0])
        with contextlib.suppress(InputError):
            return _view(f"The same program with {SMALL} symbols", core, sample, name)
    return None


def _view(program: str, core: Core, word: list[str], part: str) -> AttentionView | None:
    heads, number = head_views(core, word, part)
    joined = ("" if all(len(token) == 1 for token in word) else " ").join(word)
    return AttentionView(program=program, word=joined, heads=tuple(heads), number=number) if heads else None


def example_word(task: Task) -> list[str] | None:
    """A word of a language, or an input of another task with its answer, as the model reads it."""
    first, lengths = (1, EXAMPLE_LENGTHS) if isinstance(task, LanguageTask) else (0, (6, 5, 4, 3))
    length = next((each for each in lengths if bool(task.has(np.array([each]))[0])), None)
    return None if length is None else liveliest([words[first:] for words in _draw(task, length)])


def _draw(task: Task, length: int) -> list[list[str]]:
    """Some examples of a length, as the model reads them; the same ones every time."""
    batch = task.sample([length] * TRIED, np.random.default_rng(0))
    rows = zip(batch.tokens.tolist(), batch.sizes.tolist(), strict=True)
    return [task.decode(tokens[:size]) for tokens, size in rows]


def liveliest(words: list[list[str]]) -> list[str]:
    """The first with the most different pairs of neighbours: it shows more than a constant one."""
    return max(words, key=lambda word: len(set(pairwise(word))))


NO_FORECAST = "no forecast"
SAME_PROGRAM = "The program for NoPE uses no positions, and serves here as well."
BENCHMARK = FIGURE_1_TASKS
"""The tasks that are always shown, in this order."""


@dataclass(frozen=True, kw_only=True)
class EncodingView:
    """What is shown of the forecast for one encoding."""

    encoding: str
    answer: Answer
    title: str = ""
    """The encoding in words that need no paper."""
    expected: str = ""
    """What the answer means for training, in the same words."""
    clause: str = ""
    """Why, likewise."""
    basis: str = ""
    """What it rests on."""
    program_class: str = ""
    reason: str = ""
    """Why, in the papers' words."""
    published: tuple[float | None, ...] = ()
    """The published accuracies, as fractions, from the shortest bin to the longest."""
    published_lengths: tuple[str, ...] = ("1-50", "51-100", "101-150")
    """The lengths of these bins; a star where only the axis of the published figure says them."""
    certificate: CertificateView | None = None


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
    """For the encodings with a side of their own."""
    statements: Mapping[str, str] = field(default_factory=dict)
    """What theory says of other encodings, by their names."""
    automaton: str | None = None
    automaton_note: str = ""
    attention: AttentionView | None = None
    note: str = ""
    is_kept: bool = False
    """Whether it is only what `longreach ask` kept beside the runs."""
    models: Mapping[str, EncodingView] = field(default_factory=dict)
    """What theory says of other models, by their labels, where it says something."""

    def answer(self, encoding: str) -> Answer | None:
        """The answer for an encoding; None where there is no forecast."""
        found = self.verdict(encoding)
        return None if found is None else found.answer

    def verdict(self, encoding: str) -> EncodingView | None:
        return next((verdict for verdict in self.verdicts if verdict.encoding == encoding), None)


@lru_cache(maxsize=256)
def known_of(name: str, alphabet: tuple[str, ...] | None, slug: str, models: tuple[str, ...] = ()) -> Known:
    """The forecast of a task with its drawings, and of other models; `slug` is its name in links.

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
        models={label: view for label in models if (view := _of_model(found, label)) is not None},
    )


KEPT_NOTE = (
    "The forecast is the one that longreach ask gave before these runs; the task itself was not loaded. "
    "longreach report --load-tasks loads it."
)


def known_of_kept(kept: KeptForecast) -> Known:
    """What was kept of the forecast for a task that is not loaded."""
    verdicts = tuple(
        EncodingView(
            encoding=key,
            answer=side.answer,
            title=encoding_title(key),
            expected=TheoryAnswer(side.answer).expectation,
            clause=side.clause,
            basis=side.basis,
            published_lengths=(),
        )
        for key, side in kept.sides.items()
    )
    return Known(
        about=kept.about,
        kind=kept.kind,
        chance=kept.chance,
        comparable=True,
        verdicts=verdicts,
        note=KEPT_NOTE,
        is_kept=True,
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
        expected=verdict.trained.expectation,
        clause=verdict.clause,
        basis=verdict.basis,
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
    first, second = (verdict.certificate for verdict in verdicts[:2])
    if first is None or second is None or first.program is None or first.program != second.program:
        return verdicts
    short = replace(second, program=None, json=None, size=0, lines=(SAME_PROGRAM,))
    return verdicts[0], replace(verdicts[1], certificate=short), *verdicts[2:]


def _of_model(forecast: Forecast, label: str) -> EncodingView | None:
    """What theory says of another model."""
    found = forecast.about(CellLabel.read(label))
    if found is None:
        return None
    return EncodingView(
        encoding=label,
        answer="undecided" if found.answer == "not known" else found.answer,
        expected=found.words,
        clause=found.reason,
        program_class=found.model_class or "",
        reason=f"{found.reason}; {found.model_class} ({found.source}); {found.meaning}",
    )


def _unknown(label: CellLabel, known: Known) -> EncodingView:
    statement = known.statements.get(label.name, "")
    return EncodingView(encoding="", answer="unknown", expected=NO_FORECAST, reason=statement)


def further_verdicts(name: str, columns: Iterable[str], known: Known) -> tuple[EncodingView, ...]:
    """For the other columns of the matrix: other encodings, and encodings with a penalty."""
    views = []
    for column in columns:
        label = CellLabel.read(column)
        if column in ENCODING_SIDES:
            continue
        views.append(
            replace(
                known.verdict(label.name) or known.models.get(label.name) or _unknown(label, known),
                encoding=column,
                title=encoding_title(column),
                published=published_accuracy(Place(name, label.name, label.penalty)) or (),
                published_lengths=published_lengths(name),
                certificate=None,
            )
        )
    return tuple(views)
