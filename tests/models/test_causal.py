"""Models of Transformers: from a configuration, and from a directory with weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from longreach.config.model import ModuleConfig
from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.models import huggingface
from longreach.models.causal import carried
from longreach.models.module import factory
from longreach.models.network import Inputs, network
from longreach.runs.resolve import resolve
from longreach.training.loop import train
from tests.helpers.extras import needs

CONFIGS: dict[str, dict[str, Any]] = {
    "llama": {
        "model_type": "llama", "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 2, "num_key_value_heads": 1, "vocab_size": 32000, "torch_dtype": "bfloat16",
    },
    "gpt2": {"model_type": "gpt2", "n_embd": 16, "n_layer": 1, "n_head": 2, "n_positions": 8},
    "mamba": {"model_type": "mamba", "hidden_size": 16, "num_hidden_layers": 1, "state_size": 4},
}  # fmt: skip
TINY: dict[str, Any] = {"train_lengths": (1, 5), "max_steps": 3, "test_size": 10, "batch": 4}


def written(directory: Path, name: str) -> str:
    path = directory / f"{name}.json"
    path.write_text(json.dumps(CONFIGS[name]), encoding="utf-8")
    return f"hf:{path}"


@needs("transformers")
@pytest.mark.parametrize("name", CONFIGS)
def test_a_configuration_trains_with_the_vocabulary_of_the_task(tmp_path: Path, name: str) -> None:
    model = written(tmp_path, name)
    config = resolve("parity", architecture=model, **TINY)
    assert config.model_options["config"]["model_type"] == name
    assert "torch_dtype" not in config.model_options["config"]
    assert config.label.title == model
    (tmp_path / f"{name}.json").unlink()  # the document has all of it
    trained = train(RunConfig.read(config.document()))
    assert trained.steps == 3
    assert trained.final.details["parameters"] == sum(each.numel() for each in trained.parameters.values())


@needs("transformers")
def test_the_state_of_a_recurrent_model_is_what_its_cache_holds(tmp_path: Path) -> None:
    """Mamba-2: a convolution over 4 tokens of 32 + 2 · 4 channels, and 4 heads of 8 × 4."""
    fields = {"hidden_size": 16, "num_hidden_layers": 1, "state_size": 4, "num_heads": 4, "head_dim": 8}
    path = tmp_path / "mamba2.json"
    path.write_text(json.dumps({"model_type": "mamba2", "n_groups": 1, **fields}), encoding="utf-8")
    made = network(ModuleConfig(model=f"hf:{path}", vocabulary=5, positions=9))
    assert made.state_size is not None
    assert made.state_size(3) == made.state_size(7) == 4 * 40 + 4 * 8 * 4


@needs("transformers")
def test_options_change_the_configuration(tmp_path: Path) -> None:
    model = written(tmp_path, "llama")
    small, large = (
        resolve("parity", architecture=model, model_options=options, **TINY)
        for options in ({}, {"num_hidden_layers": 3})
    )
    assert small.key != large.key
    assert large.label.title == f"{model}(num_hidden_layers=3)"
    sizes = [
        network(ModuleConfig(model=model, vocabulary=5, positions=9, options=each.model_options)).size
        for each in (small, large)
    ]
    assert sizes[0] < sizes[1]


@needs("transformers")
def test_a_directory_keeps_its_weights_and_gets_new_tokens(tmp_path: Path) -> None:
    transformers = huggingface.library("a test")
    fields = {
        name: value for name, value in CONFIGS["llama"].items() if name not in ("model_type", "torch_dtype")
    }
    torch.manual_seed(1)
    own = transformers.LlamaForCausalLM(transformers.LlamaConfig(**fields | {"vocab_size": 11}))
    own.save_pretrained(tmp_path)
    options = carried(str(tmp_path))
    made = network(ModuleConfig(model=f"hf:{tmp_path}", vocabulary=5, positions=9, options=options))
    first, second = made.initial(0), made.initial(1)
    kept = own.state_dict()["model.layers.0.mlp.up_proj.weight"]
    name = next(each for each in first if each.endswith("layers.0.mlp.up_proj.weight"))
    assert torch.equal(first[name], kept)
    assert torch.equal(second[name], kept)
    embedding = next(each for each in first if each.endswith("embed_tokens.weight"))
    assert first[embedding].shape == (16, 16)
    assert torch.equal(first[embedding][:11], own.state_dict()["model.embed_tokens.weight"])
    assert not torch.equal(first[embedding][11:], second[embedding][11:])
    assert made.outputs(first, Inputs(torch.tensor([[1, 2, 4]]))).tokens.shape == (1, 3, 5)
    with pytest.raises(InputError, match="its weights have changed"):
        factory(f"hf:{tmp_path}")(vocabulary=5, positions=9, weights="0123")


@needs("transformers")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", ":1:2: not JSON"),
        ("[1]", 'which has a "model_type"'),
        ('{"model_type": "no-such-model"}', "Transformers has no model_type"),
        ('{"model_type": "llama", "hidden_size": 10, "num_attention_heads": 3}', "model.json"),
    ],
)
def test_bad_configurations_are_one_line(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "model.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        resolve("parity", architecture=f"hf:{path}", **TINY)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@needs("transformers")
def test_an_option_that_the_configuration_does_not_have_is_refused(tmp_path: Path) -> None:
    model = written(tmp_path, "llama")
    with pytest.raises(InputError, match="did you mean 'num_hidden_layers'"):
        resolve("parity", architecture=model, model_options={"num_hidden_layer": 1}, **TINY)


def test_a_missing_file_or_library_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"nothing\.json: no such file or directory; nothing is downloaded"):
        resolve("parity", architecture=f"hf:{tmp_path / 'nothing.json'}", **TINY)
    monkeypatch.setattr(huggingface.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="needs the extra 'hf'"):
        resolve("parity", architecture=written(tmp_path, "gpt2"), **TINY)


@needs("transformers")
def test_a_model_that_transformers_does_not_have(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "lamma", "auto_map": {"AutoConfig": "evil.Config"}}))
    with pytest.raises(InputError, match="Transformers has no model_type 'lamma'; did you mean") as caught:
        resolve("parity", architecture=f"hf:{path}", **TINY)
    assert len(caught.value.reason) < len(str(path)) + 120
