"""Models by name and as files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from longreach.errors import InputError
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


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hand:simple", "no model is built by hand as 'simple'; did you mean 'simple-task'"),
        ("hand:simple-task:speed=3", "'speed=3' is no parameter of simple-task"),
        ("hand:modp-task:period", "'period' is no parameter"),
        ("hand:modp-task:period=x", "period='x' is not an integer"),
        ("hand:simple-task:omega=inf", "omega='inf' is not a number"),
        ("hand:modp-task:period=3,residue=4", "residue 4: a number from 0 to 2"),
        ("simple-task", "did you mean 'hand:simple-task'"),
        ("nowhere", "no directory 'nowhere'; expected a directory of a model, hand:NAME"),
    ],
)
def test_bad_names_are_refused_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as error:
        load_model(text)
    assert "\n" not in error.value.message
