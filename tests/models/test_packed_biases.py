from __future__ import annotations

import numpy as np
import torch

from longreach.config.decoder import DecoderConfig
from longreach.models.encoding_modules import LinearBias
from longreach.models.packed_biases import PackedBiases
from longreach.models.packed_rows import Packed, PackedRows
from longreach.models.transformer import initialise

CONFIG = DecoderConfig(layers=2, heads=2, width=4, vocabulary=3, positions=30, encoding="alibi")


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
