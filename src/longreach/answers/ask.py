"""A question → three answers, and how they are worded."""

from __future__ import annotations

import html
import re
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from longreach.answers.forecast import Forecast, forecast, side_words
from longreach.answers.judge import WHICH_WORDS, Finding, MeasuredCell, RunFailure
from longreach.answers.odds import USUAL_LENGTH, OddsRow, TaskOdds, odds_words
from longreach.answers.question import Measurement, Question
from longreach.answers.remedies import Remedy
from longreach.answers.suggestions import SHOWN_RATIO, shares_words, suggestions
from longreach.answers.sweep import Threshold
from longreach.config.architectures import DECODER
from longreach.config.encodings import ENCODINGS
from longreach.config.model import CellLabel
from longreach.tasks.catalog import name_of_task
from longreach.tasks.plain import TYPED
from longreach.tasks.task import Task
from longreach.theory.automata.automaton import Automaton, longest_word
from longreach.theory.automata.named import NAMED_LANGUAGES
from longreach.theory.names import TaskName, written
from longreach.theory.program_class import ENCODING_SIDES, PROGRAM_SIDES
from longreach.theory.verdicts.verdict import Answer
from longreach.wording import counted, listed, percent

if TYPE_CHECKING:
    from longreach.runs.train import Watcher
    from longreach.tasks.lengths import LengthRange

Judgement: TypeAlias = Literal["agrees", "contradicts", "cannot be judged"]
WILD = re.compile(r"(?<!\\)\.|\[\^")
"""In an expression, what stands for more letters if the alphabet has them."""
SKEWED = "the task's own draws hardly cover it: draw every letter about equally often"


