"""The interface of a task: lengths, batches, right answers, coupled position ids, evidence for forecasts.

Tokens that belong together share a coupled id (Cho et al., arXiv 2405.20671). An array of ids has a column
more than the batch: in the column after an example's last token stands the id of the token after it, mostly
EOS. SOS, separators and EOS have the id 0; columns beyond are 0 as well.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longreach.errors import InputError, own_code
from longreach.tasks.lengths import LengthRange
from longreach.theory.automata.automaton import Automaton, LabelledAutomaton
from longreach.wording import some

if TYPE_CHECKING:
    from longreach.tasks.own import FunctionTask
    from longreach.tasks.predicates import PredicateLanguage


IdScheme: TypeAlias = Callable[[tuple[str, ...], tuple[str, ...]], Sequence[int]]
"""From the tokens of x and of y to the ids of SOS x SEP y EOS, in this order."""


def numbered(batch: Batch, separator: int) -> tuple[IntArray, IntArray]:
    """The tokens before the first separator counted from 1 behind SOS, and those behind it; 0 elsewhere.

    >>> from longreach.tasks.copying import Reverse
    >>> x, y = numbered(Reverse().sample([2, 3], np.random.default_rng(0)), separator=3)
    >>> x.tolist()
    [[0, 1, 2, 0, 0, 0, 0, 0, 0], [0, 1, 2, 3, 0, 0, 0, 0, 0]]
    >>> y.tolist()
    [[0, 0, 0, 0, 1, 2, 0, 0, 0], [0, 0, 0, 0, 0, 1, 2, 3, 0]]
    """
    at = (batch.tokens == separator).argmax(axis=1)[:, None]
    columns = np.arange(batch.tokens.shape[1] + 1)
    before = np.where(columns < at, columns, 0)
    behind = np.where((columns > at) & (columns < batch.sizes[:, None]), columns - at, 0)
    return before, behind


def backwards(places: IntArray) -> IntArray:
    """Each row's numbers 1 … n as n … 1, zeros where they are.

    >>> backwards(np.array([[0, 1, 2, 3], [0, 0, 1, 0]])).tolist()
    [[0, 3, 2, 1], [0, 0, 1, 0]]
    """
    return np.where(places > 0, places.max(axis=1, keepdims=True) + 1 - places, 0)


def significance(batch: Batch, *, plus: int, equals: int, reversed_answer: bool = False) -> IntArray:
    """Digits of equal significance share an id, 1 for the least; + and = have 0.

    >>> from longreach.tasks.arithmetic import Addition
    >>> batch = Addition().sample([6], np.random.default_rng(1))
    >>> " ".join(Addition().decode(batch.tokens[0])), significance(batch, plus=5, equals=6).tolist()
    ('SOS 1 1 + 0 0 = 1 1', [[0, 2, 1, 0, 2, 1, 0, 2, 1, 0]])
    """
    x, answer = numbered(batch, equals)
    first, _ = numbered(batch, plus)
    second = np.maximum(x - first.max(axis=1, keepdims=True) - 1, 0)
    made: IntArray = backwards(first) + backwards(second)
    return made + (answer if reversed_answer else backwards(answer))


def ids_by_function(task: Task, batch: Batch, scheme: IdScheme, separator: int) -> IntArray:
    """The ids that a function gives, row by row; what does not fit is refused in one line."""
    made = np.zeros((len(batch), batch.tokens.shape[1] + 1), dtype=np.int64)
    for row, size in enumerate(batch.sizes.tolist()):
        tokens = task.decode(batch.tokens[row, 1:size].tolist())
        at = tokens.index(task.tokens[separator])
        x, y = tuple(tokens[:at]), tuple(tokens[at + 1 :])
        made[row, : size + 1] = _checked(task.name, scheme, x, y)
    return made


def _checked(task: str, scheme: IdScheme, x: tuple[str, ...], y: tuple[str, ...]) -> list[int]:
    call = f"{called(scheme, 'ids')}({some(x, 20)!r}, {some(y, 20)!r})"
    with own_code(f"{task}: {call}"):
        found = list(scheme(x, y))
    wanted = len(x) + len(y) + 3
    if len(found) != wanted:
        raise InputError(f"{task}: {call} gives {len(found)} ids, not {wanted}, for SOS x SEP y EOS")
    for each in found:
        if isinstance(each, bool) or not isinstance(each, int | np.integer) or not 0 <= each < 2**31:
            raise InputError(f"{task}: {call} gives {each!r}; ids are whole numbers from 0 on")
    return [int(each) for each in found]


def called(function: Callable[..., Any], usual: str) -> str:
    """The name of a user's function, or what it usually has."""
    name = getattr(function, "__name__", usual)
    return usual if name == "<lambda>" else str(name)


