"""An automaton with answer classes → the verdicts: yes where the language of every class has a program.

At each position of any word a program must say the class of the word so far, which is membership in the
languages of all classes, read at the last letter. A program that says all classes decides each of them, and
programs for all of them, side by side, say the class.
"""

from __future__ import annotations

import math
from dataclasses import replace

from longreach.config.task_name import AUTOMATON, SLUG
from longreach.crasp.closure.transform import predictor_of
from longreach.crasp.program import Program, raise_core
from longreach.crasp.readable import tidy_statements
from longreach.forecast.program_to_verdict import task_program_certificate
from longreach.forecast.reduction_to_verdict import no_by_reduction
from longreach.languages.program_class import SIDES
from longreach.languages.prove.language_certificates import NoCertificate
from longreach.languages.regular.automaton import Automaton
from longreach.languages.regular.automaton_documents import write_automaton
from longreach.tasks.evidence import Reduction
from longreach.tasks.labelled_language import LabelledLanguage
from longreach.verdicts.automaton_to_verdicts import judge
from longreach.verdicts.verdict import (
    Answer,
    CertificateDocument,
    Proof,
    Verdict,
    same_answers,
    undecided,
)


def class_sides(task: LabelledLanguage, name: str, trusted: bool) -> dict[str, Verdict]:
    """The sides of a task with answer classes.

    >>> from longreach.languages.regular.labelled_automaton import labelled
    >>> machine = labelled("ab", [[1, 0], [2, 1], [0, 2]], 0, ["zero", "one", "two"])
    >>> class_sides(LabelledLanguage("mine", machine), "mine", True)["ape"].reason[:36]
    "the class 'zero' is out of reach: lo"
    """
    languages = {label: task.machine.language(label) for label in task.machine.classes}
    judged = {label: judge(language).sides for label, language in languages.items()}
    return {
        key: _side(
            task, name, key, languages, {label: sides[key] for label, sides in judged.items()}, trusted
        )
        for key in SIDES
    }


def _side(
    task: LabelledLanguage,
    name: str,
    key: str,
    languages: dict[str, Automaton],
    verdicts: dict[str, Verdict],
    trusted: bool,
) -> Verdict:
    for label, verdict in verdicts.items():
        if verdict.answer is Answer.NO:
            return _no(task, name, key, label, languages[label], verdict, trusted)
    for label, verdict in verdicts.items():
        if verdict.answer is Answer.UNDECIDED:
            return undecided(SIDES[key], f"the class {label!r}: {verdict.reason}")
    at_end = [verdict.end_of_sequence for verdict in verdicts.values()]
    worst = next((each for each in (Answer.NO, Answer.UNDECIDED) if each in at_end), Answer.YES)
    return replace(_yes(name, key, task, verdicts), end_of_sequence=worst)


def _no(
    task: LabelledLanguage,
    name: str,
    key: str,
    label: str,
    language: Automaton,
    verdict: Verdict,
    trusted: bool,
) -> Verdict:
    called = f"class-{label}" if SLUG.fullmatch(f"class-{label}") else None
    return no_by_reduction(
        task,
        name,
        key,
        language=AUTOMATON + write_automaton(language, called),
        automaton=language,
        reduction=Reduction(
            {letter: letter for letter in language.alphabet},
            (),
            label,
            f"the words of the class {label!r} are a regular language, which a program would decide",
        ),
        certificate=verdict.certificate,
        reason=f"the class {label!r} is out of reach: {verdict.reason}",
        trusted=trusted,
        say=lambda: f"answer {label!r}: {verdict.proof.clause}",
    )


def _yes(name: str, key: str, task: LabelledLanguage, verdicts: dict[str, Verdict]) -> Verdict:
    def write() -> Program | str:
        programs: dict[str, Program] = {}
        for label, verdict in verdicts.items():
            if verdict.program is None:
                return f"the class {label!r}: {verdict.not_written}"
            programs[label] = verdict.program
        joined = predictor_of({label: program.core for label, program in programs.items()})
        return tidy_statements(raise_core(joined))

    def certify() -> CertificateDocument:
        program = write()
        if isinstance(program, str):
            return NoCertificate(reason=f"the program is not written: {program}")
        return task_program_certificate(name, key, program)

    count = len(verdicts)
    hardest = max(verdicts, key=lambda label: _needs(verdicts[label]))
    known = all(verdict.window is not None for verdict in verdicts.values())
    proof = Proof(
        reason=verdicts[hardest].reason if count == 1 else f"every class: {verdicts[hardest].reason}",
        certify=certify,
        write=write,
        window=max(verdict.window or 0 for verdict in verdicts.values()) if known else None,
        modulus=_multiple(verdicts) if known else None,
        depth=max(verdict.depth or 0 for verdict in verdicts.values()) if known else None,
        say=lambda: verdicts[hardest].proof.clause or "",
        weigh=lambda: verdicts[hardest].proof.basis or "",
    )
    return same_answers(SIDES[key], Answer.YES, proof)


def _needs(verdict: Verdict) -> tuple[int, int, int]:
    return verdict.window or 0, verdict.modulus or 1, verdict.depth or 0


def _multiple(verdicts: dict[str, Verdict]) -> int:
    return math.lcm(*(verdict.modulus or 1 for verdict in verdicts.values()))
