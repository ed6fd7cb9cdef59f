"""What the playground shows of a subject, part by part, each as a document of its own.

The parts are asked for one by one, so that what is quick is there while the rest is still computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from longreach.answers.kinds import kind_of
from longreach.answers.odds import USUAL_LENGTH, OddsRow, odds_words, task_odds
from longreach.config.encodings import side_title
from longreach.errors import Field, InputError
from longreach.report.forecast_view import (
    EXAMPLE_LENGTHS,
    MOST_HEADS,
    MOST_WIDTH,
    example_word,
    head_views,
    liveliest,
    program_view,
)
from longreach.report.web.subject import Subject, check_characters
from longreach.report.web.workers import LiveLimits
from longreach.report.words import sentence_case
from longreach.tasks.regular import RegularLanguage
from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.drawing import to_svg
from longreach.theory.budget import Budget
from longreach.theory.certificates.documents import FlowCertificate
from longreach.theory.certificates.tables import table_automaton
from longreach.theory.crasp.evaluate import accepts
from longreach.theory.crasp.program import Program, raise_core
from longreach.theory.crasp.words import Encoder, encode
from longreach.theory.decide.without_positions import plain_analysis
from longreach.theory.names import TaskName
from longreach.theory.program_class import ENCODING_SIDES, PROGRAM_SIDES
from longreach.theory.prove.induction import rightness
from longreach.theory.shares.determinacy import profiles
from longreach.theory.shares.summaries import Summary
from longreach.theory.verdicts.verdict import Answer, Verdict
from longreach.wording import counted, spelled, visible

POTENTIAL_SECONDS = 3.0
NAMED = 3
"""States of a class that are named one by one; a larger class has a letter."""


@dataclass(frozen=True, kw_only=True)
class PotentialNotes:
    """Notes by state, and the letters in them."""

    below: Mapping[int, str]
    classes: Mapping[str, tuple[int, ...]]
    """For each letter the states that no count can tell from each other."""

    @property
    def legend(self) -> str:
        """The letters in words.

        >>> PotentialNotes(below={}, classes={"A": (0, 1, 2, 5)}).legend
        'A: the states 0–2, 5.'
        """
        return "; ".join(f"{letter}: the states {_ranges(each)}" for letter, each in self.classes.items()) + (
            "." if self.classes else ""
        )


def potential_notes(automaton: Automaton) -> PotentialNotes:
    """The potentials of the states of each loop, without positions, and which of them are alike.

    >>> potential_notes(from_expression("(ab)*", "ab")).below
    {0: '0', 1: '1'}
    >>> potential_notes(from_expression("(aa)*")).below
    {0: '≈ 1', 1: '≈ 0'}
    >>> potential_notes(from_expression("(aaaa)*"))
    PotentialNotes(below={0: '≈ A', 1: '≈ A', 2: '≈ A', 3: '≈ A'}, classes={'A': (0, 1, 2, 3)})
    """
    analysis = plain_analysis(automaton, Budget(seconds=POTENTIAL_SECONDS).running())
    live = set(automaton.live)
    letters = _letters()
    notes: dict[int, str] = {}
    named: dict[str, tuple[int, ...]] = {}
    for component in analysis.components:
        states = [analysis.extended.states[state].state for state in component.states]
        if len(states) < 2 or not set(states) <= live:
            continue
        columns = [each.values for step in component.refinement.rounds for each in step.potentials]
        classes: dict[int, list[int]] = {}
        for vertex, state in enumerate(states):
            notes[state] = ", ".join(str(column[vertex]) for column in columns)
            classes.setdefault(component.refinement.classes[vertex], []).append(state)
        for alike in classes.values():
            if len(alike) > NAMED:
                letter = next(letters)
                named[letter] = tuple(sorted(alike))
            for state in alike if len(alike) > 1 else ():
                others = (
                    letter if len(alike) > NAMED else ", ".join(str(each) for each in alike if each != state)
                )
                notes[state] = f"{notes[state]} ≈ {others}".strip()
    return PotentialNotes(below=dict(sorted(notes.items())), classes=named)


def _letters() -> Iterator[str]:
    number = 0
    while True:
        yield chr(ord("A") + number % 26) * (number // 26 + 1)
        number += 1


def _ranges(states: Sequence[int]) -> str:
    starts = [states[0], *(each for before, each in pairwise(states) if each != before + 1)]
    ends = [*(before for before, each in pairwise(states) if each != before + 1), states[-1]]
    both = zip(starts, ends, strict=True)
    return ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in both)


Document: TypeAlias = dict[str, Any]
MOST_STATES = 40
"""Of an automaton that is drawn."""
LENGTHS = range(1, 61)
FAMILY = (
    *(Summary(window=k) for k in (1, 2, 4, 8)),
    *(Summary(modulus=m) for m in (2, 3, 4)),
    *(Summary(clip=c) for c in (2, 4)),
)
"""Summaries of which the profile is drawn."""
PROFILE_NODES = 40_000
MANY_HEADS = 100
"""That are drawn when all are asked for."""
PROOF_SECONDS = 3.0
BRACKETS = "In brackets: 95 % intervals."
AS_IT_IS = ("svg", "word")
"""Fields that are not shown as text."""
TASK = "task"
"""The part that trainings ask for: the name by which another process finds the task. No page shows it."""
DRAWN = 400
"""Words of a length that are drawn to find one that a program accepts."""
REPEATED = 12
"""How often a loop is repeated in the words that are shown."""


def part_of(name: str, document: Any) -> Document:
    """One part of what is shown of the subject in a call.

    >>> found = part_of("verdicts", {"kind": "regex", "text": "(aa)*"})
    >>> [side["expectation"] for side in found["sides"]]
    ['expected to fail', 'expected to work', 'expected to work']
    """
    if name not in PARTS and name != TASK:
        raise InputError(f"no part named {name!r}; there are {', '.join(PARTS)}", place=Field("part"))
    subject = _kept(Subject.read(document))
    if name == TASK:
        return {"task": subject.task_name}
    found: Document = _visible(PARTS[name](subject, document))
    return found


def _visible(value: Any, name: str = "") -> Any:
    """A document whose texts show all that is in them."""
    if isinstance(value, dict):
        return {key: _visible(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [_visible(each, name) for each in value]
    return visible(value) if isinstance(value, str) and name not in AS_IT_IS else value


@lru_cache(maxsize=32)
def _kept(subject: Subject) -> Subject:
    """The same subject as before, with what was computed of it."""
    return subject


def _verdicts(subject: Subject, document: Mapping[str, Any]) -> Document:
    task = subject.task
    automaton = subject.automaton
    about = task.about
    if automaton is not None and subject.program is None:
        about = f"words over {' '.join(automaton.alphabet)}, {counted(len(automaton), 'state')}"
    title = "automaton" if subject.kind == "automaton" else TaskName(subject.task_name).expression
    return {
        "title": "program" if subject.program is not None else title,
        "about": about,
        "sides": [_side(key, subject.sides[key]) for key in ENCODING_SIDES],
    }


def _side(key: str, verdict: Verdict) -> Document:
    return {
        "encoding": key,
        "title": side_title(key),
        "answer": verdict.trained.value,
        "membership": verdict.answer.value,
        "expectation": verdict.trained.expectation,
        "clause": sentence_case(verdict.clause),
        "basis": sentence_case(verdict.basis),
        "class": str(verdict.program_class),
        "reason": verdict.reason,
    }


def _odds(subject: Subject, document: Mapping[str, Any]) -> Document:
    if not isinstance(subject.task, RegularLanguage):
        return {"rows": [], "reason": "known for regular languages only"}
    found = task_odds(subject.task, subject.sides, trained_to=[USUAL_LENGTH])
    rows = [row.document() | {"words": _odds_words(row, subject.sides)} for row in found.rows]
    setting = None if found.model is None else found.model.setting
    return {
        "rows": rows,
        "reason": found.reason,
        "setting": setting,
        "note": BRACKETS if any("(" in row["words"] for row in rows) else "",
    }


def _odds_words(row: OddsRow, sides: Mapping[str, Verdict]) -> str:
    """With what the odds are of, and why they may look unlike the verdict."""
    tested = f"{row.tested.first}–{row.tested.last}"
    said = f"Odds that one run trained to {row.trained_to} works at {tested}: {odds_words(row.odds)}."
    answer = sides[row.encoding].trained if row.encoding in sides else None
    if answer is Answer.YES and row.odds.probability < 0.5:
        return f"{said} A program exists, but training rarely finds it."
    if answer is Answer.NO and row.odds.probability > 0.5:
        return f"{said} No program is right at every length, but a run may be right at these."
    return said


def _automaton(subject: Subject, document: Mapping[str, Any]) -> Document:
    automaton = subject.automaton
    if automaton is None or len(automaton) > MOST_STATES:
        note = "No automaton for the language of the program was found and proved."
        if automaton is not None:
            note = f"{len(automaton)} states; at most {MOST_STATES} are drawn"
        return {"svg": None, "table": None, "note": note}
    notes = potential_notes(automaton)
    said = ["States with two rings accept; pale states can no longer accept."]
    if notes.below:
        said.append("Labels are the potentials that counting knows;")
        said.append("≈ marks states that no count can tell apart.")
    return {
        "svg": to_svg(automaton, "the minimal automaton", part="automaton", notes=notes.below),
        "table": _table(automaton, notes.below),
        "note": " ".join([*said, notes.legend]).strip(),
    }


def _table(automaton: Automaton, notes: Mapping[int, str]) -> Document:
    """The drawing as a table, for readers who cannot see it."""
    rows = [
        {
            "state": state,
            "moves": list(row),
            "accepts": state in automaton.accepting,
            "note": notes.get(state, ""),
        }
        for state, row in enumerate(automaton.transitions)
    ]
    return {"letters": list(automaton.alphabet), "rows": rows}


def _program(subject: Subject, document: Mapping[str, Any]) -> Document:
    if subject.program is not None:
        return {"programs": [_written("in core operations", raise_core(subject.program.core), None)]}
    programs: list[Document] = []
    for key in PROGRAM_SIDES:
        found = subject.written_program(key)
        if isinstance(found, str):
            programs.append({"side": key, "title": side_title(key), "text": None, "reason": found})
        else:
            programs.append({"side": key} | _written(side_title(key), found, subject.automaton))
    return {"programs": programs}


def _written(title: str, program: Program, automaton: Automaton | None) -> Document:
    proof = None
    if automaton is not None:
        proof = str(rightness(program.core, automaton, budget=Budget(seconds=PROOF_SECONDS).running()))
    return {"title": title, **program_view(program)._asdict(), "proof": proof}


def _word(document: Mapping[str, Any]) -> str:
    word = document.get("word", "")
    if not isinstance(word, str):
        raise InputError("expected a string", place=Field("word"))
    check_characters(word, "word")
    if len(word) > 20 * LiveLimits().word:
        raise InputError(f"is too long; at most {LiveLimits().word} letters are shown", place=Field("word"))
    return word


def _tokens(program: Program, document: Mapping[str, Any]) -> list[str]:
    tokens = Encoder(program.core).split(_word(document))
    if len(tokens) > LiveLimits().word:
        raise InputError(f"{len(tokens)} letters; at most {LiveLimits().word} are shown", place=Field("word"))
    Encoder(program.core).tokens(tokens)  # letters of another alphabet are refused
    return tokens


def _chosen(subject: Subject, document: Mapping[str, Any]) -> Program | str:
    """The program of the side that is asked for; by default the first that has one."""
    side = document.get("side")
    if side is not None:
        return subject.written_program(str(side))
    found = [subject.written_program(key) for key in PROGRAM_SIDES]
    return next((each for each in found if isinstance(each, Program)), found[0])


def _trace(subject: Subject, document: Mapping[str, Any]) -> Document:
    program = _chosen(subject, document)
    if isinstance(program, str):
        return {"rows": None, "reason": program}
    traced = program.trace(_tokens(program, document))
    return {
        "tokens": list(traced.tokens),
        "positions": list(traced.positions),
        "rows": [
            {
                "text": row.text,
                "result": row.is_result,
                "boolean": row.is_boolean,
                "values": list(map(str, row.values)),
            }
            for row in traced.rows
        ],
        "accepted": traced.accepted,
        "predicted": [list(each) for each in traced.predicted],
    }


def _attention(subject: Subject, document: Mapping[str, Any]) -> Document:
    program = _chosen(subject, document)
    if isinstance(program, str):
        return {"heads": [], "number": 0, "reason": program}
    if program.core.size > MOST_WIDTH:
        return {"heads": [], "number": 0, "reason": "the program is too large for maps that can be read"}
    most = MANY_HEADS if document.get("all") is True else MOST_HEADS
    heads, number = head_views(program.core, _tokens(program, document), "word", most=most)
    said = None if heads else "the program counts nothing, so its transformer attends to nothing"
    return {"heads": [each._asdict() for each in heads], "number": number, "reason": said}


def _profile(subject: Subject, document: Mapping[str, Any]) -> Document:
    if subject.automaton is None or not subject.automaton.accepting:
        return {
            "lines": [],
            "reason": "Known for regular languages only; this program's is not known to be regular.",
        }
    found = profiles(subject.automaton, FAMILY, LENGTHS, most_nodes=PROFILE_NODES)
    lines = [
        {"summary": str(each.summary), "values": list(each.probabilities), "exhausted": each.exhausted}
        for each in found
    ]
    return {"lengths": list(LENGTHS), "lines": lines, "reason": None}


def _fooling(subject: Subject, document: Mapping[str, Any]) -> Document:
    found = []
    for key in PROGRAM_SIDES:
        verdict = subject.sides[key]
        if verdict.trained.value != "no":
            continue
        certificate = verdict.trained_proof.certificate
        pair = fooling_pair(certificate) if isinstance(certificate, FlowCertificate) else None
        lines = list(kind_of(certificate).explain(certificate))
        found.append({"side": key, "title": side_title(key), "lines": lines, "pair": pair})
    return {"sides": found}


def fooling_pair(certificate: FlowCertificate) -> Document | None:
    """Two long words that begin alike, and which of them is in the language.

    How often loops must be repeated depends on the program that is to be fooled; here it is a fixed number.
    """
    automaton = table_automaton(certificate.automaton)
    words = certificate.words
    middle = [letter for loop in words.loops for letter in loop] * REPEATED
    both = [(*words.before, *middle, *part, *words.after) for part in (words.first, words.second)]
    inside = [automaton.run(word, 0) in automaton.accepting for word in both]
    if inside[0] == inside[1]:
        return None
    return {"words": [spelled(word) for word in both], "inside": inside, "repeated": REPEATED}


def _example(subject: Subject, document: Mapping[str, Any]) -> Document:
    """A word to begin with: a lively one of the language."""
    found = None if subject.program is None else accepted_word(subject.program)
    return {"word": spelled(found or example_word(subject.task) or [])}


def accepted_word(program: Program) -> list[str] | None:
    """A word that an acceptor accepts, where one of those that are drawn is.

    >>> from longreach.theory.crasp.library import load
    >>> load("dyck-1").accepts(accepted_word(load("dyck-1")) or ")")
    True
    """
    core, random = program.core, np.random.default_rng(0)
    if core.is_predictor or not core.alphabet:
        return None
    for length in EXAMPLE_LENGTHS:
        drawn = random.integers(len(core.alphabet), size=(DRAWN, length)).tolist()
        words = [[core.alphabet[letter] for letter in word] for word in drawn]
        inside = accepts(core, [encode(core, word) for word in words])
        if inside.any():
            return liveliest([word for word, is_in in zip(words, inside, strict=True) if is_in])
    return None


PARTS: dict[str, Callable[[Subject, Mapping[str, Any]], Document]] = {
    "verdicts": _verdicts,
    "odds": _odds,
    "automaton": _automaton,
    "program": _program,
    "example": _example,
    "trace": _trace,
    "attention": _attention,
    "profile": _profile,
    "fooling": _fooling,
}
"""By name, in the order in which the page shows them."""
