from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.config.cell_label import CellLabel


@given(st.text(st.characters(exclude_characters="+"), min_size=1), st.sampled_from([0.0, 1e-4, 0.001, 2.0]))
def test_labels_read_back(encoding: str, penalty: float) -> None:
    assert CellLabel.read(CellLabel(encoding, penalty).text) == CellLabel(encoding, penalty)


@pytest.mark.parametrize("text", ["a + b", "ape + ", " + 1", "ape + nan", "ape + inf", "ape + 0", ""])
def test_what_is_no_label_is_an_encoding_whatever_it_is(text: str) -> None:
    assert CellLabel.read(text) == CellLabel(text)
