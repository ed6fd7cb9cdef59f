from __future__ import annotations

import torch

from longreach.models.workspace import Workspace


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
