""""""

from __future__ import annotations

from typing import Any

import pytest
import torch

from longreach.config.encodings import ENCODINGS
from longreach.errors import InputError
from longreach.models.fast.cached import CachedDecoder
from longreach.models.network import Inputs, network
from tests.models.fast.test_gradient import parameters_of, shape


@pytest.mark.parametrize("encoding", list(ENCODINGS))
@pytest.mark.parametrize("change", [{}, {"log_length": True}, {"layer_norm": False}, {"layers": 1}], ids=str)
def test_states_are_those_of_the_whole_prefix(encoding: str, change: dict[str, Any]) -> None:
    """Rows of different sizes, read in pieces of different sizes, with ids of any kind."""
    config = shape(encoding=encoding, **change)
    parameters, rng = parameters_of(config), torch.Generator().manual_seed(0)
    rows, columns = 3, 12
    tokens = torch.randint(0, config.vocabulary, (rows, columns), generator=rng)
    ids = torch.randint(0, config.positions, (rows, columns), generator=rng)
    cache = CachedDecoder(parameters, config, rows=rows, columns=columns)
    done = [0] * rows
    with torch.no_grad():
        wanted = network(config).outputs(parameters, Inputs(tokens, ids)).tokens
        for counts in ([2, 5, 1], [1, 1, 1], [3, 1, 2], [1, 1, 1]):
            most = max(counts)
            read, numbers = (torch.zeros((rows, most), dtype=torch.long) for _ in range(2))
            for row, count in enumerate(counts):
                read[row, :count] = tokens[row, done[row] : done[row] + count]
                numbers[row, :count] = ids[row, done[row] : done[row] + count]
                done[row] += count
            found = cache.read(read, numbers, torch.tensor(counts)).tokens
            for row in range(rows):
                assert torch.allclose(found[row], wanted[row, done[row] - 1], atol=1e-10)
        cache.keep(torch.tensor([2, 0]))
        found = cache.read(
            *(torch.stack([each[2, done[2]], each[0, done[0]]])[:, None] for each in (tokens, ids)),
            torch.tensor([1, 1]),
        ).tokens
        assert torch.allclose(found[0], wanted[2, done[2]], atol=1e-10)
        assert torch.allclose(found[1], wanted[0, done[0]], atol=1e-10)


def test_no_more_than_there_is_room_for() -> None:
    config = shape()
    cache = CachedDecoder(parameters_of(config), config, rows=1, columns=2)
    three = torch.zeros((1, 3), dtype=torch.long)
    with pytest.raises(InputError, match="3 tokens in a memory with room for 2"):
        cache.read(three, three, torch.tensor([3]))
