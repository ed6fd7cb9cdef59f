"""Checks certificates about tasks from the tasks' own answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise, product

import numpy as np

from longreach.answers.certificates import (
    CommunicationCertificate,
    FoundProgramCertificate,
    LearnedFlowCertificate,
    LearnedProgramCertificate,
    MeasuredRowsCertificate,
    Reads,
    ReductionCertificate,
    ReductionDocument,
    TaskProgramCertificate,
)
from longreach.answers.oracle import answer, follows
from longreach.errors import InputError
from longreach.tasks.layouts import SequenceTask
from longreach.tasks.outside import ACCEPTED, REJECTED, ProgramTask
from longreach.tasks.own import PredicateLanguage
from longreach.tasks.regular import LabelledLanguage, StateTask, label_name
from longreach.tasks.task import EOS, SEP, SOS, Evidence, Split, Task, image
from longreach.theory.automata.automaton import Automaton, Word, combine, minimal
from longreach.theory.automata.files import read_automaton
from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.certificates.check_no import Finding, Status, check_certificate, check_flows
from longreach.theory.certificates.check_yes import check_announcer, check_program, shown
from longreach.theory.certificates.documents import ProgramCertificate
from longreach.theory.certificates.tables import automaton_of, automaton_table
from longreach.theory.communication.complexity import fit_growth
from longreach.theory.communication.rows import is_linear
from longreach.theory.crasp.compare import equal
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.evaluate import Kernel, State, at_empty_word
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.program import Program, parse
from longreach.theory.crasp.words import Encoder
from longreach.theory.names import TaskName
from longreach.theory.program_class import EMPTY, PERIODIC_LOCAL, RELATIONS
from longreach.theory.prove.equivalence import rightness

# Checks programs that are to solve a task: they are tried on its own right answers.


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

    >>> from longreach.theory.crasp.library import load
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


# Communication: rows of a task's matrix, counted from its own answers, and the check of certificates.


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


# Reductions: a program for the task would decide a regular language that has none.


REDUCTION_SHORT, REDUCTION_WORDS = 7, 4000
REDUCTION_LONG, REDUCTION_LONG_WORDS = 100, 50


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
    if problem is not None:
        return Finding.invalid(problem)
    exact = task.continuation(reduction.letters, reduction.after, reduction.token) if trusted else None
    if exact is None:
        how = f"flows recomputed; the reduction tried on {tried} words up to length {REDUCTION_LONG}"
        return Finding(Status.CHECKED, how, "nothing proves the reduction for words of all lengths")
    if not same_but_for_the_empty_word(exact, automaton):
        return Finding.invalid("the reduction leads to another language")
    return Finding(Status.VALID, "flows recomputed, and the reduction for all lengths from automata")


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
        x = image(reduction.letters, word)
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


# Checks certificates about learned automata: the language's proof, and the automaton against the task.


LEARNED_WORDS = 2000
"""Short words on which the automaton is tried; of longer lengths some."""
LEARNED_LONG_WORDS = 300
LEARNED_LONGEST = 100
AUTOMATON_NOT_FOR_ALL = "nothing proves that the automaton is the task's on longer words"


def check_learned(
    certificate: LearnedProgramCertificate | LearnedFlowCertificate, task: Task, trusted: bool
) -> Finding:
    """Never "valid": that the automaton is the task's is known to a length alone."""
    del trusted
    inner = certificate.certificate
    if inner.program_class != certificate.program_class:
        return Finding.invalid(f"the certificate of the automaton is about {inner.program_class}")
    found = check_program(inner, None) if isinstance(inner, ProgramCertificate) else check_flows(inner)
    if found.status not in (Status.VALID, Status.NOT_PROVED):
        return found
    try:
        automaton = automaton_of(inner.automaton)
        problem, tried = _parts(
            automaton, task, certificate.reads, min(certificate.learned_to, LEARNED_LONGEST)
        )
    except (InputError, ValueError) as error:
        return Finding.claimed(f"the automaton cannot be tried: {error}")
    if problem is not None:
        return Finding.invalid(problem)
    learned = f"learned to length {certificate.learned_to}"
    how = f"{found.how}; the automaton, {learned}, tried on {tried} words of the task"
    return Finding(Status.CHECKED, how, AUTOMATON_NOT_FOR_ALL)


def _parts(automaton: Automaton, task: Task, reads: Reads, longest: int) -> tuple[str | None, int]:
    """On which word automaton and task part, if they do, and how many words were tried."""
    tried = 0
    if reads == "language":
        if not isinstance(task, PredicateLanguage):
            raise InputError("the task is no language that can be asked about its words")
        for word in _learned_words(task.letters, longest):
            if automaton.accepts(word) != task.contains(word):
                return f"the automaton is not that of the task: they differ on {shown(word)}", tried
            tried += 1
        return None, tried
    if not isinstance(task, SequenceTask):
        raise InputError("the task does not write an answer to an input")
    for x in _inputs(task, longest):
        right = answer(task, x)
        wanted = right[:1] if reads == "first token" else right
        written = tuple(token for token in wanted if token != EOS)
        if not automaton.accepts((SOS, *x, SEP, *written)):
            return f"the automaton does not give the task's answer to {shown(x)}", tried
        tried += 1
    return None, tried


