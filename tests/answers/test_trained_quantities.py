"""Quantities of trained decoders against their forward pass, written out with torch."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from math import inf
from pathlib import Path

import numpy as np
import pytest

from longreach.answers.bound_subject import trained_quantities
from longreach.config.model import ModelConfig
from longreach.errors import InputError
from longreach.theory.bounds.theorems import bounds

torch = pytest.importorskip("torch")


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