AnyAutomaton: TypeAlias = Automaton | LabelledAutomaton
Images: TypeAlias = Mapping[str, str | tuple[str, ...]]
"""For each letter of a language one symbol of a task, or several."""


def image(letters: Images, word: Iterable[str]) -> tuple[str, ...]:
    """The symbols of a word, letter by letter.

    >>> image({"a": ("+", "1"), "b": "0"}, "ab")
    ('+', '1', '0')
    """
    found: list[str] = []
    for letter in word:
        symbols = letters[letter]
        found += [symbols] if isinstance(symbols, str) else symbols
    return tuple(found)


@dataclass(frozen=True)
class Reading:
    """What an automaton does with the images of letters, and then with some symbols."""

    rows: list[list[int]]
    """For each state the state behind the image of each letter."""
    ends: list[int]
    """For each state the one behind the symbols."""

    @property
    def reached(self) -> set[int]:
        """The states behind images of words that are not empty."""
        found, waiting = set[int](), [0]
        while waiting:
            new = {*self.rows[waiting.pop()]} - found
            found |= new
            waiting += new
        return found

    @staticmethod
    def of(machine: AnyAutomaton, letters: Images, after: Sequence[str]) -> Reading | None:
        """None where something is no letter of the automaton."""
        images = [image(letters, [letter]) for letter in letters]
        if not {*after, *(symbol for word in images for symbol in word)} <= machine.letter_index.keys():
            return None
        states = range(len(machine))
        rows = [[machine.run(word, state) for word in images] for state in states]
        return Reading(rows, [machine.run(after, state) for state in states])


@dataclass(frozen=True)
class Reduction:
    """How a program for a task would decide a language: what it is given, and what it is asked.

    >>> Reduction({"a": "1", "b": "0"}, ("SEP",), "even", "a is 1").inputs("ab")
    ('SOS', '1', '0', 'SEP')
    """

    letters: Images
    """The symbols of the task for each letter of the language.

    Counts over the symbols are counts over the letters, so that a program keeps its class; with positions
    modulo a number all letters must have as many symbols."""
    after: tuple[str, ...]
    """What is read after the word; before it there are SOS and `before`."""
    token: str
    """The program predicts this token next exactly for the words of the language."""
    about: str
    before: tuple[str, ...] = ()
    """What is always read before the word: a program knows its counts, which are constants, and keeps its
    class."""

    def inputs(self, word: Iterable[str]) -> tuple[str, ...]:
        """What a program for the task reads for a word of the language's alphabet."""
        return ("SOS", *self.before, *image(self.letters, word), *self.after)


