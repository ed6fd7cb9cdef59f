"""Automata learned and programs found from a task's answers alone, and their verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from longreach.answers.certificates import (
    FoundProgramCertificate,
    LearnedFlowCertificate,
    LearnedProgramCertificate,
    Reads,
)
from longreach.answers.checkers import TRIED, try_program, wrong_on
from longreach.answers.finders import program_fields, program_verdict
from longreach.errors import InputError
from longreach.tasks.layouts import UNDEFINED, SequenceTask
from longreach.tasks.own import FunctionTask
from longreach.tasks.predicates import PredicateLanguage
from longreach.tasks.regular import LanguageTask
from longreach.tasks.task import EOS, SEP, SOS, Task
from longreach.theory.automata.automaton import Automaton, LabelledAutomaton, Word, minimal
from longreach.theory.automata.evidence import counted_answers
from longreach.theory.automata.learn import LearnedAutomaton
from longreach.theory.automata.samples import long_words, short_words
from longreach.theory.budget import Budget
from longreach.theory.certificates.documents import (
    FlowCertificate,
    NoCertificate,
    ProgramCertificate,
    SampledFlowCertificate,
)
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.library import ENTRIES, load
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.program import Program, parse, raise_core, tidy_statements
from longreach.theory.crasp.transform import intersection, predictor_of
from longreach.theory.program_class import SIDES, ProgramClass
from longreach.theory.search.space import Family
from longreach.theory.search.synthesize import synthesize
from longreach.theory.search.targets import accepted_words
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import Answer, CertificateDocument, Proof, Verdict, same_answers
from longreach.wording import counted

# Learned automata


def learned_language_sides(
    learned: LearnedAutomaton, accepting: str, *, name: str, predicts: bool, budget: Budget
) -> dict[str, Verdict]:
    """The sides of a language whose words are those of one class; with `predicts` what may follow is trained.

    >>> from longreach.theory.automata.learn import learn_automaton
    >>> even = learn_automaton(lambda word: str(len(word) % 2 == 0), "a")
    >>> found = learned_language_sides(even, "True", name="even", predicts=False, budget=Budget())
    >>> found["ape"].reason
    'for the automaton learned up to length 100 (50 False, 51 True): the position modulo 2 determines the ...'
    """
    found = {}
    for key, verdict in judge(learned.machine.language(accepting), budget).sides.items():
        mark = partial(_marked, learned, name, SIDES[key], "language")
        found[key] = replace(verdict.with_proofs(mark), predicts=predicts, checked_to=learned.length)
    return found


def _marked(
    learned: LearnedAutomaton, name: str, program_class: ProgramClass, reads: Reads, proof: Proof
) -> Proof:
    """The same proof, about the learned automaton and not about the task."""

    def certify() -> CertificateDocument:
        inner = proof.certificate
        about = {
            "class": program_class,
            "task": name,
            "reads": reads,
            "learned_to": learned.length,
            "exhaustive": learned.exhaustive,
            "states": len(learned.machine),
            "seen": learned.seen,
            "certificate": inner,
        }
        if isinstance(inner, ProgramCertificate):
            return LearnedProgramCertificate.model_validate(about)
        if isinstance(inner, FlowCertificate | SampledFlowCertificate):
            return LearnedFlowCertificate.model_validate(about)
        assert isinstance(inner, NoCertificate)
        return inner

    states = counted(len(learned.machine), "state")
    seen = f" ({counted_answers(learned.seen, UNDEFINED)})" if learned.seen else ""
    return replace(
        proof,
        reason=f"for the automaton learned up to length {learned.length}{seen}: {proof.reason}",
        certify=certify,
        weigh=lambda: f"automaton with {states}, learned to length {learned.length}",
    )


def learned_answer_sides(
    learned: LearnedAutomaton,
    *,
    name: str,
    keys: Iterable[str],
    every_word: bool,
    first_token: bool,
    budget: Budget,
) -> dict[str, Verdict]:
    """The sides of a task that reads x and then writes the class of x, token by token.

    A program is asked along SOS x SEP y: what may follow is then the next token of y. Where not every word
    is an input, a program need not be right on the others, so that only a yes counts; and where the class is
    only the first token of the answer, only a no does. Sides of which nothing is known are left out.

    >>> from longreach.theory.automata.learn import learn_automaton
    >>> odd = learn_automaton(lambda word: "odd" if word.count("1") % 2 else "even", "01")
    >>> found = learned_answer_sides(
    ...     odd, name="mine", keys=["nope"], every_word=True, first_token=False, budget=Budget()
    ... )
    >>> found["nope"].answer.value
    'no'
    """
    judged = judge(written(learned.machine), budget).sides
    counts = [Answer.NO] if first_token else [Answer.YES, Answer.NO] if every_word else [Answer.YES]
    found = {}
    for key in keys:
        answer, predicted = judged[key].prediction.answer, judged[key].prediction.proof
        if answer in counts:
            said = replace(predicted, say=partial(_said, predicted, first_token))
            proof = _marked(learned, name, SIDES[key], "first token" if first_token else "answer", said)
            found[key] = replace(same_answers(SIDES[key], answer, proof), checked_to=learned.length)
    return found


def _said(proof: Proof, first_token: bool) -> str:
    clause = (proof.clause or proof.reason).replace("what may follow", "the answer")
    clause = clause.replace("letters", "tokens")
    return f"already for the first token, {clause}" if first_token else clause


def written(machine: LabelledAutomaton) -> Automaton:
    """The automaton of the words SOS x SEP y, where y is the class of x, its tokens separated by blanks.

    >>> from longreach.theory.automata.automaton import labelled
    >>> odd = labelled(("1",), [[1], [0]], 0, ["even", "odd"])
    >>> written(odd).accepts(["SOS", "1", "SEP", "odd"])
    True
    """
    answers = [label for label in machine.classes if label != UNDEFINED]
    tokens = dict.fromkeys(
        [SOS, *machine.alphabet, SEP, *(token for label in answers for token in label.split())]
    )
    alphabet = tuple(token for token in tokens if token != EOS)
    number = {token: place for place, token in enumerate(alphabet)}
    dead, end, first = len(machine), len(machine) + 1, len(machine) + 2
    rows: list[list[int]] = [[dead] * len(alphabet) for _ in range(first + 1)]
    rows[first][number[SOS]] = 0
    for state, row in enumerate(machine.transitions):
        for letter, target in zip(machine.alphabet, row, strict=True):
            rows[state][number[letter]] = target
    starts = {label: _path(rows, label.split(), number, dead, end) for label in answers}
    for state, label in enumerate(machine.outputs):
        if label in starts:
            rows[state][number[SEP]] = starts[label]
    return minimal(alphabet, rows, first, [end])


def _path(rows: list[list[int]], tokens: Sequence[str], number: dict[str, int], dead: int, end: int) -> int:
    """The state from which these tokens lead to the end."""
    state = end
    for token in reversed(tokens):
        rows.append([dead] * len(number))
        rows[-1][number[token]] = state
        state = len(rows) - 1
    return state


# Library programs, tried on the answers of a black box


MOST_TOKENS = 4
"""How many times the task's tokens a program may read."""
SHORT_WORDS, LONG_WORDS = 1000, 200
"""On which an acceptor is tried besides examples."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FoundProgram:
    """A program that is right on all inputs on which it was tried."""

    program: Program
    source: str
    tried: int
    longest: int


def library_program(
    task: Task, *, left: Callable[[], float], words: Iterable[Word] = ()
) -> FoundProgram | None:
    """The first program of the library that reads the task's tokens and is right on its examples, and on
    further `words`.

    >>> from longreach.tasks.copying import BucketSort
    >>> library_program(BucketSort(), left=lambda: 1.0).source
    'program bucket-sort of the library'
    """
    for name in _names(task):
        if left() < 0:
            break
        found = tried_program(task, load(name), f"program {name} of the library", words)
        if found is not None:
            return found
    return None


BEYOND, BEYOND_SAMPLES = (80, 100, 120, 150, 200, 300, 500), 12
"""Inputs of about these lengths, where there are some, must not refute a program, and how many of each."""


def tried_program(
    task: Task, program: Program, source: str, words: Iterable[Word] = ()
) -> FoundProgram | None:
    """The program with what it was tried on; None if it is wrong somewhere."""
    try:
        wrong, tried, longest = try_program(task, program, TRIED)
    except InputError:
        return None
    if wrong is not None or _refuted_beyond(task, program):
        return None
    further = list(words)
    if isinstance(task, PredicateLanguage) and not program.core.is_predictor:
        more = _agreed(task, program, further)
        if more is None:
            return None
        tried += more
    elif isinstance(task, FunctionTask) and further:
        if _wrong_answer(task, program, further):
            return None
        tried += len(further)
    return FoundProgram(program=program, source=source, tried=tried, longest=longest)


def _refuted_beyond(task: Task, program: Program) -> bool:
    core, rng = simplify(program.core), np.random.default_rng(10)
    for length in BEYOND:
        try:
            known = task.lengths(length, length + 20)[:1].tolist()
            if wrong_on(task, core, known * BEYOND_SAMPLES, rng) is not None:
                return True
        except InputError:  # functions may be for short inputs only
            return False
    return False


def _wrong_answer(task: FunctionTask, program: Program, words: Sequence[Word]) -> bool:
    """Whether a program does not give the answer to one of these inputs."""
    waiting, mine = iter(words), np.random.default_rng(0)

    def drawer(length: int, rng: np.random.Generator) -> Sequence[str]:
        return next(waiting) if rng is mine else task.drawer(length, rng)

    try:
        given = replace(task, drawer=drawer, given_tokens=task.symbols, longest_answer=task.answer_size)
        return wrong_on(given, simplify(program.core), [len(word) for word in words], mine) is not None
    except InputError:
        return True


def _agreed(task: PredicateLanguage, program: Program, words: Sequence[Word]) -> int | None:
    """On how many further words an acceptor agrees with a predicate, all short ones among them; None if not
    on all, or if no word is of the language or every one is: of rare words there may be none in examples."""
    if not words:
        words = [*short_words(task.letters, SHORT_WORDS, longest=TRIED)[1]]
        words += long_words(task.letters, TRIED, LONG_WORDS, np.random.default_rng(0))
    right = [task.contains(word) for word in words]
    said = accepted_words(program.core, words).tolist()
    return len(words) if said == right and len(set(right)) == 2 else None


def _names(task: Task) -> Iterator[str]:
    """Programs whose tokens are those of the task, the smallest first."""
    letters = set(task.letters if isinstance(task, LanguageTask) else task.tokens[1:])
    # What may follow is said by predictors, membership by acceptors.
    predicts = not isinstance(task, PredicateLanguage) or task.asks == "next"
    rest = letters - {SOS, SEP, EOS}
    for entry in ENTRIES.values():
        name = entry.example
        if entry.default is not None:
            # The members of a family on numbers have the numbers below theirs.
            if not all(token.isdecimal() for token in rest) or not rest:
                continue
            name = entry.name.replace("N", str(max(map(int, rest)) + 1))
        try:
            core = load(name).core
        except InputError:
            continue
        known = set(core.alphabet)
        if len(known) > MOST_TOKENS * len(letters):
            continue  # for many more tokens: it takes long to try, and is hardly meant
        if letters - {EOS} <= known and predicts == core.is_predictor:
            yield name


def found_verdict(found: FoundProgram, *, name: str, key: str) -> Verdict | None:
    """A yes for classes that have the relations of the program; None for others."""
    if key == "nope" and found.program.core.relations:
        return None
    reason = (
        f"for inputs up to length {found.longest}: the {found.source} is right on {found.tried} of "
        f"{found.tried} inputs"
    )
    certificate = FoundProgramCertificate(
        **program_fields(name, key, found.program),
        source=found.source,
        tried=found.tried,
        tried_to=found.longest,
    )
    verdict = program_verdict(
        name, key, reason, found.program, weigh=lambda: f"program, tried to length {found.longest}"
    )
    certified = verdict.with_proofs(lambda proof: replace(proof, certify=lambda: certificate))
    return replace(certified, checked_to=found.longest)


# Answers → a program that is searched for, smallest first, and tried on inputs that the search never saw.


FAMILIES = {"nope": "empty", "ape": "both"}
"""The programs that are searched for each side."""
MOST_ANSWERS, MOST_LETTERS = 4, 6
ROUNDS = 3
LONGER, SAMPLES = (12, 20, 30), 30
"""Lengths of further examples, and how many."""
MOST_EXAMPLES = 1500


def synthesized_program(
    task: Task,
    key: str,
    inputs: Mapping[Word, Word],
    *,
    left: Callable[[], float],
    words: Iterable[Word] = (),
) -> FoundProgram | None:
    """The smallest program found of the side's class; `inputs` are examples of a task that writes an answer,
    and on `words` it must be right as well.

    >>> majority = Task.from_predicate(lambda word: word.count("a") > 2 * word.count("b"), "ab")
    >>> synthesized_program(majority, "nope", {}, left=lambda: 5.0).source
    'program with 7 operations that was searched for'
    """
    family = FAMILIES[key]
    if isinstance(task, PredicateLanguage):
        if task.asks == "next" or len(task.letters) > MOST_LETTERS:
            return None
        found = synthesize(task.contains, alphabet=task.letters, family=family, seconds=max(0.0, left()))
        return None if found.program is None else _tried(task, found.program, words)
    if not isinstance(task, SequenceTask) or not task.separated:
        return None
    return _predictor(task, family, dict(inputs), left, words)


def _tried(task: Task, program: Program, words: Iterable[Word]) -> FoundProgram | None:
    source = f"program with {program.core.size} operations that was searched for"
    return tried_program(task, program, source, words)


def _predictor(
    task: SequenceTask,
    family: str,
    inputs: dict[Word, Word],
    left: Callable[[], float],
    words: Iterable[Word],
) -> FoundProgram | None:
    """Of answers of one token, a few in all: one program for each of them, and one that ends the answer."""
    known = set(inputs.values())
    letters = {letter for x in inputs for letter in x}
    if not 0 < len(known) <= MOST_ANSWERS or any(len(y) != 2 for y in known) or len(letters) > MOST_LETTERS:
        return None
    alphabet = (SOS, *sorted(letters), SEP)
    rng = np.random.default_rng(3)
    few = dict(list(inputs.items())[:MOST_EXAMPLES]) | _further(task, rng)
    for _ in range(ROUNDS):
        cores: dict[str, Core] = {}
        for token in sorted(y[0] for y in known):
            examples = {(SOS, *x, SEP): y[0] == token for x, y in few.items()}
            found = synthesize(
                examples, alphabet=alphabet, family=Family.named(family), seconds=max(0.0, left() / 2)
            )
            if found.program is None or left() < 0:
                return None
            cores[token] = intersection(found.program.core, parse(f'P = "{SEP}"').core)
        cores[EOS] = parse(f'P = exists "{SEP}" && !"{SEP}"').core
        program = tidy_statements(raise_core(predictor_of(cores)))
        tried = _tried(task, program, words)
        if tried is not None:
            return tried
        few |= _further(task, rng)
    return None


def _further(task: SequenceTask, rng: np.random.Generator) -> dict[Word, Word]:
    """Longer inputs with their answers."""
    found: dict[Word, Word] = {}
    for length in LONGER:
        known = task.lengths(length, length + 10)[:1]
        batch = task.sample(np.repeat(known, SAMPLES), rng)
        for row in batch.tokens:
            x = tuple(task.decode(row[1 : 1 + int(known[0])].tolist()))
            found[x] = tuple(task.answer(x))
    return found
