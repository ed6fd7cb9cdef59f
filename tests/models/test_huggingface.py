"""GPT-2 checkpoints: the same logits, both ways, with and without the library."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from longreach.config.model import ModelConfig
from longreach.errors import InputError, MissingExtra
from longreach.models import huggingface
from longreach.models.decoder import forward, initialise
from tests.helpers.extras import needs
from tests.helpers.literal_gpt2 import logits, random_state

DOCUMENT: dict[str, Any] = {
    "model_type": "gpt2", "n_layer": 2, "n_head": 2, "n_embd": 8, "vocab_size": 7, "n_positions": 12
}  # fmt: skip


def config_of(**change: Any) -> ModelConfig:
    return huggingface.config_from_document({**DOCUMENT, **change})


@pytest.mark.parametrize("tied", [True, False])
def test_a_checkpoint_gives_the_literal_logits(tied: bool) -> None:
    config = config_of(tie_word_embeddings=tied)
    state = random_state(1, 2, 8, 7, 12, tied)
    parameters = huggingface.from_state(state, config)
    tokens, ids = [[3, 1, 4, 1, 5], [6, 0, 2, 2, 6]], [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    found = forward(parameters, config, torch.tensor(tokens), torch.tensor(ids))
    for row in range(2):
        literal = logits(state, 2, 2, tokens[row], ids[row])
        assert (found[row] - literal).abs().max().item() < 1e-10


@pytest.mark.parametrize("encoding", ["ape", "randomized", "coupled", "nope"])
@pytest.mark.parametrize("tied", [True, False])
def test_our_parameters_give_the_same_logits_there(encoding: str, tied: bool) -> None:
    config = ModelConfig(
        layers=2,
        heads=2,
        width=8,
        vocabulary=7,
        positions=12,
        encoding=encoding,
        tied=tied,
        norm_epsilon=1e-3,
    )
    parameters = initialise(config, 4)
    state = huggingface.to_state(parameters, config)
    tokens = [3, 1, 4, 1, 5]
    found = forward(parameters, config, torch.tensor([tokens]))
    literal = logits(state, 2, 2, tokens, [0, 1, 2, 3, 4], epsilon=1e-3)
    assert (found[0] - literal).abs().max().item() < 1e-5


def test_a_state_survives_both_conversions() -> None:
    config = config_of()
    state = random_state(2, 2, 8, 7, 12)
    again = huggingface.to_state(huggingface.from_state(state, config), config)
    assert set(again) == set(state)
    assert all(torch.equal(again[name], state[name]) for name in state)


def test_old_and_bare_checkpoints_are_read() -> None:
    """Without the prefix and the head, with causal masks, in half precision."""
    config, state = config_of(), random_state(3, 2, 8, 7, 12)
    old = {
        name.removeprefix("transformer."): value.half()
        for name, value in state.items()
        if name != "lm_head.weight"
    }
    old |= {"h.0.attn.bias": torch.ones(1, 1, 12, 12), "h.1.attn.masked_bias": torch.tensor(-1e4)}
    parameters = huggingface.from_state(old, config)
    assert all(value.dtype == torch.float32 for value in parameters.values())
    assert torch.allclose(parameters["embedding"].double(), state["transformer.wte.weight"], atol=1e-3)


def test_directories(tmp_path: Path) -> None:
    config = ModelConfig(layers=2, heads=2, width=8, vocabulary=7, positions=12)
    parameters = initialise(config, 4)
    huggingface.save(tmp_path / "model", parameters, config)
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == [
        "config.json",
        "model.safetensors",
    ]
    read, again = huggingface.load(tmp_path / "model")
    assert read == config
    assert all(torch.equal(again[name], parameters[name]) for name in parameters)
    written = load_file(tmp_path / "model" / "model.safetensors")
    assert written["transformer.h.1.mlp.c_fc.weight"].shape == (8, 32)
    assert "lm_head.weight" not in written  # tied


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"activation_function": "gelu"}, "tanh"),
        ({"scale_attn_by_inverse_layer_idx": True}, "scaled"),
        ({"n_inner": 37}, "n_inner 37"),
        ({"n_head": 3}, "multiple of 3 heads"),
        ({"model_type": "llama"}, "model_type"),
    ],
)
def test_other_shapes_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        config_of(**change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"encoding": "alibi"}, "no encoding 'alibi'"),
        ({"layer_norm": False}, "layer norms"),
        ({"log_length": True}, "log-length"),
        ({"outputs": 3, "tied": False}, "as many outputs"),
    ],
)
def test_what_gpt2_lacks_is_refused(change: dict[str, Any], message: str) -> None:
    config = ModelConfig(**{"layers": 1, "heads": 1, "width": 8, "vocabulary": 5, "positions": 9, **change})
    with pytest.raises(InputError, match=message):
        huggingface.to_state(initialise(config, 0), config)


def test_damaged_directories_are_refused(tmp_path: Path) -> None:
    config, state = config_of(), random_state(3, 2, 8, 7, 12)
    del state["lm_head.weight"]

    def refused(message: str) -> None:
        with pytest.raises(InputError, match=message) as caught:
            huggingface.load(tmp_path)
        assert "\n" not in str(caught.value)

    refused("no config.json there")
    (tmp_path / "config.json").write_text(json.dumps(DOCUMENT))
    refused("no model.safetensors there")
    (tmp_path / "model.safetensors").write_bytes(b"nothing")
    refused("cannot be read")
    missing = {name: value for name, value in state.items() if name != "transformer.ln_f.bias"}
    for tensors, message in (
        (missing, r"'ln_f\.bias' is missing"),
        ({**state, "transformer.h.2.ln_1.bias": torch.ones(8)}, r"'h\.2\.ln_1\.bias' has no place"),
        (
            {**state, "transformer.wpe.weight": torch.ones(5, 8)},
            r"'positions': shape \(5, 8\), expected \(12, 8\)",
        ),
    ):
        save_file(tensors, tmp_path / "model.safetensors")
        refused(message)
    (tmp_path / "config.json").write_text("[]")
    refused("object")
    assert config.layers == 2


LIVE = ModelConfig(layers=2, heads=2, width=8, vocabulary=7, positions=12, tied=False)


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="hf"):
        huggingface.to_module(initialise(LIVE, 5), LIVE)


@needs("transformers", "Transformers")
def test_a_live_model(tmp_path: Path) -> None:
    """Equal logits, live and through a directory."""
    config, parameters = LIVE, initialise(LIVE, 5)
    library: Any = importlib.import_module("transformers")
    huggingface.save(tmp_path, parameters, config)
    tokens, ids = torch.tensor([[3, 1, 4], [1, 5, 2]]), torch.tensor([[0, 1, 2], [7, 8, 9]])
    ours = forward(parameters, config, tokens, ids)
    for model in (
        huggingface.to_module(parameters, config),
        library.GPT2LMHeadModel.from_pretrained(tmp_path),
    ):
        assert (model.eval()(tokens, position_ids=ids).logits - ours).abs().max().item() < 1e-5
        read, again = huggingface.from_module(model)
        assert read == config
        assert all(torch.equal(again[name], parameters[name]) for name in parameters)
