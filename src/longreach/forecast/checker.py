"""Checks of the certificates about tasks, from the tasks' own right answers and from definitions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise, product

import numpy as np

from longreach.crasp.evaluate import Kernel, State, at_empty_word
from longreach.crasp.expressions import Program
from longreach.crasp.parser import parse
from longreach.crasp.simplify import simplify
from longreach.crasp.words import Encoder
from longreach.errors import InputError
from longreach.forecast.certificates import (
    CommunicationCertificate,
    ReductionCertificate,
    TaskCertificate,
    TaskProgramCertificate,
)
from longreach.languages.automaton import Automaton
from longreach.languages.checker import check_certificate
from longreach.languages.documents import automaton_table
from longreach.languages.expression import from_expression
from longreach.languages.names import named_automaton
from longreach.limit.communication_tasks import PROBLEMS
from longreach.tasks.distinct import DistinctSymbols
from longreach.tasks.language import label_name
from longreach.tasks.layout import SequenceTask
from longreach.tasks.program import ACCEPTED, REJECTED
from longreach.tasks.task import EOS, SEP, SOS, Task

SHORT, LONG = 10, 60
SHORT_SAMPLES, LONG_SAMPLES = 12, 4
WORD_LENGTH = 7
MOST_WORDS = 4000
LITERAL_LENGTH = 5
"""Up to here the rows are counted from the task's own answers, beyond from the measured problem."""


def check_task_certificate(certificate: TaskCertificate, task: Task) -> tuple[str | None, str]:
    """What is wrong with a certificate about a task (None: nothing), and how it was checked."""
    match certificate:
        case TaskProgramCertificate():
            return _check_program(certificate, task)
        case CommunicationCertificate():
            return _check_communication(certificate, task)
        case ReductionCertificate():
            return _check_reduction(certificate, task)


# Programs


def _check_program(certificate: TaskProgramCertificate, task: Task) -> tuple[str | None, str]:
    try:
        program = parse(certificate.program, "program")
    except InputError as error:
        return error.message, ""
    core = program.core
    if certificate.program_class == "C-RASP[∅]" and core.relations:
        return f"the program uses {core.relations[0]} relations, which C-RASP[∅] lacks", ""
    if certificate.program_class == "C-RASP[local]" and "periodic" in core.relations:
        return "the program uses periodic relations, which C-RASP[local] lacks", ""
    found = (core.size, core.depth, core.locality, core.modulus)
    if found != (certificate.size, certificate.depth, certificate.window, certificate.modulus):
        return f"size, depth, window and modulus of the program are {found}", ""
    wrong = wrong_prediction(task, program)
    return wrong, "run on examples of the task at short and long lengths"


def wrong_prediction(task: Task, program: Program) -> str | None:
    """The first example of a task on which a program is wrong; None if it is right on all that are tried.

    >>> from longreach.crasp.library import load
    >>> from longreach.tasks.catalog import load_task
    >>> wrong_prediction(load_task("sort"), load("copy-unique"))
    'after SOS 119 46 SEP it predicts 119, not 46'
    """
    batch = task.sample(_lengths(task), np.random.default_rng(0))
    core = simplify(program.core)
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


def _lengths(task: Task) -> list[int]:
    short = task.lengths(task.least_length, task.least_length + SHORT).tolist()
    try:
        long = task.lengths(LONG, LONG + SHORT).tolist()[:1]
    except InputError:
        long = []
    return [*short * SHORT_SAMPLES, *long * LONG_SAMPLES]


def _right(task: Task, predictor: bool, predicted: Sequence[str], target: str) -> bool:
    if task.kind == "algorithmic":
        return list(predicted) == [target]
    if predictor:
        return label_name(predicted) == target
    if target in (label_name(ACCEPTED), label_name(REJECTED)):
        return bool(predicted) == (target == label_name(ACCEPTED))
    return bool(predicted) == (EOS in target.strip("{}").split(","))


# Communication