@dataclass(frozen=True, eq=False, kw_only=True)
class ThreeAnswers:
    """Will it work on longer inputs, from which training length on, and what would help."""

    question: Question
    forecast: Forecast
    measurement: Measurement
    seconds: float
    runs: Path | None = None
    """Where the results lie, which may know more than this question measured."""

    @cached_property
    def threshold(self) -> Threshold | None:
        """From which training length on runs work; None where it was not measured."""
        others = self.measurement.lengths
        first = [cell for cell in self.measurement.cells if others and cell.encoding == others[0].encoding]
        return Threshold.of([*first, *others]) if others else None

    @cached_property
    def findings(self) -> dict[str, Finding]:
        """By encoding: what its runs say of the forecast."""
        cells, found = self.measurement.cells, dict[str, Finding]()
        for cell in cells:
            answer, tally = self.answer_of(cell.encoding), cell.tally
            finding = self.forecast.judge(cell.encoding, tally)
            new = next((each for each in cell.failed if each.is_new_answer), None)
            if new is not None and self.rests_on_examples(cell.encoding):
                words = f"a run met a counterexample to the forecast, which rests on examples: {new.reason}"
                why = "the examples never had this answer: draw inputs of every answer, and name all tokens"
                finding = Finding("contradicts", words, (why,))
            elif cell.fails_uniformly and answer is Answer.YES:
                words = (
                    f"cannot be judged: {tally.words} on inputs as the task draws them, and fewer than half "
                    "of these on inputs drawn uniformly"
                )
                finding = Finding("cannot be judged", words, (SKEWED,))
            elif finding.state == "not learned" and answer is Answer.NO:
                # A no that fails counts where another encoding was learned in the same steps.
                if any(each.tally.is_learned for each in cells if each.encoding != cell.encoding):
                    words = (
                        f"the measured runs agree with the forecast: {tally.words}, as expected; "
                        "the same steps were enough under another encoding"
                    )
                    finding = Finding("agrees", words)
            elif answer is Answer.YES and (longer := self.works_later(cell)) is not None:
                # Theory says "from some length on".
                words = (
                    f"the measured runs agree with the forecast from training length {longer.train_to} on: "
                    f"trained to {cell.train_to} {tally.words}, "
                    f"trained to {longer.train_to} {longer.tally.words}"
                )
                finding = Finding("agrees", words, finding.reasons)
            found[cell.encoding] = finding
        return found

    def rests_on_examples(self, encoding: str) -> bool:
        """Whether the forecast comes from answers that were asked for, up to some length."""
        side = self.forecast.side_of(encoding)
        return side is not None and side.checked_to is not None and side.trained is not Answer.UNDECIDED

    def works_later(self, cell: MeasuredCell) -> MeasuredCell | None:
        """Of runs that do not work, the longer training length from which on they do, if one was found."""
        threshold = self.threshold
        if cell.tally.works or threshold is None or threshold.encoding != cell.encoding:
            return None
        return next((each for each in threshold.cells if each.train_to == threshold.start), None)

    def answer_of(self, encoding: str) -> Answer | None:
        """The forecast for what is trained; None where theory has none for the encoding."""
        return self.forecast.expected(encoding)

    @cached_property
    def advice(self) -> tuple[Remedy, ...]:
        """What would help; empty where nothing is known."""
        return tuple(suggestions(self))

    @cached_property
    def odds(self) -> TaskOdds:
        """The odds that one run works, from the census, at the training length that is measured or asked for;
        without rows where the census has nothing comparable."""
        measured = next((cell.train_to for cell in self.measurement.cells), None)
        return self.forecast.odds(self.question.train_to or measured or USUAL_LENGTH)

    @property
    def judgement(self) -> Judgement:
        """What all runs together say of the forecast: one contradiction is one."""
        states = {finding.state for finding in self.findings.values()}
        if "contradicts" in states:
            return "contradicts"
        return "agrees" if "agrees" in states else "cannot be judged"

    def document(self) -> dict[str, Any]:
        """As `longreach ask --json` prints it."""
        measurement = self.measurement
        return {
            "task": self.forecast.name,
            "forecast": self.forecast.document(),
            "measured": [cell.document() for cell in (*measurement.cells, *measurement.lengths)],
            "threshold": None if self.threshold is None else self.threshold.document(),
            "odds": self.odds.document(),
            "odds_note": self.odds.reason,
            "advice": [each.summary() for each in self.advice],
            "judgement": self.judgement,
            "judgements": {
                encoding: {"state": each.state, "words": each.words, "reasons": list(each.reasons)}
                for encoding, each in self.findings.items()
            },
            "minutes": self.question.minutes,
            "seeds": self.question.seeds,
            "share_of_steps": measurement.share,
            "whole": measurement.is_whole,
            "interrupted": measurement.interrupted,
            "seconds": round(self.seconds, 1),
        }

    def __repr__(self) -> str:
        name, about = heading(self)
        lines = [f"{name}   {about}"]
        for block in blocks(self):
            lines.append(block.question)
            for line in block.lines:
                parts = [part for part in (line.says, line.basis, line.measured) if part]
                lines.append(f"  {line.label}: {'; '.join(parts)}")
        return "\n".join([*lines, *judgement_words(self)])

    def _repr_html_(self) -> str:
        name, about = heading(self)
        rows = []
        for block in blocks(self):
            title = html.escape(block.question)
            rows.append(f'<tr><th colspan="4" style="text-align:left">{title}</th></tr>')
            for line in block.lines:
                cells = (line.label, line.says, line.basis, line.measured)
                shown = "".join(f'<td style="text-align:left">{html.escape(cell)}</td>' for cell in cells)
                rows.append(f"<tr>{shown}</tr>")
        judged = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in judgement_words(self))
        title = f"<p><b>{html.escape(name)}</b> {html.escape(about)}</p>"
        return f"{title}<table>{''.join(rows)}</table>{judged}"


def ask(
    task: str | Task,
    alphabet: Sequence[str] | None = None,
    *,
    encodings: str | Sequence[str] | None = None,
    minutes: float = 2.0,
    seeds: int = 3,
    train_to: int | None = None,
    budget: float | None = None,
    runs: str | Path = "runs",
    progress: Watcher | None = None,
) -> ThreeAnswers:
    """Forecast a task, train runs within the given minutes, and say what would help.

    Finished runs are reused. By default runs have no positions or learned ones, and also `reach` where theory
    says that it is enough and counting is not. `budget` is the number of seconds for querying a function or
    searching a file of examples.

    >>> found = ask("regex:(ab)*", minutes=0)
    >>> found.answer_of("nope").value, found.threshold, len(found.advice) > 0
    ('yes', None, False)
    """
    started = time.monotonic()
    name, letters = name_of_task(task, alphabet)
    chosen = (encodings,) if isinstance(encodings, str) else encodings or ()
    question = Question(
        task=name,
        alphabet=letters,
        encodings=PROGRAM_SIDES if encodings is None else tuple(chosen),
        minutes=minutes,
        seeds=seeds,
        train_to=train_to,
    )
    known = forecast(name, letters, budget=budget)
    if encodings is None and is_promising(known):
        question = replace(question, encodings=ENCODING_SIDES)
    measured = Measurement()
    longest = _longest_input(known.task)
    if minutes and (longest is None or longest > (train_to or USUAL_LENGTH)):
        from longreach.answers.kept_forecast import keep_forecast
        from longreach.answers.measurement import measure

        measured = measure(question, known, Path(runs), progress=progress)
        keep_forecast(Path(runs), question.file_stem, known)
    return ThreeAnswers(
        question=question,
        forecast=known,
        measurement=measured,
        seconds=time.monotonic() - started,
        runs=Path(runs),
    )


