from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import torch

from longreach.bounds.model_quantities import quantities
from longreach.errors import InputError
from longreach.limit.compile.named_models import load_model
from longreach.limit.model import Array
from longreach.limit.run.float_evaluator import run
from longreach.limit.run.softmax_weights import Rounding
from longreach.limit.translate.regression_to_limit import is_regression, is_scaled, regression_to_limit
from longreach.models.regression_shape import RegressionShape
from longreach.training.regression_job import save_regression

SHAPES = [
    RegressionShape(symbols=3, outputs=1, layers=1, width=5, hidden=7, log_length=True),
    RegressionShape(symbols=2, outputs=1, layers=1, width=4, hidden=6, period=3, log_length=True),
    RegressionShape(symbols=2, outputs=2, layers=2, width=4, hidden=6, locality=2),
]


def _saved(shape: RegressionShape, folder: Path) -> dict[str, Array]:
    rng = np.random.default_rng(4)
    vector = shape.initial(rng) + 0.3 * torch.from_numpy(rng.standard_normal(shape.size).astype(np.float32))
    save_regression(folder, {name: value.clone() for name, value in shape.named(vector).items()}, shape)
    return {name: value.double().numpy() for name, value in shape.named(vector).items()}


def _literal(named: dict[str, Array], shape: RegressionShape, word: list[int]) -> Array:
    """The trained model on tokens, with its logarithms one position later, as if $ were there."""
    stream = named["embedding"][word]
    if shape.period > 1:
        stream = stream + named["positions"][np.arange(1, len(word) + 1) % shape.period]
    for layer in range(shape.layers):
        part = {name: named.get(f"{layer}.{name}", np.zeros(0)) for name in ("key", "query", "value", "bias")}
        after = []
        for i in range(len(word)):
            logits = np.array([stream[j] @ part["key"].T @ part["query"] @ stream[i] for j in range(i + 1)])
            logits = logits / shape.width * (np.log(len(word) + 1) if shape.log_length else 1.0)
            for distance in range(min(len(part["bias"]), i + 1)):
                logits[i - distance] += np.log(i + 2) * part["bias"][distance]
            shares = np.exp(logits - logits.max())
            mixed = stream[i] + shares @ stream[: i + 1] @ part["value"].T / shares.sum()
            inner = np.maximum(named[f"{layer}.in"] @ mixed + named[f"{layer}.in_bias"], 0)
            after.append(mixed + named[f"{layer}.out"] @ inner)
        stream = np.array(after)
    return named["output"] @ stream[-1]


@pytest.mark.parametrize("shape", SHAPES)
def test_it_computes_what_the_trained_model_computes(shape: RegressionShape, tmp_path: Path) -> None:
    named = _saved(shape, tmp_path)
    model = load_model(str(tmp_path))
    assert (model.period, model.locality, len(model.layers)) == (shape.period, shape.locality, shape.layers)
    rng = np.random.default_rng(8)
    rounding: Rounding = "infinite" if shape.layers == 2 else None
    for length in (3, 4, 9, 17):
        word = rng.integers(0, shape.symbols, length).tolist()
        (found,) = run(model, [[str(token) for token in word]], precision=rounding)
        assert found[-1] == pytest.approx(_literal(named, shape, word), abs=1e-9)


def test_the_start_symbol_leaves_the_quantities_as_they_are(tmp_path: Path) -> None:
    named = _saved(SHAPES[2], tmp_path)
    found = quantities(regression_to_limit(tmp_path))
    products = named["0.key"].T @ named["0.query"] / SHAPES[2].width
    assert found.heads[0].key_query == pytest.approx(np.linalg.norm(products, 2))
    norms = [np.linalg.norm(named["embedding"] @ named["0.value"].T, axis=1).max()]
    norms += [np.linalg.norm(named[f"0.{name}"]) for name in ("in", "out")]
    assert pytest.approx(np.prod(norms)) == found.L
    assert found.complexity_log2 < 40


def test_which_models_are_limit_transformers(tmp_path: Path) -> None:
    plain = RegressionShape(symbols=3, outputs=1, layers=1, width=4, hidden=6)
    _saved(plain, tmp_path / "plain")
    _saved(SHAPES[2], tmp_path / "kgram")
    assert not is_scaled(tmp_path / "plain")
    assert is_scaled(tmp_path / "kgram")
    assert not is_regression(tmp_path)


def test_damaged_files_are_refused_in_a_line(tmp_path: Path) -> None:
    shape = SHAPES[0]
    named = _saved(shape, tmp_path)
    tensors = {name: value.astype(np.float32) for name, value in named.items()}
    file = tmp_path / "model.safetensors"
    safetensors.numpy.save_file(tensors, file, {"regression": json.dumps({**asdict(shape), "layers": 3})})
    with pytest.raises(InputError, match="no shape of a model with numbers as answers"):
        regression_to_limit(tmp_path)
    tensors["output"] = np.zeros((2, 5), dtype=np.float32)
    safetensors.numpy.save_file(tensors, file, {"regression": json.dumps(asdict(shape))})
    with pytest.raises(InputError, match=r"output has the shape \(2, 5\), expected \(1, 5\)"):
        regression_to_limit(tmp_path)
    del tensors["output"]
    safetensors.numpy.save_file(tensors, file, {"regression": json.dumps(asdict(shape))})
    with pytest.raises(InputError, match="not a model, or damaged"):
        regression_to_limit(tmp_path)
