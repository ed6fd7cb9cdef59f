"""What is typed into the playground, read: an expression, an automaton or a program, never a file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from longreach.answers.reach import language_reach
from longreach.answers.verdicts import sides
from longreach.errors import Field, File, InputError, Spot
from longreach.report.web.workers import LiveLimits
from longreach.tasks.outside import ProgramTask
from longreach.tasks.regular import RegularLanguage
from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.files import read_automaton, write_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.budget import Budget
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.program import Program, parse
from longreach.theory.names import AUTOMATON, REGEX, read_letters
from longreach.theory.prove.equivalence import regular_language
from longreach.theory.verdicts.judge import language_sides
from longreach.theory.verdicts.verdict import Verdict

SubjectKind = Literal["regex", "automaton", "program"]
KINDS: tuple[SubjectKind, ...] = get_args(SubjectKind)
READING_SECONDS = 4.0
"""Of computing, to read an expression."""


def check_characters(given: Any, name: str) -> None:
    """Refuse halves of surrogate pairs: JSON can write them, and no text can hold them."""
    if isinstance(given, str) and any("\ud800" <= char <= "\udfff" for char in given):
        raise InputError("contains half of a surrogate pair, which is not a character", place=Field(name))


def plain_message(error: InputError) -> str:
    """What is wrong with what is typed, to somebody who sees it: no file has a part in it.

    >>> plain_message(InputError("unexpected )", place=Spot("<text>", 2, 7)))
    'line 2, column 7: unexpected )'
    """
    match error.place:
        case Spot(line=line, column=column):
            return f"line {line}, column {column}: {error.reason}"
        case File():
            return error.reason
    return error.message


@dataclass(frozen=True)
class Subject:
    """What is looked at.

    >>> Subject("regex", "(aa)*").sides["ape"].answer.value
    'yes'
    """

    kind: SubjectKind
    text: str
    alphabet: tuple[str, ...] | None = None

    @staticmethod
    def read(document: Any, limits: LiveLimits | None = None) -> Subject:
        """The subject of a call; everything in it is checked.

        >>> Subject.read({"kind": "regex", "text": "(aa)*", "alphabet": "ab"}).alphabet
        ('a', 'b')
        """
        limits = limits or LiveLimits()
        if not isinstance(document, dict):
            raise InputError("expected a JSON object with kind and text")
        kind, text, letters = document.get("kind"), document.get("text"), document.get("alphabet")
        for name, given in (("text", text), ("alphabet", letters)):
            check_characters(given, name)
        if kind not in KINDS:
            raise InputError(f"expected one of {', '.join(KINDS)}", place=Field("kind"))
        if not isinstance(text, str) or not text.strip():
            raise InputError("is empty", place=Field("text"))
        if len(text) > limits.text:
            raise InputError(
                f"has {len(text):,} characters; at most {limits.text:,} are read", place=Field("text")
            )
        if letters is not None and not isinstance(letters, str):
            raise InputError("expected letters, as in abc", place=Field("alphabet"))
        if letters and letters.strip():
            if kind != "regex":
                raise InputError("only for an expression", place=Field("alphabet"))
            try:
                return Subject(kind, text, read_letters(letters))
            except InputError as error:
                raise error.at(Field("alphabet")) from None
        return Subject(kind, text)

    @cached_property
    def program(self) -> Program | None:
        """The program that was typed."""
        return parse(self.text) if self.kind == "program" else None

    @cached_property
    def automaton(self) -> Automaton | None:
        """Of the language; of a program where one was found and proved."""
        if self.program is not None:
            return regular_language(simplify(self.program.core))
        budget = Budget(seconds=READING_SECONDS).running()
        if self.kind == "regex":
            return from_expression(self.text, self.alphabet, budget)
        return read_automaton(self.text, budget)

    @cached_property
    def task(self) -> RegularLanguage | ProgramTask:
        """The task to be learned, under a name by which another process finds it without a file."""
        if self.program is not None:
            return ProgramTask("the program", self.program)
        assert self.automaton is not None
        if not self.automaton.accepting:
            raise InputError("no word fits: the language is empty")
        return RegularLanguage(self.kind, self.automaton)

    @cached_property
    def task_name(self) -> str:
        """The name by which the task is trained."""
        task = self.task
        if isinstance(task, ProgramTask):
            return task.self_contained
        return REGEX + self.text if self.kind == "regex" else AUTOMATON + write_automaton(task.automaton)

    @cached_property
    def sides(self) -> dict[str, Verdict]:
        """The verdicts, as `longreach forecast` has them."""
        if self.program is not None:
            return sides(self.task, self.task_name, True)
        assert self.automaton is not None
        found = language_sides(self.automaton, trained=True)
        return found | {"reach": language_reach(self.automaton, trained=True)}

    def written_program(self, side: str) -> Program | str:
        """The program of a side, or why there is none."""
        if self.program is not None:
            return self.program
        if side not in ("nope", "ape"):
            raise InputError("expected nope or ape", place=Field("side"))
        verdict = self.sides[side]
        for proof in (verdict.proof, verdict.trained_proof):  # one that decides before one that predicts
            if proof.program is not None:
                return proof.program
        return verdict.proof.not_written or "no program of this class decides it"
