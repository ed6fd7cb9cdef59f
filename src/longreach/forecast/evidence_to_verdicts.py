"""Whatever evidence a task has → the verdict for each class of programs."""

from __future__ import annotations

from dataclasses import replace

from longreach.crasp.program import raise_core
from longreach.forecast.asking import automaton_of_task
from longreach.forecast.black_box import SECONDS as BLACK_BOX_SECONDS
from longreach.forecast.black_box import is_black_box
from longreach.forecast.certificate_kinds import FINDERS
from longreach.forecast.classes_to_verdicts import class_sides
from longreach.forecast.program_to_verdict import NOT_ASKED, program_verdict
from longreach.forecast.states_to_verdicts import state_sides
from longreach.languages.program_class import ENCODING_SIDES, SIDES
from longreach.languages.prove.program_to_automaton import regular_language
from longreach.languages.regular.automaton import Automaton
from longreach.tasks.data_task import DataTask
from longreach.tasks.evidence import Evidence
from longreach.tasks.labelled_language import LabelledLanguage
from longreach.tasks.language_task import RegularLanguage
from longreach.tasks.program_task import ProgramTask
from longreach.tasks.state_task import StateTask
from longreach.tasks.task import Task
from longreach.verdicts.automaton_to_verdicts import judge
from longreach.verdicts.verdict import Answer, Proof, Verdict, undecided


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
        key: _side(task, name, key, each, trusted) for key, each in evidence.items() if each.kind != "none"
    }
    unknown = tuple(key for key in evidence if key not in found)
    # What looks into answers takes long to load, and most tasks need none of it.
    if unknown and seconds > 0 and isinstance(task, DataTask):
        from longreach.forecast.examples_to_verdicts import example_sides

        found |= example_sides(task, unknown, seconds=seconds)
    elif unknown and seconds > 0 and is_black_box(task, trusted):
        from longreach.forecast.black_box_to_verdicts import black_box_sides

        found |= black_box_sides(task, name, unknown, seconds=seconds)
    else:
        found |= {key: _side(task, name, key, evidence[key], trusted) for key in unknown}
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


def _side(task: Task, name: str, key: str, evidence: Evidence, trusted: bool) -> Verdict:
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
