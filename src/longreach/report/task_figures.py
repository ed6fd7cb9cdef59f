"""The drawings of a task: its automaton, and the attention of a program for it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from longreach.crasp.core import Core
from longreach.crasp.library import ENTRIES, load
from longreach.crasp.program import Program
from longreach.crasp.words import Encoder
from longreach.errors import InputError
from longreach.forecast.certificate_explainers import language_name
from longreach.forecast.task_certificates import ReductionCertificate
from longreach.languages.regular.automaton import Automaton
from longreach.languages.regular.automaton_documents import table_automaton
from longreach.languages.regular.automaton_drawing import to_svg
from longreach.report.attention_svg import MOST_WIDTH, head_views
from longreach.report.text import plural
from longreach.report.view import AttentionView
from longreach.tasks.language_task import LanguageTask, RegularLanguage
from longreach.tasks.state_task import StateTask
from longreach.tasks.task import Task
from longreach.verdicts.verdict import CertificateDocument

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
    states = plural(len(automaton), "state")
    if len(automaton) > MOST_STATES:
        return None, ""
    return to_svg(automaton, title, part=part), f"{note}: {states}, those with two rings accept."


def attention_view(task: Task | None, programs: Sequence[Program]) -> AttentionView | None:
    """The attention of the first program that is small enough, on an example of the task."""
    if task is None or not programs:
        return None
    word = example_word(task) if isinstance(task, LanguageTask) else _example(task)
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


def example_word(task: LanguageTask) -> list[str] | None:
    """A word of the language."""
    for length in EXAMPLE_LENGTHS:
        if bool(task.has(np.array([length]))[0]):
            return liveliest([words[1:] for words in _draw(task, length)])
    return None


def _example(task: Task) -> list[str] | None:
    """An input of a task with its answer, as the model reads it."""
    for length in (6, 5, 4, 3):
        if bool(task.has(np.array([length]))[0]):
            return liveliest(_draw(task, length))
    return None


def _draw(task: Task, length: int) -> list[list[str]]:
    """Some examples of a length, as the model reads them; the same ones every time."""
    batch = task.sample([length] * TRIED, np.random.default_rng(0))
    rows = zip(batch.tokens.tolist(), batch.sizes.tolist(), strict=True)
    return [task.decode(tokens[:size]) for tokens, size in rows]


def liveliest(words: list[list[str]]) -> list[str]:
    """The first with the most different pairs of neighbours: it shows more than a constant one."""
    return max(words, key=lambda word: len(set(pairwise(word))))
