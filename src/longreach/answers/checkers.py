"""Checks certificates about tasks from the tasks' own answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise, product

import numpy as np

from longreach import wording
from longreach.answers.certificates import (
    CommunicationCertificate,
    ReductionCertificate,
    ReductionDocument,
    TaskProgramCertificate,
)
from longreach.answers.oracle import answer, follows
from longreach.errors import InputError
from longreach.tasks.layouts import SequenceTask
from longreach.tasks.outside import ACCEPTED, REJECTED, ProgramTask
from longreach.tasks.own import FunctionTask
from longreach.tasks.regular import LabelledLanguage, StateTask, label_name
from longreach.tasks.task import EOS, SEP, Evidence, Split, Task, image
from longreach.theory.automata.automaton import Automaton, combine, minimal
from longreach.theory.automata.files import read_automaton
from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.certificates.check_no import Finding, Status, check_certificate
from longreach.theory.certificates.check_yes import check_announcer, ended, shown
from longreach.theory.certificates.tables import automaton_table
from longreach.theory.communication.complexity import fit_growth
from longreach.theory.crasp.compare import equal
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.evaluate import Kernel, State, at_empty_word
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.program import Program, parse
from longreach.theory.crasp.words import Encoder
from longreach.theory.names import TaskName
from longreach.theory.program_class import EMPTY, PERIODIC_LOCAL, RELATIONS
from longreach.theory.prove.induction import rightness

# Programs, tried on the task's own answers


SHORT_INPUTS, SHORT_SAMPLES = 10, 12
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
    if isinstance(task, LabelledLanguage):
        return _check_classes(core, task, at_end=certificate.convention != "last-letter")
    if certificate.convention != "last-letter":
        return Finding.claimed("a program for this task is read at the last token, not after it")
    if isinstance(task, ProgramTask):
        return _check_own_program(core, task.core)
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
        return Finding.invalid(f"the program and the task's differ on {wording.word(found.witness or ())}")
    if found.proof == "proved":
        return Finding(Status.VALID, "the program is the task's own")
    how = f"compared with the task's own program on all words to length {found.length}"
    return Finding(Status.NOT_PROVED, how, "nothing proves that the two programs are the same")


def _check_classes(core: Core, task: LabelledLanguage, *, at_end: bool) -> Finding:
    """Each class is a regular language, for which a program can be proved right."""
    letters = (*task.letters, EOS) if at_end else task.letters
    roots = dict(core.outputs)
    if set(roots) != set(task.machine.classes):
        return Finding.invalid("the program does not say the classes of the task")
    worst = Finding(Status.VALID, "proved for all lengths, class by class")
    for label, root in roots.items():
        try:
            alone = simplify(Core(core.ops, letters, True, root))
        except InputError as error:
            return Finding.invalid(f"the class {label!r}: {error.message}")
        language = task.machine.language(label)
        known = rightness(alone, ended(language) if at_end else language)
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

    >>> from longreach.theory.crasp.library import load
    >>> wrong_prediction(load_task("sort"), load("copy-unique"))
    'after SOS 119 46 SEP it predicts 119, not 46'
    """
    return try_program(task, program, TRIED)[0]


def try_program(task: Task, program: Program, farthest: int) -> tuple[str | None, int, int]:
    """What is wrong on the first example on which a program is, the number of examples, and the longest."""
    core, rng, tried, longest = simplify(program.core), np.random.default_rng(0), 0, 0
    for lengths in _lengths(task, farthest):
        wrong = wrong_on(task, core, lengths, rng)
        tried, longest = tried + len(lengths), max(longest, *lengths)
        if wrong is not None:
            return wrong, tried, longest
    return None, tried, longest


def wrong_on(task: Task, core: Core, lengths: list[int], rng: np.random.Generator) -> str | None:
    """What is wrong on the first example of these lengths on which a program is."""
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
    short = task.lengths(task.least_length, task.least_length + SHORT_INPUTS).tolist()
    found = [short * SHORT_SAMPLES]
    for length in (TRIED, 150, 500, FARTHEST):
        try:
            long = task.lengths(max(length - SHORT_INPUTS, 0), length).tolist()[-1:]
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


# Communication


LENGTH = 10
"""Alice's symbols, at most: a thousand inputs where she has two."""
LEAST_LENGTH = 4
"""Fewer lengths say nothing about growth."""
MOST_INPUTS = 4096


def count_rows(task: Task, split: Split, length: int) -> int:
    """Distinct rows of the communication matrix at N = length, from the task's right answers.

    A row is what Alice's symbols make of every question to Bob: what comes next, after his symbols and any
    part of the answer. Two answers of which neither continues the other differ at a first place, and there
    Bob is asked the same question; so different answers make different rows, and equal ones equal rows.

    >>> from longreach.tasks.copying import CopyRepeat
    >>> count_rows(CopyRepeat(), Split(("a", "b")), 3)
    8
    """
    if not isinstance(task, SequenceTask):
        raise InputError("rows are counted only of tasks that read an input and then write an answer")
    symbols = [*split.alice, *split.between, *split.bob, *split.end]
    strange = next((symbol for symbol in symbols if symbol not in task.symbols), None)
    if strange is not None or not split.alice:
        raise InputError(
            "Alice holds nothing" if strange is None else f"{strange!r} is not a symbol of the task"
        )
    if split.size(length) > MOST_INPUTS:
        raise InputError(f"at N = {length} there are more than {MOST_INPUTS} inputs")
    rows = [tuple(answer(task, x) for x in inputs) for inputs in split.inputs(length)]
    for column in zip(*rows, strict=True):
        for first, second in pairwise(sorted(set(column))):
            if second[: len(first)] == first:
                raise InputError("one answer continues another, so that their rows need not differ")
    return len(set(rows))


