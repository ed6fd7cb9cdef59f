"""Models in Hugging Face directories: losses recomputed, hidden tokens, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from longreach.errors import InputError, MissingExtra
from longreach.language_models import huggingface_scorer as module
from longreach.language_models.huggingface_scorer import HuggingFaceScorer, check_directory, directory_tokens
from tests.helpers.extras import needs
from tests.helpers.literal_gpt2 import logits

CPU = torch.device("cpu")
WINDOW = [3, 1, 4, 1, 5, 9, 2, 6]
quiet = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    from tests.helpers.text_samples import tiny_checkpoint

    return tiny_checkpoint(tmp_path / "gpt2")


def literal_losses(directory: Path, tokens: list[int], ids: list[int]) -> list[float]:
    state = {name: value.double() for name, value in load_file(directory / "model.safetensors").items()}
    state.setdefault("lm_head.weight", state["transformer.wte.weight"])
    found = logits(state, 2, 2, tokens[:-1], ids)
    return [float(-row.log_softmax(-1)[token]) for row, token in zip(found, tokens[1:], strict=True)]


@quiet
@needs("transformers")
def test_losses_against_the_formulas_of_gpt2(directory: Path) -> None:
    scorer = HuggingFaceScorer(directory, CPU)
    assert (scorer.longest, scorer.vocabulary) == (48, 97)
    found = scorer.losses(np.array([WINDOW]))[0]
    assert np.allclose(found, literal_losses(directory, WINDOW, list(range(7))), atol=1e-4)
    visible = np.ones((3, 7), dtype=np.bool_)
    visible[0, 2] = visible[1, 0] = False
    last = scorer.last_losses(np.array([WINDOW] * 3), visible)
    for loss, seen in zip(last, visible, strict=True):
        kept = np.flatnonzero(seen).tolist()
        removed = literal_losses(directory, [*(WINDOW[k] for k in kept), WINDOW[-1]], kept)
        assert abs(loss - removed[-1]) < 1e-4
    assert abs(last[2] - found[-1]) < 1e-5


@quiet
@needs("transformers")
def test_rotary_models_hide_tokens_too(tmp_path: Path) -> None:
    from tests.helpers.text_samples import tiny_checkpoint

    scorer = HuggingFaceScorer(tiny_checkpoint(tmp_path / "llama", "llama"), CPU)
    assert scorer.longest is None
    visible = np.ones((1, 7), dtype=np.bool_)
    visible[0, [1, 3]] = False
    hidden = scorer.last_losses(np.array([WINDOW]), visible)[0]
    kept = torch.tensor([[0, 2, 4, 5, 6]])
    with torch.no_grad():
        answer = scorer._model(input_ids=torch.tensor([WINDOW])[:, :-1][:, kept[0]], position_ids=kept)
    removed = -float(answer.logits[0, -1].log_softmax(-1)[WINDOW[-1]])
    assert abs(hidden - removed) < 1e-5


@quiet
@needs("transformers")
def test_the_tokenizer_of_the_directory(directory: Path) -> None:
    assert directory_tokens(directory, "ab\n") == [66, 67, 0]


@quiet
@needs("transformers")
def test_what_is_refused(directory: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such directory"):
        check_directory(tmp_path / "missing")
    config = directory / "config.json"
    document = json.loads(config.read_text(encoding="utf-8"))
    config.write_text(json.dumps({**document, "auto_map": {"AutoModel": "x.Y"}}), encoding="utf-8")
    with pytest.raises(InputError, match="code of its own"):
        HuggingFaceScorer(directory, CPU)
    config.write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="not a JSON object"):
        HuggingFaceScorer(directory, CPU)
    config.write_text(json.dumps({"model_type": "nothing-known"}), encoding="utf-8")
    with pytest.raises(InputError, match="cannot be loaded"):
        HuggingFaceScorer(directory, CPU)
    (directory / "model.safetensors").rename(directory / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"has no \*.safetensors"):
        HuggingFaceScorer(directory, CPU)
    config.unlink()
    with pytest.raises(InputError, match=r"has no config.json"):
        HuggingFaceScorer(directory, CPU)


def test_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(b"")
    monkeypatch.setattr(module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="hf"):
        HuggingFaceScorer(tmp_path, CPU)
