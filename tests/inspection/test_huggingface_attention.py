"""Attention of models that another library runs: through a stand-in, and through the library where it is."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from longreach.errors import InputError, MissingExtra
from longreach.inspection import huggingface_attention
from longreach.inspection.huggingface_attention import attentions, load_outside, longest_of, weights_of
from longreach.inspection.inspected_model import OutsideModel, open_model
from longreach.inspection.outside_inspection import inspect_outside
from longreach.inspection.traced_forward import trace
from tests.helpers.extras import needs
from tests.helpers.inspected_models import StandIn, lively, small_config

TOKENS = np.array([[1, 2, 3, 4], [2, 2, 1, 5], [0, 1, 0, 1], [3, 3, 3, 3], [5, 4, 3, 2]])


def _outside(folder: Path) -> OutsideModel:
    return OutsideModel(name="tiny", path=folder, architecture="llama", document={"model_type": "llama"})


def test_weights_are_those_of_the_model() -> None:
    config = small_config("rope")
    parameters = lively(config)
    found = list(weights_of(StandIn(parameters, config), TOKENS, at_once=2))
    wanted = trace(parameters, config, torch.from_numpy(TOKENS)).weights
    assert len(found) == 2
    for layer, expected in zip(found, wanted, strict=True):
        assert layer == pytest.approx(expected.numpy(), abs=1e-5)


@pytest.mark.parametrize(
    "returned",
    [
        None,
        (),
        (None, None),
        (torch.zeros(5, 2, 4, 4),),
        (torch.full((5, 2, 4, 4), 0.25),),
        (torch.ones(5, 2, 4, 3),),
    ],
    ids=["none", "empty", "nothing", "zeros", "not causal", "another shape"],
)
def test_attention_that_is_not_returned_is_an_error(returned: Any) -> None:
    """Other implementations return nothing, and no number must be made of that."""

    def module(tokens: torch.Tensor, **_: object) -> Any:
        return SimpleNamespace(attentions=returned)

    with pytest.raises(InputError):
        attentions(module, torch.from_numpy(TOKENS))


def test_the_directory_is_looked_at_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="no safetensors"):
        load_outside(_outside(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(b"")
    monkeypatch.setattr(huggingface_attention.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="hf"):
        load_outside(_outside(tmp_path))


def test_what_the_library_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Attention that is returned, safetensors, no code of others, nothing fetched."""
    (tmp_path / "model.safetensors").write_bytes(b"")
    asked: dict[str, object] = {}

    def from_pretrained(path: str, **options: object) -> None:
        asked.update(options)
        raise OSError("no such\nweights")

    library = SimpleNamespace(AutoModelForCausalLM=SimpleNamespace(from_pretrained=from_pretrained))
    monkeypatch.setattr(huggingface_attention.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(huggingface_attention.importlib, "import_module", lambda name: library)
    with pytest.raises(InputError, match="cannot be loaded: no such weights"):
        load_outside(_outside(tmp_path))
    assert asked == {
        "attn_implementation": "eager",
        "use_safetensors": True,
        "local_files_only": True,
        "trust_remote_code": False,
    }


def test_lengths() -> None:
    assert longest_of(SimpleNamespace(config=SimpleNamespace(max_position_embeddings=7)), 128) == 7
    assert longest_of(SimpleNamespace(config=SimpleNamespace()), 128) == 128


def _tiny(name: str, folder: Path) -> Any:
    """A checkpoint of the library, saved and not yet loaded."""
    library: Any = importlib.import_module("transformers")
    torch.manual_seed(0)
    shared: dict[str, Any] = {"vocab_size": 11, "max_position_embeddings": 64}
    if name == "llama":
        config = library.LlamaConfig(
            hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, **shared,
        )  # fmt: skip
        module = library.LlamaForCausalLM(config)
    else:
        config = library.GPTNeoXConfig(
            hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=2, **shared
        )
        module = library.GPTNeoXForCausalLM(config)
    module.save_pretrained(folder)
    return module.float().eval()


@needs("transformers", "Transformers")
@pytest.mark.parametrize("name", ["llama", "gpt_neox"])
def test_checkpoints_of_the_library(name: str, tmp_path: Path) -> None:
    made = _tiny(name, tmp_path)
    outside = open_model(tmp_path)
    assert isinstance(outside, OutsideModel)
    live = load_outside(outside)
    found = list(weights_of(live, TOKENS))
    assert [layer.shape for layer in found] == [(5, made.config.num_attention_heads, 4, 4)] * 2
    # Queries and keys turned as far apart give the same weights further on: keys before are cut off.
    inspection = inspect_outside(outside, seed=1)
    assert len(inspection.heads) == 2 * made.config.num_attention_heads
    assert all(np.isfinite(head.offset_variance) for head in inspection.heads)


@needs("transformers", "Transformers")
def test_a_gpt2_of_the_library(tmp_path: Path) -> None:
    """Its own attention is that of our decoder with its weights."""
    library: Any = importlib.import_module("transformers")
    torch.manual_seed(0)
    config = library.GPT2Config(vocab_size=11, n_positions=32, n_embd=16, n_layer=2, n_head=2)
    module = library.GPT2LMHeadModel(config).float().eval()
    module.save_pretrained(tmp_path)
    found = open_model(tmp_path)
    assert not isinstance(found, OutsideModel)
    live = library.AutoModelForCausalLM.from_pretrained(tmp_path, attn_implementation="eager").float().eval()
    theirs = weights_of(live, TOKENS)
    ours = trace(found.parameters, found.config, torch.from_numpy(TOKENS)).weights
    for layer, wanted in zip(ours, theirs, strict=True):
        assert layer.numpy() == pytest.approx(wanted, abs=1e-4)