def _longest_input(task: Task) -> int | None:
    """The length of the longest word of a finite language; None where inputs have any length."""
    automaton = getattr(task, "automaton", None)
    return longest_word(automaton) if isinstance(automaton, Automaton) else None


def is_promising(forecast: Forecast) -> bool:
    """Whether attention to the last match is worth measuring: it is enough, and counting alone is not.

    >>> [is_promising(forecast(name)) for name in ("aa", "tomita-1", "parity", "sort")]
    [True, False, False, False]
    """
    return forecast.expected("reach") is Answer.YES and forecast.expected("nope") is not Answer.YES


# Three answers in words that need no paper: for the terminal, the page, and notebooks.


WILL_IT = "Will it work on inputs longer than it was trained on?"
FROM_WHICH = "From which training length?"
WHAT_HELPS = "What would help?"
NOT_KNOWN, NONE_EXPECTED = "not known", "none expected"
USUAL_TIME = " (2 minutes)"


@dataclass(frozen=True)
class Line:
    """One line of an answer: about what, what is said, and what it rests on."""

    label: str
    says: str
    basis: str = ""
    measured: str = ""


@dataclass(frozen=True)
class Block:
    """A question and the lines of its answer."""

    question: str
    lines: tuple[Line, ...]


def heading(found: ThreeAnswers) -> tuple[str, str]:
    """What the task is called, and what it is.

    >>> from longreach.answers.ask import ask
    >>> heading(ask("aa", minutes=0)), heading(ask("sort", minutes=0))
    (('(aa)*', 'words over a, 2 states'), ('sort', 'distinct numbers in increasing order'))
    """
    forecast = found.forecast
    known, about = NAMED_LANGUAGES.get(forecast.name), forecast.task.about
    name = forecast.title if known is None else known.expression
    automaton = getattr(forecast.task, "automaton", None)
    if automaton is None or about != name:
        return name, about
    asked = TaskName(found.question.task)
    wild = asked.is_regex and found.question.alphabet is None and WILD.search(asked.expression)
    note = "; '.' and [^…] stand for these letters only: see --alphabet" if wild else ""
    return name, f"words over {' '.join(forecast.alphabet)}, {counted(len(automaton), 'state')}{note}"


def blocks(found: ThreeAnswers, go_on: str | None = None) -> tuple[Block, Block, Block]:
    """The three questions with their answers; `go_on` says how to go on where nobody types commands.

    >>> from longreach.answers.ask import ask
    >>> [block.question for block in blocks(ask("parity", minutes=0))][1:]
    ['From which training length?', 'What would help?']
    """
    return (
        Block(WILL_IT, (*(side_line(found, each) for each in found.question.rows), odds_line(found))),
        Block(FROM_WHICH, (threshold_line(found, go_on), bound_line(found))),
        Block(WHAT_HELPS, what_helps_lines(found)),
    )


# Will it work?


def side_line(found: ThreeAnswers, encoding: str) -> Line:
    """What is expected under an encoding or of another model, why, and what was measured."""
    label = CellLabel.read(encoding)
    side = found.forecast.side_of(label)
    model = None if side is not None or label.architecture == DECODER else found.forecast.about(label)
    if model is not None:
        says, basis = model.words, f"{model.reason} ({model.model_class})"
    elif side is None:
        note = found.forecast.encodings.get(encoding)
        what = "a model" if label.row.is_own else "an encoding" if ":" in label.encoding else ""
        own = what and f"no theory for {what} of your own"
        if label.side is not None:
            own = "theory speaks of other options of its heads"
        says, basis = NOT_KNOWN, own if note is None else note.statement
    else:
        says, basis = side.trained.expectation, side_words(side)
    cell = next((each for each in found.measurement.cells if each.encoding == encoding), None)
    return Line(label.words, says, basis, _measured(cell))


