"""Answers that are made step by step, recognized from examples: an alignment, and an automaton along it.

A copy, a reverse, a rotation or every second symbol is a map of symbols along an alignment. Increments, sums
and differences have an automaton, whose states are carries; the parity of an input, or whether it is a
palindrome, is the last state of one. What is recognized is right on every input that was tried, all short
ones and random long ones, and nothing is promised of others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TypeAlias

import numpy as np

from longreach.errors import InputError
from longreach.tasks.alignments import MOST_OPERANDS, ORDERS, Alignment, kept, operands, separators
from longreach.tasks.layouts import UNDEFINED
from longreach.tasks.positions import END, LocalSteps
from longreach.theory.automata.automaton import Automaton, LabelledAutomaton, Word, labelled
from longreach.theory.automata.evidence import doubt
from longreach.theory.automata.learn import LearningLimits, NotLearned, fit_automaton, learn_automaton
from longreach.theory.automata.samples import short_words
from longreach.theory.budget import Budget, OverBudget
from longreach.wording import counted

Answering: TypeAlias = Callable[[Word], Sequence[str] | None]
"""The answer to an input without EOS; None, or an `InputError`, for what is no input."""

SECONDS = 8.0
"""For recognizing one task; of computing."""
SHORT, LONGEST, LONG = 2000, 60, 100
"""All inputs that are tried of the least lengths, the longest of the others, and those of automata."""
MAP_LETTERS, LEARNED_LETTERS, COLUMN_LETTERS = 200, 30, 140
"""Different symbols, or columns of digits, that are looked at."""
STATES, STATES_OF_STEPS = 40, 130
"""Of an automaton that gives one answer at the end, and of one whose states say a symbol each."""
MOST_TAIL, MOST_ANSWERS = 4, 64
"""Tokens of an answer at the end, and different ones."""
MOST_EACH = 3
"""Tokens that are written for a symbol."""
MOST_PERIOD = 4
"""Of a form in which disjoint sets of symbols take turns."""
CARRIED = 2
"""Digits of a result beyond those of its operands."""
PAIRS = 60
"""Inputs in which the symbols behind some step are changed."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Aligned:
    """How an answer is made of an input, step by step.

    >>> words = ["ab", "abb", "baab"]
    >>> found = recognized(lambda x: x[::-1], {tuple(word): tuple(word[::-1]) for word in words})
    >>> found.about
    'each symbol of the answer comes from one of the input, read from the last symbol to the first'
    >>> found.ids("ab", "ba")
    [0, 2, 1, 0, 1, 2, 0]
    """

    alignment: Alignment
    each: int
    """Tokens of the answer for each column: 0, where the answer is said at the end."""
    backwards: bool
    """Whether the first column makes the last token of the answer."""
    zeros: int | None
    """Where answers are numbers without zeros in front: how many digits more than columns all are given."""
    machine: LabelledAutomaton
    """Reads the columns; the class of a state says what it writes, and what follows if it is the last."""
    length: int = 0
    """Of the longest input on which it was tried."""
    exhaustive: int = 0
    """All inputs to this length were tried."""

    # What it says

    @cached_property
    def _said(self) -> list[tuple[list[str], list[str]] | None]:
        return [None if label == UNDEFINED else json.loads(label) for label in self.machine.outputs]

    def states(self, x: Sequence[str]) -> list[int] | None:
        """The states behind each column; None: it is no input."""
        letters, state, found = self.alignment.letters(x), 0, list[int]()
        if letters is None or not {*letters} <= self.machine.letter_index.keys():
            return None
        for letter in letters:
            state = self.machine.transitions[state][self.machine.letter_index[letter]]
            found.append(state)
        return found

    def answer(self, x: Sequence[str]) -> tuple[str, ...] | None:
        """The whole answer, in all digits that it may have; None: it is no input."""
        states = self.states(x)
        if states == [] and self.each and self.zeros is None:
            return ()
        if not states or self._said[states[-1]] is None:
            return None
        written = [token for state in states for token in (self._said[state] or ([], []))[0]]
        written += self._said[states[-1]][1]  # type: ignore[index]
        return tuple(written[::-1] if self.backwards else written)

    def language(self, answer: Word) -> Automaton:
        """The words, as they are read, whose answer at the end is this one."""
        return self.machine.language(json.dumps([[], list(answer)]))

    def most_steps(self, length: int) -> int:
        """Columns of an input of that length; of operands in turns the longest one has as many as each."""
        return length if self.alignment.moves else MOST_OPERANDS * length

    def padded(self, x: Sequence[str], y: Sequence[str]) -> tuple[str, ...]:
        """The answer in all its digits."""
        if self.zeros is None:
            return tuple(y)
        columns = self.alignment.columns(x) or []
        return ("0",) * (len(columns) + self.zeros - len(y)) + tuple(y)

    # What it is for

    @cached_property
    def is_map(self) -> bool:
        """Whether each token of the answer depends on one symbol alone."""
        tables = [{self.machine.outputs[self.machine.transitions[state][letter]] for state in self._reached}
                  for letter in range(len(self.machine.alphabet))]  # fmt: skip
        return self.each > 0 and all(len(found) == 1 for found in tables)

    @cached_property
    def is_seen(self) -> bool:
        """Whether the last column, what is written for it, and the next column tell the next token."""
        told: dict[tuple[int, str, int], str] = {}
        ends: dict[tuple[int, str], list[str]] = {}
        for state in self._reached:
            for letter, middle in enumerate(self.machine.transitions[state]):
                said = self._said[middle]
                if said is None:
                    continue
                token = " ".join(said[0])
                if ends.setdefault((letter, token), said[1]) != said[1]:
                    return False
                for further, last in enumerate(self.machine.transitions[middle]):
                    after = self._said[last]
                    if after is None:
                        continue
                    if told.setdefault((letter, token, further), " ".join(after[0])) != " ".join(after[0]):
                        return False
        return True

    @cached_property
    def _reached(self) -> set[int]:
        found, waiting = {0}, [0]
        while waiting:
            new = {*self.machine.transitions[waiting.pop()]} - found
            found |= new
            waiting += new
        return found

    @property
    def about(self) -> str:
        """One sentence without a full stop."""
        words = self.alignment.words
        if self.is_map and not self.alignment.pairs:
            return f"each symbol of the answer comes from one of the input, read {words}"
        many = counted(len(self.machine), "state")
        what = "gives the answer" if self.each == 0 else "writes the answer"
        order = ", its last symbol first" if self.backwards else ""
        read = f"the input {words}" if self.alignment.moves else words
        return f"an automaton with {many} {what}{order}; it reads {read}"

    @property
    def evidence(self) -> str:
        """How far it is known."""
        every = f"all inputs to length {self.exhaustive} and " if self.exhaustive else ""
        return f"seen in {every}examples to length {self.length}, not proved"

    @property
    def steps(self) -> LocalSteps | None:
        """What is near in its ids as the answer is written now; None: not enough is."""
        return None if self.backwards else self.near

    @property
    def near(self) -> LocalSteps | None:
        """The same if the answer is written in the order of the columns."""
        if self.each == 0 or not self.is_seen:
            return None
        if self.is_map and not self.alignment.pairs:
            found = LocalSteps(1, 1, f"the symbol that it copies; {self.evidence}", but=END)
        else:
            many = 1 if not self.alignment.pairs else len(self.machine.alphabet[0].split(" "))
            each = "the symbol" if many == 1 else "the digits"
            why = f"{each} of its place, those of the place before, and the token written there"
            found = LocalSteps(2 * many + 1, 1, f"{why}; {self.evidence}", but=END)
        return found

    def ids(self, x: Sequence[str], y: Sequence[str]) -> list[int]:
        """Coupled position ids of SOS x SEP y EOS: a symbol has the number of its column, a token of the
        answer that of the column which makes it; separators have 0, and what is not needed is far away."""
        columns = self.alignment.columns(x) or []
        return [0, *self._read(len(x), columns), 0, *self._written(len(columns), len(y)), 0]

    def input_ids(self, x: Sequence[str]) -> list[int]:
        """Those of x alone."""
        return self._read(len(x), self.alignment.columns(x) or [])

    def _read(self, size: int, columns: Sequence[Sequence[int | None]]) -> list[int]:
        found = [0] * size
        for number, column in enumerate(columns):
            for place in column:
                if place is not None:  # in the middle of what it makes
                    found[place] = self._stride * number + (self._stride + 1) // 2
        if self.alignment.moves:
            beyond = self._stride * len(columns) + 4
            for place in range(size):
                if not found[place]:
                    found[place] = beyond = beyond + 1
        return found

    @property
    def _stride(self) -> int:
        return max(1, self.each)

    def _written(self, columns: int, size: int) -> list[int]:
        last = self._stride * columns + 1
        made = [min(number, last) if self.each else last for number in range(1, size + 1)]
        return made[::-1] if self.backwards else made


