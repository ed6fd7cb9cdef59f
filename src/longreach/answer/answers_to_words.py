"""Three answers in words that need no paper: for the terminal, the page, and notebooks."""

from __future__ import annotations

import html
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from longreach.answer.question import Question
from longreach.config.encoding_table import ENCODINGS
from longreach.config.letters import written
from longreach.config.task_name import TaskName
from longreach.forecast.odds_model import odds_words
from longreach.languages.regular.named_languages import NAMED_LANGUAGES
from longreach.verdicts.plain_words import clause, expectation, rests_on, side_title
from longreach.verdicts.verdict import Answer
from longreach.wording import counted

if TYPE_CHECKING:
    from longreach.answer.three_answers import ThreeAnswers
    from longreach.comparison.measured_cell import MeasuredCell
    from longreach.config.length_range import LengthRange

WILL_IT = "Will it work on inputs longer than it was trained on?"
FROM_WHICH = "From which training length?"
WHAT_HELPS = "What would help?"
NOT_KNOWN = "not known"


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

    >>> from longreach.answer import ask
    >>> heading(ask("aa", minutes=0)), heading(ask("sort", minutes=0))
    (('(aa)*', 'words over a, 2 states'), ('sort', 'distinct numbers in increasing order'))
    """
    forecast = found.forecast
    name, about = TaskName(forecast.name).expression, forecast.task.about
    name = forecast.task.name if TaskName(forecast.name).is_session else name
    known = NAMED_LANGUAGES.get(forecast.name)
    name = name if known is None else known.expression
    automaton = getattr(forecast.task, "automaton", None)
    if automaton is None or about != name:
        return name, about
    return name, f"words over {' '.join(forecast.alphabet)}, {counted(len(automaton), 'state')}"


def blocks(found: ThreeAnswers, go_on: str | None = None) -> tuple[Block, Block, Block]:
    """The three questions with their answers; `go_on` says how to go on where nobody types commands.

    >>> from longreach.answer import ask
    >>> [block.question for block in blocks(ask("parity", minutes=0))][1:]
    ['From which training length?', 'What would help?']
    """
    return (
        Block(WILL_IT, (*(_will_it(found, each) for each in found.question.encodings), _odds(found))),
        Block(FROM_WHICH, (_threshold(found, go_on), _bound(found))),
        Block(WHAT_HELPS, _what_helps(found)),
    )


# Will it work?


def _will_it(found: ThreeAnswers, encoding: str) -> Line:
    side = found.forecast.sides.get(encoding)
    if side is None:
        note = found.forecast.encodings.get(encoding)
        says, basis = NOT_KNOWN, "" if note is None else note.statement
    else:
        says, basis = expectation(side.trained), clause(side)
        if side.trained is not Answer.UNDECIDED:
            basis = f"{rests_on(side)}: {basis}"
    cell = next((each for each in found.measurement.cells if each.encoding == encoding), None)
    return Line(side_title(encoding), says, basis, _measured(cell))


def _measured(cell: MeasuredCell | None) -> str:
    if cell is None:
        return ""
    if not cell.tally.runs:
        return "not measured: no run has finished"
    tested = _range(cell.tested)
    tally, missing = cell.tally, cell.planned - cell.tally.runs
    notes = [f"{tally.learned} learned the training lengths"] if tally.learned < tally.runs else []
    notes += [f"{missing} not finished"] if missing else []
    aside = f" ({', '.join(notes)})" if notes else ""
    return f"measured: {tally.words} at {tested}, trained to {cell.train_to}{aside}"


def _command(found: ThreeAnswers, *, minutes: float | None = None, encoding: str | None = None) -> str:
    """How to ask the same again: in a shell, or in Python, which alone knows an object of its session."""
    question = found.question
    said = None if minutes is None else f"{minutes:g}"
    usual = question.encodings == Question(task=question.task).encodings
    encodings = [encoding] if encoding is not None else [] if usual else list(question.encodings)
    if TaskName(question.task).is_session:
        given = {"minutes": said, "encodings": encodings, "train_to": question.train_to}
        return f"longreach.ask(task{''.join(f', {key}={each}' for key, each in given.items() if each)})"
    options = [("--minutes", said), *(("--encoding", each) for each in encodings)]
    options.append(("--train-to", None if question.train_to is None else str(question.train_to)))
    options.append(("--alphabet", None if question.alphabet is None else written(question.alphabet)))
    parts = [part for option, each in options if each for part in (option, each)]
    return shlex.join(["longreach", "ask", found.forecast.name, *parts])


ODDS_RATIO = 3
"""The odds that are shown are those at three times the training length, as in the measurement."""


def _odds(found: ThreeAnswers) -> Line:
    asked = found.question.encodings
    rows = [row for name, row in found.odds.at(ODDS_RATIO).items() if name in asked]
    if not rows:
        return Line("odds for one run", NOT_KNOWN, found.odds.reason or "the census has other encodings")
    return Line(
        f"odds for one run trained to {rows[0].trained_to}",
        " · ".join(f"{ENCODINGS[row.encoding].title} {odds_words(row.odds)}" for row in rows),
        f"at {_range(rows[0].tested)}; {found.odds.basis(rows)}",
    )


def _range(lengths: LengthRange) -> str:
    return f"{lengths.first}–{lengths.last}"


# From which training length?


def _bound(found: ThreeAnswers) -> Line:
    """The bound that is exact; the others hold up to constants."""
    exact = [each for each in found.forecast.bounds.bounds if not each.definition.up_to_constants]
    if not exact:
        return Line("proved", NOT_KNOWN, "the known bounds have constants that nobody has computed")
    number = f"{exact[0].definition.formula} = {exact[0].value}"
    apart = "words up to this length tell all automata with as few states apart"
    return Line("proved", number, f"{apart}; for models {NOT_KNOWN}")


def _threshold(found: ThreeAnswers, go_on: str | None) -> Line:
    threshold, cells = found.threshold, found.measurement.cells
    if threshold is not None:
        title = ENCODINGS[threshold.encoding].title
        tested = "" if threshold.tested is None else f" at {_range(threshold.tested)}"
        counts = f"runs that work{tested}, by training length: {threshold.counts}"
        remark = f"; {threshold.remark}" if threshold.remark else ""
        return Line(f"measured ({title})", threshold.words, f"{counts}{remark}")
    if not cells:
        return Line("measured", NOT_KNOWN, f"{_command(found)} tries a few lengths in about 2 minutes")
    answers = [found.answer_of(encoding) for encoding in found.question.encodings]
    if all(answer is Answer.NO for answer in answers) and not any(cell.tally.works for cell in cells):
        return Line(
            "measured", "none expected", "expected to fail at every training length; no others were tried"
        )
    if found.measurement.is_whole and not any(2 * cell.tally.learned >= cell.tally.runs for cell in cells):
        return Line(
            "measured", NOT_KNOWN, "the first length was not learned; other lengths would say nothing"
        )
    return Line("measured", NOT_KNOWN, f"no time was left; {go_on or _longer(found)}")


def _longer(found: ThreeAnswers) -> str:
    if not found.measurement.is_whole:
        return "the same command goes on where it was"
    minutes = max(2 * found.question.minutes, 2.0)
    return f"{_command(found, minutes=minutes)} goes on"


# What would help?


def _what_helps(found: ThreeAnswers) -> tuple[Line, ...]:
    lines = [Line(each.change, "", each.basis, each.measured or "") for each in found.advice]
    if lines:
        return tuple(lines)
    answers = [found.answer_of(encoding) for encoding in found.question.encodings]
    cells = found.measurement.cells
    if cells and all(cell.tally.works for cell in cells):
        return (
            Line(
                "nothing is needed", "", f"the runs work at {_range(cells[0].tested)}; longer was not tried"
            ),
        )
    if all(answer is Answer.YES for answer in answers) and found.judgement != "contradicts":
        return (Line("nothing is needed", "", "expected to work under every encoding that was asked for"),)
    other = "rope" if "rope" not in found.question.encodings else "alibi"
    asking = _command(found, encoding=other)
    return (Line(NOT_KNOWN, "", f"{asking} measures another encoding in about 2 minutes"),)


# All of it


def judgement_words(found: ThreeAnswers) -> tuple[str, ...]:
    """What the runs say of the forecast: one sentence where all say the same, else one an encoding."""
    findings = found.findings
    if not findings:
        return ("Nothing was measured, so the forecast is not judged.",)
    states = {finding.state for finding in findings.values()}
    if states == {"agrees"}:
        late = [cell.encoding for cell in found.measurement.cells if found.works_later(cell) is not None]
        shown = tuple(_sentence(findings[each].words) for each in late)
        return shown or ("The measured runs agree with the forecast.",)
    return tuple(_sentence(f"{side_title(each)}: {finding.words}") for each, finding in findings.items())


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def took(seconds: float) -> str:
    """A time for people.

    >>> took(108), took(4.2)
    ('1 min 48 s', '4.2 s')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def as_text(found: ThreeAnswers) -> str:
    """Everything as plain text, a line each."""
    name, about = heading(found)
    lines = [f"{name}   {about}"]
    for block in blocks(found):
        lines.append(block.question)
        for line in block.lines:
            parts = [part for part in (line.says, line.basis, line.measured) if part]
            lines.append(f"  {line.label}: {'; '.join(parts)}")
    return "\n".join([*lines, *judgement_words(found)])


def as_html(found: ThreeAnswers) -> str:
    """Everything as a fragment of HTML, for notebooks."""
    name, about = heading(found)
    rows = []
    for block in blocks(found):
        rows.append(f'<tr><th colspan="4" style="text-align:left">{html.escape(block.question)}</th></tr>')
        for line in block.lines:
            cells = (line.label, line.says, line.basis, line.measured)
            shown = "".join(f'<td style="text-align:left">{html.escape(cell)}</td>' for cell in cells)
            rows.append(f"<tr>{shown}</tr>")
    judged = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in judgement_words(found))
    title = f"<p><b>{html.escape(name)}</b> {html.escape(about)}</p>"
    return f"{title}<table>{''.join(rows)}</table>{judged}"
