"""Samplers against the definitions: answers one by one, and laws on short sequences exactly."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import product

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks.numbers import CountTask, KGramTask, load_regression

COUNTED = ["simple-task:omega=2.5", "modp-task:p=1", "modp-task:p=2,k=1", "modp-task:p=5,k=3"]
NAMES = [*COUNTED, "in-context-kgram:S=2,k=1", "in-context-kgram:S=3,k=2", "in-context-kgram:S=2,k=3"]
DRAWS = 60_000


@pytest.mark.parametrize("name", NAMES)
def test_targets_are_answers(name: str) -> None:
    task, rng = load_regression(name), np.random.default_rng(1)
    lengths = rng.integers(task.least_length, 13, 200)
    words = task.words(lengths, rng)
    assert words.tokens.max() == task.symbols - 1
    for tokens, length, target in zip(words.tokens, words.lengths, words.targets, strict=True):
        assert target == pytest.approx(task.answer(tokens[:length].tolist()))


@pytest.mark.parametrize("name", COUNTED)
def test_counts_are_those_of_the_words(name: str) -> None:
    task, rng = load_regression(name), np.random.default_rng(2)
    assert isinstance(task, CountTask)
    words = task.words(rng.integers(task.least_length, 12, 100), rng)
    counts = task.counted(words)
    assert counts.lengths.tolist() == words.lengths.tolist()
    assert task.targets(counts.counts) == pytest.approx(words.targets)
    for row in range(len(words)):
        symbols = [
            int(words.tokens[row, place - 1]) + task.symbols * (place % task.period)
            for place in range(1, words.lengths[row] + 1)
        ]
        assert Counter(symbols) == +Counter(dict(enumerate(counts.counts[row].tolist())))
        assert counts.last[row] == symbols[-1]


def _law_of_words(task: CountTask, length: int) -> dict[tuple[int, ...], float]:
    """The probability of counts and last symbol, summed over all words in exact terms."""
    law: defaultdict[tuple[int, ...], float] = defaultdict(float)
    for word in product(range(task.symbols), repeat=length):
        groups = Counter((place % task.period, token) for place, token in enumerate(word, 1))
        chance = 1.0
        for residue in range(task.period):
            own = [groups[residue, token] for token in range(task.symbols)]
            # The mean of a monomial under the uniform law on the simplex.
            chance *= math.prod(map(math.factorial, own)) * math.factorial(task.symbols - 1)
            chance /= math.factorial(sum(own) + task.symbols - 1)
        try:
            task.answer(word)
        except InputError:
            continue
        symbols = [token + task.symbols * (place % task.period) for place, token in enumerate(word, 1)]
        counts = Counter(symbols)
        kinds = task.symbols * task.period
        law[(*(counts[symbol] for symbol in range(kinds)), symbols[-1])] += chance
    total = sum(law.values())
    return {state: chance / total for state, chance in law.items()}


@pytest.mark.parametrize("fast", [True, False], ids=["draw", "words"])
@pytest.mark.parametrize(
    ("name", "length"),
    [("simple-task", 1), ("simple-task", 4), ("modp-task:p=2,k=0", 5), ("modp-task:p=3,k=1", 3)],
)
def test_the_law_of_counts(name: str, length: int, fast: bool) -> None:
    task, rng = load_regression(name), np.random.default_rng(3)
    assert isinstance(task, CountTask)
    lengths = np.full(DRAWS, length)
    drawn = task.draw(lengths, rng) if fast else task.counted(task.words(lengths, rng))
    states = Counter(map(tuple, np.column_stack([drawn.counts, drawn.last]).tolist()))
    law = _law_of_words(task, length)
    assert states.keys() <= law.keys()
    for state, chance in law.items():
        spread = math.sqrt(chance * (1 - chance) / DRAWS)
        assert abs(states[state] / DRAWS - chance) < 5 * spread + 1e-12, state


@pytest.mark.parametrize(("symbols", "order", "length"), [(2, 1, 4), (2, 2, 4), (3, 1, 3)])
def test_the_law_of_kgrams(symbols: int, order: int, length: int) -> None:
    task, rng = load_regression(f"in-context-kgram:S={symbols},k={order}"), np.random.default_rng(4)
    assert isinstance(task, KGramTask)
    law = {}
    for word in product(range(symbols), repeat=length):
        moves = Counter((word[end - order : end], word[end]) for end in range(order, length))
        chance = float(symbols**-order)
        for context in {context for context, _ in moves}:
            own = [moves[context, symbol] for symbol in range(symbols)]
            chance *= math.prod(map(math.factorial, own)) * math.factorial(symbols - 1)
            chance /= math.factorial(sum(own) + symbols - 1)
        if any(word[end - order : end] == word[-order:] for end in range(order, length)):
            law[word] = chance
    words = Counter(map(tuple, task.words(np.full(DRAWS, length), rng).tokens.tolist()))
    assert words.keys() <= law.keys()
    total = sum(law.values())
    for word, chance in law.items():
        share = chance / total
        assert abs(words[word] / DRAWS - share) < 5 * math.sqrt(share * (1 - share) / DRAWS) + 1e-12, word


@pytest.mark.parametrize("name", NAMES)
def test_lengths_and_seeds(name: str) -> None:
    task = load_regression(name)
    with pytest.raises(InputError, match=f"no sequence has length {task.least_length - 1}, the least is"):
        task.words(np.array([task.least_length, task.least_length - 1]), np.random.default_rng(0))
    lengths = np.array([task.least_length, 9, 30])
    one, other = (task.words(lengths, np.random.default_rng(5)) for _ in range(2))
    assert (one.tokens == other.tokens).all()
    assert not one.tokens[~one.present].any()
