"""The certificate of a compiled model: it computes what the program computes, operation by operation.

Two parts. `verify` compares every operation's coordinate with the interpreter's value, at every position, on
all words up to a length and on random longer ones. `certify` adds, per data type, the length up to which the
model is proved right (`margins`), and looks for the first actual failure around it where that length is
short enough to be searched.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longreach.theory.crasp.core import Core, is_boolean
from longreach.theory.crasp.evaluate import Kernel, State, at_empty_word
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.ranges import value_ranges
from longreach.theory.limit.margins import provable_length
from longreach.theory.limit.model import Array, Transformer
from longreach.theory.limit.rounding import FORMATS, Format, rounded_states
from longreach.theory.limit.run import final_states

States = Callable[[Transformer, NDArray[np.intp]], Array]
"""Rows of the embedding (words of one length × positions, $ first) → residual streams."""

SEARCHED = 100_000
SEARCHED_NUMBERS = 1 << 26  # of the residual stream of a word that is searched
TOLERANCE = 1e-9
"""Of a count's coordinate C/(i+1), relative to its largest possible value."""
BATCH = 1 << 22  # numbers of a residual stream that are held at once
MOST_POSITIONS = 400_000  # of all words of a comparison together


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Where a coordinate is not what the interpreter says."""

    word: tuple[str, ...]
    position: int
    operation: int
    text: str
    expected: float
    found: float


@dataclass(frozen=True, slots=True)
class Report:
    """What was compared."""

    exhaustive: int
    """All words up to this length."""
    words: int
    longest: int
    disagreement: Disagreement | None

    @property
    def agrees(self) -> bool:
        return self.disagreement is None


@dataclass(frozen=True, slots=True)
class Precision:
    """How far a data type carries. Lengths count tokens without $."""

    dtype: str
    proved: int
    """Right on all words up to this length; −1: nothing is proved."""
    searched: int | None
    """Words were tried up to this length; None: proved only."""
    failure: tuple[str, ...] | None
    """The shortest word that was found to go wrong, if any."""


def verify(
    model: Transformer,
    core: Core,
    length: int = 6,
    samples: int = 20,
    longest: int = 1000,
    most: int = 20_000,
    states: States | None = None,
) -> Report:
    """Compares all operations of the simplified program on all words up to `length` and random longer words.

    The answers too: what the model puts out and what the program says. Where there are more than `most`
    words, or they are long, exhaustion stops at a smaller length, which the report says.

    >>> from longreach.theory.crasp.library import load
    >>> from longreach.theory.limit.compiler import compile_program
    >>> core = load("dyck-1").core
    >>> verify(compile_program(core), core, length=4, samples=3)
    Report(exhaustive=4, words=34, longest=1000, disagreement=None)
    """
    core = simplify(core)
    run = states or (lambda model, tokens: rounded_states(model, tokens, FORMATS["float64"]))
    compared, positions, exhaustive = 0, 0, -1
    for here in range(length + 1):
        words = len(core.alphabet) ** here
        positions += words * (here + 1)
        if compared + words > most or positions > MOST_POSITIONS:
            break
        exhaustive = here
        for batch in _all_words(model, core, here):
            compared += len(batch)
            found = _compare(model, core, batch, run(model, batch))
            if found:
                return Report(exhaustive, compared, here, found)
    rng = np.random.default_rng(0)
    reached = exhaustive
    shortest = min(length, exhaustive) + 1
    samples = samples if core.alphabet and longest >= shortest else 0
    for here in np.geomspace(max(longest, shortest), shortest, samples).round().astype(int).tolist():
        batch = _random_word(model, core, here, rng)
        compared, reached = compared + 1, max(reached, here)
        found = _compare(model, core, batch, run(model, batch))
        if found:
            return Report(exhaustive, compared, reached, found)
    return Report(exhaustive, compared, reached, None)


def verify_finite(model: Transformer, core: Core, length: int = 6) -> Report:
    """The same for a finite transformer itself: each word at offset 0 and at the last offset that fits.

    >>> from longreach.theory.crasp.library import load
    >>> from longreach.theory.limit.compiler import compile_program
    >>> from longreach.theory.limit.finite import to_finite
    >>> core = load("contains-bb").core
    >>> verify_finite(to_finite(compile_program(core), context=20), core, length=3)
    Report(exhaustive=3, words=35, longest=19, disagreement=None)
    """
    context = model.context
    assert context is not None

    def last(model: Transformer, tokens: NDArray[np.intp]) -> Array:
        return final_states(model, tokens, context - tokens.shape[1])

    longest = min(context - 1, 1000)
    for states in (final_states, last):
        report = verify(model, core, min(length, longest), longest=longest, states=states)
        if not report.agrees:
            break
    return report


def certify(model: Transformer, core: Core, samples: int = 8) -> tuple[Precision, ...]:
    """Per data type the length that is proved and, where that is at most 10^5, the first failure found.

    >>> from longreach.theory.crasp.library import load
    >>> from longreach.theory.limit.compiler import compile_program
    >>> core = load("majority").core
    >>> for found in certify(compile_program(core), core):
    ...     print(found.dtype, found.proved, found.searched, found.failure and len(found.failure))
    float64 750599937895081 None None
    float32 1398099 None None
    bfloat16 19 1043 513
    """
    results = []
    for kind in FORMATS.values():
        proved = provable_length(model, core, kind)
        searched = max(4 * proved, proved + 2**10) if kind.digits < 20 else proved + 2**10
        searched = min(searched, SEARCHED_NUMBERS // model.width)
        if proved > SEARCHED or searched <= proved:  # far enough, or the residual stream would not fit
            results.append(Precision(kind.name, proved, None, None))
            continue
        failure = first_failure(model, core, kind, searched, samples)
        results.append(Precision(kind.name, proved, searched, failure))
    return tuple(results)


def first_failure(
    model: Transformer, core: Core, kind: Format, longest: int, samples: int = 8
) -> tuple[str, ...] | None:
    """The shortest word found, among words built to keep counts close, on which a Boolean operation is wrong.

    Every prefix of a word is tried at the position where it ends; what fails there is tried as a word of its
    own, since local heads know the length of the whole word.
    """
    core = simplify(core)
    rng = np.random.default_rng(0)
    best: tuple[str, ...] | None = None
    for batch in _close_words(model, core, longest, samples, rng):
        found = _first_wrong(model, core, batch, kind)
        while found is not None and (best is None or found < len(best)):
            word = batch[:, : found + 1]
            again = _first_wrong(model, core, word, kind)
            if again is not None:
                best = tuple(model.vocabulary[row] for row in batch[0, 1 : again + 1])
            if again == found:
                break
            found = again
    return best


def _first_wrong(model: Transformer, core: Core, batch: NDArray[np.intp], kind: Format) -> int | None:
    """The first position at which a Boolean operation of a word is wrong."""
    found = rounded_states(model, batch, kind)[..., : core.size]
    booleans = np.array([is_boolean(op) for op in core.ops])
    wrong = (found != _expected(model, core, batch))[..., booleans].any(axis=(0, 2))
    return int(np.flatnonzero(wrong)[0]) if wrong.any() else None


def _compare(model: Transformer, core: Core, batch: NDArray[np.intp], found: Array) -> Disagreement | None:
    """The first disagreement: Booleans must be equal, counts up to rounding."""
    expected = _expected(model, core, batch)
    scale = np.arange(1, batch.shape[1] + 1)[:, None]
    booleans = np.array([is_boolean(op) for op in core.ops])
    sizes = [max(abs(r.low or 0), abs(r.high or 0), 1) for r in value_ranges(core, scaled=True)]
    allowed = np.where(booleans, 0.0, TOLERANCE * np.array(sizes, dtype=np.float64))
    difference = np.abs(found[..., : core.size] - np.where(booleans, expected, expected / scale))
    wrong = np.argwhere(~(difference <= allowed))
    if not len(wrong):
        answers = found @ model.unembedding.T > 0
        wrong = np.argwhere(answers != (expected[..., list(core.roots)] > 0))
        if not len(wrong):
            return None
        wrong[:, 2] = np.array(core.roots)[wrong[:, 2]]
    row, position, operation = (int(k) for k in wrong[0])
    word = tuple(model.vocabulary[k] for k in batch[row, 1:])
    value = float(found[row, position, operation])
    return Disagreement(
        word,
        position,
        operation,
        str(core.ops[operation]),
        float(expected[row, position, operation]),
        value if booleans[operation] else value * (position + 1),
    )


def _expected(model: Transformer, core: Core, batch: NDArray[np.intp]) -> Array:
    """The interpreter's values: words × positions (0 first) × operations."""
    values: Array = np.empty((*batch.shape, core.size))
    values[:, 0] = [float(value) for value in at_empty_word(core)]
    if batch.shape[1] > 1:
        codes = np.array([core.alphabet.index(t) if t in core.alphabet else -1 for t in model.vocabulary])
        kernel = Kernel(core, range(core.size))
        word_codes = codes[batch[:, 1:]].astype(np.uint32)
        for index, value in kernel.advance(State(), word_codes).items():
            values[:, 1:, index] = np.broadcast_to(np.asarray(value, dtype=np.float64), word_codes.shape)
    return values


