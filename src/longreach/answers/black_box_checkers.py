"""Checks certificates about black boxes: learned automata, programs that were found, bits that were measured.

None of them proves its verdict for inputs of all lengths, and no check here ends as "valid".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from longreach.answers.certificates import (
    FoundProgramCertificate,
    LearnedFlowCertificate,
    LearnedProgramCertificate,
    MeasuredRowsCertificate,
    Reads,
    TaskProgramCertificate,
)
from longreach.answers.checkers import check_task_program, never_drawn
from longreach.answers.oracle import answer
from longreach.errors import InputError
from longreach.tasks.layouts import UNDEFINED, SequenceTask
from longreach.tasks.own import FunctionTask
from longreach.tasks.predicates import IN, OUT, PredicateLanguage
from longreach.tasks.task import EOS, SEP, SOS, Task
from longreach.theory.automata.automaton import Automaton, LabelledAutomaton, Word
from longreach.theory.automata.evidence import counted_answers
from longreach.theory.automata.samples import class_words
from longreach.theory.certificates.check_no import Finding, Status, check_flows
from longreach.theory.certificates.check_yes import check_program, shown
from longreach.theory.certificates.documents import FlowCertificate, ProgramCertificate
from longreach.theory.certificates.tables import automaton_of
from longreach.theory.communication.rows import Cut, DrawnPairs, SpreadRows, is_followed, is_linear

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
    seen = {answer for answer, counts in certificate.seen.items() if sum(counts)}
    if certificate.seen and len(seen - {UNDEFINED}) < 2:
        return Finding.invalid("only one answer was seen, so nothing was learned")
    if certificate.reads in OF_SOME and (why := _not_of_answers(certificate)) is not None:
        return Finding.invalid(why)
    try:
        automaton = automaton_of(inner.automaton)
        problem, tried = _parts(
            automaton, task, certificate.reads, min(certificate.learned_to, LEARNED_LONGEST), seen
        )
    except (InputError, ValueError) as error:
        return Finding.claimed(f"the automaton cannot be tried: {error}")
    if problem is not None:
        return Finding.invalid(problem)
    learned = f"learned to length {certificate.learned_to}"
    if certificate.seen:
        learned = f"{learned} ({counted_answers(certificate.seen, UNDEFINED)})"
    how = f"{found.how}; the automaton, {learned}, tried on {tried} words of the task"
    return Finding(Status.CHECKED, how, AUTOMATON_NOT_FOR_ALL)


def check_learned_machine(certificate: Any, found: Finding, task: Task) -> Finding:
    """A certificate about the automaton that was learned of a function: the automaton tried on the task.

    `found` is what the checker of its kind says of it without a task.
    """
    if not found.valid:
        return found
    table = certificate.machine
    machine = LabelledAutomaton(table.alphabet, table.transitions, table.outputs)
    at_end, tried = isinstance(task, SequenceTask), 0
    if table.at_end != at_end or (not at_end and not isinstance(task, PredicateLanguage)):
        return Finding.invalid("the automaton is not asked where the task is")
    if isinstance(task, PredicateLanguage):
        language, letters = task, {*task.letters}
        words = _learned_words(task.letters, LEARNED_LONGEST)

        def asked(word: Word) -> str:
            return IN if language.contains(word) else OUT
    else:
        assert isinstance(task, SequenceTask)
        letters, words = {*task.symbols}, _inputs(task, LEARNED_LONGEST)

        def asked(word: Word) -> str:
            return answer(task, word)[0]

    if not {*table.alphabet} <= letters:
        return Finding.invalid("the automaton reads other letters than the task")
    try:
        for word in words:
            if not {*word} <= {*table.alphabet}:
                return Finding.invalid(f"the automaton does not read {shown(word)}")
            if asked(word) != machine.class_of(word):
                return Finding.invalid(f"the automaton does not give the task's answer to {shown(word)}")
            tried += 1
    except InputError as error:
        return Finding.claimed(f"the automaton cannot be tried: {error.message}")
    how = f"{found.how}; the automaton, learned from answers, tried on {tried} words of the task"
    return Finding(Status.CHECKED, how, AUTOMATON_NOT_FOR_ALL)


OF_SOME = ("answers to some", "classes of some")
"""What is read where an automaton has the answers to some inputs only."""


def _not_of_answers(certificate: LearnedProgramCertificate | LearnedFlowCertificate) -> str | None:
    """Why an automaton of some inputs says nothing of programs: what no count tells apart are then states
    with different answers, not only states after which other inputs go on."""
    inner = certificate.certificate
    if isinstance(inner, ProgramCertificate):
        return "a program for some inputs only proves nothing"
    table = inner.automaton
    answers = {*table.alphabet} & {*certificate.seen} - {UNDEFINED}
    if certificate.reads == "answers to some":
        answers = {said.split()[0] for said in certificate.seen if said != UNDEFINED}
    final = _leading_to(table.transitions, table.accepting)

    def said(state: int) -> set[str]:
        targets = zip(table.alphabet, table.transitions[state], strict=True)
        return {symbol for symbol, target in targets if symbol in answers and target in final}

    def differ(left: int, right: int) -> bool:
        return bool(said(left) and said(right) and said(left) != said(right))

    if isinstance(inner, FlowCertificate):
        if (certificate.reads == "answers to some") != (inner.letter == SEP) or inner.letter in answers:
            return "the letter of the pair is not where an answer is asked for"
        letter = table.alphabet.index(inner.letter or "")
        left, right = (table.transitions[state][letter] for state in inner.pair)
        return None if differ(left, right) else "the pair does not lead to two answers"
    ends = [inner.vertices[vertex].state for vertex in inner.pair]
    met, queue = {(ends[0], ends[1])}, [(ends[0], ends[1])]
    for left, right in queue:  # grows on the way
        for letter, symbol in enumerate(table.alphabet):
            after = (table.transitions[left][letter], table.transitions[right][letter])
            if symbol in answers or symbol == SOS:
                continue
            if (symbol == SEP) == (certificate.reads == "answers to some") and differ(*after):
                return None
            if symbol != SEP and after not in met:
                met.add(after)
                queue.append(after)
    return "the pair does not lead to two answers"


def _leading_to(transitions: Sequence[Sequence[int]], accepting: Iterable[int]) -> set[int]:
    """The states from which an accepting one is reached."""
    found = {*accepting}
    while more := {s for s, row in enumerate(transitions) if s not in found and found & {*row}}:
        found |= more
    return found


def _of_some(automaton: Automaton, task: Task, reads: Reads, longest: int) -> tuple[str | None, int]:
    """The same where the automaton has some inputs only: its own words are asked about."""
    outputs = ["yes" if state in automaton.accepting else "no" for state in range(len(automaton))]
    machine = LabelledAutomaton(automaton.alphabet, automaton.transitions, tuple(outputs))
    lengths = [*range(longest + 4)] * (LEARNED_LONG_WORDS // 50)
    tried = 0
    for word in class_words(machine, "yes", lengths, np.random.default_rng(1)):
        if reads == "classes of some":
            if not isinstance(task, PredicateLanguage):
                raise InputError("the task is no language that can be asked about its words")
            said = IN if task.contains(word[:-1]) else OUT
            if said != word[-1]:
                return f"the automaton does not give the class of {shown(word[:-1])}", tried
        else:
            if not isinstance(task, SequenceTask):
                raise InputError("the task does not write an answer to an input")
            cut = word.index(SEP)
            x, written = word[1:cut], word[cut + 1 :]
            if len(x) < task.least_length:
                continue
            if len(x) <= 2 and isinstance(task, FunctionTask) and (why := never_drawn(task, [x])) is not None:
                return why, tried
            if answer(task, x)[: len(written)] != written:
                return f"the automaton does not give the task's answer to {shown(x)}", tried
        tried += 1
    return None, tried


def _parts(
    automaton: Automaton, task: Task, reads: Reads, longest: int, seen: set[str]
) -> tuple[str | None, int]:
    """On which word automaton and task part, or which answer is not among those that were `seen`, and how
    many words were tried."""
    tried = 0
    if reads in OF_SOME:
        return _of_some(automaton, task, reads, longest)
    if reads == "language":
        if not isinstance(task, PredicateLanguage):
            raise InputError("the task is not a language whose words can be queried")
        for word in _learned_words(task.letters, longest):
            belongs = task.contains(word)
            if automaton.accepts(word) != belongs:
                return f"the automaton is not that of the task: they differ on {shown(word)}", tried
            if seen and (said := IN if belongs else OUT) not in seen:
                return f"the answer {said} is said never to have been seen; {shown(word)} has it", tried
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
        if seen and (said := " ".join(written)) not in seen:
            return f"the answer {said} is said never to have been seen; {shown(x)} has it", tried
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
    spread = [SpreadRows(**vars(each)) for each in certificate.spread]
    drawn = [DrawnPairs(**vars(each)) for each in certificate.drawn]
    if (drawn if certificate.exhaustive else spread) or not is_followed(lengths, bits, [*spread, *drawn]):
        return Finding.invalid(f"a window of {lengths[-1]} letters or more would explain the bits")
    if certificate.lower_bound is certificate.exhaustive:
        return Finding.invalid("rows of drawn inputs, and only these, are a lower bound")
    if certificate.between and isinstance(task, FunctionTask):
        cut, holds = _cut(certificate), [*product(certificate.alice, repeat=1)]
        inputs = [cut.whole(a, b) for a in holds for b in product(certificate.bob, repeat=1)]
        if (problem := never_drawn(task, inputs)) is not None:
            return Finding.invalid(problem)
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
        for spread_rows in spread:
            if (problem := _spread_problem(certificate, task, spread_rows)) is not None:
                return Finding.invalid(problem)
        for pairs in drawn:
            found_pairs = _paired(task, pairs)
            if not is_followed(lengths, bits, [found_pairs]):
                return Finding.invalid(
                    f"at length {pairs.length} {found_pairs.same} pairs of answers are the same"
                )
    except InputError as error:
        return Finding.claimed(f"the rows cannot be recounted: {error.message}")
    if not checked:
        return Finding.claimed("the rows cannot be recounted: there are too many inputs")
    far = max([each.length for each in spread] + [each.length for each in drawn])
    how = f"rows recounted from the task's own answers up to length {checked}, and some at length {far}"
    return Finding(Status.CHECKED, how, BITS_NOT_FOR_ALL)


def _recounted(certificate: MeasuredRowsCertificate, task: Task, length: int) -> int | None:
    """Beginnings of the length that are told apart; None if there are too many inputs."""
    size = length if certificate.bob_size is None else certificate.bob_size
    if certificate.exhaustive:
        if len(certificate.alice) ** length * max(1, len(certificate.bob)) ** size > MOST_ASKED:
            return None
        ends = list(product(certificate.bob, repeat=size))
        starts = product(certificate.alice, repeat=length)
        cut = _cut(certificate)
        return len({tuple(_asked(task, cut.whole(start, end)) for end in ends) for start in starts})
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


def _cut(certificate: MeasuredRowsCertificate) -> Cut:
    return Cut(
        alice=certificate.alice,
        bob=certificate.bob,
        size=certificate.bob_size,
        between=certificate.between,
        end=certificate.end,
    )


def _spread_problem(certificate: MeasuredRowsCertificate, task: Task, spread: SpreadRows) -> str | None:
    """What is wrong with rows at a long length, counted anew."""
    alone = certificate.bob_size == 0
    cut = _cut(certificate)
    if not alone and certificate.bob_size is not None:
        return "Bob holds a few letters only of drawn inputs"
    if spread.free > spread.length or not ({*spread.alice} <= {*cut.alice} and {*spread.bob} <= {*cut.bob}):
        return "the long words have other letters"
    if (len(cut.alice) * (1 if alone else len(cut.bob))) ** spread.free > MOST_ASKED or alone != (
        not spread.bob
    ):
        return "the long words are too many, or none"
    rows: dict[Word, list[object]] = {}
    for word in spread.words(cut):
        rows.setdefault(word[: spread.length], []).append(_asked(task, word))
    found = len(set(map(tuple, rows.values())))
    if found < spread.rows:
        return f"at length {spread.length} there are {found} distinct rows, not {spread.rows}"
    return None


def _paired(task: Task, pairs: DrawnPairs) -> DrawnPairs:
    if not isinstance(task, SequenceTask):
        raise InputError("inputs are drawn only of tasks that write an answer")
    rng = np.random.default_rng(5)
    batch = task.sample([pairs.length] * min(pairs.inputs, DRAWN), rng)
    inputs = (tuple(task.decode(row[1 : 1 + pairs.length].tolist())) for row in batch.tokens)
    answers = Counter(answer(task, x) for x in inputs)
    same = sum(times * (times - 1) // 2 for times in answers.values())
    return DrawnPairs(length=pairs.length, inputs=answers.total(), same=same)


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
