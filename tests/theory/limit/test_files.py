"""Files against a second reader of the format, and what is refused; trained models as limit transformers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import safetensors.numpy
import torch
from safetensors import safe_open

from longreach.errors import InputError
from longreach.models.counting import RegressionShape
from longreach.studies.limit_theory.measured import two_headed
from longreach.theory.bounds.quantities import quantities
from longreach.theory.limit.files import (
    CONFIG,
    TENSORS,
    is_regression,
    is_scaled,
    load,
    regression_to_limit,
    save,
)
from longreach.theory.limit.hand_built import induction_head
from longreach.theory.limit.model import Array, Transformer
from longreach.theory.limit.named import load_model
from longreach.theory.limit.rounding import Dtype, Rounding, round_bfloat16
from longreach.theory.limit.run import run
from longreach.training.checkpoint import save_model
from tests.helpers.small_models import general, random_words, small_model


def second_evaluator(directory: Path, word: str, offset: int = 0) -> Any:
    """Runs the files with numpy and the description of the format, nothing else."""
    config = json.loads((directory / "config.json").read_text(encoding="utf-8"))
    raw = (directory / "model.safetensors").read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")

    def tensor(entry: dict[str, Any]) -> Any:
        data = raw[start + entry["data_offsets"][0] : start + entry["data_offsets"][1]]
        if entry["dtype"] == "BF16":
            flat = (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)
        else:
            flat = np.frombuffer(
                data, {"F64": np.float64, "F32": np.float32, "BOOL": np.bool_}[entry["dtype"]]
            )
        return flat.astype(np.float64).reshape(entry["shape"])

    t = {name: tensor(entry) for name, entry in json.loads(raw[8:start]).items()}
    p, n = config["precision"], len(word) + 1

    def rounded(x: Any) -> Any:
        return x if p is None else np.floor(x * 2**p + 0.5) / 2**p

    rows = np.arange(n) % config["period"] if config["kind"] == "limit" else np.arange(n) + offset
    y = t["E"][[config["vocabulary"][token] for token in ["$", *word]]] + t["P"][rows]
    distance = np.arange(n)[:, None] - np.arange(n)
    for layer in range(config["layers"]):
        total = y.copy()
        for head in range(config["heads"]):
            name = f"layer.{layer}.head.{head}."
            if name + "KQ" not in t:
                continue
            logits = (y @ t[name + "KQ"] @ y.T).T
            for d, value in enumerate(t.get(name + "phi", [])):
                logits = logits + value * (distance == d)
            weights = np.where(distance >= 0, rounded(float(n) ** rounded(logits)), 0)
            sums = weights.sum(axis=1, keepdims=True)
            total += weights / np.where(sums > 0, sums, 1) @ y @ t[name + "V"].T
        name = f"layer.{layer}."
        hidden = total @ t[name + "A"].T + t[name + "b"]
        hidden = np.where(t[name + "heaviside"] == 1, hidden >= 0, np.maximum(hidden, 0))
        y = total + hidden @ t[name + "B"].T
    return y @ t["U"].T


@pytest.mark.parametrize("precision", [None, 3])
@pytest.mark.parametrize("kind", ["limit", "finite"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16"])
def test_second_evaluator_agrees(
    tmp_path: Path, dtype: Dtype, kind: Literal["limit", "finite"], precision: int | None
) -> None:
    for seed in range(4):  # parameters with one fractional bit survive every type
        model = small_model(seed, kind, precision=precision)
        save(model, tmp_path / str(seed), dtype)
        for word in random_words(seed, 3, 8):
            offset = 2 if kind == "finite" else 0
            second = second_evaluator(tmp_path / str(seed), word, offset)
            np.testing.assert_allclose(run(model, [word], offset)[0], second, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(
                run(load(tmp_path / str(seed)), [word], offset)[0], second, rtol=1e-9, atol=1e-9
            )


def same(one: Transformer, other: Transformer) -> None:
    for field in ("kind", "vocabulary", "read_out", "precision", "program"):
        assert getattr(one, field) == getattr(other, field)
    assert dict(one.coordinates) == dict(other.coordinates)
    for field in ("embedding", "positions", "unembedding"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    for left, right in zip(one.layers, other.layers, strict=True):
        for field in ("a", "b", "out", "heaviside"):
            np.testing.assert_array_equal(getattr(left, field), getattr(right, field))
            assert getattr(left, field).dtype == getattr(right, field).dtype
        for head, copy in zip(left.heads, right.heads, strict=True):
            np.testing.assert_array_equal(head.kq, copy.kq)
            np.testing.assert_array_equal(head.v, copy.v)
            if one.kind == "limit":
                np.testing.assert_array_equal([0.0] if head.phi is None else head.phi, copy.phi)
            else:
                assert head.phi is copy.phi is None


def test_round_trip(tmp_path: Path) -> None:
    models = [small_model(seed, kind) for seed in range(4) for kind in ("limit", "finite")]
    program = replace(models[0], program='P = # "a" >= 1', coordinates={"P": 1}, layers=())
    acceptor = replace(models[1], read_out="acceptor", unembedding=np.ones((1, 4)), precision=7)
    for number, model in enumerate([*models, program, acceptor, induction_head("ab"), two_headed(8)]):
        save(model, tmp_path / str(number))
        same(model, load(tmp_path / str(number)))


def test_config_is_as_described(tmp_path: Path) -> None:
    save(induction_head(["x", "y"]), tmp_path / "deep" / "model")
    config = json.loads((tmp_path / "deep" / "model" / CONFIG).read_text(encoding="utf-8"))
    assert config.pop("coordinates")["token x"] == 1
    assert config == {
        "kind": "limit",
        "vocabulary": {"$": 0, "x": 1, "y": 2},
        "layers": 2,
        "heads": 1,
        "precision": 0,
        "period": 1,
        "context": None,
        "read_out": ["x", "y"],
        "program": None,
        "dtype": "float64",
    }
    assert {path.name for path in (tmp_path / "deep").rglob("*")} == {"model", CONFIG, TENSORS}


def test_other_readers_understand_the_tensors(tmp_path: Path) -> None:
    model = small_model(1)
    save(model, tmp_path / "wide")
    with safe_open(str(tmp_path / "wide" / TENSORS), framework="numpy") as file:
        np.testing.assert_array_equal(file.get_tensor("E"), model.embedding)
        assert file.get_tensor("layer.0.heaviside").dtype == np.bool_
    model = replace(model, embedding=np.random.default_rng(0).normal(size=(3, 4)))
    save(model, tmp_path / "narrow", "bfloat16")
    with safe_open(str(tmp_path / "narrow" / TENSORS), framework="pt") as file:
        expected = torch.tensor(model.embedding, dtype=torch.float32).to(torch.bfloat16)
        assert torch.equal(file.get_tensor("E"), expected)
    np.testing.assert_array_equal(load(tmp_path / "narrow").embedding, round_bfloat16(model.embedding))


def test_saving_again_replaces(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "notes.txt").write_text("kept", encoding="utf-8")
    for model in (induction_head("ab"), induction_head("abc")):
        save(model, tmp_path / "model")
        same(model, load(tmp_path / "model"))
    assert {path.name for path in tmp_path.rglob("*")} == {"model", CONFIG, TENSORS, "notes.txt"}


def test_nothing_is_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = small_model(0, phi="general")
    assert any(head.phi is general for layer in model.layers for head in layer.heads)
    with pytest.raises(InputError, match=r"layer\.\d\.head\.\d\.phi: not local"):
        save(model, tmp_path / "model")
    huge = replace(induction_head("ab"), positions=np.full((1, 7), 1e300))
    with pytest.raises(InputError, match="P: a parameter is too large for float32"):
        save(huge, tmp_path / "model", "float32")
    with pytest.raises(InputError, match="dtype: 'int8'"):
        save(huge, tmp_path / "model", "int8")  # type: ignore[arg-type]
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="file: cannot be written"):
        save(induction_head("ab"), tmp_path / "file")

    def full(self: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match="No space left"):
        save(induction_head("ab"), tmp_path / "model")
    assert [path.name for path in tmp_path.rglob("*")] == ["file"]


def change_config(**changes: Any) -> Callable[[Path], None]:
    def change(directory: Path) -> None:
        config = json.loads((directory / CONFIG).read_text(encoding="utf-8")) | changes
        (directory / CONFIG).write_text(
            json.dumps({key: value for key, value in config.items() if value != "DROP"}), encoding="utf-8"
        )

    return change


def change_tensor(old: str, **changes: Any) -> Callable[[Path], None]:
    """Rename a tensor, or change its entry in the header."""

    def change(directory: Path) -> None:
        raw = (directory / TENSORS).read_bytes()
        size = int.from_bytes(raw[:8], "little")
        header = json.loads(raw[8 : 8 + size])
        entry = header.pop(old)
        header[changes.pop("name", old)] = entry | changes
        text = json.dumps(header).encode()
        (directory / TENSORS).write_bytes(len(text).to_bytes(8, "little") + text + raw[8 + size :])

    return change


def put_nan(directory: Path) -> None:
    raw = bytearray((directory / TENSORS).read_bytes())
    size = int.from_bytes(raw[:8], "little")
    begin = 8 + size + json.loads(raw[8 : 8 + size])["layer.1.head.0.V"]["data_offsets"][0]
    raw[begin : begin + 8] = np.array([np.nan]).tobytes()
    (directory / TENSORS).write_bytes(bytes(raw))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda d: (d / CONFIG).unlink(), "config.json: no such file"),
        (lambda d: (d / TENSORS).unlink(), "model.safetensors: no such file"),
        (lambda d: (d / TENSORS).write_bytes(b"no"), "model.safetensors: not a safetensors file"),
        (lambda d: (d / CONFIG).write_text("{"), "config.json:1:2: not JSON"),
        (change_config(kind="other"), "config.json: kind: "),
        (change_config(heads=-1), "config.json: heads: "),
        (change_config(layers="2"), "config.json: layers: "),
        (change_config(dtype="DROP"), "config.json: dtype: missing"),
        (change_config(colour="red"), "config.json: colour: no such field"),
        (change_config(vocabulary={"$": 0, "a": 2, "b": 2}), "config.json: vocabulary: rows"),
        (change_config(vocabulary={"c": 0, "a": 1, "b": 2}), "config.json: vocabulary: the start symbol"),
        (change_config(vocabulary={"$": 0, "a": 1}), r"E: shape \(3, 7\), expected \(2, 7\)"),
        (change_config(period=2), "config.json: period: 2, but P has 1 rows"),
        (change_config(context=9), "config.json: context: must be null"),
        (change_config(kind="finite"), "config.json: context: None, but P has 1 rows"),
        (change_config(heads=2), "config.json: heads: 2, but the tensors have 1"),
        (change_config(layers=3), r"layer\.2\.heaviside: this tensor is missing"),
        (change_config(layers=1), r"layer\.1\.A: a tensor of this name does not belong"),
        (change_config(dtype="float32"), r"layer\.0\.head\.0\.phi: type F64, expected F32"),
        (change_config(read_out=["a"]), r"U: shape \(2, 7\), expected \(1, 7\)"),
        (change_config(coordinates={"x": 7}), "config.json: coordinates: 'x' is 7, but the width is 7"),
        (change_tensor("U", name="W"), "U: this tensor is missing"),
        (
            change_tensor("layer.0.head.0.phi", name="extra"),
            r"layer\.0\.head\.0\.phi: this tensor is missing",
        ),
        (change_tensor("U", shape=[14]), "U: 1 dimensions, expected 2"),
        (change_tensor("U", shape=[1, 14]), "U: shape"),
        (change_tensor("U", shape=[3, 14]), "model.safetensors: not a safetensors file"),
        (put_nan, r"layer\.1\.head\.0\.V: a parameter is not finite"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, damage: Callable[[Path], None], message: str) -> None:
    save(induction_head("ab"), tmp_path)
    damage(tmp_path)
    with pytest.raises(InputError, match=message) as caught:
        load(tmp_path)
    assert "\n" not in caught.value.message


def test_a_layer_may_lack_a_head(tmp_path: Path) -> None:
    model = two_headed(8)
    first, second = model.layers
    model = replace(model, layers=(first, replace(second, heads=second.heads[:1])))
    save(model, tmp_path)
    same(model, load(tmp_path))
    change_tensor("layer.1.head.0.KQ", name="layer.1.head.1.KQ")(tmp_path)
    change_tensor("layer.1.head.0.V", name="layer.1.head.1.V")(tmp_path)
    same(model, load(tmp_path))


SHAPES = [
    RegressionShape(symbols=3, outputs=1, layers=1, width=5, hidden=7, log_length=True),
    RegressionShape(symbols=2, outputs=1, layers=1, width=4, hidden=6, period=3, log_length=True),
    RegressionShape(symbols=2, outputs=2, layers=2, width=4, hidden=6, locality=2),
]


def _saved(shape: RegressionShape, folder: Path) -> dict[str, Array]:
    rng = np.random.default_rng(4)
    vector = shape.initial(rng) + 0.3 * torch.from_numpy(rng.standard_normal(shape.size).astype(np.float32))
    save_model(folder, {name: value.clone() for name, value in shape.named(vector).items()}, shape)
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
    safetensors.numpy.save_file(tensors, file, {"regression": json.dumps(shape.model_dump() | {"layers": 3})})
    with pytest.raises(InputError, match="no shape of a model with numbers as answers"):
        regression_to_limit(tmp_path)
    tensors["output"] = np.zeros((2, 5), dtype=np.float32)
    safetensors.numpy.save_file(tensors, file, {"regression": json.dumps(shape.model_dump())})
    with pytest.raises(InputError, match=r"output has the shape \(2, 5\), expected \(1, 5\)"):
        regression_to_limit(tmp_path)
    del tensors["output"]
    safetensors.numpy.save_file(tensors, file, {"regression": json.dumps(shape.model_dump())})
    with pytest.raises(InputError, match="not the tensors that belong there"):
        regression_to_limit(tmp_path)
