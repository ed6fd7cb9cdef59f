"""A program that solves a task → the verdict "yes"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from longreach.crasp.library import load, load_program
from longreach.crasp.program import Program
from longreach.forecast.task_certificates import TaskProgramCertificate
from longreach.forecast.task_program_checker import TRIED, try_program, wrong_prediction
from longreach.languages.program_class import SIDES
from longreach.tasks.evidence import Evidence
from longreach.tasks.task import EOS, SEP, Task
from longreach.verdicts.plain_words import plainly
from longreach.verdicts.verdict import Answer, Proof, Verdict, same_answers, undecided

NOT_ASKED = "was not asked: the program is read at the last token"
MOST_OPERATIONS = 5_000
"""Larger programs take longer to try than a forecast may."""


def by_program(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Verdict:
    """The program that the evidence names, tried on examples unless the task is trusted."""
    assert evidence.name is not None
    outside = evidence.name.startswith("lib:") or evidence.name.endswith(".cr")
    program = _for_layout((load_program if outside else load)(evidence.name), task)
    if key == "nope" and program.core.relations:
        return undecided(SIDES[key], f"the program named as evidence is in {program.core.class_name}")
    wrong = None if trusted else wrong_prediction(task, program)
    if wrong is not None:
        return undecided(SIDES[key], f"the program named as evidence does not solve the task: {wrong}")
    return program_verdict(name, key, evidence.reason, program, weigh=lambda: _tried(task, program))


def _tried(task: Task, program: Program) -> str:
    """On examples of the task: a program for it is proved by nobody's code."""
    if program.core.size > MOST_OPERATIONS:
        return "program, argument of the literature"
    wrong, _, longest = try_program(task, program, TRIED)
    return "program, found wrong" if wrong is not None else f"program, tried to length {longest}"


def _for_layout(program: Program, task: Task) -> Program:
    """Where the answer is written again and again, SEP stands for the end."""
    if task.kind == "language" or EOS in task.tokens or SEP not in task.tokens:
        return program
    ended = (
        replace(each, name=SEP) if each.is_output and each.name == EOS else each
        for each in program.statements
    )
    return replace(program, statements=tuple(ended))


def task_program_certificate(name: str, key: str, program: Program) -> TaskProgramCertificate:
    """What says that a program of the side's class solves the task."""
    core = program.core
    return TaskProgramCertificate(
        program_class=SIDES[key],
        task=name,
        program=program.text,
        size=core.size,
        depth=core.depth,
        window=core.locality,
        modulus=core.modulus,
    )


def program_verdict(
    name: str, key: str, reason: str, program: Program, weigh: Callable[[], str] | None = None
) -> Verdict:
    """A yes, certified by the program."""
    core = program.core
    proof = Proof(
        reason=reason,
        certify=lambda: task_program_certificate(name, key, program),
        write=lambda: program,
        window=core.locality,
        modulus=core.modulus,
        depth=core.depth,
        say=lambda: plainly(reason) or _clause(program),
        weigh=weigh,
    )
    verdict = same_answers(SIDES[key], Answer.YES, proof)
    if key == "ape":
        return verdict
    # With local relations a program can look one token back from the end; without, nothing is said of that.
    note = f"reading after the last token {NOT_ASKED}"
    return replace(verdict, end_of_sequence=Answer.UNDECIDED, note=note)


def _clause(program: Program) -> str:
    """What the program looks at."""
    core = program.core
    looks = []
    if core.locality:
        looks.append(f"the last {core.locality + 1} symbols")
    if core.modulus > 1:
        looks.append(f"the position modulo {core.modulus}")
    if core.depth:
        looks.append("counts")
    if not looks:
        return "a program does it by the last symbol alone"
    joined = " and ".join(looks) if len(looks) < 3 else f"{', '.join(looks[:-1])} and {looks[-1]}"
    return f"a program does it by {joined}"
