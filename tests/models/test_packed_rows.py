from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from longreach.models.packed_rows import GROUP_COST, Packed, PackedRows, Queries, group_widths


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
