""""""

from __future__ import annotations

import pytest

from longreach.config.encodings import ENCODINGS, EncodingRow, unknown_encoding


def test_names_are_those_of_their_rows() -> None:
    assert all(name == row.name for name, row in ENCODINGS.items())
    assert list(ENCODINGS)[:2] == ["nope", "ape"]


@pytest.mark.parametrize("row", ENCODINGS.values(), ids=lambda row: row.name)
def test_a_row_says_what_it_is(row: EncodingRow) -> None:
    assert row.about.endswith(".")
    assert row.source
    assert row.title.lower() == row.name


@pytest.mark.parametrize(("name", "width", "heads"), [("sinusoidal", 7, 1), ("rope", 6, 2)])
def test_shapes_that_do_not_fit(name: str, width: int, heads: int) -> None:
    refusal = ENCODINGS[name].refusal(width=width, heads=heads)
    assert refusal is not None
    assert refusal.startswith(f"{name} needs an even width")
    assert ENCODINGS[name].refusal(width=2 * width, heads=heads) is None
    assert ENCODINGS["ape"].refusal(width=width, heads=heads) is None


def test_unknown_names() -> None:
    assert unknown_encoding("ape") is None
    assert unknown_encoding("qqqq") == f"unknown encoding 'qqqq'; known are {', '.join(ENCODINGS)}"
