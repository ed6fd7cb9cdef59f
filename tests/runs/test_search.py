"""The published search from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from longreach.errors import InputError
from longreach.runs.search import NONE_IS_RIGHT, SEED_FACTOR, grid, search
from tests.runs.test_train import Diary

SMALL: dict[str, Any] = {"layers": 1, "heads": 1, "width": 16, "train_lengths": (1, 5), "test_size": 50}


@pytest.mark.slow
def test_a_search_trains_its_choice_with_more_seeds(tmp_path: Path) -> None:
    found = search(
        "binary-majority", seeds=range(2), runs=tmp_path, **{**SMALL, "max_steps": 300, "lr": 1e-2}
    )
    (member,) = grid("binary-majority", **{**SMALL, "max_steps": 300, "lr": 1e-2})
    assert [each.key for each in found.tried] == [member.key]
    assert found.chosen == member
    assert found.results[0] == found.tried[0]
    reached = sum(bool(each.final and each.final.reached) for each in found.results)
    assert reached == 2 or len(found.results) == 2 * SEED_FACTOR


def test_where_nothing_is_right_it_is_said(tmp_path: Path) -> None:
    diary = Diary()
    found = search("sort", runs=tmp_path, progress=diary, **{**SMALL, "max_steps": 2})
    assert (len(found.tried), found.chosen, found.results) == (2, None, ())
    assert diary.said == [NONE_IS_RIGHT]


def test_other_models_are_searched_over_the_sizes_that_they_have() -> None:
    members = grid("parity", architecture="lstm", train_lengths=(1, 5), lr=1e-3)
    assert [(each.layers, each.heads, each.width) for each in members][:3] == [
        (1, 1, 16),
        (1, 1, 64),
        (1, 1, 256),
    ]
    assert {each.label.title for each in members} == {"LSTM"}
    with pytest.raises(InputError, match=r"^search: the sizes of mine:make are options of its own"):
        grid("parity", architecture="mine:make")
