"""All evidence about a task → a verdict for each class of programs.

At each position of any word a program must say the class of the word so far, which is membership in the
languages of all classes, read at the last letter. A program that says all classes decides each of them, and
programs for all of them, side by side, say the class.

On prefixes of words of the language there is a program for the state exactly if there is one for the legal
next symbols. The state determines them; and the criterion for them is that what a program sees determines the
next state. Read after each letter, it is the same question about words with SEP behind each letter, which is
that of reading after the last letter, asked of all prefixes (docs/criteria.md).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from longreach.answers.finders import NOT_ASKED, no_by_reduction, program_verdict, task_program_certificate
from longreach.answers.kinds import FINDERS
from longreach.answers.oracle import SECONDS as BLACK_BOX_SECONDS
from longreach.answers.oracle import automaton_of_task, is_black_box
from longreach.errors import InputError
from longreach.tasks.layouts import SequenceTask
from longreach.tasks.outside import ACCEPTED, REJECTED, DataTask, ProgramTask
from longreach.tasks.regular import LabelledLanguage, LanguageTask, RegularLanguage, StateTask
from longreach.tasks.task import EOS, SEP, SOS, Evidence, Reduction, Task
from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.files import write_automaton
from longreach.theory.budget import OverBudget
from longreach.theory.certificates.documents import NoCertificate
from longreach.theory.crasp.evaluate import Stream
from longreach.theory.crasp.program import Program, Trace, raise_core, tidy_statements
from longreach.theory.crasp.transform import predictor_of
from longreach.theory.crasp.words import EMPTY, Encoder
from longreach.theory.decide.decisions import ClassDecision, decide
from longreach.theory.names import AUTOMATON, SLUG
from longreach.theory.program_class import ENCODING_SIDES, SIDES
from longreach.theory.prove.equivalence import regular_language
from longreach.theory.verdicts.basis import NOT_WRITTEN, announcer_basis
from longreach.theory.verdicts.explain import clause_at_end, end_reason_of
from longreach.theory.verdicts.judge import LanguageVerdicts, judge
from longreach.theory.verdicts.verdict import (
    Answer,
    CertificateDocument,
    Proof,
    Verdict,
    same_answers,
    undecided,
)
from longreach.theory.write.programs import announcer

# An automaton with answer classes → the verdicts: yes where the language of every class has a program.


def class_sides(task: LabelledLanguage, name: str, trusted: bool) -> dict[str, Verdict]:
    """The sides of a task with answer classes.

    >>> from longreach.theory.automata.automaton import labelled
    >>> machine = labelled("ab", [[1, 0], [2, 1], [0, 2]], 0, ["zero", "one", "two"])
    >>> class_sides(LabelledLanguage("mine", machine), "mine", True)["ape"].reason[:36]
    "the class 'zero' is out of reach: lo"
    """
    languages = {label: task.machine.language(label) for label in task.machine.classes}
    judged = {label: judge(language).sides for label, language in languages.items()}
    return {
        key: _verdict_of_classes(
            task, name, key, languages, {label: sides[key] for label, sides in judged.items()}, trusted
        )
        for key in SIDES
    }


def _verdict_of_classes(
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
    return replace(_programs_for_classes(name, key, task, verdicts), end_of_sequence=worst)


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


def _programs_for_classes(
    name: str, key: str, task: LabelledLanguage, verdicts: dict[str, Verdict]
) -> Verdict:
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


# State prediction on words of a language → the verdicts, with programs that say the state.


def state_sides(task: StateTask, name: str) -> dict[str, Verdict]:
    """The sides of a task that asks for states; `name` is how it is found.

    >>> from longreach.tasks.catalog import load_task
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
    predicted = language.prediction_proof
    known = replace(predicted, say=lambda: _said(task, predicted.clause))
    if language.prediction is Answer.YES:
        proof = _program_for_states(task, name, key, decision, known)
    elif language.prediction is Answer.NO and task.after and key == "nope":
        # In the words, and the states, of the language itself.
        own = decide(task.language).nope
        proof = replace(known, reason=end_reason_of(own), say=lambda: clause_at_end(own))
    else:
        proof = known
    return replace(
        same_answers(SIDES[key], language.prediction, proof),
        end_of_sequence=language.end_of_sequence,
        prediction_everywhere=language.answer,
    )


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


# Whatever evidence a task has → the verdict for each class of programs.


