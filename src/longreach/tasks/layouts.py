"""What tasks share: the layout SOS x SEP y EOS, random draws, resampled inputs, answers of automata, changes.

Drawn inputs over many symbols agree with an example hardly anywhere, and so say little of what its answer
depends on. Its neighbours, answered by the task, say it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from longreach.errors import InputError
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import (
    EOS,
    EOS_ID,
    PAD,
    PAD_ID,
    SEP,
    SEP_ID,
    SOS,
    SOS_ID,
    TABLE_WIDTH,
    Batch,
    BoolArray,
    Images,
    IntArray,
    ProbedBy,
    Probes,
    Reading,
    Task,
    inside,
)
from longreach.theory.automata.automaton import Automaton, LabelledAutomaton, minimal
from longreach.theory.names import TaskName

if TYPE_CHECKING:
    from longreach.tasks.probing import LoopWords

FEW = (1, 1, 2, 3)
"""Tokens that are replaced, as often as they stand here; and once half of the input."""


def counterfactuals(
    task: Task,
    batch: Batch,
    row: int,
    others: Batch,
    *,
    separated: bool,
    count: int,
    rng: np.random.Generator,
) -> Batch | None:
    """So many neighbours of an example laid out as SOS x SEP y, less those that the task does not answer.

    A replaced token is that of another input at the same place. None: there are no such inputs.

    >>> from longreach.tasks.counting import Parity
    >>> rng = np.random.default_rng(0)
    >>> drawn = Parity().sample([4] * 50, rng)
    >>> found = counterfactuals(Parity(), drawn, 0, drawn, separated=True, count=20, rng=rng)
    >>> bool((found.tokens[:, 1:5] != drawn.tokens[0, 1:5]).any(axis=1).all())
    True
    """
    begin = int(batch.mask[row].argmax())
    last = begin + (not separated)
    alike = np.flatnonzero(others.mask.argmax(axis=1) == begin)
    if last <= 1 or not len(alike):
        return None
    mine = batch.tokens[row, 1:last]
    donors = others.tokens[rng.choice(alike, count), 1:last]
    sizes = rng.choice([*FEW, max(1, len(mine) // 2)], count)
    order = rng.permuted(np.tile(np.arange(len(mine)), (count, 1)), axis=1)
    made = np.where(order < sizes[:, None], donors, mine)
    known = {*task.tokens}
    inputs, answers = list[list[str]](), list[tuple[str, ...]]()
    for tokens in np.unique(made[(made != mine).any(axis=1)], axis=0).tolist():
        x = task.decode(tokens)
        try:
            y = task.answer(x)
        except InputError:
            continue
        if known.issuperset(y) and task.is_drawn(x):
            inputs.append(x)
            answers.append(y)
    return laid_out(task.tokens, inputs, answers, separated=separated) if inputs else None


def laid_out(
    vocabulary: Sequence[str],
    inputs: Sequence[Sequence[str]],
    answers: Sequence[Sequence[str]],
    *,
    separated: bool,
) -> Batch:
    """Inputs with their answers as a batch; the last token of an answer, mostly EOS, is only predicted."""
    places = {token: place for place, token in enumerate(vocabulary)}
    between = (SEP,) if separated else ()
    whole = [
        [places[token] for token in (SOS, *x, *between, *y)] for x, y in zip(inputs, answers, strict=True)
    ]
    shape = len(whole), max(map(len, whole)) - 1
    tokens, targets = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    mask = np.zeros(shape, dtype=np.bool_)
    for row, (x, full) in enumerate(zip(inputs, whole, strict=True)):
        begin, end = len(x) + separated, len(full) - 1
        tokens[row, :end] = full[:-1]
        targets[row, begin:end] = full[begin + 1 :]
        mask[row, begin:end] = True
    sizes = np.array([len(full) - 1 for full in whole])
    return Batch(tokens, targets, mask, np.tile(np.arange(shape[1]), (shape[0], 1)), sizes)


def joined(first: Batch, second: Batch) -> Batch:
    """The examples of both, padded to one width."""
    width = max(first.tokens.shape[1], second.tokens.shape[1])

    def stacked(name: str) -> NDArray[Any]:
        arrays = (getattr(first, name), getattr(second, name))
        return np.concatenate([np.pad(each, ((0, 0), (0, width - each.shape[1]))) for each in arrays])

    tokens, targets, mask, ids = map(stacked, ("tokens", "targets", "mask", "position_ids"))
    return Batch(tokens, targets, mask, ids, np.concatenate([first.sizes, second.sizes]))


class SequenceTask(Task):
    """A task that writes y after reading x."""

    kind = "algorithmic"
    separated = True
    """Whether SEP stands between x and y."""
    ended = True
    """Whether EOS behind y is to be predicted. Without it the last token of y is only predicted, not read."""

    @property
    @abstractmethod
    def symbols(self) -> tuple[str, ...]:
        """The tokens of x and y."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """PAD SOS EOS, SEP where it is used, and the symbols."""
        return (PAD, SOS, EOS, *((SEP,) if self.separated else ()), *self.symbols)

    @property
    def least_length(self) -> int:
        """1 unless the task says otherwise."""
        return 1

    @abstractmethod
    def answer_size(self, length: int) -> int:
        """The most tokens of y for an input of that LEN."""

    def input_size(self, length: int) -> int:
        """SOS, x, SEP and y; EOS is only predicted."""
        return 1 + length + self.separated + self.answer_size(length) - (not self.ended)

    @abstractmethod
    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        """x and y as places in `symbols`, one row each, and the sizes of y; what lies beyond is ignored."""

    def counterfactuals(
        self, batch: Batch, row: int, others: Batch, *, count: int, rng: np.random.Generator
    ) -> Batch | None:
        """With tokens of x as other inputs have them there."""
        return counterfactuals(self, batch, row, others, separated=self.separated, count=count, rng=rng)

    @cached_property
    def _pumped_pieces(self) -> tuple[tuple[str, ...], ...]:
        from longreach.tasks.pumped import pumped_pieces  # only measuring needs it

        return pumped_pieces(self)

    def probing_sample(self, lengths: LengthRange, count: int, rng: np.random.Generator) -> Probes | None:
        """Inputs that the task knows to be hard, and pumped ones."""
        from longreach.tasks.pumped import hard_probes

        found = hard_probes(self, self._pumped_pieces, lengths, count, rng)
        if found is None:
            return None
        inputs, answers = zip(*found.pairs, strict=True)
        return found.probes(laid_out(self.tokens, inputs, answers, separated=self.separated))

    def _sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch:
        return self._batch(lengths, *self.draw(lengths, rng))

    def _batch(self, lengths: IntArray, x: IntArray, y: IntArray, answers: IntArray) -> Batch:
        made = _laid_out(x, lengths, y, answers, self.separated)
        return made if self.ended else _without_end(made)


def _laid_out(x: IntArray, lengths: IntArray, y: IntArray, answers: IntArray, separated: bool) -> Batch:
    first = SEP_ID + 1 if separated else SEP_ID
    sizes = 1 + lengths + separated + answers
    shape = len(lengths), int(sizes.max())
    columns = np.arange(shape[1])
    tokens = np.zeros(shape, dtype=np.int64)
    targets = np.zeros(shape, dtype=np.int64)
    supervised = np.zeros(shape, dtype=np.bool_)
    # All that x has; what lies beyond its length stays PAD. Masks as indices would take twice as long.
    np.copyto(tokens[:, 1 : 1 + x.shape[1]], x + first, where=inside(lengths, x.shape[1]))
    tokens[:, 0] = SOS_ID
    rows = np.arange(len(lengths)) * shape[1]
    if separated:
        tokens.ravel()[rows + lengths + 1] = SEP_ID
    # The place that predicts each token of y, counted through all rows; the next one reads it.
    used = inside(answers, y.shape[1])
    places = ((rows + lengths + separated)[:, None] + np.arange(y.shape[1]))[used]
    last = rows + sizes - 1
    answer = y[used] + first
    tokens.ravel()[places + 1] = answer
    targets.ravel()[places] = answer
    targets.ravel()[last] = EOS_ID
    supervised.ravel()[places] = supervised.ravel()[last] = True
    return Batch(tokens, targets, supervised, np.tile(columns, (shape[0], 1)), sizes)


def _without_end(batch: Batch) -> Batch:
    """The same examples without EOS: what was read last is now only a target."""
    last = np.arange(len(batch)), batch.sizes - 1
    batch.tokens[last] = batch.targets[last] = PAD_ID
    batch.mask[last] = False
    width = batch.tokens.shape[1] - 1
    return batch.each(lambda array: np.ascontiguousarray(array[:, :width]), batch.sizes - 1)


UNDEFINED = "undefined"
"""The class of what is no input of the task."""


class OneToken(SequenceTask):
    """The answer is one token."""

    def answer_size(self, length: int) -> int:
        return 1


class SameSize(SequenceTask):
    """The answer has at most as many tokens as the input."""

    chance = 0.0  # all of them must be right

    def answer_size(self, length: int) -> int:
        return length


class MachineAnswer(OneToken):
    """The answer is the class that an automaton gives to x."""

    probed_by: ProbedBy = "loop"

    @property
    @abstractmethod
    def machine(self) -> LabelledAutomaton:
        """Reads x; its classes are the answers, and `UNDEFINED` for what is no input."""

    @cached_property
    def loop_words(self) -> LoopWords:
        """Draws probing inputs."""
        from longreach.tasks.probing import LoopWords  # only measuring needs it

        machine = self.machine
        ends = frozenset(state for state, label in enumerate(machine.outputs) if label != UNDEFINED)
        return LoopWords(machine.alphabet, machine.table, ends)

    def probing_sample(self, lengths: LengthRange, count: int, rng: np.random.Generator) -> Probes | None:
        found = self.loop_words.draw(self.lengths(*lengths), count, rng)
        if found is None:
            return None
        machine, sizes = self.machine, found.lengths
        states = states_along(machine.table, found.letters)[np.arange(count), sizes]
        said = [-1 if label == UNDEFINED else self.symbols.index(label) for label in machine.outputs]
        x = np.array(places_of(self.symbols, machine.alphabet))[found.letters]
        return found.probes(self._batch(sizes, x, np.array(said)[states][:, None], np.ones_like(sizes)))


class RegularAnswer(MachineAnswer):
    """SOS x SEP y EOS with a single y: the class that `machine` gives to x."""

    @abstractmethod
    def inputs(self, lengths: IntArray, rng: np.random.Generator) -> IntArray:
        """x as places in `symbols`, one row each; what lies beyond the length is ignored."""

    def continuation(self, letters: Images, after: Sequence[str], token: str) -> Automaton | None:
        """The machine, read after what `after` has before SEP; None if some word gives no input."""
        if tuple(after[-1:]) != (SEP,) or token not in self.machine.classes or token == UNDEFINED:
            return None
        reading = Reading.of(self.machine, letters, after[:-1])
        if reading is None:
            return None
        said = [self.machine.outputs[end] for end in reading.ends]
        if any(said[state] == UNDEFINED for state in reading.reached):
            return None
        wanted = (state for state, label in enumerate(said) if label == token)
        return minimal(tuple(letters), reading.rows, 0, wanted)

    @cached_property
    def _moves(self) -> tuple[IntArray, IntArray]:
        """The machine's table by places in `symbols`, and the place of the answer of each state."""
        table = np.zeros((len(self.machine), len(self.symbols)), dtype=np.int64)
        for symbol, letter in self.machine.letter_index.items():
            table[:, self.symbols.index(symbol)] = self.machine.table[:, letter]
        said = [-1 if label == UNDEFINED else self.symbols.index(label) for label in self.machine.outputs]
        return table, np.array(said, dtype=np.int64)

    def draw(self, lengths: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
        x = self.inputs(lengths, rng)
        table, said = self._moves
        states = np.zeros(len(lengths), dtype=np.int64)
        for column in range(x.shape[1]):
            states = np.where(column < lengths, table[states, x[:, column]], states)
        return x, said[states][:, None], np.ones_like(lengths)


KEY_BITS = 62
"""Of a random key and the number of its column together."""


def random_orders(sizes: IntArray, width: int, rng: np.random.Generator) -> IntArray:
    """Each row a uniformly random order of 0 … size − 1, followed by the columns from `size` on.

    Columns get random keys and are sorted by them. A row in which two keys are equal is drawn again, and
    given that keys differ every order is equally likely: the orders are exactly uniform.

    >>> orders = random_orders(np.array([3, 1]), 4, np.random.default_rng(0))
    >>> sorted(orders[0, :3].tolist()), orders[0, 3:].tolist(), orders[1].tolist()
    ([0, 1, 2], [3], [0, 1, 2, 3])
    """
    shift = width.bit_length()
    keys = _sorted_keys(sizes, width, shift, rng)
    # Padding has the largest key and stands last, so that its columns are where they were.
    if _equal_neighbours(keys, shift) != int(np.maximum(width - sizes - 1, 0).sum()):
        _draw_again(keys, sizes, shift, rng)
    keys &= (1 << shift) - 1
    return keys


def _equal_neighbours(keys: IntArray, shift: int) -> int:
    """How many keys are equal to the next one, that of the next row included."""
    flat = keys.ravel()
    return int(np.count_nonzero(flat[1:] ^ flat[:-1] < 1 << shift))


def _draw_again(keys: IntArray, sizes: IntArray, shift: int, rng: np.random.Generator) -> None:
    """Draw rows again until no two keys of a row are equal, those of padding aside."""
    present = inside(sizes, keys.shape[1])[:, 1:]
    while True:
        equal = (keys[:, 1:] ^ keys[:, :-1] < 1 << shift) & present
        if not equal.any():
            return
        again = np.nonzero(equal.any(axis=1))[0]
        keys[again] = _sorted_keys(sizes[again], keys.shape[1], shift, rng)


def _sorted_keys(sizes: IntArray, width: int, shift: int, rng: np.random.Generator) -> IntArray:
    """The column sits in the low bits of its key, so that sorting the keys sorts the columns."""
    last = (1 << (KEY_BITS - shift)) - 1
    keys = rng.integers(0, last, (len(sizes), width))
    keys <<= shift
    columns = np.arange(width, dtype=np.int64)
    if width > TABLE_WIDTH:
        keys |= columns
        np.copyto(keys, last << shift | columns, where=~inside(sizes, width))
    else:
        keys |= _low_bits(width, last << shift).take(sizes, axis=0, mode="clip")
    keys.sort(axis=1)
    return keys


@lru_cache(maxsize=TABLE_WIDTH)
def _low_bits(width: int, ones: int) -> IntArray:
    """The numbers of the columns, and in row n from column n on also the ones that make a key the largest."""
    made: IntArray = np.arange(width) | np.where(np.tri(width + 1, width, -1, dtype=np.bool_), 0, ones)
    return made


def shuffled_bits(sizes: IntArray, ones: IntArray, rng: np.random.Generator) -> IntArray:
    """Each row a uniformly random word of `size` bits with that many ones; what follows is arbitrary.

    >>> shuffled_bits(np.array([4, 4]), np.array([1, 4]), np.random.default_rng(0)).sum(axis=1).tolist()
    [1, 4]
    """
    orders = random_orders(sizes, int(sizes.max()), rng)
    orders -= ones[:, None]
    bits: IntArray = (orders.view(np.uint64) >> np.uint64(63)).view(np.int64)  # the sign
    return bits


class ChangedTask(SequenceTask):
    """A task that is made from another one, its base."""

    change: ClassVar[str]
    """The word behind the `+` of its name."""
    base: Task

    chance = 0.0  # it writes more tokens than one, and all must be right

    @cached_property
    def name(self) -> str:  # type: ignore[override]
        return TaskName(self.base.name).changed(self.change)

    @property
    def least_length(self) -> int:
        return self.base.least_length

    def has(self, lengths: IntArray) -> BoolArray:
        return self.base.has(lengths)

    def train_range(self, train_to: int) -> LengthRange:
        """That of the base, which may know its own lengths, as a file does."""
        first, last = self.base.train_range(train_to)
        return LengthRange(max(first, self.least_length), max(last, self.least_length))

    def test_ranges(self, train_to: int) -> tuple[LengthRange, ...]:
        return self.base.test_ranges(train_to)

    @property
    def symbols_grow(self) -> bool:  # type: ignore[override]
        return self.base.symbols_grow

    @property
    def probed_by(self) -> ProbedBy:  # type: ignore[override]
        return self.base.probed_by

    def probing_sample(self, lengths: LengthRange, count: int, rng: np.random.Generator) -> Probes | None:
        """The inputs of the base, answered as this task does; None where its inputs are others."""
        from longreach.tasks.pumped import inputs_of, probes

        found = self.base.probing_sample(lengths, count, rng)
        if found is None:
            return None
        inputs = inputs_of(self.base, found.batch)
        try:
            batch = laid_out(self.tokens, inputs, list(map(self.answer, inputs)), separated=self.separated)
        except InputError:
            return None
        return probes(batch, found.loops, found.kinds, found.names)


def base_of(task: Task) -> Task:
    """The task before all changes.

    >>> base_of(load_task("addition+reversed")).name
    'addition'
    """
    return base_of(task.base) if isinstance(task, ChangedTask) else task


def check_distinct(name: str, tokens: Sequence[str]) -> None:
    """Refuse a task that needs a token twice, such as a state that is called like a letter."""
    twice = next((token for place, token in enumerate(tokens) if token in tokens[:place]), None)
    if twice is not None:
        raise InputError(f"{TaskName(name).short}: {twice!r} cannot be a symbol, the task needs it itself")


def states_along(table: IntArray, letters: IntArray) -> IntArray:
    """The states of an automaton before each letter and behind the last, for many words at once.

    >>> states_along(np.array([[0, 1], [1, 0]]), np.array([[1, 1, 0]])).tolist()
    [[0, 1, 0, 0]]
    """
    states = np.zeros((len(letters), letters.shape[1] + 1), dtype=np.int64)
    for column in range(letters.shape[1]):
        states[:, column + 1] = table[states[:, column], letters[:, column]]
    return states


def places_of(symbols: tuple[str, ...], wanted: tuple[str, ...]) -> list[int]:
    """Where each of the wanted symbols stands.

    >>> places_of(("a", "b", "c"), ("c", "a"))
    [2, 0]
    """
    known = {symbol: place for place, symbol in enumerate(symbols)}
    return [known[symbol] for symbol in wanted]
