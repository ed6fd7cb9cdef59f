"""Families: their relations, and what is refused."""

from __future__ import annotations

import pytest

from longreach.crasp.core import Count, Periodic, Top
from longreach.errors import InputError
from longreach.synthesis.program_family import FAMILIES, Family


def test_relations_up_to_a_modulus_and_a_distance() -> None:
    family = Family(modulus=3, distance=1)
    assert family.guards == (None, (1,), (0, 1))
    assert [test.residues for test in family.position_tests] == [
        (0,),
        (1,),
        (0,),
        (1,),
        (2,),
        (0, 1),
        (0, 2),
        (1, 2),
    ]
    assert family.has(Periodic(3, (0,)))
    assert not family.has(Periodic(4, (0,)))
    assert not family.has(Count(0, (0, 2)))
    assert family.has(Top())


@pytest.mark.parametrize("name", FAMILIES)
def test_names_come_back(name: str) -> None:
    assert Family.named(name).name == name


def test_bad_names_and_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="class: no class is named 'locl'; did you mean 'local'"):
        Family.named("locl")
    with pytest.raises(InputError, match="modulus: must be 1 to 8"):
        Family(modulus=9)
    with pytest.raises(InputError, match="distance: must be 0 to 6"):
        Family(distance=7)
