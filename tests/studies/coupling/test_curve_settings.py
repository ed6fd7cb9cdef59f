from __future__ import annotations

import pytest

from longreach.config.scales import SCALES
from longreach.studies.all_studies import STUDIES
from longreach.training.shape import read_member


@pytest.mark.parametrize("name", ["sparse-parity", "parity-scratchpad", "variable-assignment"])
def test_members_can_be_trained(name: str) -> None:
    for scale in SCALES:
        members = STUDIES[name].members(scale, 1)
        assert len({member.key for member in members}) == len(members)
        for member in members:
            assert read_member(member.document()) == member
            assert not member.stop_early