def sides(task: Task, name: str, trusted: bool, *, seconds: float = BLACK_BOX_SECONDS) -> dict[str, Verdict]:
    """The sides "nope" and "ape" of a task, and "local" where it is a regular language or made of some.

    `name` is how the task is found. A task that is not trusted has its programs tried on examples; rows of
    communication are counted from the answers of every task, and every reduction is tried. Where the task is
    somebody's function and names no evidence, that is looked for in its answers, for so many seconds.

    >>> from longreach.tasks.catalog import load_task
    >>> found = sides(load_task("copy-unique"), "copy-unique", True)
    >>> found["nope"].answer.value, found["ape"].answer.value
    ('no', 'yes')
    """
    if isinstance(task, ProgramTask):
        return _program_sides(task)
    if isinstance(task, LabelledLanguage):
        return class_sides(task, name, trusted)
    if isinstance(task, StateTask):
        return state_sides(task, name)
    evidence = {key: getattr(task, key, None) or _NO_EVIDENCE for key in ENCODING_SIDES}
    if all(each.kind == "language" for each in evidence.values()):
        return _own_language(task, trusted)
    found = {
        key: _verdict_of_evidence(task, name, key, each, trusted)
        for key, each in evidence.items()
        if each.kind != "none"
    }
    unknown = tuple(key for key in evidence if key not in found)
    # What looks into answers takes long to load, and most tasks need none of it.
    if unknown and seconds > 0 and isinstance(task, DataTask):
        from longreach.answers.black_box import example_sides

        found |= example_sides(task, unknown, seconds=seconds)
    elif unknown and seconds > 0 and is_black_box(task, trusted):
        from longreach.answers.black_box import black_box_sides

        found |= black_box_sides(task, name, unknown, seconds=seconds)
    else:
        found |= {key: _verdict_of_evidence(task, name, key, evidence[key], trusted) for key in unknown}
    return {key: found[key] for key in SIDES if key in found}


OWN_PROGRAM = "program, the task itself"
_NO_EVIDENCE = Evidence("none", None, "the task names no evidence")


def language_sides(automaton: Automaton, *, trained: bool = False) -> dict[str, Verdict]:
    """The sides of a regular language: exactly what `longreach language` says.

    With `trained`, what is trained is predicting what may follow.
    """
    return {key: replace(verdict, predicts=trained) for key, verdict in judge(automaton).sides.items()}


def _own_language(task: Task, trusted: bool) -> dict[str, Verdict]:
    """Decided from the automaton of the task, which of somebody's code is its own word."""
    found = language_sides(automaton_of_task(task), trained=isinstance(task, RegularLanguage))
    if trusted or type(task) is RegularLanguage:
        return found
    return {key: _on_its_word(verdict) for key, verdict in found.items()}


def _on_its_word(verdict: Verdict) -> Verdict:
    def less(proof: Proof) -> Proof:
        return replace(proof, weigh=lambda: f"{proof.basis}, if its automaton is right")

    return replace(
        verdict, proof=less(verdict.proof), prove_prediction=lambda: less(verdict.prediction_proof)
    )


