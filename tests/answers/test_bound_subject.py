"""Models from directories: compiled, trained, in pairs, and what is no model."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from longreach.answers.bound_subject import limit_subject, model_subject
from longreach.errors import InputError
from longreach.theory.bounds.theorems import NO_BOUND, bounds
from longreach.theory.crasp.library import load
from longreach.theory.limit.compiler import compile_program
from longreach.theory.limit.files import save
from longreach.theory.limit.finite import to_finite
from longreach.theory.limit.hand_built import induction_head
from tests.theory.bounds.test_quantities import one_layer


def test_a_compiled_model_brings_its_program(tmp_path: Path) -> None:
    save(compile_program(load("majority").core), tmp_path / "model")
    found = model_subject(tmp_path / "model", precision=8)
    assert found.inputs.values["T"] == 1
    assert found.quantities is not None
    assert found.quantities["heaviside_units"] == 1


def test_models_of_any_depth() -> None:
    deep = limit_subject(compile_program(load("tomita-2").core))
    assert deep.quantities is None or deep.quantities["layers"] <= 2
    assert NO_BOUND in limit_subject(compile_program(load("dyck-1").core)).inputs.notes
    assert limit_subject(induction_head("ab")).inputs.notes == ()


def test_pairs(tmp_path: Path) -> None:
    save(one_layer(phi=[0.0, 0.5]), tmp_path / "f")
    save(one_layer(phi=[0.0, 0.0, 0.25]), tmp_path / "g")
    found = model_subject(tmp_path / "f", precision=2, against=tmp_path / "g")
    assert found.inputs.values["gamma"] == Fraction(1, 4)
    assert found.inputs.values["locality"] == 2
    worst = bounds(found.inputs, Fraction(1)).bounds[0]
    assert worst.terms["hard"].number() == 2**8
    save(induction_head("ab"), tmp_path / "two")
    save(induction_head("ab", phi=1.25), tmp_path / "other")
    two = model_subject(tmp_path / "two", against=tmp_path / "other")
    assert two.inputs.values["gamma_f"] == 1
    assert two.inputs.values["gamma_g"] == Fraction(1, 4)
    (found_bound,) = bounds(two.inputs, Fraction(1, 10)).bounds
    assert found_bound.terms["exponent"].number() == 4


def test_what_is_no_pair(tmp_path: Path) -> None:
    save(induction_head("ab"), tmp_path / "ab")
    save(induction_head("cd"), tmp_path / "cd")
    save(one_layer(), tmp_path / "one")
    with pytest.raises(InputError, match="a pair reads the same tokens"):
        model_subject(tmp_path / "ab", against=tmp_path / "cd")
    with pytest.raises(InputError, match="one depth"):
        model_subject(tmp_path / "ab", against=tmp_path / "one")


def test_what_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no model\.safetensors in it, so no model"):
        model_subject(tmp_path)
    save(to_finite(one_layer(units=0), 6), tmp_path / "finite")
    with pytest.raises(InputError, match="a finite transformer; the bounds are about limit transformers"):
        model_subject(tmp_path / "finite")
