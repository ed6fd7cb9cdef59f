"""Tests of `inspection.models`."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from longreach.config.model import BaselineConfig, ModelConfig
from longreach.errors import InputError, MissingExtra
from longreach.inspection.limit import cannot_be_limit
from longreach.inspection.models import (
    OutsideModel,
    Subject,
    attentions,
    data_for,
    load_outside,
    longest_of,
    nearest_length,
    open_model,
    read_token_file,
    weights_of,
)
from longreach.inspection.report import inspect_outside
from longreach.inspection.trace import Changes, trace
from longreach.models import huggingface
from longreach.models.decoder import initialise
from longreach.models.network import network
from longreach.tasks.catalog import load_task
from longreach.theory.limit.files import save as save_limit
from longreach.theory.limit.hand_built import induction_head
from longreach.training.checkpoint import load_model, save_model
from tests.helpers.extras import needs
from tests.helpers.inspected_models import StandIn, lively, small_config
from tests.helpers.inspected_runs import small_member, write_run

TOKENS = np.array([[1, 2, 3, 4], [2, 2, 1, 5], [0, 1, 0, 1], [3, 3, 3, 3], [5, 4, 3, 2]])


def _outside(folder: Path) -> OutsideModel:
    return OutsideModel(path=folder, document={"model_type": "llama"})


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
    with pytest.raises(InputError, match=r"has no \*.safetensors"):
        load_outside(_outside(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(b"")
    monkeypatch.setattr(huggingface.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="hf"):
        load_outside(_outside(tmp_path))


def test_what_the_library_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Attention that is returned, safetensors, no code of others, nothing fetched."""
    (tmp_path / "model.safetensors").write_bytes(b"")
    asked: dict[str, object] = {}

    def from_pretrained(path: str, **options: object) -> None:
        asked.update(options)
        raise OSError("no such\nweights")

    remarks = SimpleNamespace(
        is_progress_bar_enabled=lambda: True, disable_progress_bar=int, enable_progress_bar=int
    )
    library = SimpleNamespace(AutoModelForCausalLM=SimpleNamespace(from_pretrained=from_pretrained))
    known = {"transformers": library, "transformers.utils.logging": remarks}
    monkeypatch.setattr(huggingface.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(huggingface.importlib, "import_module", known.__getitem__)
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


def _subject(path: Path, task: str | None = None) -> Subject:
    found = open_model(path, task)
    assert isinstance(found, Subject)
    return found


def test_a_run(tmp_path: Path) -> None:
    path = write_run(tmp_path, small_member())
    found = _subject(path)
    assert (found.kind, found.task_name, found.trained_to, found.trained_size) == ("run", "regex:(ab)*", 6, 7)
    assert found.result is not None
    assert found.name == path.name
    again = _subject(path / "model.safetensors")
    assert all(torch.equal(again.parameters[name], value) for name, value in found.parameters.items())


def test_a_checkpoint_alone(tmp_path: Path) -> None:
    path = write_run(tmp_path, small_member())
    (path / "result.json").unlink()
    found = _subject(path)
    assert (found.kind, found.task, found.trained_to) == ("checkpoint", None, None)
    named = _subject(path, "regex:(ab)*")
    assert named.task is not None
    assert named.trained_size is None
    with pytest.raises(InputError, match="task: sort has"):
        _subject(path, "sort")
    with pytest.raises(InputError, match="numbers"):
        _subject(path, "simple-task:omega=1")


def test_gpt2_and_others(tmp_path: Path) -> None:
    config = small_config("ape")
    huggingface.save(tmp_path / "gpt2", lively(config), config)
    found = _subject(tmp_path / "gpt2")
    assert (found.kind, found.config) == ("gpt2", config)
    (tmp_path / "llama").mkdir()
    (tmp_path / "llama" / "config.json").write_text(json.dumps({"model_type": "llama"}))
    outside = open_model(tmp_path / "llama")
    assert isinstance(outside, OutsideModel)
    assert outside.architecture == "llama"


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    for name, content in (
        ("model.bin", b"x"),
        ("bad/config.json", b"{"),
        ("broken/model.safetensors", b"nothing"),
        ("empty/notes.txt", b""),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    baseline = BaselineConfig(width=4, vocabulary=5, outputs=5)
    save_model(tmp_path / "mlp", network(baseline).initial(0), baseline)
    save_limit(induction_head("ab"), tmp_path / "limit")
    for name, message in {
        "none": "no such file",
        "empty": r"no model.safetensors there",
        "model.bin": r"or a model.safetensors",
        "bad": r"config\.json:1:2: not JSON",
        "broken": "not a model, or damaged",
        "mlp": "no attention",
        "limit": "limit info",
    }.items():
        with pytest.raises(InputError, match=message):
            open_model(tmp_path / name)


def test_a_result_names_no_code_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module of a run's task is not imported because a file says so."""
    marker = tmp_path / "imported"
    (tmp_path / "own_task.py").write_text(f"open({str(marker)!r}, 'w')\nmine = None\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    path = write_run(tmp_path, small_member())
    from longreach.files import job_key

    document = json.loads((path / "result.json").read_text())
    document["config"]["task"] = "own_task:mine"
    document["key"] = job_key(document["config"])
    moved = path.rename(path.with_name(document["key"]))
    (moved / "result.json").write_text(json.dumps(document))
    found = _subject(moved)
    assert found.task is None
    assert "--task" in found.remarks[0]
    assert not marker.exists()


SLOPE = """
from pathlib import Path
from longreach.models.encodings import Encoding
Path({marker!r}).touch()


class Slope(Encoding):
    def bias(self, parameters, config, layer, query_ids, key_ids):
        return -(query_ids[..., :, None] - key_ids[..., None, :]).abs().float()[..., None, :, :]
"""


def test_a_file_has_no_encoding_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opens the model names it again."""
    marker = tmp_path / "imported"
    (tmp_path / "own_slope.py").write_text(SLOPE.format(marker=str(marker)))
    monkeypatch.syspath_prepend(str(tmp_path))
    config = ModelConfig(
        layers=1, heads=2, width=4, vocabulary=5, positions=30, encoding="own_slope:Slope"
    )  # the names of its parameters are those without positions
    save_model(tmp_path / "model", initialise(config.model_copy(update={"encoding": "nope"}), 0), config)
    refused = "encoding own_slope:Slope is not imported because a file says so; pass it with --encoding"
    for encoding in (None, "ape", "own_slope:Other"):
        with pytest.raises(InputError, match=refused):
            open_model(tmp_path / "model", encoding=encoding)
    with pytest.raises(InputError, match=refused):
        load_model(tmp_path / "model" / "model.safetensors")
    assert not marker.exists()
    found = open_model(tmp_path / "model", encoding="own_slope:Slope")
    assert isinstance(found, Subject)
    assert marker.exists()
    tokens = torch.tensor([[0, 1, 2, 3]])
    traced = trace(found.parameters, found.config, tokens)
    alike = config.model_copy(update={"encoding": "nope"})
    slope = torch.tensor([[0.0, -1.0, -2.0, -3.0]] * 2)
    wanted = trace(found.parameters, alike, tokens, changes=Changes(phi=[slope]))
    assert torch.allclose(traced.outputs, wanted.outputs, atol=1e-6)
    assert cannot_be_limit(found.config) is not None


def test_data(tmp_path: Path) -> None:
    found = _subject(write_run(tmp_path, small_member()))
    tokens, mask = data_for(found, 5, 3, np.random.default_rng(0))
    assert tokens.shape == (3, 5)  # SOS and the four letters of (ab)*
    assert bool(mask.all())
    assert nearest_length(load_task("dyck-1"), 3) == 2
    (tmp_path / "ids.txt").write_text("1 2 3\n\n4 5\n")
    assert read_token_file(tmp_path / "ids.txt", 6).tolist() == [[1, 2], [4, 5]]
    for text in ("1 7\n", "1 x\n", "3\n", "", "-1 2\n"):
        (tmp_path / "ids.txt").write_text(text)
        with pytest.raises(InputError, match=r"ids.txt"):
            read_token_file(tmp_path / "ids.txt", 6)
