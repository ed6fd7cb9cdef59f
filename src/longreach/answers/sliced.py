"""A no from inputs along which a difference of two counts stays small.

On all inputs the task may compare counts without bound, so that no automaton gives its answers. But where
the count of "a b" stays within one of the count of "a c", say, an automaton often does, and it is learned.
The inputs it has an answer to are a regular part of all inputs. If two of its states that no program tells
apart have different answers there, no program gives the answers to all inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np

from longreach.answers.certificates import LearnedFlowCertificate, Reads
from longreach.answers.learned import written
from longreach.tasks.layouts import UNDEFINED
from longreach.tasks.task import SEP
from longreach.theory.automata.automaton import Automaton, LabelledAutomaton, Word, minimal
from longreach.theory.automata.evidence import counted_answers, doubt
from longreach.theory.automata.learn import LearnedAutomaton, LearningLimits, NotLearned, learn_automaton
from longreach.theory.budget import Budget, OverBudget
from longreach.theory.certificates.documents import FlowCertificate, SampledFlowCertificate
from longreach.theory.certificates.from_proofs import arrow_certificate, flow_certificate
from longreach.theory.decide.views import Convention
from longreach.theory.decide.with_positions import decide_positional
from longreach.theory.decide.without_positions import plain_analysis, refutation_of
from longreach.theory.program_class import SIDES
from longreach.theory.verdicts.verdict import Answer, Proof, Verdict, same_answers
from longreach.wording import counted, spelled

BOUND = 1
"""Of the difference."""
MOST_LETTERS, MOST_SUBSETS = 3, 6
"""Letters of a slice, and how many sets of letters are tried."""
LONGEST, WALKS = 100, 150
"""Of inputs drawn from a slice, and how many."""
LOOKS, LOOKED = (30, 60), 40
"""Lengths of inputs from which it is seen whether a slice is worth learning, and how many."""
STATES, SHORT, LONG, NEAR, SPARSE, MOST_ASKED = 14, 1200, 100, 300, 3000, 8000
"""Of the automata that are learned."""


@dataclass(frozen=True)
class Slice:
    """Inputs over some letters, without some pairs of letters in a row, along which the number of times that
    `more` has stood in a row stays near that of `less`."""

    letters: tuple[str, ...]
    more: Word
    less: Word
    without: frozenset[Word] = frozenset()

    @property
    def words(self) -> str:
        """For people."""
        left, right = spelled(self.more), spelled(self.less)
        shown = sorted(spelled(pair) for pair in self.without)
        never = f" without {', '.join(shown)}" if shown else ""
        return f"inputs over {' '.join(self.letters)}{never} with as many {left} as {right}, but for {BOUND}"

    def step(self, ahead: int, last: str | None, letter: str) -> int | None:
        """How far `more` is ahead after one more letter; None outside the slice."""
        pair = (letter,) if last is None else (last, letter)
        if pair in self.without:
            return None
        ahead += (pair[-len(self.more) :] == self.more) - (pair[-len(self.less) :] == self.less)
        return ahead if abs(ahead) <= BOUND else None

    def __contains__(self, word: Word) -> bool:
        ahead, last = 0, None
        for letter in word:
            after = self.step(ahead, last, letter) if letter in self.letters else None
            if after is None:
                return False
            ahead, last = after, letter
        return True

    def draw(self, length: int, rng: np.random.Generator) -> tuple[Word, int]:
        """A word of it, shorter where nothing may follow, and how far `more` is ahead in the end."""
        shares = rng.dirichlet(np.ones(len(self.letters))) * 0.9 + 0.1 / len(self.letters)
        wanted = rng.choice(len(self.letters), length, p=shares).tolist()
        word: list[str] = []
        ahead = 0
        for first in wanted:
            last = word[-1] if word else None
            for place in (first, *range(len(self.letters))):
                after = self.step(ahead, last, self.letters[place])
                if after is not None:
                    break
            else:
                break
            word.append(self.letters[place])
            ahead = after
        return tuple(word), ahead


def slices(letters: Sequence[str]) -> Iterator[Slice]:
    """Those over a few letters, of single letters and of two in a row, the fewest letters first.

    >>> next(slices("ab")).words, sum(1 for _ in slices("ab"))
    ('inputs over a b with as many a as b, but for 1', 7)
    """
    least = min(MOST_LETTERS if len(letters) > MOST_LETTERS else 2, len(letters))
    sizes = range(least, min(MOST_LETTERS, len(letters)) + 1)
    for part in [part for size in sizes for part in combinations(letters, size)][:MOST_SUBSETS]:
        for first, second in combinations(part, 2):
            yield Slice(part, (first,), (second,))
        pairs: list[Word] = list(product(part, repeat=2))
        for more, less in combinations(pairs, 2):
            others = [pair for pair in pairs if pair not in (more, less)]
            beside = frozenset(pair for pair in others if pair[0] == more[0] == less[0])
            around = frozenset(pair for pair in others if pair[1] == more[1] == less[1])
            for without in dict.fromkeys([frozenset[Word](), beside, around]):
                yield Slice(part, more, less, without)


def sliced_sides(
    name: str,
    keys: Iterable[str],
    letters: Sequence[str],
    asked: Callable[[Word], str | None],
    *,
    separated: bool,
    left: Callable[[], float],
    clock: Callable[[], float],
) -> dict[str, Verdict]:
    """A no for each side that has a slice that shows it; `asked` says the first token of an answer, or to
    which class a word belongs, and all words are inputs.

    >>> from time import thread_time
    >>> def pairs(word):
    ...     return "yes" if "".join(word).count("ab") > "".join(word).count("ac") else "no"
    >>> found = sliced_sides("mine", ["nope", "ape"], "abc", pairs, separated=True, left=lambda: 5.0,
    ...                      clock=thread_time)
    >>> {key: verdict.answer.value for key, verdict in found.items()}
    {'nope': 'no'}
    """
    found: dict[str, Verdict] = {}
    open_keys = list(keys)
    for part in slices(letters):
        if left() < 0 or not open_keys:
            break
        if not _promising(part, asked):
            continue
        learned = _learned(part, asked, Budget(seconds=max(0.05, left() / 2), clock=clock))
        if learned is None:
            continue
        for key in list(open_keys):
            certificate = refuting(learned.machine, key, separated=separated)
            if certificate is not None:
                found[key] = _verdict(name, key, part, learned, certificate, separated)
                open_keys.remove(key)
    return found


def _promising(part: Slice, asked: Callable[[Word], str | None]) -> bool:
    """Whether on some long inputs the answer depends on both ends and on how far `more` is ahead alone, and
    not on the ends alone."""
    rng = np.random.default_rng(1)
    said: dict[tuple[str, str, int], str | None] = {}
    for length in rng.integers(*LOOKS, LOOKED).tolist():
        word, ahead = part.draw(length, rng)
        if len(word) == length:
            answer = asked(word)
            if said.setdefault((word[0], word[-1], ahead), answer) != answer:
                return False
    ends: dict[tuple[str, str], set[str]] = {}
    for (first, last, _), answer in said.items():
        ends.setdefault((first, last), set()).update([answer] if answer is not None else [])
    return any(len(answers) > 1 for answers in ends.values())


def _learned(part: Slice, asked: Callable[[Word], str | None], budget: Budget) -> LearnedAutomaton | None:
    """The automaton of the answers in a slice, if there is evidence for it."""

    def teacher(word: Word) -> str:
        return (asked(word) or UNDEFINED) if word in part else UNDEFINED

    rng = np.random.default_rng(0)
    walks = [part.draw(int(length), rng)[0] for length in rng.integers(1, LONGEST + 1, WALKS)]
    limits = LearningLimits(
        states=STATES, short=SHORT, long=LONG, near=NEAR, sparse=SPARSE, asked=MOST_ASKED, budget=budget
    )
    found = learn_automaton(teacher, part.letters, limits, also=walks, undefined=UNDEFINED)
    if isinstance(found, NotLearned) or len({*found.machine.classes} - {UNDEFINED}) < 2:
        return None
    why = doubt(found.machine, found.seen, found.length, rare=found.rare, undefined=UNDEFINED)
    return found if why is None else None


# What an automaton with answers to some inputs only says against programs


def refuting(
    machine: LabelledAutomaton, key: str, *, separated: bool
) -> FlowCertificate | SampledFlowCertificate | None:
    """Why no program of the side's class gives the answers where there are some; None if this says nothing.

    A program need not know where there are none. So states that it cannot tell apart count only if some word
    leads them to different answers.
    """
    automaton = written(machine) if separated else announced(machine)
    try:
        plain = plain_analysis(automaton)
        if key == "nope":
            for component in plain.components:
                for pair in _mates(component.refinement.classes):
                    states = [component.states[place] for place in pair]
                    for letter, symbol in enumerate(automaton.alphabet):
                        after = [automaton.transitions[state][letter] for state in states]
                        wanted = symbol == SEP if separated else symbol in machine.alphabet
                        if wanted and answers_differ(automaton, machine.classes, after[0], after[1]):
                            proof = refutation_of(plain, component, (*pair, letter), Convention.LAST_LETTER)
                            return flow_certificate(proof)
            return None
        refuted = decide_positional(automaton, plain).periodic_local.refutation
    except OverBudget:
        return None
    if refuted is None:
        return None
    certificate = arrow_certificate(refuted)
    first, second = (certificate.vertices[vertex].state for vertex in certificate.pair)
    return certificate if _led_apart(automaton, machine, first, second, separated) else None


def _mates(classes: Sequence[int]) -> Iterator[tuple[int, int]]:
    for first, second in combinations(range(len(classes)), 2):
        if classes[first] == classes[second]:
            yield first, second


def answers_differ(automaton: Automaton, answers: Iterable[str], first: int, second: int) -> bool:
    """Whether a first token of an answer may follow each of two states, and not the same."""
    numbers = {automaton.alphabet.index(each.split()[0]) for each in answers if each != UNDEFINED}
    live = automaton.live
    said = [{n for n in numbers if automaton.transitions[state][n] in live} for state in (first, second)]
    return bool(said[0] and said[1] and said[0] != said[1])


def _led_apart(
    automaton: Automaton, machine: LabelledAutomaton, first: int, second: int, separated: bool
) -> bool:
    """Whether some letters lead two states to different answers."""
    met, queue = {(first, second)}, [(first, second)]
    for pair in queue:  # grows on the way
        for letter, symbol in enumerate(automaton.alphabet):
            if symbol not in machine.alphabet and symbol != SEP:
                continue
            after = (automaton.transitions[pair[0]][letter], automaton.transitions[pair[1]][letter])
            if (symbol == SEP or not separated) and answers_differ(automaton, machine.classes, *after):
                return True
            if symbol != SEP and after not in met and after[0] != after[1]:
                met.add(after)
                queue.append(after)
    return False


def announced(machine: LabelledAutomaton) -> Automaton:
    """The automaton of a word and then its class, for the words that have one.

    >>> from longreach.theory.automata.automaton import labelled
    >>> announced(labelled("a", [[1], [0]], 0, ["even", "odd"])).accepts(["a", "odd"])
    True
    """
    answers = [label for label in machine.classes if label != UNDEFINED]
    alphabet = (*machine.alphabet, *answers)
    end, dead = len(machine), len(machine) + 1
    rows = [
        [*row, *(end if label == said else dead for label in answers)]
        for row, said in zip(machine.transitions, machine.outputs, strict=True)
    ]
    rows += [[dead] * len(alphabet)] * 2
    return minimal(alphabet, rows, 0, [end])


def _verdict(
    name: str,
    key: str,
    part: Slice,
    learned: LearnedAutomaton,
    certificate: FlowCertificate | SampledFlowCertificate,
    separated: bool,
) -> Verdict:
    states = counted(len(learned.machine), "state")
    reads: Reads = "answers to some" if separated else "classes of some"
    apart = "two of its states that no count separates have different answers"
    if key != "nope":
        apart = "long repetitions hide which of two states it is in, and their answers differ"
    proof = Proof(
        reason=(
            f"of {part.words} an automaton with {states}, learned up to length {learned.length} "
            f"({counted_answers(learned.seen, UNDEFINED)}), gives the answer: {apart}"
        ),
        certify=lambda: LearnedFlowCertificate(
            program_class=SIDES[key],
            task=name,
            reads=reads,
            learned_to=learned.length,
            exhaustive=learned.exhaustive,
            states=len(learned.machine),
            seen=dict(learned.seen),
            certificate=certificate,
        ),
        say=lambda: (
            f"on {part.words}, {apart.removeprefix('two of its states that ')}"
            if key != "nope"
            else f"on {part.words}, no count separates inputs with different answers"
        ),
        weigh=lambda: f"automaton with {states}, learned to length {learned.length}",
    )
    return replace(same_answers(SIDES[key], Answer.NO, proof), checked_to=learned.length)
