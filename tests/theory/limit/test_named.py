"""Models by name and as files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from longreach.theory.limit.files import save
from longreach.theory.limit.named import HAND_BUILT, load_model
from longreach.theory.limit.run import run


@pytest.mark.parametrize("name", HAND_BUILT)
def test_every_hand_built_model_goes_through_a_file(name: str, tmp_path: Path) -> None:
    model = load_model(f"hand:{name}")
    save(model, tmp_path / "model")
    again = load_model(str(tmp_path / "model"))
    tokens = [token for token in model.vocabulary if token != "$"]
    word = [tokens[i % len(tokens)] for i in range(17)]
    np.testing.assert_array_equal(run(model, [word])[0], run(again, [word])[0])


def test_parameters_are_read_with_their_types() -> None:
    assert load_model("hand:modp-task:period=7,residue=3").period == 7
    assert load_model("hand:kgram-head:k=3,tokens=xyz").vocabulary == ("$", "x", "y", "z")
    assert load_model("lib:majority").read_out == "acceptor"