def _rows(model: Transformer, core: Core) -> tuple[int, list[int]]:
    place = {token: row for row, token in enumerate(model.vocabulary)}
    return place["$"], [place[token] for token in core.alphabet]


def _all_words(model: Transformer, core: Core, length: int) -> Iterator[NDArray[np.intp]]:
    start, letters = _rows(model, core)
    words = itertools.product(letters, repeat=length)
    size = max(1, BATCH // (model.width * (length + 1)))
    while piece := list(itertools.islice(words, size)):
        yield np.array([(start, *word) for word in piece], dtype=np.intp)


def _random_word(model: Transformer, core: Core, length: int, rng: np.random.Generator) -> NDArray[np.intp]:
    start, letters = _rows(model, core)
    # Few letters, each often: otherwise words over large alphabets hardly ever repeat one.
    some = rng.choice(letters, size=min(len(letters), int(rng.integers(1, 9))), replace=False)
    weights = rng.dirichlet(np.ones(len(some)))
    return np.concatenate([[start], rng.choice(some, size=length, p=weights)])[None].astype(np.intp)


def _close_words(
    model: Transformer, core: Core, length: int, samples: int, rng: np.random.Generator
) -> Iterator[NDArray[np.intp]]:
    """Words whose letters stay balanced or come in blocks, so that comparisons are close, and random ones."""
    start, letters = _rows(model, core)
    if not letters:
        return

    def word(body: Sequence[int] | NDArray[np.intp]) -> NDArray[np.intp]:
        return np.array([start, *body], dtype=np.intp)[None]

    for chosen in itertools.islice(itertools.permutations(letters, min(2, len(letters))), 2 * samples):
        yield word(np.resize(chosen, length))
        for part in (2, 3):
            block = np.repeat(chosen, max(1, length // (part * len(chosen))))
            yield word(np.resize(block, length))
        yield word([chosen[0], *np.resize(chosen[-1:], length - 1)])
    for _ in range(samples):
        yield _random_word(model, core, length, rng)
