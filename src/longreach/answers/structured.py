"""Verdicts for tasks made of automata or programs: answer classes, states, and C-RASP programs.

At each position of any word a program must say the class of the word so far, which is membership in the
languages of all classes, read at the last letter. A program that says all classes decides each of them, and
programs for all of them, side by side, say the class.

On prefixes of words of the language there is a program for the state exactly if there is one for the legal
next symbols. The state determines them; and the criterion for them is that what a program sees determines the
next state. Read after each letter, it is the same question about words with SEP behind each letter, which is
that of reading after the last letter, asked of all prefixes (docs/languages-proofs.md).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from longreach.answers.finders import NOT_ASKED, no_by_reduction, program_verdict, task_program_certificate
from longreach.tasks.outside import ProgramTask
from longreach.tasks.regular import LabelledLanguage, StateTask
from longreach.tasks.task import IntArray, Reduction, image
from longreach.theory.automata.automaton import Automaton, LabelledAutomaton, Word
from longreach.theory.automata.files import write_automaton
from longreach.theory.budget import OverBudget
from longreach.theory.certificates.documents import NoCertificate
from longreach.theory.crasp.program import Program, raise_core, tidy_statements
from longreach.theory.crasp.transform import predictor_of
from longreach.theory.decide.decisions import ClassDecision, decide
from longreach.theory.names import AUTOMATON, SLUG
from longreach.theory.program_class import EMPTY, PROGRAM_SIDES, SIDES
from longreach.theory.prove.equivalence import regular_language
from longreach.theory.verdicts.basis import announcer_basis
from longreach.theory.verdicts.explain import explain, explain_at_end
from longreach.theory.verdicts.judge import LanguageVerdicts, judge, language_sides
from longreach.theory.verdicts.verdict import (
    NOT_WRITTEN,
    Answer,
    CertificateDocument,
    Proof,
    Ruling,
    Verdict,
    same_answers,
    undecided,
)
from longreach.theory.write.programs import announcer
from longreach.wording import spelled


def structured_sides(
    task: ProgramTask | LabelledLanguage | StateTask, name: str, trusted: bool
) -> dict[str, Verdict]:
    """The sides of such a task; `name` is how it is found."""
    if isinstance(task, ProgramTask):
        return program_sides(task)
    if isinstance(task, LabelledLanguage):
        return class_sides(task, name, trusted)
    return state_sides(task, name)


def class_sides(task: LabelledLanguage, name: str, trusted: bool) -> dict[str, Verdict]:
    """The sides of a task with answer classes.

    >>> from longreach.theory.automata.automaton import labelled
    >>> machine = labelled("ab", [[1, 0], [2, 1], [0, 2]], 0, ["zero", "one", "two"])
    >>> class_sides(LabelledLanguage("mine", machine), "mine", True)["ape"].reason[:36]
    "the class 'zero' is out of reach: lo"
    """
    if task.machine.table.size > SMALL and (hidden := hidden_count(task.machine)) is not None:
        found = _sides_by_hidden_count(task, name, hidden, trusted)
        if found is not None:
            return found
    languages: dict[str, Automaton] = {}
    judged: dict[str, dict[str, Verdict]] = {}
    for label in task.machine.classes:
        languages[label] = task.machine.language(label)
        judged[label] = judge(languages[label]).sides
        # One class that is out of reach is enough.
        if all(any(sides[key].answer is Answer.NO for sides in judged.values()) for key in SIDES):
            break
    return {
        key: _verdict_of_classes(
            task, name, key, languages, {label: sides[key] for label, sides in judged.items()}, trusted
        )
        for key in SIDES
    }


SMALL = 100
"""Moves of an automaton up to which all of it is decided at once."""
LONGEST_IMAGE, MOST_IMAGES = 6, 2000
"""Letters of the two words of a hidden count, and how many words of one length are looked at."""


def hidden_count(machine: LabelledAutomaton) -> tuple[Word, Word] | None:
    """Two words of one length, the first of which leads every state back to itself, while the second moves
    states in cycles: how often the second stands among them is counted modulo a number.

    >>> from longreach.tasks.groups import word_problem
    >>> hidden_count(word_problem("A5").machine), hidden_count(word_problem("S3", True).machine)
    ((('12345',), ('12453',)), (('213', '213'), ('213', '231')))
    """
    table, same = machine.table, np.arange(len(machine))
    words: dict[bytes, tuple[Word, IntArray]] = {same.tobytes(): ((), same)}
    for _ in range(LONGEST_IMAGE):
        longer: dict[bytes, tuple[Word, IntArray]] = {}
        for word, moves in words.values():
            for letter, symbol in enumerate(machine.alphabet):
                moved = table[moves, letter]
                longer.setdefault(moved.tobytes(), ((*word, symbol), moved))
        if len(longer) > MOST_IMAGES:
            return None
        words = longer
        still = words.get(same.tobytes())
        turning = (word for word, moves in words.values() if _turns(moves))
        turn = next(turning, None)
        if still is not None and turn is not None:
            return still[0], turn
    return None


def _turns(moves: IntArray) -> bool:
    """Whether it is a permutation that moves the first state, and so changes its class now and then."""
    return bool(moves[0] != 0 and len(np.unique(moves)) == len(moves))


def _sides_by_hidden_count(
    task: LabelledLanguage, name: str, words: tuple[Word, Word], trusted: bool
) -> dict[str, Verdict] | None:
    """A no for every side, from words made of these two alone; None if that is not one."""
    names = [word[0] if len(word) == 1 else letter for word, letter in zip(words, "ba", strict=True)]
    images = {letter: word[0] if len(word) == 1 else word for letter, word in zip(names, words, strict=True)}
    label = task.machine.outputs[0]
    language = task.continuation(images, (), label)
    if language is None:
        return None
    judged = judge(language)
    if any(judged.sides[key].answer is not Answer.NO for key in SIDES):
        return None
    still, turn = (spelled(word) for word in words)
    about = f"of words made of {still} and {turn} a program would tell whether their class is {label!r}"
    called = f"count-{names[1]}" if SLUG.fullmatch(f"count-{names[1]}") else None
    shown = {letter: spelled(image(images, [letter])) for letter in names}

    def side(key: str) -> Verdict:
        decision = getattr(judged.decisions, key)
        return no_by_reduction(
            task,
            name,
            key,
            language=AUTOMATON + write_automaton(language, called),
            automaton=language,
            reduction=Reduction(images, (), label, about),
            certificate=judged.sides[key].certificate,
            reason=f"the class {label!r} is out of reach: {turn} among {still} is counted modulo a number",
            trusted=trusted,
            say=lambda: f"answer {label!r}: {explain(decision).short(shown)}",
        )

    return {key: side(key) for key in SIDES}


def _verdict_of_classes(
    task: LabelledLanguage,
    name: str,
    key: str,
    languages: dict[str, Automaton],
    verdicts: dict[str, Verdict],
    trusted: bool,
) -> Verdict:
    no = next((label for label, verdict in verdicts.items() if verdict.answer is Answer.NO), None)
    if no is not None:
        language, verdict = languages[no], verdicts[no]
        called = f"class-{no}" if SLUG.fullmatch(f"class-{no}") else None
        about = f"the words of the class {no!r} are a regular language, which a program would decide"
        return no_by_reduction(
            task,
            name,
            key,
            language=AUTOMATON + write_automaton(language, called),
            automaton=language,
            reduction=Reduction({letter: letter for letter in language.alphabet}, (), no, about),
            certificate=verdict.certificate,
            reason=f"the class {no!r} is out of reach: {verdict.reason}",
            trusted=trusted,
            say=lambda: f"answer {no!r}: {verdict.proof.clause}",
        )
    for label, verdict in verdicts.items():
        if verdict.answer is Answer.UNDECIDED:
            return undecided(SIDES[key], f"the class {label!r}: {verdict.reason}")
    found = same_answers(SIDES[key], Answer.YES, _programs_for_classes(name, key, verdicts))
    if SIDES[key] != EMPTY:
        return found  # a program looks one letter back from the end
    rulings = {label: verdict.at_end for label, verdict in verdicts.items()}
    hard = next((ruling for ruling in rulings.values() if ruling.answer is not Answer.YES), None)
    at_end = hard or Ruling(Answer.YES, lambda: _at_end_of_classes(name, key, rulings))
    return replace(found, at_end=at_end, beside=(("end_of_sequence", at_end),))


def _at_end_of_classes(name: str, key: str, rulings: dict[str, Ruling]) -> Proof:
    """One program for all classes, read after the last letter."""
    programs = {label: ruling.proof.outcome for label, ruling in rulings.items()}
    written = {label: each.core for label, each in programs.items() if isinstance(each, Program)}
    missing = next(
        (f"the class {label!r}: {each}" for label, each in programs.items() if label not in written), None
    )

    def certify() -> CertificateDocument:
        if missing is not None:
            return NoCertificate(reason=f"the program is not written: {missing}")
        joined = tidy_statements(raise_core(predictor_of(written)))
        return task_program_certificate(name, key, joined, convention="end-of-sequence")

    return Proof(reason=next(iter(rulings.values())).proof.reason, certify=certify)


def _programs_for_classes(name: str, key: str, verdicts: dict[str, Verdict]) -> Proof:
    def write() -> Program | str:
        programs: dict[str, Program] = {}
        for label, verdict in verdicts.items():
            if verdict.program is None:
                return f"the class {label!r}: {verdict.proof.not_written}"
            programs[label] = verdict.program
        joined = predictor_of({label: program.core for label, program in programs.items()})
        return tidy_statements(raise_core(joined))

    def certify() -> CertificateDocument:
        program = write()
        if isinstance(program, str):
            return NoCertificate(reason=f"the program is not written: {program}")
        return task_program_certificate(name, key, program)

    count = len(verdicts)
    proofs = [verdict.proof for verdict in verdicts.values()]
    hardest = max(proofs, key=lambda each: (each.window or 0, each.modulus or 1, each.depth or 0))
    known = all(each.window is not None for each in proofs)
    return Proof(
        reason=hardest.reason if count == 1 else f"every class: {hardest.reason}",
        certify=certify,
        write=write,
        window=max(each.window or 0 for each in proofs) if known else None,
        modulus=math.lcm(*(each.modulus or 1 for each in proofs)) if known else None,
        depth=max(each.depth or 0 for each in proofs) if known else None,
        say=lambda: hardest.clause or "",
        weigh=lambda: hardest.basis or "",
    )


def state_sides(task: StateTask, name: str) -> dict[str, Verdict]:
    """The sides of a task that asks for states; `name` is how it is found.

    >>> names = ("states:(a|b)*b", "states-after:(a|b)*b")
    >>> [state_sides(load_task(name), name)["nope"].answer.value for name in names]
    ['yes', 'no']
    """
    decisions = decide(task.automaton)
    judged = LanguageVerdicts(decisions).sides
    return {key: _verdict_of_states(task, name, key, getattr(decisions, key), judged[key]) for key in SIDES}


def _verdict_of_states(
    task: StateTask, name: str, key: str, decision: ClassDecision, language: Verdict
) -> Verdict:
    """What is asked of prefixes of the language read has the answer of prediction there."""
    answer, predicted = language.prediction.answer, language.prediction.proof
    known = replace(predicted, say=lambda: _said(task, predicted.clause))
    if answer is Answer.YES:
        proof = _program_for_states(task, name, key, decision, known)
    elif answer is Answer.NO and task.after and key == "nope":
        # In the words, and the states, of the language itself.
        why = explain_at_end(decide(task.language).nope)
        proof = replace(known, reason=why.formal, say=why.short)
    else:
        proof = known
    found = same_answers(SIDES[key], answer, proof)
    everywhere: tuple[tuple[str, Ruling], ...] = ()
    if answer is Answer.YES:  # the program says the state on prefixes only
        everywhere = (("prediction_everywhere", language.membership),)
        if SIDES[key] == EMPTY and language.answer is Answer.YES:
            everywhere = (*everywhere, ("end_of_sequence", language.at_end))
    return replace(found, at_end=language.at_end, prediction_everywhere=language.answer, beside=everywhere)


def _said(task: StateTask, clause: str | None) -> str:
    """Of what is read; SEP is no letter."""
    said = (clause or "").replace("what may follow", "the state")
    return said.replace("letters", "tokens") if task.after else said


def _program_for_states(task: StateTask, name: str, key: str, decision: ClassDecision, known: Proof) -> Proof:
    def write() -> Program | str:
        analysis = decision.predicted.analysis
        if analysis is None:
            return known.not_written
        try:
            return announcer(analysis, task.states, decision.budget)
        except OverBudget as spent:
            return str(spent)

    def certify() -> CertificateDocument:
        program = proof.outcome
        if not isinstance(program, Program):
            return NoCertificate(reason=f"the program is not written: {program}")
        return task_program_certificate(name, key, program)

    def weigh() -> str:
        program = proof.program
        if program is None:
            return NOT_WRITTEN
        return announcer_basis(program.core, task.automaton, task.states, decision.budget)

    proof = replace(known, certify=certify, write=write, weigh=weigh)
    return proof


OWN_PROGRAM = "program, the task itself"


def program_sides(task: ProgramTask) -> dict[str, Verdict]:
    """A program is a yes for its own class; the other class is decided where the language is regular."""
    core = task.core
    uses = " and ".join(core.relations)
    reason = f"the program uses {uses} relations" if uses else "the program uses no positional relations"
    # Relations that change nothing are left out, in the certificate as well.
    program = task.program if task.program.core.relations == core.relations else raise_core(core)
    ours = PROGRAM_SIDES if not core.relations else ("ape",)
    known = {
        key: program_verdict(task.self_contained, key, reason, program, weigh=lambda: OWN_PROGRAM)
        for key in sorted(ours)
    }
    automaton = regular_language(core)
    if automaton is not None:
        # Its language settles the conventions, and whatever the program itself leaves open.
        decided = language_sides(automaton)
        for key, side in known.items():
            both = decided[key]
            beside = (("prediction", both.prediction), ("end_of_sequence", both.at_end))
            known[key] = replace(
                both, membership=side.membership, beside=beside if SIDES[key] == EMPTY else beside[:1]
            )
        return {**decided, **known}
    if not core.is_predictor:
        left = f"which letters may follow within its words {NOT_ASKED}"
        for key, side in known.items():
            note = left if side.note is None else f"{side.note}; {left}"
            unknown = replace(side.prediction, answer=Answer.UNDECIDED)
            known[key] = replace(side, prediction=unknown, prediction_everywhere=Answer.UNDECIDED, note=note)
    if "nope" not in known:
        why = "is a predictor" if core.is_predictor else "was not found to accept a regular language"
        known["nope"] = undecided(
            SIDES["nope"], f"{reason} and {why}, so whether one without exists is not decided"
        )
    return {key: known[key] for key in PROGRAM_SIDES}