def own_evidence(task: Task, program_class: str) -> Evidence | None:
    """What the task itself names for a class of programs."""
    evidence = getattr(task, "nope" if program_class == EMPTY else "ape", None)
    return evidence if isinstance(evidence, Evidence) else None


def longest(split: Split) -> int:
    """The most symbols of Alice's for which rows are counted."""
    return max((n for n in range(1, LENGTH + 1) if split.size(n) <= MOST_INPUTS), default=0)


def check_communication(certificate: CommunicationCertificate, task: Task, trusted: bool) -> Finding:
    """Rows recounted from the task's answers; they prove something for all lengths where the task's own
    evidence says why they go on, and the task is one of ours (`trusted`)."""
    lengths, rows, bits = certificate.lengths, certificate.rows, certificate.bits
    if not len(lengths) == len(rows) == len(bits):
        return Finding.invalid("there are not as many rows and bits as lengths")
    if lengths != tuple(range(1, len(lengths) + 1)) or len(lengths) < LEAST_LENGTH:
        return Finding.invalid(f"the lengths are not 1, 2, 3, … to {LEAST_LENGTH} or more")
    if len(lengths) > LENGTH:
        return Finding.claimed(f"rows are recounted up to length {LENGTH}, not {len(lengths)}")
    split = certificate.split.split
    for length, claimed, needed in zip(lengths, rows, bits, strict=True):
        try:
            found = count_rows(task, split, length)
        except InputError as error:
            return Finding.claimed(f"the rows of {task.name} cannot be recounted: {error.message}")
        if found != claimed:
            return Finding.invalid(f"at length {length} the task has {found} distinct rows, not {claimed}")
        if not math.isclose(needed, math.log2(found), abs_tol=1e-9):
            return Finding.invalid(f"{found} rows are {math.log2(found):.3f} bits, not {needed}")
    growth = fit_growth(lengths, bits)
    # Linear growth: every further symbol takes as many bits more.
    if {certificate.growth, growth.name} != {"linear"} or np.diff(bits[len(bits) // 2 - 1 :]).min() < 0.5:
        return Finding.invalid("the bits do not grow linearly")
    if certificate.fits.keys() != growth.fits.keys() or not all(
        math.isclose(fit.coefficient, certificate.fits[name].coefficient, abs_tol=1e-6)
        and math.isclose(fit.error, certificate.fits[name].error, abs_tol=1e-6)
        for name, fit in growth.fits.items()
    ):
        return Finding.invalid("the fits are not those of the bits")
    how = f"rows recounted from the task's own answers up to length {lengths[-1]}"
    own = own_evidence(task, certificate.program_class)
    if trusted and own is not None and own.split == split:
        return Finding(Status.VALID, f"{how}; for all lengths: {own.reason}")
    if trusted:
        return Finding.claimed("the task does not say that its inputs divide so")
    return Finding(Status.CHECKED, how, "nothing proves that the rows go on growing")


# Reductions


REDUCTION_SHORT, REDUCTION_WORDS = 7, 4000
REDUCTION_LONG, REDUCTION_LONG_WORDS = 100, 50
DRAWN_INPUTS = 8000
"""Of one length, among which words must be that are said to be inputs."""


def check_reduction(certificate: ReductionCertificate, task: Task, trusted: bool) -> Finding:
    """The language's own proof, the reduction on words, and for all lengths on automata where the task has
    one for what comes next and is one of ours (`trusted`)."""
    try:
        automaton = _language(certificate)
    except InputError as error:
        return Finding.invalid(error.message)
    if set(automaton.alphabet) != set(certificate.alphabet):
        return Finding.invalid("the alphabet is not that of the language")
    inner = certificate.certificate
    if inner.program_class != certificate.program_class:
        return Finding.invalid(f"the language's certificate is about {inner.program_class}")
    reduction = certificate.reduction
    # A program that has read further fixed tokens is one that is read after the last letter.
    if getattr(inner, "convention", "last-letter") != "last-letter" and not reduction.after:
        return Finding.invalid(
            "the language's certificate is about programs that are not read at the last letter"
        )
    problem = check_certificate(inner, automaton_table(automaton))
    if problem is not None:
        return Finding.invalid(f"{certificate.language}: {problem}")
    if set(reduction.letters) != set(automaton.alphabet):
        return Finding.invalid("the reduction does not map the letters of the language")
    sizes = {len(image(reduction.letters, [letter])) for letter in automaton.alphabet}
    if 0 in sizes or (len(sizes) > 1 and certificate.program_class == PERIODIC_LOCAL):
        return Finding.invalid("the letters are not mapped to equally many symbols, at least one")
    problem, tried = try_reduction(task, reduction, automaton)
    problem = problem or _never_drawn(task, reduction)
    if problem is not None:
        return Finding.invalid(problem)
    exact = None
    if trusted:
        exact = task.continuation_behind(
            reduction.before, reduction.letters, reduction.after, reduction.token
        )
    if exact is None:
        how = f"flows recomputed; the reduction tried on {tried} words up to length {REDUCTION_LONG}"
        return Finding(Status.CHECKED, how, "nothing proves the reduction for words of all lengths")
    if not same_but_for_the_empty_word(exact, automaton):
        return Finding.invalid("the reduction leads to another language")
    return Finding(Status.VALID, "flows recomputed, and the reduction for all lengths from automata")


def _never_drawn(task: Task, reduction: ReductionDocument) -> str | None:
    """Which embedded word somebody's function never draws, of those of one and two letters."""
    if not isinstance(task, FunctionTask):
        return None
    after = reduction.after[: reduction.after.index(SEP)] if SEP in reduction.after else reduction.after
    words = [
        (*reduction.before, *image(reduction.letters, word), *after)
        for size in (1, 2)
        for word in product(reduction.letters, repeat=size)
    ]
    return never_drawn(task, words)


def never_drawn(task: FunctionTask, words: Sequence[tuple[str, ...]]) -> str | None:
    """What is wrong with words that are said to be inputs: one is missing among thousands that are drawn.

    >>> from longreach.tasks.task import Task
    >>> task = Task.from_function(lambda length, rng: ["a"] * length, lambda x: len(x))
    >>> never_drawn(task, [("a",)]), never_drawn(task, [("a", "b")])
    (None, 'no input a b is drawn')
    """
    rng = np.random.default_rng(3)
    for length in sorted({len(word) for word in words}):
        missing = {word for word in words if len(word) == length}
        shown = " ".join(sorted(missing)[0])
        if not task.has(np.array([length], dtype=np.int64))[0]:
            return f"no input {shown} is drawn"
        for _ in range(DRAWN_INPUTS // 500):
            if not missing:
                break
            batch = task.sample([length] * 500, rng)
            missing -= {tuple(task.decode(row[1 : 1 + length].tolist())) for row in batch.tokens}
        if missing:
            return f"no input {' '.join(sorted(missing)[0])} is drawn"
    return None


def _language(certificate: ReductionCertificate) -> Automaton:
    name = TaskName(certificate.language)
    if name.is_regex:
        return from_expression(name.expression, certificate.alphabet)
    if name.is_automaton and name.is_text:
        return read_automaton(name.source)
    return named_automaton(name.text)


def try_reduction(task: Task, reduction: ReductionDocument, automaton: Automaton) -> tuple[str | None, int]:
    """What is wrong with a reduction on the first word where something is, and how many words were tried."""
    tried = 0
    for word in _reduction_words(automaton):
        x = (*reduction.before, *image(reduction.letters, word))
        shown = " ".join(word)
        try:
            found = follows(task, x, reduction.after, reduction.token)
        except InputError as error:
            return f"the reduction gives the task what it cannot read: {error.message}", tried
        if found is None:
            return f"the reduction asks the task nothing for the word {shown}", tried
        if found != automaton.accepts(word):
            says = "follows" if found else "does not follow"
            return f"{reduction.token!r} {says} for the word {shown}, against the language", tried
        tried += 1
    return None, tried


def _reduction_words(automaton: Automaton) -> Iterator[tuple[str, ...]]:
    """All short words but the empty one, which no verdict is about, and some long ones."""
    for length in range(1, REDUCTION_SHORT + 1):
        if len(automaton.alphabet) ** length <= REDUCTION_WORDS:
            yield from product(automaton.alphabet, repeat=length)
    rng = np.random.default_rng(0)
    for length in rng.integers(REDUCTION_SHORT + 1, REDUCTION_LONG + 1, REDUCTION_LONG_WORDS).tolist():
        letters = rng.integers(0, len(automaton.alphabet), length).tolist()
        yield tuple(automaton.alphabet[letter] for letter in letters)


def same_but_for_the_empty_word(left: Automaton, right: Automaton) -> bool:
    """Whether two automata, over the same letters in any order, accept the same words of length 1 and more.

    >>> same_but_for_the_empty_word(from_expression("a*"), from_expression("aa*"))
    True
    """
    order = [right.letter_index[letter] for letter in left.alphabet]
    rows = [[row[place] for place in order] for row in right.transitions]
    moved = minimal(left.alphabet, rows, 0, right.accepting)
    different = combine(left, moved, lambda a, b: a != b)
    return not any(row_target in different.accepting for row_target in _after_a_letter(different))


def _after_a_letter(automaton: Automaton) -> set[int]:
    reached: set[int] = set()
    waiting = [0]
    while waiting:
        new = {*automaton.transitions[waiting.pop()]} - reached
        reached |= new
        waiting += new
    return reached