@dataclass(frozen=True)
class Split:
    """How an input is divided between Alice and Bob: she holds N symbols, he what follows.

    Bob is asked for the next token, also after he has seen any part of the right answer.

    >>> [" ".join(x) for row in Split(("0", "1"), ("+",), ("0",), ("=",)).inputs(2) for x in row]
    ['0 0 + 0 0 =', '0 1 + 0 0 =', '1 0 + 0 0 =', '1 1 + 0 0 =']
    """

    alice: tuple[str, ...]
    """The symbols of which she holds any N."""
    between: tuple[str, ...] = ()
    """What comes next, always the same."""
    bob: tuple[str, ...] = ()
    """The symbols of which he holds any N; none if he holds nothing that varies."""
    end: tuple[str, ...] = ()
    """What ends the input, always the same."""

    def size(self, length: int) -> int:
        return int((len(self.alice) * max(1, len(self.bob))) ** length)

    def inputs(self, length: int) -> Iterator[list[tuple[str, ...]]]:
        """For each of Alice's parts the inputs with all of Bob's, in one order."""
        parts = list(product(self.bob, repeat=length)) if self.bob else [()]
        for part in product(self.alice, repeat=length):
            yield [(*part, *self.between, *other, *self.end) for other in parts]


@dataclass(frozen=True)
class Evidence:
    """The evidence about one task under one encoding.

    >>> Evidence("program", "sort", "the least number above the last one").name
    'sort'
    """

    kind: str
    """`program`: a library program solves it, so yes. `language`: to be decided from the task's automaton.
    `classes`: from its automaton with answer classes.
    `communication`: the bits between the halves of an input grow linearly, so no. `reduction`: a program
    would decide the named language, so no if that has none. `none`: nothing is known, so undecided.

    Each is found by the certificate kind of its name (`longreach.answers.kinds`)."""
    name: str | None
    """The library program (or a file `….cr`), or the language reduced to."""
    reason: str
    reduction: Reduction | None = None
    split: Split | None = None


OWN_LANGUAGE = Evidence("language", None, "decided from the automaton of the language")


IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

PAD, SOS, EOS, SEP = "PAD", "SOS", "EOS", "SEP"
PAD_ID, SOS_ID, EOS_ID, SEP_ID = range(4)
GUESSES, RARE, CHANCE_SPAN = 200, 0.05, 100
"""Inputs on which guessing is tried, the share below which it does not count, and how long they are at most
beyond the least length."""


def guessed_share(answers: Iterable[Hashable]) -> float:
    """The share of the most frequent answer; 0 if that is rare.

    >>> guessed_share("aab"), guessed_share(range(100))
    (0.6666666666666666, 0.0)
    """
    counts = Counter(answers)
    share = counts.most_common(1)[0][1] / counts.total()
    return share if share > RARE else 0.0


LOOK_BACK = 10_000
"""How many shorter lengths are looked at for a message."""


TABLE_WIDTH = 256


def inside(sizes: IntArray, width: int) -> BoolArray:
    """True in the first `size` of so many columns.

    >>> inside(np.array([2, 0]), 3).tolist()
    [[True, True, False], [False, False, False]]
    """
    if width > TABLE_WIDTH:
        made: BoolArray = np.arange(width) < sizes[:, None]
        return made
    return _triangle(width).take(sizes, axis=0, mode="clip")  # ten times as fast as comparing


