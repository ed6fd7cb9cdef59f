"""Models from directories: compiled, trained, in pairs, and what is no model."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from math import inf
from pathlib import Path

import numpy as np
import pytest
import torch

from longreach.answers.bound_subject import limit_subject, model_subject, trained_quantities
from longreach.config.model import ModelConfig
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


# Quantities of trained decoders against their forward pass, written out with torch


def saved(folder: Path, **changed: object) -> tuple[ModelConfig, dict[str, object]]:
    from longreach.models.decoder import initialise
    from longreach.training.checkpoint import save_model

    shape = {"layers": 1, "heads": 2, "width": 8, "vocabulary": 6, "positions": 20, "encoding": "nope"}
    config = ModelConfig.read({**shape, **changed})
    generator = torch.Generator().manual_seed(0)
    parameters = {
        name: value + 0.3 * torch.randn(value.shape, generator=generator)
        for name, value in initialise(config, 0).items()
    }
    save_model(folder, parameters, config)
    return config, parameters


@pytest.mark.parametrize("layer_norm", [True, False])
def test_against_the_forward_pass(tmp_path: Path, layer_norm: bool) -> None:
    config, parameters = saved(tmp_path, layer_norm=layer_norm)
    p = {name: value.double() for name, value in parameters.items()}
    linear, norm = torch.nn.functional.linear, torch.nn.functional.layer_norm
    inputs = p["embedding"][1:]
    first = p["layers.0.mlp.in.weight"]
    if layer_norm:
        gain, shift = (p[f"layers.0.attention_norm.{part}"] for part in ("weight", "bias"))
        inputs = norm(inputs, (8,), gain, shift, config.norm_epsilon)
        first = first @ torch.diag(p["layers.0.mlp_norm.weight"])
    name = "layers.0.attention"
    query, key, value = (
        linear(inputs, p[f"{name}.{part}.weight"], p[f"{name}.{part}.bias"]).view(5, 2, 4)
        for part in ("query", "key", "value")
    )
    gaps = []
    for token in range(5):
        for h in range(2):
            logits = sorted(float(query[token, h] @ key[s, h]) / 2 for s in range(5))
            gaps += [b - a for a, b in pairwise(logits)]
    found = trained_quantities(tmp_path)
    assert found.logit_margin == pytest.approx(min(gaps))
    longest = max(
        sum(
            float(
                (
                    p[f"{name}.out.weight"][:, 4 * h : 4 * h + 4]
                    @ (value[s, h] - p[f"{name}.value.bias"][4 * h : 4 * h + 4])
                ).norm()
            )
            for h in range(2)
        )
        for s in range(5)
    )
    mlp = float(first.norm() * p["layers.0.mlp.out.weight"].norm())
    assert pytest.approx(mlp * longest) == found.L


def test_what_a_trained_model_lacks(tmp_path: Path) -> None:
    saved(tmp_path)
    found = trained_quantities(tmp_path)
    inputs = found.inputs(precision=8)
    assert inputs.values == {"alphabet": 5, "locality": 0, "precision": 8, "period": 1}
    assert "layer norm" in inputs.absent["L"]
    assert "log|x|" in inputs.absent["gamma"]
    assert not bounds(inputs, Fraction(1, 10)).bounds
    json.dumps(found.document())


def test_a_model_that_is_what_the_theorem_speaks_of(tmp_path: Path) -> None:
    saved(tmp_path, layer_norm=False, log_length=True)
    found = trained_quantities(tmp_path / "model.safetensors")
    names = [each.definition.name for each in bounds(found.inputs(8), Fraction(1, 10)).bounds]
    assert names == ["one-layer-worst-case", "one-layer-workshop"]


@pytest.mark.parametrize(("encoding", "lacks"), [("ape", {"period"}), ("rope", {"period", "locality"})])
def test_other_encodings(tmp_path: Path, encoding: str, lacks: set[str]) -> None:
    saved(tmp_path, encoding=encoding, log_length=True)
    found = trained_quantities(tmp_path)
    assert found.margins is None
    assert lacks | {"gamma"} <= found.inputs().absent.keys()


def test_equal_embeddings_have_equal_logits(tmp_path: Path) -> None:
    from longreach.training.checkpoint import save_model

    config, parameters = saved(tmp_path, log_length=True)
    parameters["embedding"] = torch.ones(6, 8) * torch.arange(8)  # type: ignore[assignment]
    save_model(tmp_path, parameters, config)  # type: ignore[arg-type]
    found = trained_quantities(tmp_path)
    assert found.logit_margin is None
    assert found.inputs().values["gamma"] == inf


def test_bad_files(tmp_path: Path) -> None:
    saved(tmp_path / "deep", layers=2)
    with pytest.raises(InputError, match="a trained model of 2 layers; only those of one are read off"):
        trained_quantities(tmp_path / "deep")
    file = tmp_path / "model.safetensors"
    file.write_bytes(b"nothing")
    with pytest.raises(InputError, match="not a model, or damaged"):
        trained_quantities(tmp_path)
    from safetensors.numpy import save_file

    save_file({"x": np.zeros(1)}, file)
    with pytest.raises(InputError, match="no shape of a decoder"):
        trained_quantities(tmp_path)
    config = ModelConfig(layers=1, heads=1, width=8, vocabulary=6, positions=20, encoding="nope")
    save_file({"x": np.zeros(1)}, file, {"config": config.model_dump_json()})
    with pytest.raises(InputError, match="not the tensors that belong there"):
        trained_quantities(tmp_path)