def _check_communication(certificate: CommunicationCertificate, task: Task) -> tuple[str | None, str]:
    if certificate.problem not in PROBLEMS:
        return f"no task {certificate.problem!r} has its communication measured", ""
    if certificate.lengths != tuple(range(1, len(certificate.rows) + 1)) or len(certificate.rows) < 2:
        return "the lengths are not 1, 2, 3, …", ""
    split = PROBLEMS[certificate.problem].split
    for length, rows, bits in zip(certificate.lengths, certificate.rows, certificate.bits, strict=False):
        if 2**length > MOST_WORDS:
            return f"length {length} is beyond what is recounted", ""
        alice, bob, answers = split(length)
        found = len({row.tobytes() for row in np.ascontiguousarray(answers(alice, bob))})
        if found != rows:
            return f"at length {length} there are {found} distinct rows, not {rows}", ""
        literal = literal_rows(task, length) if length <= LITERAL_LENGTH else None
        if literal not in (None, rows):
            return f"at length {length} the task itself has {literal} distinct rows, not {rows}", ""
        if not math.isclose(bits, math.log2(rows), abs_tol=1e-9):
            return f"{rows} rows are {math.log2(rows):.3f} bits, not {bits}", ""
    # Linear growth: every further symbol takes as many bits more.
    steps = np.diff(certificate.bits[len(certificate.bits) // 2 :])
    if certificate.growth != "linear" or steps.min() < 0.5:
        return "the bits do not grow linearly", ""
    return None, f"rows recounted up to length {certificate.lengths[-1]}"


def literal_rows(task: Task, length: int) -> int | None:
    """Distinct rows of the task's communication matrix, from its right answers; None if the split is unknown.

    Alice holds the first `length` symbols of x, Bob the rest and any part of the answer; the entry is the
    next token.

    >>> from longreach.tasks.copy_repeat import CopyRepeat
    >>> literal_rows(CopyRepeat(), 3)
    8
    """
    if not isinstance(task, SequenceTask) or task.name not in ("copy-repeat", "addition"):
        return None
    halves = list(product(task.symbols[:2], repeat=length))
    # Of addition, Alice holds one operand and Bob the other; of copying, she holds all of x.
    rests = [("+", *half, "=") for half in halves] if task.name == "addition" else [()]
    rows = set()
    for half in halves:
        row = []
        for rest in rests:
            answer = task.answer((*half, *rest))
            row += [((*rest, *answer[:end]), answer[end]) for end in range(len(answer))]
        rows.add(frozenset(row))
    return len(rows)


# Reductions


def _check_reduction(certificate: ReductionCertificate, task: Task) -> tuple[str | None, str]:
    try:
        automaton = _language(certificate)
    except InputError as error:
        return error.message, ""
    inner = certificate.certificate
    if inner.program_class != certificate.program_class:
        return f"the language's certificate is about {inner.program_class}", ""
    problem = check_certificate(inner, automaton_table(automaton))
    if problem is not None:
        return f"{certificate.language}: {problem}", ""
    reduction = certificate.reduction
    if set(reduction.letters) != set(automaton.alphabet):
        return "the reduction does not map the letters of the language", ""
    tried = 0
    for word in _words(automaton):
        expected = automaton.accepts(word)
        x = [reduction.letters[letter] for letter in word]
        try:
            found = follows(task, x, reduction.after, reduction.token)
        except (InputError, ValueError) as error:
            return f"the reduction gives the task what it cannot read: {error}", ""
        if found is not None and found != expected:
            says = "follows" if found else "does not follow"
            return f"{reduction.token!r} {says} for the word {' '.join(word)}, against the language", ""
        tried += found is not None
    if not tried:
        return "the reduction gives the task no input that it has", ""
    return None, f"flows recomputed, the reduction tried on {tried} words"


def _language(certificate: ReductionCertificate) -> Automaton:
    name, regex, expression = certificate.language.partition("regex:")
    return from_expression(expression, certificate.alphabet) if regex else named_automaton(name)


def _words(automaton: Automaton) -> Iterator[tuple[str, ...]]:
    """All short words but the empty one, which no verdict is about."""
    for length in range(1, WORD_LENGTH + 1):
        if len(automaton.alphabet) ** length > MOST_WORDS:
            return
        yield from product(automaton.alphabet, repeat=length)


def follows(task: Task, x: Sequence[str], after: Sequence[str], token: str) -> bool | None:
    """Whether the token comes next in the right answer to x, after SEP and the other tokens of `after`.

    With distinct symbols x may repeat them here: then what followed the symbol anywhere in x may come next,
    which for words without repetition is the right answer (Huang et al., C.2.2). None: x is not an input.

    >>> from longreach.tasks.parity import Parity
    >>> follows(Parity(), ["1", "0", "1"], ("SEP",), "even")
    True
    """
    if after[:1] != (SEP,) or SOS in x:
        return None
    written = tuple(after[1:])
    if isinstance(task, DistinctSymbols) and written:
        seen = (SEP, *x) if task.name == "copy-unique" else ()
        allowed = {here for before, here in pairwise(seen) if before == written[-1]}
        if len(set(x)) == len(x) and written[-1] in x:
            answer = task.answer(x)
            right = answer[answer.index(written[-1]) + 1]
            if (right == token) != (token in allowed):
                raise ValueError(f"the answer to {' '.join(x)} is not what followed before")
        return token in allowed
    answer = task.answer(x)
    if answer[: len(written)] != written:
        return None
    return answer[len(written)] == token
