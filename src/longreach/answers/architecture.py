"""What theory says of an architecture for a task: the side `model` of a forecast, and how it is checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from longreach.answers.kinds import ArchitectureKind
from longreach.config.architectures import (
    ARCHITECTURES,
    HUGGING_FACE,
    THEORY,
    architecture_row,
    unknown_architecture,
)
from longreach.config.model import ModuleConfig
from longreach.errors import Field, InputError
from longreach.tasks.layouts import UNDEFINED, OneToken, RegularAnswer
from longreach.tasks.outside import ACCEPTED, REJECTED, ProgramTask
from longreach.tasks.regular import LabelledLanguage, RegularLanguage, StateTask, label_name, state_name
from longreach.tasks.task import EOS, SEP, Task
from longreach.theory.architectures.check import check_architecture
from longreach.theory.architectures.classes import ARCHITECTURES as WITH_THEORY
from longreach.theory.architectures.classes import (
    JELASSI,
    MEANING_BY_PROGRAMS,
    OWN,
    SILENT,
    WEISS,
    ArchitectureVerdict,
    ModelClass,
    Options,
    Said,
    judge_architecture,
    model_class,
    not_known,
    reason_of,
)
from longreach.theory.architectures.documents import (
    NOTHING,
    CascadeCertificate,
    CycleCertificate,
    FiniteStateCertificate,
    LastTokenCertificate,
    PeriodsCertificate,
    Question,
    SameTokenCertificate,
    SolvableCertificate,
    StableGroupCertificate,
    UnsolvableCertificate,
)
from longreach.theory.automata.automaton import Automaton, labelled
from longreach.theory.prove.equivalence import regular_language
from longreach.theory.verdicts.verdict import Answer, Verdict

SAID: dict[Answer, Said] = {Answer.YES: "yes", Answer.NO: "no", Answer.UNDECIDED: "not known"}
MEMBERSHIP = frozenset({label_name(ACCEPTED), label_name(REJECTED)})
"""The outputs of an automaton that is asked which words are in a language."""
TRIED_POSITIONS = 64
"""With room for so many tokens an own module is made to ask for its theory."""
NO_AUTOMATON = "the task is not given by an automaton"
MORE_SYMBOLS = "a program counts every symbol; longer inputs have more of them, and a state has a fixed size"


# What a task asks, as an automaton


def question_of(task: Task) -> Question | None:
    """The automaton of what the task asks after each word; None if it is not given by one.

    >>> [len(question_of(load_task(name)).machine) for name in ("aa", "parity", "even-pairs")]
    [2, 2, 5]
    """
    if isinstance(task, RegularLanguage):
        return question_of_language(task.automaton)
    if isinstance(task, StateTask):
        live = task.language.live
        outputs = [state_name(state) if state in live else NOTHING for state in range(len(task.language))]
        return _question(task.language, outputs, at_end=task.after)
    if isinstance(task, LabelledLanguage):
        return Question(task.machine)
    if isinstance(task, RegularAnswer):
        machine = task.machine
        outputs = [NOTHING if each == UNDEFINED else each for each in machine.outputs]
        return _question(machine, outputs, at_end=True)
    if isinstance(task, ProgramTask):
        automaton = None if task.core.is_predictor else regular_language(task.core)
        return None if automaton is None else accepting_question(automaton)
    return _one_token(task) if isinstance(task, OneToken) else None


def _question(machine: Any, outputs: list[str], *, at_end: bool = False) -> Question:
    return Question(labelled(machine.alphabet, machine.transitions, 0, outputs), at_end)


def question_of_language(automaton: Automaton) -> Question:
    """What may follow after each beginning of a word of the language; after other words nothing is asked."""
    live, outputs = automaton.live, []
    for state, row in enumerate(automaton.transitions):
        legal = [token for token, target in zip(automaton.alphabet, row, strict=True) if target in live]
        label = label_name([*legal, EOS] if state in automaton.accepting else legal)
        outputs.append(label if state in live else NOTHING)
    return _question(automaton, outputs)


def accepting_question(automaton: Automaton) -> Question:
    """Whether each word is in the language."""
    words = [label_name(ACCEPTED if q in automaton.accepting else REJECTED) for q in range(len(automaton))]
    return _question(automaton, words)


def _one_token(task: OneToken) -> Question | None:
    """Where the task has an automaton for each of its answers, as for a reduction: their product."""

    def after(letters: list[str], token: str) -> Automaton | None:
        return task.continuation({letter: letter for letter in letters}, (SEP,), token)

    letters = [each for each in task.symbols if any(after([each], token) for token in task.symbols)]
    found = {token: after(letters, token) for token in task.symbols if letters}
    machines = {token: machine for token, machine in found.items() if machine is not None}
    if not machines:
        return None
    rows: list[list[int]] = []
    outputs: list[str] = []
    places = [tuple(0 for _ in machines)]
    for place in places:
        states = list(zip(machines, place, strict=True))
        said = [token for token, state in states if state in machines[token].accepting]
        if len(said) != 1:
            return None
        outputs.append(said[0])
        row = []
        for letter in letters:
            target = tuple(machines[token].run([letter], state) for token, state in states)
            if target not in places:
                places.append(target)
            row.append(places.index(target))
        rows.append(row)
    return Question(labelled(letters, rows, 0, outputs), at_end=True)


# The side


def model_side(
    task: Task, sides: Mapping[str, Verdict], name: str, options: Options | None = None
) -> ArchitectureVerdict:
    """What theory says of an architecture, by its name and options; `sides` are those of the forecast.

    >>> from longreach.answers.forecast import forecast
    >>> found = forecast("majority")
    >>> [model_side(found.task, found.sides, name).answer for name in ("lstm", "gru", "decoder")]
    ['yes', 'not known', 'yes']
    """
    given = dict(options or {})
    silent = name in ARCHITECTURES and name not in WITH_THEORY and "theory" not in given
    found = None if silent else model_class(name, given)
    if found is None:
        return not_known(name, given, None, SILENT)
    if found.side is not None:
        return _of_side(name, given, found, sides.get(found.side))
    question = question_of(task)
    decided = (
        not_known(name, given, found, NO_AUTOMATON)
        if question is None
        else judge_architecture(name, given, question)
    )
    if decided.answer != "not known":
        return decided
    return _of_certificates(name, given, found, task, sides) or decided


def asked(
    model: str | Callable[..., Any], options: Mapping[str, Any] | None, vocabulary: int
) -> tuple[str, dict[str, Any]]:
    """The name of a model and its options, with the theory that an own module states.

    What training would refuse is refused here too.

    >>> asked("lstm", None, 8)
    ('lstm', {})
    >>> asked("lstm", {"signed": True}, 8)
    Traceback (most recent call last):
    longreach.errors.InputError: model_options: lstm has no option 'signed'; it has state_passing
    """
    if not isinstance(model, str):
        from longreach.models.module import name_of_factory  # loads torch

        model = name_of_factory(model)
    if (wrong := unknown_architecture(model)) is not None:
        raise InputError(wrong, place=Field("model"))
    row, given = architecture_row(model), dict(options or {})
    row.check({name: value for name, value in given.items() if name not in (THEORY, "encoding", *row.sizes)})
    if row.is_own and not model.startswith(HUGGING_FACE) and THEORY not in given:
        from longreach.models.module import stated_theory  # loads torch

        shape = ModuleConfig(model=model, vocabulary=vocabulary, positions=TRIED_POSITIONS, options=given)
        theory = stated_theory(shape)
        given |= {} if theory is None else {THEORY: theory}
    return model, given


def _of_side(name: str, options: Options, found: ModelClass, side: Verdict | None) -> ArchitectureVerdict:
    if side is None or side.trained is Answer.UNDECIDED:
        reason = "decided for regular languages only" if side is None else side.clause
        return replace(not_known(name, options, found, reason), meaning=MEANING_BY_PROGRAMS)
    return ArchitectureVerdict(
        name=name,
        options=options,
        answer=SAID[side.trained],
        model_class=found.title,
        reason=side.clause,
        source=found.source,
        condition=found.condition,
        meaning=MEANING_BY_PROGRAMS,
        certificate=side.trained_certificate,
    )


def _of_certificates(
    name: str, options: Options, found: ModelClass, task: Task, sides: Mapping[str, Verdict]
) -> ArchitectureVerdict | None:
    """Programs are counters, and what grows in communication does not fit into a state of a fixed size."""
    kinds = [side.trained_certificate.kind for side in sides.values()]
    if found.counts and task.symbols_grow and "program" in kinds:
        return not_known(name, options, found, MORE_SYMBOLS)
    for side in sides.values():
        certificate = side.trained_certificate
        answer = by_other_certificate(found, certificate.kind, task)
        if answer is None or SAID[side.trained] != answer or side.checked_to is not None:
            continue
        counted = answer == "yes"
        return ArchitectureVerdict(
            name=name,
            options=options,
            answer=answer,
            model_class=found.title,
            reason=(
                "a program does it with counts, for each of which the model has a counter"
                if counted
                else "more must be remembered of longer inputs, and the state has a fixed size"
            ),
            source=f"{WEISS}; for programs: {OWN}" if counted else f"{JELASSI}; {OWN}",
            condition=found.condition,
            certificate=certificate,
        )
    return None


def by_other_certificate(found: ModelClass, kind: str, task: Task | None) -> Said | None:
    """What a certificate about the decoder proves of an architecture with a state.

    A program is for as many symbols as the task has. Where longer inputs have more symbols to remember, it
    needs more and more counters, and a state has a fixed number.
    """
    if found.counts and kind == "program" and not (task is not None and task.symbols_grow):
        return "yes"
    return "no" if found.state and kind == "communication" else None


# Kinds of certificates


def _lines(certificate: Any) -> tuple[str, ...]:
    return (f"{reason_of(certificate)}.",)


def _kind(document: Any) -> ArchitectureKind:
    return ArchitectureKind(
        document=document, proves=None, check=check_architecture, explain=_lines, in_short=reason_of
    )


PERIODS = _kind(PeriodsCertificate)
CYCLE = _kind(CycleCertificate)
STABLE_GROUP = _kind(StableGroupCertificate)
CASCADE = _kind(CascadeCertificate)
SOLVABLE = _kind(SolvableCertificate)
UNSOLVABLE = _kind(UnsolvableCertificate)
FINITE_STATE = _kind(FiniteStateCertificate)
LAST_TOKEN = _kind(LastTokenCertificate)
SAME_TOKEN = _kind(SameTokenCertificate)