# Recognizing


def recognized(
    answer: Answering | None, inputs: Mapping[Word, Word], *, seconds: float = SECONDS
) -> Aligned | None:
    """How the answers to these inputs, and to others that the function answers, are made; None: not known.
    Without a function the inputs are all there is.

    The simplest that agrees with everything: a map of symbols, an automaton that writes, one that answers.
    """
    search = _Search(answer, inputs, Budget(seconds=seconds).running())
    try:
        return next(iter(search), None)
    except OverBudget:
        return None


LEAST_EXAMPLES, EXAMPLES_OF_A_STATE, FITTING = 100, 10, 1.0
"""Of a file, for an automaton, and seconds; half of the examples must confirm it."""
EACH, SAMPLED = 12, 30
"""Inputs of a length that are drawn, and how many lengths."""


def drawn_alignment(
    draw: Callable[[int, np.random.Generator], Word], answer: Answering, lengths: Sequence[int]
) -> Aligned | None:
    """The same for inputs that are drawn of these lengths, the shortest and some others."""
    rng, budget = np.random.default_rng(0), Budget(seconds=SECONDS / 3).running()
    short, rest = list(lengths[: SAMPLED // 2]), [n for n in lengths[SAMPLED // 2 :] if n <= LONGEST]
    inputs: dict[Word, Word] = {}
    try:
        for length in [*short, *rest[:: max(1, 2 * len(rest) // SAMPLED)]]:
            for _ in range(EACH):
                x = tuple(draw(length, rng))
                inputs[x] = tuple(answer(x) or ())
                budget.check()
    except (InputError, OverBudget):  # functions may be slow, or for short inputs only
        pass
    return recognized(answer, inputs)


class _Search:
    def __init__(self, answer: Answering | None, inputs: Mapping[Word, Word], budget: Budget) -> None:
        self.asked, self.inputs, self.budget = answer, {x: y for x, y in inputs.items() if x}, budget
        self.known: dict[Word, Word | None] = dict(self.inputs)
        self.letters = tuple(sorted({symbol for x in self.inputs for symbol in x}))

    def answer(self, x: Word) -> Word | None:
        """None for what is no input."""
        if x not in self.known:
            if self.asked is None or not self.is_formed(x):
                return None
            self.budget.check()
            try:
                found = self.asked(x)
            except InputError:
                found = None
            self.known[x] = None if found is None else tuple(found)
        return self.known[x]

    @cached_property
    def form(self) -> list[set[str]]:
        """The symbols at places of each residue, but for the last place; one set if all stand anywhere."""
        for period in range(1, MOST_PERIOD + 1):
            found: list[set[str]] = [set() for _ in range(period)]
            for x in self.inputs:
                for place, symbol in enumerate(x[:-1]):
                    found[place % period].add(symbol)
            if period > 1 and sum(map(len, found)) == len({*chain(*found)}):
                return found
        return [{*self.letters}]

    @cached_property
    def sizes(self) -> tuple[int, list[set[int]]]:
        """The least length, and the remainders of all by the numbers that may be periods."""
        lengths = {len(x) for x in self.inputs}
        return min(lengths), [{n % period for n in lengths} for period in range(1, MOST_PERIOD + 1)]

    @cached_property
    def ends(self) -> set[str]:
        return {x[-1] for x in self.inputs}

    def is_formed(self, x: Word) -> bool:
        """Whether a word is as long as an input may be, and each symbol stands where it does in inputs, such
        as keys and values in turns."""
        least, remainders = self.sizes
        if len(x) < least or any(len(x) % period not in each for period, each in enumerate(remainders, 1)):
            return False
        if len(self.form) == 1:
            return True
        inside = all(symbol in self.form[place % len(self.form)] for place, symbol in enumerate(x[:-1]))
        return inside and x[-1] in self.ends

    def __iter__(self) -> Iterator[Aligned]:
        if len({*self.inputs.values()}) < 2 or len(self.letters) > MAP_LETTERS:
            return
        between = separators(self.inputs)
        behind = any(x[-1] != between[-1] for x in self.inputs) if between else False
        joined = [operands(between, behind=behind, from_end=end, in_turns=False) for end in (True, False)
                  if 0 < len(between) + behind <= MOST_OPERANDS] if between else []  # fmt: skip
        turns = [operands(between, behind=behind, from_end=end, in_turns=True) for end in (True, False)
                 if len(between) + behind <= MOST_OPERANDS] if between else []  # fmt: skip
        dropped = {*self.letters} - {token for y in self.inputs.values() for token in y}
        some = [kept(frozenset(dropped))] if dropped else []
        for alignment in (*joined, *ORDERS.values(), *some):
            yield from self._found(self._map(alignment, 1))
        for each in range(2, MOST_EACH + 1):
            yield from self._found(self._map(ORDERS["forwards"], each))
            yield from self._found(self._map(ORDERS["backwards"], each))
        for alignment in (*joined, ORDERS["forwards"], ORDERS["backwards"]):
            for backwards in (False, True):
                yield from self._found(self._learned(alignment, 1, backwards))
        either = [self._learned(ORDERS[name], 0, False) for name in ("forwards", "backwards")]
        for known in sorted(filter(None, either), key=lambda each: len(each.machine)):
            yield from self._found(known)
        for alignment in (*turns, ORDERS["zigzag"], ORDERS["riffle"]):
            yield from self._found(self._learned(alignment, 0, False))

    def _found(self, found: Aligned | None) -> Iterator[Aligned]:
        """If no example speaks against it."""
        if found is None:
            return
        for x, y in self.inputs.items():
            if found.answer(x) != found.padded(x, y):
                return
        yield replace(found, length=max(found.length, *map(len, self.inputs)))

    # Maps of symbols

    def _map(self, alignment: Alignment, each: int) -> Aligned | None:
        made: dict[str, Word] = {}
        for x, y in self.inputs.items():
            letters = alignment.letters(x)
            if letters is None or each * len(letters) != len(y):
                return None
            for number, letter in enumerate(letters):
                tokens = y[each * number : each * (number + 1)]
                if made.setdefault(letter, tokens) != tokens:
                    return None
        written = list(dict.fromkeys(made.values()))
        if len(written) < 2:
            return None
        rows = [[1 + written.index(tokens) for tokens in made.values()]] * (1 + len(written))
        outputs = [UNDEFINED, *(json.dumps([list(tokens), []]) for tokens in written)]
        machine = labelled(tuple(made), rows, 0, outputs)
        found = Aligned(alignment=alignment, each=each, backwards=False, zeros=None, machine=machine)
        length, words = short_words(self.letters, SHORT, longest=LONGEST)
        for word in words:
            if self.budget.left < SECONDS / 4:  # of a slow function fewer words are enough
                length = len(word) - 1
                break
            right, said = self.answer(word), found.answer(word)
            if word and right is not None and said is not None and said != right:
                return None
        return replace(found, exhaustive=length if alignment.moves and self.asked is not None else 0)

    # Automata

    def _learned(self, alignment: Alignment, each: int, backwards: bool) -> Aligned | None:
        shape = self._shape(alignment, each, backwards)
        if shape is None:
            return None
        zeros, letters = shape
        if self.asked is None:
            return self._fitted(alignment, each, backwards, letters) if zeros is None else None
        if not self._is_sequential(alignment, each, backwards, zeros):
            return None

        def teacher(read: Word) -> str:
            x = alignment.word(read)
            y = None if x is None or not read else self.answer(x)
            if y is None:
                return UNDEFINED
            made = self._made(y, len(read), each, backwards, zeros)
            return UNDEFINED if made is None else json.dumps(made)

        many = STATES_OF_STEPS if each else STATES
        limits = LearningLimits(
            states=many, length=LONGEST if each else LONG, short=4 * SHORT, long=300, near=300,
            sparse=10_000, beyond=0, asked=60_000, budget=self.budget,
        )  # fmt: skip
        shown = [read for x in list(self.inputs)[:200] if (read := tuple(alignment.letters(x) or ()))]
        learned = learn_automaton(teacher, letters, limits, also=shown, undefined=UNDEFINED)
        if isinstance(learned, NotLearned) or len({*learned.machine.classes} - {UNDEFINED}) < 2:
            return None
        why = doubt(learned.machine, learned.seen, learned.length, rare=learned.rare, undefined=UNDEFINED)
        if not each and why is not None:
            return None
        return Aligned(
            alignment=alignment, each=each, backwards=backwards, zeros=zeros, machine=learned.machine,
            length=learned.length, exhaustive=learned.exhaustive if alignment.moves else 0,
        )  # fmt: skip

    def _fitted(
        self, alignment: Alignment, each: int, backwards: bool, letters: tuple[str, ...]
    ) -> Aligned | None:
        """From examples alone; of an answer along the columns, each beginning is an example."""
        found: dict[Word, str] = {(): UNDEFINED}
        for x, y in self.inputs.items():
            read, whole = tuple(alignment.letters(x) or ()), y[::-1] if backwards else y
            if each and len(whole) != len(read):
                return None
            ends = range(1, len(read) + 1) if each else [len(read)]
            for end in ends:
                label = json.dumps([[whole[end - 1]], []] if each else [[], list(y)])
                if found.setdefault(read[:end], label) != label:
                    return None
        most = min(STATES, max(2, len(found) // EXAMPLES_OF_A_STATE))
        fitted = fit_automaton(found, letters, states=most, budget=Budget(seconds=FITTING))
        if isinstance(fitted, NotLearned) or len(found) < LEAST_EXAMPLES or 2 * fitted.used > len(found):
            return None
        return Aligned(
            alignment=alignment, each=each, backwards=backwards, zeros=None, machine=fitted.machine
        )

    def _made(
        self, y: Word, columns: int, each: int, backwards: bool, zeros: int | None
    ) -> list[list[str]] | None:
        """What the last column writes, and what follows."""
        if not each:
            return [[], list(y)] if len(y) <= MOST_TAIL else None
        whole = list(y if zeros is None else ("0",) * (columns + zeros - len(y)) + y)
        if not columns <= len(whole) <= columns + CARRIED:
            return None
        whole = whole[::-1] if backwards else whole
        return [whole[columns - 1 : columns], whole[columns:]]

    def _shape(
        self, alignment: Alignment, each: int, backwards: bool
    ) -> tuple[int | None, tuple[str, ...]] | None:
        """How many zeros make all answers of one size, and the letters that are read; None: of no use."""
        letters: dict[str, None] = {}
        sizes, more = list[int](), list[int]()
        for x, y in self.inputs.items():
            read = alignment.letters(x)
            if not read:
                return None
            letters.update(dict.fromkeys(read))
            sizes.append(len(y))
            more.append(len(y) - len(read))
        if len(letters) > (COLUMN_LETTERS if alignment.pairs else LEARNED_LETTERS):
            return None
        ordered = tuple(sorted(letters))
        if not each:
            fits = max(sizes) <= MOST_TAIL and len({*self.inputs.values()}) <= MOST_ANSWERS
            return (None, ordered) if fits else None
        if min(more) >= 0:
            return (None, ordered) if max(more) <= CARRIED else None
        numbers = all(token.isdecimal() for y in self.inputs.values() for token in y)
        numbers = numbers and backwards  # else nobody knows at the beginning how many zeros are left out
        plain = all(y[0] != "0" or len(y) == 1 for y in self.inputs.values() if y)
        return (max(more), ordered) if numbers and plain and 0 <= max(more) <= CARRIED else None

    def _is_sequential(self, alignment: Alignment, each: int, backwards: bool, zeros: int | None) -> bool:
        """Whether later columns change nothing that earlier ones write, as far as some tries show."""
        if not each:
            return True
        rng, tried = np.random.default_rng(0), 0
        words = [x for x in self.inputs if len(x) > 1]
        for x in [words[place] for place in rng.integers(0, len(words), PAIRS)] if words else []:
            read = alignment.letters(x) or []
            cut = int(rng.integers(1, len(read))) if len(read) > 1 else 0
            other = alignment.letters(words[int(rng.integers(0, len(words)))]) or []
            mixed = alignment.word([*read[:cut], *other[cut:]])
            y, z = self.answer(x), None if mixed is None else self.answer(mixed)
            if not cut or y is None or z is None:
                continue
            columns = len(read[:cut]) + len(other[cut:])
            first, second = self._all(y, len(read), backwards, zeros), self._all(z, columns, backwards, zeros)
            tried += 1
            if first[:cut] != second[:cut]:
                return False
        return tried > 0

    @staticmethod
    def _all(y: Word, columns: int, backwards: bool, zeros: int | None) -> Word:
        whole = y if zeros is None else ("0",) * (columns + zeros - len(y)) + y
        return whole[::-1] if backwards else whole