def _learned_words(letters: tuple[str, ...], longest: int) -> Iterator[Word]:
    """All short words, and some that are longer."""
    size = 0
    while size <= longest and len(letters) ** size <= LEARNED_WORDS:
        yield from product(letters, repeat=size)
        size += 1
    rng = np.random.default_rng(1)
    for length in rng.integers(1, longest + 1, LEARNED_LONG_WORDS).tolist():
        yield tuple(letters[k] for k in rng.integers(0, len(letters), length))


def _inputs(task: SequenceTask, longest: int) -> Iterator[Word]:
    """Inputs as the task draws them: several of each length."""
    rng = np.random.default_rng(1)
    lengths = [n for n in task.lengths(task.least_length, max(longest, task.least_length)).tolist() if n]
    every = max(1, len(lengths) * 5 // LEARNED_LONG_WORDS)
    for length in lengths[::every]:
        batch = task.sample([length] * 5, rng)
        for row in batch.tokens:
            yield tuple(task.decode(row[1 : 1 + length].tolist()))


# Checks programs that were found and communication that was measured: both to a length.


MOST_ASKED = 20_000
"""Words that are asked about again; with more of them the longest lengths are claimed."""
DRAWN, FEWER = 20_000, 0.9
"""Inputs that are drawn anew, and the share of the rows that must be among them."""
BITS_NOT_FOR_ALL = "nothing proves that the bits go on growing"


def check_found_program(certificate: FoundProgramCertificate, task: Task, trusted: bool) -> Finding:
    """The program tried on the task's own examples: right on all of them is "checked to a length"."""
    known = certificate.model_dump(
        include={"program_class", "task", "program", "size", "depth", "window", "modulus"}
    )
    found = check_task_program(TaskProgramCertificate.model_validate(known), task, trusted)
    if found.status in (Status.VALID, Status.NOT_PROVED):
        return Finding(Status.CHECKED, found.how, "nothing proves the program right for longer inputs")
    return found


def check_measured_rows(certificate: MeasuredRowsCertificate, task: Task, trusted: bool) -> Finding:
    """Beginnings told apart, counted anew from the task's own answers, as far as there are few enough."""
    del trusted
    lengths, rows, bits = certificate.lengths, certificate.rows, certificate.bits
    if not len(lengths) == len(rows) == len(bits) or list(lengths) != sorted(set(lengths)):
        return Finding.invalid("there are not as many rows and bits as growing lengths")
    for count, needed in zip(rows, bits, strict=True):
        if count < 1 or not math.isclose(needed, math.log2(count), abs_tol=1e-9):
            return Finding.invalid(f"{count} rows are not {needed} bits")
    if not is_linear(lengths, bits, len(certificate.alice)):
        return Finding.invalid("the bits do not grow linearly")
    checked = 0
    try:
        for length, claimed in zip(lengths, rows, strict=True):
            found = _recounted(certificate, task, length)
            if found is None:
                break
            if found < claimed and certificate.exhaustive:
                return Finding.invalid(f"at length {length} there are {found} distinct rows, not {claimed}")
            if found < FEWER * claimed:
                break
            checked = length
    except InputError as error:
        return Finding.claimed(f"the rows cannot be recounted: {error.message}")
    if not checked:
        return Finding.claimed("the rows cannot be recounted: there are too many inputs")
    how = f"rows recounted from the task's own answers up to length {checked}"
    return Finding(Status.CHECKED, how, BITS_NOT_FOR_ALL)


def _recounted(certificate: MeasuredRowsCertificate, task: Task, length: int) -> int | None:
    """Beginnings of the length that are told apart; None if there are too many inputs."""
    size = length if certificate.bob_size is None else certificate.bob_size
    if certificate.exhaustive:
        if len(certificate.alice) ** length * max(1, len(certificate.bob)) ** size > MOST_ASKED:
            return None
        ends = list(product(certificate.bob, repeat=size))
        starts = product(certificate.alice, repeat=length)
        return len({tuple(_asked(task, (*start, *end)) for end in ends) for start in starts})
    if not isinstance(task, SequenceTask):
        raise InputError("inputs are drawn only of tasks that write an answer")
    rng = np.random.default_rng(2)
    rows: dict[Word, dict[Word, tuple[str, ...]]] = {}
    for _ in range(DRAWN // 1000):
        batch = task.sample([length + size] * 1000, rng)
        for row in batch.tokens:
            x = tuple(task.decode(row[1 : 1 + length + size].tolist()))
            if x[length:] not in rows.setdefault(x[:length], {}):
                rows[x[:length]][x[length:]] = answer(task, x)
    return _told_apart(rows)


def _told_apart(rows: dict[Word, dict[Word, tuple[str, ...]]]) -> int:
    """At least so many: those that share one end, or have all ends in common."""
    best: dict[Word, set[tuple[str, ...]]] = {}
    for row in rows.values():
        for end, right in row.items():
            best.setdefault(end, set()).add(right)
    by_ends: dict[frozenset[Word], set[frozenset[tuple[Word, tuple[str, ...]]]]] = {}
    for row in rows.values():
        by_ends.setdefault(frozenset(row), set()).add(frozenset(row.items()))
    return max([*map(len, best.values()), *map(len, by_ends.values())], default=0)


def _asked(task: Task, word: Word) -> bool | tuple[str, ...] | None:
    if isinstance(task, PredicateLanguage):
        return task.contains(word)
    if not isinstance(task, SequenceTask):
        raise InputError("the task can be asked neither about words nor for answers")
    return None if len(word) < task.least_length else answer(task, word)