def _verdict_of_evidence(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Verdict:
    if evidence.kind == "language":
        return _own_language(task, trusted)[key]
    find = FINDERS.get(evidence.kind)
    return (
        undecided(SIDES[key], evidence.reason) if find is None else find(task, name, key, evidence, trusted)
    )


def _program_sides(task: ProgramTask) -> dict[str, Verdict]:
    """A program is a yes for its own class; the other class is decided where the language is regular."""
    core = task.core
    uses = " and ".join(core.relations)
    reason = f"the program uses {uses} relations" if uses else "the program uses no positional relations"
    # Relations that change nothing are left out, in the certificate as well.
    program = task.program if task.program.core.relations == core.relations else raise_core(core)
    ours = ENCODING_SIDES if not core.relations else ("ape",)
    known = {
        key: program_verdict(task.self_contained, key, reason, program, weigh=lambda: OWN_PROGRAM)
        for key in sorted(ours)
    }
    automaton = regular_language(core)
    if automaton is not None:
        # Its language settles the conventions, and whatever the program itself leaves open.
        decided = language_sides(automaton)
        for key, side in known.items():
            known[key] = replace(decided[key], answer=side.answer, proof=side.proof)
        return {**decided, **known}
    if not core.is_predictor:
        left = f"which letters may follow within its words {NOT_ASKED}"
        for key, side in known.items():
            note = left if side.note is None else f"{side.note}; {left}"
            known[key] = replace(
                side, prediction=Answer.UNDECIDED, prediction_everywhere=Answer.UNDECIDED, note=note
            )
    if "nope" not in known:
        why = "is a predictor" if core.is_predictor else "was not found to accept a regular language"
        known["nope"] = undecided(
            SIDES["nope"], f"{reason} and {why}, so whether one without exists is not decided"
        )
    return {key: known[key] for key in ENCODING_SIDES}


def expected_to_work(sides: Mapping[str, Verdict]) -> Verdict | None:
    """The first side, NoPE before APE, on which what is trained is expected to work, if there is one."""
    return next((sides[key] for key in ENCODING_SIDES if sides[key].trained is Answer.YES), None)


def program_of(sides: Mapping[str, Verdict]) -> Program | None:
    """The program of that side: for a language one that accepts its words where there is one."""
    side = expected_to_work(sides)
    return None if side is None else side.trained_proof.program


def known_program(sides: Mapping[str, Verdict], *, predicting: bool = False) -> Program:
    """The same, or for a language the one that predicts what may follow; an error says why there is none."""
    side = expected_to_work(sides)
    if side is None:
        undecided = any(sides[key].trained is Answer.UNDECIDED for key in ENCODING_SIDES)
        why = "whether there is one is not known" if undecided else "none exists, and it is expected to fail"
        raise InputError(f"there is no program: {why}")
    proof: Proof = side.prediction_proof if predicting and side.predicts else side.trained_proof
    if proof.program is None:
        raise InputError(f"the program is not written: {proof.not_written or 'nobody has'}")
    return proof.program


def tokens_of(task: Task, word: str | Sequence[str]) -> list[str]:
    """The tokens of an input: separated by spaces, or written together.

    >>> from longreach.tasks.catalog import load_task
    >>> tokens_of(load_task("sort"), "14 3"), tokens_of(load_task("aa"), "aaa")
    (['14', '3'], ['a', 'a', 'a'])
    """
    if not isinstance(word, str):
        return list(word)
    text = word.strip()
    if text in ("", EMPTY):
        return []
    return text.split() if " " in text or text in task.tokens else list(text)


def read_by_program(task: Task, tokens: Sequence[str]) -> list[str]:
    """What a program reads before it answers: of a language the word alone, else all that the model reads.

    >>> from longreach.tasks.catalog import load_task
    >>> read_by_program(load_task("parity"), ["1", "0"])
    ['SOS', '1', '0', 'SEP']
    """
    if isinstance(task, LanguageTask):
        return list(task.read(tokens))
    if tuple(tokens[:1]) == (SOS,):
        return list(tokens)
    separated = isinstance(task, SequenceTask) and task.separated
    return [SOS, *tokens, *([SEP] if separated else [])]


def trace_of(task: Task, sides: Mapping[str, Verdict], word: str | Sequence[str]) -> Trace:
    """The trace of the program on an input of the task."""
    return known_program(sides).trace(read_by_program(task, tokens_of(task, word)))


def predict(task: Task, sides: Mapping[str, Verdict], word: str | Sequence[str]) -> tuple[str, ...]:
    """What the program answers: for a language the tokens that may follow, or accept or reject.

    For other tasks the whole answer, which the program writes token by token; the next token where the
    answer has no end.

    >>> from longreach.answers.forecast import forecast
    >>> asked = {"regex:(ab)*": "ab", "crasp:lib:tomita-1": "110", "binary-majority": "110"}
    >>> [predict(each.task, each.sides, asked[each.name]) for each in map(forecast, asked)]
    [('a', 'EOS'), ('reject',), ('1', 'EOS')]
    """
    core = known_program(sides, predicting=True).core
    tokens = tokens_of(task, word)
    if isinstance(task, RegularLanguage | StateTask):
        task.answer(tokens)  # says so where no word of the language begins like that
    encoder, stream = Encoder(core), Stream(core)
    stream.feed(encoder.tokens(read_by_program(task, tokens)))
    if not core.is_predictor:
        return ACCEPTED if stream.accepted else REJECTED
    if isinstance(task, LanguageTask):
        return tuple(stream.predicted)
    written: list[str] = []
    most = task.answer_size(len(tokens)) + 1 if isinstance(task, SequenceTask) else 1
    while len(written) < most and EOS not in written:
        said = stream.predicted
        if len(said) != 1:
            raise InputError(f"{task.name}: the program predicts {' '.join(said) or 'nothing'} there")
        written += said
        stream.feed(encoder.tokens(said))
    return tuple(written)
