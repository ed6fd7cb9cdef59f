"""Tests of `models.fast.packed`."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from longreach.config.model import ModelConfig
from longreach.models.decoder import initialise
from longreach.models.encodings import LinearBias
from longreach.models.fast.packed import (
    GROUP_COST,
    Packed,
    PackedBiases,
    PackedRows,
    Queries,
    Workspace,
    group_widths,
)

CONFIG = ModelConfig(layers=2, heads=2, width=4, vocabulary=3, positions=30, encoding="alibi")


def packed_with(ids: np.ndarray, mask: np.ndarray | None = None) -> Packed:
    tokens, sizes = np.zeros_like(ids), np.full(len(ids), ids.shape[1])
    seen = np.ones(ids.shape, dtype=bool) if mask is None else mask
    rows = PackedRows(tokens, ids, tokens, seen, sizes)
    return rows.batch(slice(0, len(ids)), heads=CONFIG.heads, borders=[0, len(ids)])


def biases_of(packed: Packed) -> torch.Tensor:
    made = PackedBiases(CONFIG, initialise(CONFIG, 0), packed)
    queries = packed.everywhere if packed.supervised is None else packed.supervised
    (found,) = made.of(0, queries) or ()
    assert made.of(1, queries) == [found]
    return found


def direct(query_ids: np.ndarray, key_ids: np.ndarray) -> torch.Tensor:
    given = torch.from_numpy(query_ids), torch.from_numpy(key_ids)
    found = LinearBias().bias(initialise(CONFIG, 0), CONFIG, 0, *given)
    assert found is not None
    return found


def test_rows_at_other_offsets_share_one_bias() -> None:
    ids = np.array([[3, 4, 5], [10, 11, 12]])
    found = biases_of(packed_with(ids))
    assert found.shape == (CONFIG.heads, 3, 3)
    assert torch.equal(found.expand(2, -1, -1, -1), direct(ids, ids))


def test_rows_with_gaps_have_their_own() -> None:
    ids = np.array([[3, 4, 6], [10, 12, 13]])
    assert torch.equal(biases_of(packed_with(ids)), direct(ids, ids))


def test_supervised_tokens_ask_from_their_own_places() -> None:
    mask = np.array([[False, True, True], [True, False, True]])
    for ids in (np.array([[3, 4, 5], [7, 8, 9]]), np.array([[3, 4, 9], [7, 8, 9]])):
        asked = ids[mask].reshape(2, 2)
        assert torch.equal(biases_of(packed_with(ids, mask)), direct(asked, ids))


def packed_of(sizes: list[int], heads: int, borders: list[int], mask: np.ndarray | None = None) -> Packed:
    counts = np.array(sizes)
    tokens = np.arange(len(sizes) * max(sizes)).reshape(len(sizes), -1)
    seen = np.arange(max(sizes)) < counts[:, None] if mask is None else mask
    # Twice: the second batch of two is the same as the first.
    twice = (np.concatenate([each, each]) for each in (tokens, tokens + 100, tokens + 200, seen, counts))
    return PackedRows(*twice).batch(slice(len(sizes), 2 * len(sizes)), heads=heads, borders=borders)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=6), st.integers(1, 3), st.integers(0, 5))
def test_every_token_has_its_slot_and_every_slot_its_token(sizes: list[int], heads: int, border: int) -> None:
    sizes = sorted(sizes)
    borders = sorted({0, min(border, len(sizes)), len(sizes)})
    packed = packed_of(sizes, heads, borders)
    every = packed.everywhere
    tokens = sum(sizes)
    assert len(packed.tokens) == len(packed.ids) == len(packed.places) == tokens
    assert every.spread[every.collect].tolist() == list(range(tokens * heads))
    empty = np.setdiff1d(np.arange(len(every.spread)), every.collect)
    assert (every.spread[empty] == tokens * heads).all()
    assert every.sizes == tuple(max(sizes[a:b]) for a, b in pairwise(borders))
    assert (packed.ids - packed.tokens == 100).all()
    assert packed.places.tolist() == [place for size in sizes for place in range(size)]
    assert packed.chosen is None


def test_slots_are_rows_then_heads_then_places() -> None:
    every = packed_of([1, 2], 2, [0, 2]).everywhere
    assert every.spread.view(2, 2, 2).tolist() == [[[0, 6], [1, 6]], [[2, 4], [3, 5]]]


def test_supervised_tokens_see_what_is_not_later() -> None:
    mask = np.array([[False, True, False], [True, False, True]])
    packed = packed_of([2, 3], 1, [0, 1, 2], mask)
    assert packed.chosen is not None
    assert packed.chosen.tolist() == [1, 2, 4]
    assert packed.targets.tolist() == [201, 203, 205]
    supervised = packed.supervised
    assert isinstance(supervised, Queries)
    assert supervised.visible is not None
    assert [seen.tolist() for seen in supervised.visible] == [
        [[[[1.0, 1.0]]]],
        [[[[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]]]],
    ]
    assert supervised.spread.tolist() == [0, 1, 2]


def test_a_row_without_supervision_has_empty_slots() -> None:
    mask = np.array([[False, False], [True, True]])
    supervised = packed_of([2, 2], 1, [0, 2], mask).supervised
    assert supervised is not None
    assert supervised.spread.tolist() == [2, 2, 0, 1]
    assert torch.equal(supervised.collect, torch.tensor([2, 3]))


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=6, unique=True), st.integers(1, 200), st.integers(1, 4)
)
def test_groups_cost_least(sizes: list[int], rows: int, heads: int) -> None:
    """Against all ways to cut the sizes into groups."""
    ordered = sorted(sizes)
    each = rows * heads / len(ordered)

    def cost(widths: tuple[int, ...]) -> float:
        own = [min(width for width in widths if width >= size) for size in ordered]
        return GROUP_COST * len(widths) + sum(each * width * width for width in own)

    inner = [chosen for count in range(len(ordered)) for chosen in combinations(ordered[:-1], count)]
    best = min(cost((*chosen, ordered[-1])) for chosen in inner)
    assert cost(group_widths(sizes, rows=rows, heads=heads)) == pytest.approx(best)


def test_buffers_do_not_overlap_and_are_used_again() -> None:
    space = Workspace(torch.float64)
    for _ in range(3):
        space.start()
        one, other = space.take(3, 5), space.take(7)
        one.fill_(1.0)
        other.fill_(2.0)
        assert one.dtype == torch.float64
        assert one.sum() == 15
        assert other.sum() == 14
    first = one.data_ptr()
    space.start()
    assert space.take(2, 2).data_ptr() == first


def test_more_than_before_fits_at_once() -> None:
    space = Workspace(torch.float32)
    space.start()
    space.take(4).fill_(1.0)
    space.start()
    small, large = space.take(4).fill_(1.0), space.take(1000).fill_(2.0)
    assert small.sum() == 4
    assert large.sum() == 2000
