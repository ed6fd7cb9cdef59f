"""The arguments of docs/models-theory.md that are our own, each tried where it could fail."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

Map = tuple[int, ...]
Rounding = Callable[[np.ndarray], np.ndarray]
ROUNDINGS: tuple[Rounding, ...] = (np.floor, np.round, np.ceil, np.trunc)


def powers(one: Map) -> int:
    """The period of the powers of a map."""
    seen: dict[Map, int] = {}
    power = tuple(range(len(one)))
    while power not in seen:
        seen[power] = len(seen)
        power = tuple(one[state] for state in power)
    return len(seen) - seen[power]


# 1: a gate and a rounding that keeps the order


def test_maps_that_keep_or_turn_the_order_have_small_groups() -> None:
    for size in range(1, 7):
        for one in product(range(size), repeat=size):
            if list(one) == sorted(one):
                assert powers(one) == 1
            elif list(one) == sorted(one, reverse=True):
                assert powers(one) <= 2


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(-4, 4)), min_size=1, max_size=5), st.data())
def test_rounded_gates_keep_or_turn_the_order(word: list[tuple[float, float]], data: st.DataObject) -> None:
    """However states are rounded and cut off, a word is a map that keeps or turns the order of the states."""
    rounding = data.draw(st.sampled_from(ROUNDINGS))
    states = np.arange(-8.0, 9.0)
    after = states
    for gate, add in word:
        after = rounding(gate * after + add).clip(-8, 8)
    steps = np.diff(after)
    assert (steps >= 0).all() or (steps <= 0).all()
    if all(gate >= 0 for gate, _ in word):
        assert (steps >= 0).all()
        assert powers(tuple((after + 8).astype(int))) == 1
    assert powers(tuple((after + 8).astype(int))) <= 2


def contraction(angle: float) -> np.ndarray:
    """The delta rule with strength 1: what is stored along a line is erased."""
    along = np.array([np.cos(angle), np.sin(angle)])
    return np.eye(2) - np.outer(along, along)


def test_three_contractions_turn_a_state() -> None:
    """Why words of three factors decide nothing about DeltaNet without reflections."""
    two = [contraction(a) @ contraction(b) for a, b in product(np.linspace(0, 3, 13), repeat=2)]
    assert min(np.linalg.eigvals(each).real.min() for each in two) > -1e-9
    assert max(abs(np.linalg.eigvals(each).imag).max() for each in two) < 1e-6
    three = contraction(0) @ contraction(np.pi / 3) @ contraction(2 * np.pi / 3)
    assert np.linalg.eigvals(three).real.min() == pytest.approx(-1 / 8)


def test_with_rounding_contractions_turn_a_state_for_ever() -> None:
    word = [contraction(np.pi * (place / 6 + 1 / 2)) for place in range(6)]

    def read(state: np.ndarray, times: int) -> np.ndarray:
        for factor in word * times:
            state = np.round(factor @ state)
        return state

    first = read(np.array([2.0, 0.0]), 2)
    assert first.any()
    assert (read(first, 1) == -first).all()
    assert (read(first, 2) == first).all()
    assert (read(first, 10_001) == -first).all()


# 3 and 4: a memory that is set, kept and flipped; the symbol before the last


@given(st.lists(st.integers(0, 1), min_size=2, max_size=200))
def test_the_symbol_before_the_last(word: list[int]) -> None:
    """In single precision a gate of 1/4 keeps two symbols; the delta rule does the same with strength 3/4."""
    gated, stored = np.float32(0), np.float32(0)
    for symbol in word:
        gated = np.float32(gated / 4 + symbol)
        stored = np.float32(stored + 0.75 * (symbol - stored))
    for state in (gated, stored / np.float32(0.75)):
        last = int(state > 0.5)
        assert (last, int(4 * (state - last) > 0.5)) == (word[-1], word[-2])


def test_the_delta_rule_keeps_sets_and_flips() -> None:
    for state in (-1.0, 1.0):
        assert [state + rate * (value - state) for rate, value in ((0, 1), (1, 1), (1, -1), (2, 0))] == [
            state, 1, -1, -state,
        ]  # fmt: skip


# 5: one reflection a token


def exchanges(one: Map) -> Iterator[tuple[int, int]]:
    """Exchanges of contents of two places whose product is the permutation."""
    content = list(range(len(one)))
    for place in range(len(one)):
        other = content.index(one[place])
        if other != place:
            content[place], content[other] = content[other], content[place]
            yield place, other


def reflection(size: int, pair: tuple[int, int]) -> np.ndarray:
    along = np.zeros(size)
    along[list(pair)] = 1, -1
    return np.eye(size) - np.outer(along, along)


def apply(one: Map, state: np.ndarray) -> np.ndarray:
    return state[list(one)]


def test_one_reflection_a_token_follows_any_permutations() -> None:
    """While a block of tokens is read, the exchanges of the block before are done, one for each token."""
    size = block = 5
    random.seed(0)
    state = np.arange(size) + 1.0  # what the layer stores: the things in order
    truth, pending, current = state.copy(), [], []
    for position in range(400):
        if position % block == 0:
            assert not pending  # the position modulo the block says that all are done
            total = np.arange(size)
            for one in current:
                total = apply(one, total)
            pending, current = list(exchanges(tuple(total.tolist()))), []
        token = tuple(random.sample(range(size), size))
        current.append(token)
        truth = apply(token, truth)
        if pending:
            state = reflection(size, pending.pop(0)) @ state
        answer = state  # with the last two blocks and the position, a table has the rest
        for pair in pending:
            answer = reflection(size, pair) @ answer
        for one in current:
            answer = apply(one, answer)
        assert (answer == truth).all()


# 6: programs in an LSTM


@given(st.integers(1, 9), st.data())
def test_a_comparison_in_a_saturated_cell(bound: int, data: st.DataObject) -> None:
    """The sum stays C·q + r; q is a cell that saturated gates change by one or not at all, r an automaton."""
    amounts = data.draw(st.lists(st.integers(-bound, bound), max_size=100))
    cell, rest, total = 0, 0, 0
    for amount in amounts:
        total += amount
        change, rest = divmod(rest + amount, bound)
        assert change in (-1, 0, 1)
        cell += change
        assert (np.tanh(cell) > -0.5) == (total >= 0)


# 7: loops


@given(st.lists(st.sampled_from([(1, 0, 2), (1, 2, 0), (0, 0, 2), (2, 1, 1)]), min_size=1, max_size=40))
def test_doubling_composes_every_prefix(word: list[Map]) -> None:
    """Loop by loop each position composes its own map with that of a position 1, 2, 4, … places before."""
    identity = (0, 1, 2)
    held = [identity, *word]
    step = 1
    while step < len(held):
        held = [
            tuple(one[state] for state in held[max(place - step, 0)]) if place else one
            for place, one in enumerate(held)
        ]
        step *= 2
    prefix = identity
    for place, one in enumerate(word):
        prefix = tuple(one[state] for state in prefix)
        assert held[place + 1] == prefix


# 8: hard attention


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=12))
def test_since_is_the_rightmost_match(word: list[tuple[bool, bool]]) -> None:
    """φ since ψ, strictly before: at the rightmost place where φ fails or ψ holds, ψ holds."""
    for place in range(len(word) + 1):
        literal = any(word[j][1] and all(one for one, _ in word[j + 1 : place]) for j in range(place))
        matches = [j for j in range(place) if not word[j][0] or word[j][1]]
        assert literal == bool(matches and word[matches[-1]][1])


def test_the_nearest_key_is_at_the_distance() -> None:
    """Query and key (z, 1, −z, −1), normalised, are nearest at the same z, or at the first place."""
    keys = np.array([[j, 1, -j, -1] for j in range(60)], float)
    keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    for z in range(-60, 60):
        assert (keys @ np.array([z, 1, -z, -1], float)).argmax() == max(z, 0)
