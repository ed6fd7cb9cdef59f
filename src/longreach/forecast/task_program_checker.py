"""Checks programs that are to solve a task: they are tried on its own right answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longreach.crasp.core import Core
from longreach.crasp.equal import equal
from longreach.crasp.evaluate import Kernel, State, at_empty_word
from longreach.crasp.program import Program, parse
from longreach.crasp.simplify import simplify
from longreach.crasp.words import Encoder
from longreach.errors import InputError
from longreach.forecast.task_certificates import TaskProgramCertificate
from longreach.languages.program_class import RELATIONS
from longreach.languages.prove.findings import Finding, Status
from longreach.languages.prove.predictor_checker import check_announcer
from longreach.languages.prove.program_checker import shown
from longreach.languages.prove.rightness import rightness
from longreach.tasks.labelled_language import LabelledLanguage
from longreach.tasks.language_task import label_name
from longreach.tasks.program_task import ACCEPTED, REJECTED, ProgramTask
from longreach.tasks.state_task import StateTask
from longreach.tasks.task import EOS, Task

SHORT, SHORT_SAMPLES = 10, 12
LONG_SAMPLES = 4
TRIED, FARTHEST = 60, 2000
"""The longest inputs on which a program is tried in a forecast, and by `longreach verify`."""
COMPARED_LENGTH = 12


def check_task_program(certificate: TaskProgramCertificate, task: Task, trusted: bool) -> Finding:
    """The program tried on the task's own examples; proved only where the task is a program itself."""
    del trusted  # examples say as much of somebody's code
    try:
        program = parse(certificate.program, "program")
    except InputError as error:
        return Finding.invalid(error.message)
    core = program.core
    beyond = [each for each in core.relations if each not in RELATIONS[certificate.program_class]]
    if beyond:
        return Finding.invalid(
            f"the program uses {beyond[0]} relations, which {certificate.program_class} lacks"
        )
    found = (core.size, core.depth, core.locality, core.modulus)
    if found != (certificate.size, certificate.depth, certificate.window, certificate.modulus):
        return Finding.invalid(f"size, depth, window and modulus of the program are {found}")
    if isinstance(task, ProgramTask):
        return _check_own_program(core, task.core)
    if isinstance(task, LabelledLanguage):
        return _check_classes(core, task)
    if isinstance(task, StateTask):
        return _check_states(core, task)
    try:
        wrong, inputs, longest = try_program(task, program, FARTHEST)
    except InputError as error:
        return Finding.claimed(f"the program cannot be tried: {error.message}")
    if wrong is not None:
        return Finding.invalid(wrong)
    how = f"tried on {inputs} inputs of the task up to length {longest}: right on all"
    return Finding(Status.NOT_PROVED, how, "nothing proves the program right for inputs of all lengths")


def _check_own_program(core: Core, own: Core) -> Finding:
    """The task is a program itself."""
    if set(core.alphabet) != set(own.alphabet) or core.is_predictor != own.is_predictor:
        return Finding.invalid("the program is over other tokens than the task's")
    found = equal(core, own, COMPARED_LENGTH, own.alphabet)
    if not found.equal:
        return Finding.invalid(f"the program and the task's differ on {' '.join(found.witness or ()) or 'ε'}")
    if found.proof == "proved":
        return Finding(Status.VALID, "the program is the task's own")
    how = f"compared with the task's own program on all words to length {found.length}"
    return Finding(Status.NOT_PROVED, how, "nothing proves that the two programs are the same")


def _check_classes(core: Core, task: LabelledLanguage) -> Finding:
    """Each class is a regular language, for which a program can be proved right."""
    roots = dict(core.outputs)
    if set(roots) != set(task.machine.classes):
        return Finding.invalid("the program does not say the classes of the task")
    worst = Finding(Status.VALID, "proved for all lengths, class by class")
    for label, root in roots.items():
        try:
            alone = simplify(Core(core.ops, task.letters, True, root))
        except InputError as error:
            return Finding.invalid(f"the class {label!r}: {error.message}")
        known = rightness(alone, task.machine.language(label))
        if known.witness is not None:
            return Finding.invalid(f"the class {label!r} is wrong on {shown(known.witness)}")
        if not known.proved:
            worst = Finding(Status.NOT_PROVED, str(known), f"no proof for the class {label!r}")
    return worst