def _measured(cell: MeasuredCell | None) -> str:
    if cell is None:
        return ""
    failed = [RunFailure.all_words(cell.failed)] if cell.failed else []
    if not cell.tally.runs:
        return "; ".join(["not measured: no run has finished", *failed])
    said = f"measured: {cell.tally.words} at {_range(cell.tested)}, trained to {cell.train_to}"
    notes = [f"right on {_right(cell, cell.tested)}"]
    if cell.tally.unfit:
        training = _right(cell, cell.config.train_lengths)
        notes.append(f"{cell.tally.unfit} did not fit the training range, right on {training}")
    notes += [cell.tally.sure_words] if cell.tally.probed else []
    notes += [f"{cell.unfinished} not finished"] if cell.unfinished else []
    return "; ".join([f"{said} ({'; '.join(notes)})", *failed])


def _right(cell: MeasuredCell, lengths: LengthRange) -> str:
    """The accuracies of runs beside what guessing reaches, and on inputs drawn uniformly where it differs."""
    shown, name = shares_words(cell.span(lengths)), lengths.name
    uniform = cell.document()["accuracy_uniform"].get(name, [])
    other = shares_words((min(uniform), max(uniform))) if uniform else shown
    apart = "" if other == shown else f", on inputs drawn uniformly {other}"
    return f"{shown}{apart}, chance {percent(cell.chances[name], 0)}"


def _command(found: ThreeAnswers, *, minutes: float | None = None, encoding: str | None = None) -> str:
    """How to ask the same again: in a shell, or in Python, which alone knows an object of its session."""
    question = found.question
    said = None if minutes is None else f"{minutes:g}"
    usual = question.is_usual
    encodings = [encoding] if encoding is not None else [] if usual else list(question.encodings)
    name = TaskName(question.task)
    typed = TYPED.get(name.base)
    if name.is_session and typed is None:
        given = {"minutes": said, "encodings": encodings, "train_to": question.train_to}
        return f"longreach.ask(task{''.join(f', {key}={each}' for key, each in given.items() if each)})"
    plain = all(CellLabel.read(each).architecture == DECODER for each in encodings)
    models = (
        [("--encoding", each) for each in encodings]
        if plain
        else [("--models", ",".join(each.removesuffix("()") for each in encodings))]
    )
    options = [("--minutes", said), *models]
    options.append(("--train-to", None if question.train_to is None else str(question.train_to)))
    options.append(("--alphabet", None if question.alphabet is None else written(question.alphabet)))
    task = [TaskName(found.forecast.name).argument]
    if typed is not None:
        task = ["--python", typed[0], *(f"--{change}" for change in name.changes)]
        options.append(("--alphabet", typed[1]))
    parts = [part for option, each in options if each for part in (option, each)]
    return shlex.join(["longreach", "ask", *task, *parts])


def odds_rows(found: ThreeAnswers) -> list[OddsRow]:
    """The odds of the encodings that were asked for, at the ratio that is shown."""
    asked = found.question.rows
    return [row for name, row in found.odds.at(SHOWN_RATIO).items() if name in asked]


def odds_line(found: ThreeAnswers) -> Line:
    """The odds that one run works, and what they rest on."""
    rows = odds_rows(found)
    if not rows:
        return Line("odds for one run", NOT_KNOWN, found.odds.reason or "the census covers other encodings")
    return Line(
        f"odds for one run trained to {rows[0].trained_to}",
        " · ".join(f"{ENCODINGS[row.encoding].title} {odds_words(row.odds)}" for row in rows),
        f"that it works at {_range(rows[0].tested)}; {found.odds.basis(rows, expected_answers(found))}",
    )


def expected_answers(found: ThreeAnswers) -> dict[str, Answer]:
    """By encoding that was asked for: what theory expects, where it does."""
    answers = {encoding: found.answer_of(encoding) for encoding in found.question.encodings}
    return {encoding: answer for encoding, answer in answers.items() if answer is not None}


def _range(lengths: LengthRange) -> str:
    return f"{lengths.first}–{lengths.last}"


# From which training length?


def bound_line(found: ThreeAnswers) -> Line:
    """The bound that is exact; the others hold up to constants."""
    exact = [each for each in found.forecast.bounds.bounds if not each.definition.up_to_constants]
    if not exact:
        return Line("proved", NOT_KNOWN, "the known bounds have unknown constants")
    number = f"{exact[0].definition.formula} = {exact[0].value}"
    apart = "words up to this length distinguish any two automata of this size"
    return Line("proved", number, f"{apart}; {NOT_KNOWN} for models")


