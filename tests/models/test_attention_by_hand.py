from __future__ import annotations

import numpy as np
import pytest
import torch

from longreach.models.attention_by_hand import LARGEST, Attender
from longreach.models.packed_rows import PackedRows
from longreach.models.workspace import Workspace


@pytest.mark.parametrize("factor", [1.0, 10 * LARGEST])
def test_attention_is_a_softmax_over_what_came_before(factor: float) -> None:
    sizes, heads, width = np.array([2, 5]), 2, 3
    tokens = np.zeros((2, 5), dtype=np.int64)
    rows = PackedRows(tokens, tokens, tokens, np.arange(5) < sizes[:, None], sizes)
    packed = rows.batch(slice(0, 2), heads=heads, borders=[0, 2])
    space = Workspace(torch.float64)
    space.start()
    query, key, value = torch.randn(3, 8, heads * width, dtype=torch.float64) * torch.tensor(
        [[[factor]], [[1]], [[1]]]
    )
    out = torch.empty(7, heads * width, dtype=torch.float64)
    Attender(heads, width, space, torch.float64).forward(
        packed, packed.everywhere, query, key, value, None, out
    )
    for first, size in ((0, 2), (2, 5)):
        for token in range(first, first + size):
            for head in range(heads):
                own = slice(head * width, (head + 1) * width)
                logits = key[first : token + 1, own] @ query[token, own] / width**0.5
                wanted = logits.softmax(0) @ value[first : token + 1, own]
                assert torch.allclose(out[token, own], wanted, rtol=1e-9, atol=1e-12)
