"""The three answers on one screen: what is expected, one reason each, and advice. `--why` has the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from textwrap import wrap

from longreach.answers.ask import (
    FROM_WHICH,
    NOT_KNOWN,
    USUAL_TIME,
    WHAT_HELPS,
    WILL_IT,
    Block,
    Line,
    ThreeAnswers,
    expected_answers,
    heading,
    odds_line,
    odds_rows,
    side_line,
    threshold_line,
    what_helps_lines,
)
from longreach.answers.judge import MeasuredCell
from longreach.answers.odds import OTHER_KIND, odds_words
from longreach.answers.remedies import Remedy
from longreach.answers.suggestions import shares_words, study_runs
from longreach.config.encodings import ENCODINGS
from longreach.theory.verdicts.basis import basis as program_basis
from longreach.theory.verdicts.verdict import Answer
from longreach.wording import percent

WIDTH = 80
"""The columns of the terminal that answers are made to fit."""
INDENT, BELOW = 2, 4
"""Of a line, and of what stands below it."""
GAP = "   "
"""Between a label and what is said."""
MOST_LINES = 15
"""Of a forecast alone: below the first advice, and then reasons, give way."""
MOST_ADVICE = 2, 3
"""Remedies shown for a forecast alone, and beside runs."""


LIKELY = 0.5
"""Odds below are no advice."""


def brief(found: ThreeAnswers) -> tuple[Block, Block, Block]:
    """The three questions, each answered in as few lines as a reader needs.

    >>> from longreach.answers.ask import ask
    >>> will_it, from_which, what_helps = brief(ask("aa", minutes=0))
    >>> will_it.lines[0].basis
    'proved: counts alone cannot tell whether a long word ends in "a" or "aa"'
    >>> from_which.lines[0].says
    'not known: longreach ask aa measures it (2 minutes)'
    """
    sides, lengths, advice = [*_sides(found), *_odds(found)], _lengths(found), _advice(found)

    def told() -> tuple[Block, Block, Block]:
        return Block(WILL_IT, tuple(sides)), Block(FROM_WHICH, lengths), Block(WHAT_HELPS, advice)

    if found.question.minutes == 0:
        title = "   ".join(heading(found))
        while len(advice) > 1 and _height(title, told()) > MOST_LINES:
            advice = advice[:-1]
        for place in reversed(range(len(sides))):
            if _height(title, told()) > MOST_LINES:
                sides[place] = replace(sides[place], basis="")
    return told()


def _height(title: str, blocks: Sequence[Block]) -> int:
    """The lines of a forecast on a terminal, its closing line among them."""
    found = len(wrap(title, WIDTH)) + 1
    for block in blocks:
        width = max(len(line.label) for line in block.lines)
        told = [
            f"{line.label.ljust(width)}{GAP}{line.says}"
            if line.label and line.says
            else line.label or line.says
            for line in block.lines
        ]
        below = [line.basis for line in block.lines if line.basis]
        found += 1 + sum(len(wrap(each, WIDTH - INDENT, subsequent_indent=" " * INDENT)) for each in told)
        found += sum(len(wrap(each, WIDTH - BELOW, subsequent_indent=" " * INDENT)) for each in below)
    return found


def is_tried(found: ThreeAnswers) -> bool:
    """Whether `--try` would train what is advised: another form of the task."""
    return any(_is_form(each) for each in found.advice)


# Will it work?


def _sides(found: ThreeAnswers) -> list[Line]:
    lines = [side_line(found, encoding) for encoding in found.question.rows]
    width = max(len(line.label) for line in lines)
    cells = {cell.encoding: cell for cell in found.measurement.cells}
    told: list[Line] = []
    told_of: tuple[str, str] | None = None
    for encoding, line in zip(found.question.rows, lines, strict=True):
        side = found.forecast.side_of(encoding)
        cell = cells.get(encoding)
        if side is not None and side.trained is not Answer.UNDECIDED:
            again = told_of is not None and side.basis == told_of[0] and side.clause != told_of[1]
            says, reason = line.says, _reason(side.basis, side.clause, again=again)
            told_of = side.basis, side.clause
        else:
            says, reason = line.says, line.basis.partition(";")[0]
            if INDENT + width + len(f"{GAP}{says}: {reason}") <= WIDTH:
                says, reason = f"{says}: {reason}" if reason else says, ""
        told.append(Line(line.label, says, reason, "" if cell is None else _measured(cell)))
    # A reason that two encodings share stands once, below the second.
    for place, (line, after) in enumerate(pairwise(told)):
        if line.basis == after.basis and not line.measured:
            told[place] = replace(line, basis="")
    return told


def _reason(basis: str, clause: str, *, again: bool) -> str:
    """A reason with its basis, which is shortened where that saves a line; `again`: it stands above.

    >>> _reason("program, proved for all lengths", "counts do it", again=False)
    'program, proved for all lengths: counts do it'
    >>> _reason("program, proved for all lengths", "c" * 50, again=False)[:20]
    'proved program: cccc'
    >>> _reason("automaton with 5 states, learned to length 100", "counts do it", again=True)
    'same automaton: counts do it'
    """
    room = WIDTH - BELOW
    bases = [f"{basis}: ", f"{basis.partition(',')[0]}: "]
    if basis == program_basis(None):
        bases.insert(1, "proved program: ")
    if again and basis.startswith("automaton"):
        bases = ["same automaton: ", ""]
    return min((f"{each}{clause}" for each in bases), key=lambda text: (len(text) - 1) // room)


def _measured(cell: MeasuredCell) -> str:
    tally = cell.tally
    if not tally.runs:
        return "not measured: no run has finished" + _failed(cell)
    chance = percent(cell.chances[cell.tested.name], 0)
    notes = [
        f"right on {shares_words(cell.span(cell.tested))}, chance {chance}",
        *([tally.sure_words] if tally.probed else []),
    ]
    notes += [f"{tally.unfit} of {tally.runs} did not fit the training range"] if tally.unfit else []
    notes += [f"{cell.unfinished} not finished"] if cell.unfinished else []
    at = f"{cell.tested.first}–{cell.tested.last}"
    return f"measured: {tally.words} at {at} ({'; '.join(notes)}){_failed(cell)}"


def _failed(cell: MeasuredCell) -> str:
    return "".join(f"; {each.words}" for each in cell.failed[:1])


def _odds(found: ThreeAnswers) -> list[Line]:
    full = odds_line(found)
    rows = odds_rows(found)
    if not rows:
        # Of tasks of another kind it goes without saying.
        return [] if found.odds.reason == OTHER_KIND else [Line(full.label, f"{NOT_KNOWN}: {full.basis}")]
    if all(found.answer_of(row.encoding) is Answer.NO and row.odds.probability < LIKELY for row in rows):
        return []  # they say no more than the lines above
    titles = [ENCODINGS[row.encoding].title for row in rows]
    long, short = (
        " · ".join(f"{title} {said}" for title, said in zip(titles, words, strict=True))
        for words in (
            [odds_words(row.odds) for row in rows],
            [odds_words(row.odds).partition(" (")[0] for row in rows],
        )
    )
    fits = INDENT + len(full.label) + len(GAP) + len(long) <= WIDTH
    surprises = found.odds.surprises(rows, expected_answers(found))
    return [Line(full.label, long if fits else short, "; ".join(surprises))]


# From which training length?


def _lengths(found: ThreeAnswers) -> tuple[Line, ...]:
    line = threshold_line(found)
    if not found.measurement.cells:
        said = f"{line.says}: {line.basis}"
        return (Line("", said if INDENT + len(said) <= WIDTH else said.removesuffix(USUAL_TIME)),)
    return (line,)


# What would help?


def _is_form(remedy: Remedy) -> bool:
    return remedy.can_be_tried and remedy.ground != "program"


def _advice(found: ThreeAnswers) -> tuple[Line, ...]:
    if not found.advice:
        return tuple(Line("", f"{line.label}: {line.basis}") for line in what_helps_lines(found))
    most = MOST_ADVICE[bool(found.measurement.cells)]
    odds = {row.encoding: row.odds.probability for row in odds_rows(found)}
    likely = [each for each in found.advice if odds.get(each.encoding, 1.0) >= LIKELY]
    if not found.measurement.cells:  # then odds say more than theory alone
        likely = [each for each in likely if each.encoding in odds] or likely
    return tuple(Line(each.change, "", _evidence(each)) for each in (likely or found.advice)[:most])


def _evidence(remedy: Remedy) -> str:
    """What runs say of another form of the task, or why something is advised that no encoding is."""
    if not _is_form(remedy):
        return "" if remedy.encoding or remedy.ground == "program" or remedy.measured else remedy.basis
    kept = study_runs(remedy.task, remedy.label)
    return remedy.measured or ("" if kept is None else kept.result)