def threshold_line(found: ThreeAnswers, go_on: str | None = None) -> Line:
    """The training length from which on runs work, or why it is not known."""
    threshold, cells = found.threshold, found.measurement.cells
    if threshold is not None:
        title = CellLabel.read(threshold.encoding).title
        tested = "" if threshold.tested is None else f" at {_range(threshold.tested)}"
        counts = f"runs that work{tested}, by training length: {threshold.counts}"
        remark = f"; {threshold.remark}" if threshold.remark else ""
        return Line(f"measured ({title})", threshold.words, f"{counts}{remark}")
    answers = [found.answer_of(encoding) for encoding in found.question.encodings]
    if all(answer is Answer.NO for answer in answers) and not any(cell.tally.works for cell in cells):
        why = "expected to fail at every training length"
        return Line("measured", NONE_EXPECTED, f"{why}, so no others were tried" if cells else why)
    if not cells and (longest := _longest_input(found.forecast.task)) is not None:
        return Line("measured", "does not apply", f"no word has more than {counted(longest, 'letter')}")
    if not cells:
        return Line("measured", NOT_KNOWN, f"{_command(found)} measures it{USUAL_TIME}")
    return Line("measured", NOT_KNOWN, _why_no_lengths(found, go_on))


def _why_no_lengths(found: ThreeAnswers, go_on: str | None) -> str:
    """Why no other training length was measured."""
    measurement, cells = found.measurement, found.measurement.cells
    resume = go_on or "run the same command again to resume"
    if measurement.interrupted:
        return f"interrupted; {resume}"
    if any(cell.unfinished for cell in cells):
        return f"out of time; {resume}"
    if measurement.more_lengths:
        longer = _command(found, minutes=max(2 * found.question.minutes, 2.0))
        return f"out of time; {go_on or f'{longer} continues'}"
    if measurement.lengths_failed:
        return RunFailure.all_words(measurement.lengths_failed)
    if any(cell.failed for cell in cells):
        return "not tried at other lengths, because runs failed at the first"
    if not any(cell.tally.is_learned for cell in cells):
        return "no other lengths tried: the runs do not fit the training range"
    return "no other lengths tried: nothing suggests that they would work"


# What would help?


def what_helps_lines(found: ThreeAnswers) -> tuple[Line, ...]:
    """What is advised; else that nothing is needed, or what to try."""
    lines = [Line(each.change, "", each.basis, each.measured or "") for each in found.advice]
    if lines:
        return tuple(lines)
    answers = [found.answer_of(encoding) for encoding in found.question.encodings]
    cells, rows = found.measurement.cells, found.question.rows
    if cells and all(cell.tally.works for cell in cells):
        return (
            Line(
                "nothing is needed",
                "",
                f"the runs work at {_range(cells[0].tested)}; longer was not tested",
            ),
        )
    if all(answer is Answer.YES for answer in answers) and found.judgement != "contradicts":
        works = [CellLabel.read(each).title for each in rows if found.answer_of(each) is Answer.YES]
        which = "every encoding above" if len(works) == len(rows) > 1 else listed(works)
        return (Line("nothing is needed", "", f"expected to work with {which}"),)
    other = "rope" if "rope" not in found.question.encodings else "alibi"
    asking = _command(found, encoding=other)
    return (Line(NOT_KNOWN, "", f"{asking} measures another encoding (2 minutes)"),)


# All of it


def judgement_words(found: ThreeAnswers) -> tuple[str, ...]:
    """What the runs say of the forecast: one sentence where all say the same, else one an encoding.

    With probing words also which of the tests a forecast is about.
    """
    if not found.findings:
        return ("Forecast only: nothing was trained.",)
    probed = any(cell.tally.probed for cell in found.measurement.cells)
    return (*_judged(found), *([WHICH_WORDS] if probed else []))


def _judged(found: ThreeAnswers) -> tuple[str, ...]:
    findings = found.findings
    states = {finding.state for finding in findings.values()}
    if states == {"agrees"}:
        late = [cell.encoding for cell in found.measurement.cells if found.works_later(cell) is not None]
        shown = tuple(_sentence(findings[each].words) for each in late)
        return shown or ("The measured runs agree with the forecast.",)
    titles = {each: CellLabel.read(each).words for each in findings}
    return tuple(_sentence(f"{titles[each]}: {finding.words}") for each, finding in findings.items())


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