@lru_cache(maxsize=TABLE_WIDTH)
def _triangle(width: int) -> BoolArray:
    """Row n is True in its first n columns."""
    return np.tri(width + 1, width, -1, dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Examples side by side, padded on the right; all arrays but `sizes` have the shape (examples, width)."""

    tokens: IntArray
    """What the model reads, as places in the task's vocabulary. The last token is never only a target:
    an EOS that ends the answer is a target and is not read."""
    targets: IntArray
    """What is to be predicted at each position, in the same vocabulary; PAD where nothing is."""
    mask: BoolArray
    """The supervised positions: loss and accuracy count nowhere else."""
    position_ids: IntArray
    """The place of each token for the positional encoding."""
    sizes: IntArray
    """How many tokens each example has."""
    next_ids: IntArray | None = None
    """The position id of the token after each, where it is to be predicted."""

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def answers(self) -> list[tuple[int, ...]]:
        """What is right at the supervised positions of each example."""
        return [tuple(row[mask].tolist()) for row, mask in zip(self.targets, self.mask, strict=True)]

    def each(self, change: Callable[[NDArray[Any]], NDArray[Any]], sizes: IntArray) -> Batch:
        """All arrays changed in the same way, with these sizes."""
        tokens, targets, mask, ids = map(change, (self.tokens, self.targets, self.mask, self.position_ids))
        next_ids = None if self.next_ids is None else change(self.next_ids)
        return Batch(tokens, targets, mask, ids, sizes, next_ids)


@dataclass(frozen=True, slots=True, eq=False)
class Probes:
    """Probing words: each repeats one loop, or probes one comparison, which has a number."""

    batch: Batch
    loops: IntArray
    """The number of each row's loop."""
    kinds: IntArray
    """0 for p, mostly the loop; 1 for q, a third of it."""
    names: tuple[str, ...]
    """What is probed, by number, such as the letters of a loop."""
    chance: float | None = None
    """What guessing gets right on them; None: what `constant_share` says, or as on random inputs."""

    def shares(self, right: BoolArray) -> tuple[float, float]:
        """The share of rows that are right, and the same of the worst loop."""
        counts = np.bincount(self.loops)
        rights = np.bincount(self.loops, weights=right, minlength=len(counts))
        return float(right.mean()), float((rights[counts > 0] / counts[counts > 0]).min())


ProbedBy: TypeAlias = Literal["loop", "kind"]


class NewAnswerError(InputError):
    """A task gives an answer that none of its examples had, and that its tokens cannot write."""


class Task(ABC):
    """A task to learn. Training and test ranges are about LEN, the length of an input x.

    Subclasses are immutable. A new task is a file with a subclass and a line in the catalog.

    >>> from longreach.tasks.copying import Sort
    >>> Sort().answer(["14", "3", "7"])
    ('3', '7', '14', 'EOS')
    """

    name: str
    about: str
    kind: Literal["algorithmic", "language"]
    nope: Evidence
    """What a forecast without positional encodings relies on: C-RASP[∅]."""
    ape: Evidence
    """What a forecast for absolute encodings relies on: C-RASP[periodic, local]."""
    symbols_grow = False
    """Whether longer inputs have more distinct symbols to remember, up to all symbols of the task."""

    @cached_property
    def chance(self) -> float:
        """The share of long inputs that guessing gets right: as a task states it, else as it is measured, by
        how often the most frequent answer to a long input is right; 0 if that is rare."""
        known = self.lengths(self.least_length, self.least_length + CHANCE_SPAN).tolist()
        while True:
            try:
                batch = self.sample([known[-1]] * GUESSES, np.random.default_rng(1))
                break
            except InputError:  # functions may be for short inputs only
                if len(known) == 1:
                    raise
                known = known[: len(known) // 2]
        return guessed_share(batch.answers)

    @staticmethod
    def from_function(
        draw: Callable[[int, np.random.Generator], Sequence[str]],
        answer: Callable[[Any], Any],
        *,
        name: str | None = None,
        about: str | None = None,
        tokens: Sequence[str] | None = None,
        least_length: int = 1,
        has: Callable[[int], bool] | None = None,
        longest_answer: int | Callable[[int], int] | None = None,
        nope: Evidence | None = None,
        ape: Evidence | None = None,
        chance: float | None = None,
        steps: Callable[[Any], Sequence[str]] | None = None,
        ids: IdScheme | None = None,
        probe: Callable[[int, np.random.Generator], Sequence[str]] | None = None,
    ) -> FunctionTask:
        """A task from two functions, laid out as SOS x SEP y EOS.

        `draw(length, rng)` gives an input of that many tokens and takes its randomness from `rng`;
        `answer(x)` reads x in the type that `draw` returns (a string, a list, else a tuple) and gives the
        tokens of the answer, or one answer: a string, a whole number, or yes or no as a truth value. If
        `draw` returns strings and there are many answers over the same letters, each character of an answer
        is a token. What is not said is found in some hundred examples: the `tokens`, and `longest_answer`,
        the most tokens of an answer (a number, or a function of the length); and `chance`, the share of long
        inputs that always saying the same gets right. `has` says which lengths from `least_length` on have
        inputs. `ids(x, y)` gives the coupled position ids of the tokens SOS x SEP y EOS. `steps(x)` gives the
        tokens that the changed task `…+scratchpad` writes before the answer. `probe(length, rng)` gives hard
        inputs, as `draw` does, such as those in which one part is long: runs are measured on them as well.

        >>> def word(length, rng):
        ...     return ["ab"[k] for k in rng.integers(0, 2, length)]
        >>> last = Task.from_function(word, lambda x: x[-1], name="last", about="the last letter")
        >>> last.answer(["a", "b"]), last.tokens
        (('b', 'EOS'), ('PAD', 'SOS', 'EOS', 'SEP', 'a', 'b'))
        """
        # A base class cannot import what is derived from it.
        module = importlib.import_module("longreach.tasks.own")
        task: FunctionTask = module.FunctionTask(
            **_named(answer, name, about, "function"),
            drawer=draw,
            answerer=answer,
            given_tokens=None if tokens is None else tuple(tokens),
            least_length=least_length,
            lengths_with_inputs=has,
            longest_answer=longest_answer,
            nope=nope or module.NOT_ASKED,
            ape=ape or module.NOT_ASKED,
            given_chance=chance,
            stepper=steps,
            ids=ids,
            prober=probe,
        )
        return task

    @staticmethod
    def from_predicate(
        predicate: Callable[[Any], Any],
        alphabet: Sequence[str],
        *,
        name: str | None = None,
        about: str | None = None,
        labels: Literal["member", "next"] = "member",
        draw: Callable[[int, np.random.Generator], Sequence[str]] | None = None,
        completes: Callable[[Any], Any] | None = None,
        least_length: int = 1,
        as_tuple: bool | None = None,
        probe: Callable[[int, np.random.Generator], Sequence[str]] | None = None,
    ) -> PredicateLanguage:
        """A language from a function that says whether a word belongs to it.

        With the labels "member" each position of any word has to say whether the word so far belongs to the
        language; `draw(length, rng)` gives words, else all are equally likely. With "next", words of the
        language are read, and each position has to say what may follow, the end included, as in the languages
        of the benchmark. Then `completes(beginning)` says whether a beginning can be completed to a word, and
        `draw` gives words of the language; without them both come from an automaton that is learned from the
        predicate, where that succeeds.

        The predicate reads a word as a string if all letters are single characters, else as a tuple; say
        `as_tuple=True` for tuples always. A predicate that answers strings in one way only, but tuples in
        two, gets tuples. `probe(length, rng)` gives hard words, on which runs are measured as well.

        >>> even = Task.from_predicate(lambda word: word.count("a") % 2 == 0, "ab", name="even")
        >>> even.answer("ab"), even.tokens
        (('{accept}', '{reject}', '{reject}'), ('PAD', 'SOS', 'a', 'b', '{accept}', '{reject}'))
        """
        module = importlib.import_module("longreach.tasks.predicates")
        task: PredicateLanguage = module.PredicateLanguage(
            **_named(predicate, name, about, "predicate"),
            predicate=predicate,
            alphabet=tuple(alphabet),
            asks=labels,
            drawer=draw,
            completer=completes,
            least_length=least_length,
            as_tuple=as_tuple,
            prober=probe,
        )
        return task

    @property
    @abstractmethod
    def tokens(self) -> tuple[str, ...]:
        """The vocabulary of inputs and targets; PAD and SOS come first."""

    @property
    @abstractmethod
    def least_length(self) -> int:
        """The least LEN from which training ranges start."""

    @abstractmethod
    def input_size(self, length: int) -> int:
        """The most tokens that a model reads for an input of that LEN: so many positions are needed."""

    @abstractmethod
    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        """The right targets of the input x, in the order of the supervised positions; LEN is `len(x)`."""

    def is_drawn(self, x: Sequence[str]) -> bool:
        """Whether the sampler could draw an input that `answer` answers, as far as the task knows."""
        return True

    def continuation(self, letters: Images, after: Sequence[str], token: str) -> Automaton | None:
        """The words, over the keys of `letters`, in whose image followed by `after` the token comes next.

        Exactly and for all lengths; None where no automaton says so. Reductions are checked with it.
        """
        return None

    def continuation_behind(
        self, before: Sequence[str], letters: Images, after: Sequence[str], token: str
    ) -> Automaton | None:
        """The same with some tokens before the image; None also where the task does not know."""
        return None if before else self.continuation(letters, after, token)

    def coupled_ids(self, batch: Batch) -> IntArray | None:
        """The task's own position ids, (examples, width + 1), before any shift; None: it has none.

        Tokens that belong together share an id. In the column after an example's last token stands the id of
        the token after it, mostly EOS.

        >>> from longreach.tasks.copying import Reverse
        >>> Reverse().coupled_ids(Reverse().sample([3], np.random.default_rng(0))).tolist()
        [[0, 1, 2, 3, 0, 3, 2, 1, 0]]
        """
        return None

    def counterfactuals(
        self, batch: Batch, row: int, others: Batch, *, count: int, rng: np.random.Generator
    ) -> Batch | None:
        """Up to so many inputs that differ from an example in some tokens, with their answers.

        None: inputs of the task cannot be changed token by token, as words of a language cannot.
        """
        return None

    @abstractmethod
    def _sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch:
        """One example for each of these lengths, all of which the task has."""

    def has(self, lengths: IntArray) -> BoolArray:
        """Which of the lengths have inputs."""
        return lengths >= self.least_length

    def lengths(self, first: int, last: int) -> IntArray:
        """The lengths of a range that have inputs, both ends included.

        >>> from longreach.tasks.formal import Dyck1
        >>> Dyck1().lengths(3, 9).tolist()
        [4, 6, 8]
        """
        span = np.arange(max(first, 0), last + 1, dtype=np.int64)
        found: IntArray = span[self.has(span)]
        if not len(found):
            wanted = LengthRange(first, last).option
            raise InputError(f"{self.name}: no input has a length in {wanted}{self._shorter(first)}")
        return found

    def _shorter(self, first: int) -> str:
        span = np.arange(max(first - LOOK_BACK, 0), max(first, 0), dtype=np.int64)
        found = span[self.has(span)]
        return f", the longest of shorter ones is {found[-1]}" if len(found) else ""

    def train_range(self, train_to: int) -> LengthRange:
        """The training range where nothing else is said: from the least length to `train_to`.

        A task whose inputs are all longer learns from those that it has.
        """
        least = self.least_length
        return LengthRange(least, train_to if least < train_to else 2 * least)

    def test_ranges(self, train_to: int) -> tuple[LengthRange, ...]:
        """The test ranges after training up to a length: twice and three times as far.

        >>> from longreach.tasks.copying import Sort
        >>> Sort().train_range(50).name, [each.name for each in Sort().test_ranges(50)]
        ('1-50', ['51-100', '101-150'])
        """
        return LengthRange(train_to + 1, 2 * train_to), LengthRange(2 * train_to + 1, 3 * train_to)

    def sample(self, lengths: ArrayLike, rng: np.random.Generator) -> Batch:
        """One random example for each length. Position ids count from 0; `offsets` shifts them.

        The same lengths and the same state of `rng` give the same batch.

        >>> from longreach.tasks.copying import Sort
        >>> batch = Sort(9).sample([2, 4], np.random.default_rng(0))
        >>> batch.tokens.shape, batch.sizes.tolist(), batch.mask.sum(axis=1).tolist()
        ((2, 10), [6, 10], [3, 5])
        """
        wanted = np.asarray(lengths, dtype=np.int64)
        if wanted.ndim != 1 or not len(wanted):
            raise InputError(f"{self.name}: lengths must be a list of at least one number")
        missing = wanted[(wanted < 0) | ~self.has(wanted)]
        if len(missing):
            raise InputError(f"{self.name}: no input has length {missing[0]}")
        return self._sample(wanted, rng)

    def test_sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch:
        """One example for each length to test on; own functions are tested on all their answers alike."""
        return self.sample(lengths, rng)

    def uniform_sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch | None:
        """The same of inputs drawn uniformly; None where `test_sample` draws so, or not every word is one."""
        return None

    def probing_sample(self, lengths: LengthRange, count: int, rng: np.random.Generator) -> Probes | None:
        """So many inputs in a range that are hard for a window or a rough count; None: the task knows none.

        >>> from longreach.tasks.counting import Parity
        >>> found = Parity().probing_sample(LengthRange(9, 9), 6, np.random.default_rng(0))
        >>> found.names, found.loops.tolist(), found.kinds.tolist()
        (('0 at q0', '0 at q1', '1 1 at q0'), [0, 1, 2, 0, 1, 2], [0, 0, 0, 1, 1, 1])
        """
        return None

    probed_by: ProbedBy = "kind"
    """What probing inputs are sorted by: loops of an automaton, or kinds of hard inputs."""

    @property
    def hard(self) -> tuple[str, ...]:
        """Names of the sorts of inputs that the task knows to be hard, such as counts that hardly differ."""
        return ()

    def hard_input(self, length: int, sort: int, rng: np.random.Generator) -> Sequence[str] | None:
        """An input of this length, and of a place in `hard`; None where there is none.

        >>> from longreach.tasks.copying import Sort
        >>> Sort().hard, Sort().hard_input(150, 1, np.random.default_rng(0))[:3]
        (('neighbours', 'ascending', 'descending'), ['0', '1', '2'])
        """
        return None

    def constant_share(self, batch: Batch) -> float | None:
        """The share of tests that always giving the same answer gets right; None: it is `chance`."""
        return None

    def guessed_share(self, probes: Probes) -> float | None:
        """The same of probing inputs."""
        return self.constant_share(probes.batch) if probes.chance is None else probes.chance

    def decode(self, ids: Iterable[int]) -> list[str]:
        """The tokens of places in the vocabulary."""
        return [self.tokens[place] for place in ids]


def _named(function: Callable[..., Any], name: str | None, about: str | None, usual: str) -> dict[str, str]:
    """What a task is called that is made of a function: as said, or as the function says."""
    called = getattr(function, "__name__", usual).strip("<>").replace("_", "-")
    lines = (getattr(function, "__doc__", None) or "").strip().splitlines() or [f"a Python {usual}"]
    return {"name": name or called, "about": about or lines[0].rstrip(".")}


def token_problem(token: str) -> str | None:
    """Why a string cannot be a token of inputs and answers, or None."""
    if not token or any(character.isspace() for character in token):
        return f"the token {token!r} is empty or has a blank"
    return f"the token {token} is one that the task needs itself" if token in (PAD, SOS, SEP, EOS) else None


def draw_lengths(task: Task, first: int, last: int, count: int, rng: np.random.Generator) -> IntArray:
    """Lengths drawn uniformly from those that the task has in a range.

    >>> from longreach.tasks.formal import Dyck1
    >>> sorted(set(draw_lengths(Dyck1(), 1, 9, 100, np.random.default_rng(0)).tolist()))
    [2, 4, 6, 8]
    """
    known = task.lengths(first, last)
    return known[rng.integers(0, len(known), count)]