def _check_states(core: Core, task: StateTask) -> Finding:
    """What is right after each prefix is known from the automaton of what is read."""
    if {token for token, _ in core.outputs} != set(task.states):
        return Finding.invalid("the program does not say the states of the task")
    return check_announcer(core, task.automaton, task.states)


def wrong_prediction(task: Task, program: Program) -> str | None:
    """The first example of a task on which a program is wrong; None if it is right on all that are tried.

    >>> from longreach.crasp.library import load
    >>> from longreach.tasks.catalog import load_task
    >>> wrong_prediction(load_task("sort"), load("copy-unique"))
    'after SOS 119 46 SEP it predicts 119, not 46'
    """
    return try_program(task, program, TRIED)[0]


def try_program(task: Task, program: Program, farthest: int) -> tuple[str | None, int, int]:
    """What is wrong on the first example on which a program is, the number of examples, and the longest."""
    core, rng, tried, longest = simplify(program.core), np.random.default_rng(0), 0, 0
    for lengths in _lengths(task, farthest):
        wrong = _wrong_on(task, core, lengths, rng)
        tried, longest = tried + len(lengths), max(longest, *lengths)
        if wrong is not None:
            return wrong, tried, longest
    return None, tried, longest


def _wrong_on(task: Task, core: Core, lengths: list[int], rng: np.random.Generator) -> str | None:
    batch = task.sample(lengths, rng)
    encoder, first = Encoder(core), int(task.kind == "language")  # the programs of languages do not read SOS
    read = [task.decode(row[:size].tolist()) for row, size in zip(batch.tokens, batch.sizes, strict=True)]
    codes = np.zeros((len(batch), batch.tokens.shape[1] - first), dtype=np.uint32)
    for row, tokens in enumerate(read):
        try:
            codes[row, : len(tokens) - first] = encoder.tokens(tokens[first:])
        except InputError as error:
            return f"it cannot read {' '.join(tokens)}: {error.message}"
    values, empty = Kernel(core, core.roots).advance(State(), codes), at_empty_word(core)
    said = np.empty((len(core.roots), *batch.tokens.shape), dtype=np.bool_)
    for number, root in enumerate(core.roots):
        said[number, :, :first] = empty[root]
        said[number, :, first:] = values[root]
    outputs = [token for token, _ in core.outputs] or [EOS]  # an acceptor says where a word may end
    for row, place in np.argwhere(batch.mask).tolist():
        target = task.tokens[batch.targets[row, place]]
        predicted = [outputs[k] for k in np.flatnonzero(said[:, row, place])]
        if not _right(task, core.is_predictor, predicted, target):
            shown = " ".join(predicted) or "nothing"
            return f"after {' '.join(read[row][: place + 1])} it predicts {shown}, not {target}"
    return None


def _lengths(task: Task, farthest: int) -> list[list[int]]:
    """Some of all short lengths, and of longer ones as far as the task has them."""
    short = task.lengths(task.least_length, task.least_length + SHORT).tolist()
    found = [short * SHORT_SAMPLES]
    for length in (TRIED, 150, 500, FARTHEST):
        try:
            long = task.lengths(max(length - SHORT, 0), length).tolist()[-1:]
        except InputError:
            continue
        if length <= farthest and long[0] > short[-1]:
            found.append(long * LONG_SAMPLES)
    return found


def _right(task: Task, predictor: bool, predicted: Sequence[str], target: str) -> bool:
    if task.kind == "algorithmic":
        return list(predicted) == [target]
    if predictor:
        return label_name(predicted) == target
    if target in (label_name(ACCEPTED), label_name(REJECTED)):
        return bool(predicted) == (target == label_name(ACCEPTED))
    return bool(predicted) == (EOS in target.strip("{}").split(","))
