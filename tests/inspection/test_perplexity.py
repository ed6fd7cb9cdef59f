"""Tests of `inspection.perplexity`."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from longreach.errors import InputError, MissingExtra
from longreach.inspection import perplexity as scorer_module
from longreach.inspection.perplexity import (
    MEMORY,
    HuggingFaceScorer,
    Losses,
    Visible,
    check_directory,
    directory_tokens,
    influential_tokens,
    perplexity_at,
    rows_at_once,
    three_losses,
)
from longreach.inspection.texts import Tokens, cut_windows
from longreach.models import huggingface
from longreach.studies.language_network import LanguageNetwork, NetworkScorer, NetworkShape
from tests.helpers.extras import needs
from tests.helpers.literal_gpt2 import logits
from tests.helpers.literal_language_model import next_losses

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
    monkeypatch.setattr(huggingface.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="hf"):
        HuggingFaceScorer(tmp_path, CPU)


class Adding:
    """The loss of the last token is 100 less the sum of all visible tokens."""

    longest = None
    vocabulary = 50

    def losses(self, windows: Tokens) -> Losses:
        raise AssertionError("not asked for")

    def last_losses(self, windows: Tokens, visible: Visible) -> Losses:
        return 100.0 - (windows[:, :-1] * visible).sum(axis=1)


WINDOWS = np.array([[7, 1, 9, 2, 3, 4, 0], [0, 0, 5, 6, 1, 1, 0]])  # L̄ = 7, L = 2: far are the first four


@pytest.mark.parametrize("memory", [1, 10**9])
def test_the_tokens_that_gain_most(memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scorer_module, "MEMORY", memory)
    told: list[int] = []
    chosen = influential_tokens(Adding(), WINDOWS, 2, count=2, advance=told.append)
    assert (chosen.tolist(), told) == ([[0, 2], [2, 3]], [1, 1])
    losses = three_losses(Adding(), WINDOWS, 2, chosen)
    assert losses.short.tolist() == [93, 98]
    assert losses.long.tolist() == [74, 87]
    assert losses.sparse.tolist() == [77, 87]
    assert [gain.tolist() for gain in losses.gains] == [[19, 11], [16, 11]]
    assert losses.correlation == 1.0
    document = losses.document()
    assert (document["points"], document["loss_short"]) == ([[19, 16], [11, 11]], 95.5)


def test_one_by_one_with_tokens_removed() -> None:
    """The definition on a real network: each far token removed, the others at their positions."""
    network = LanguageNetwork(NetworkShape(layers=2, heads=2, width=8, vocabulary=9), seed=4)
    for parameter in network.parameters():
        parameter.data.mul_(10.0 if parameter.dim() > 1 else 1.0)
    state = {name: value.double().numpy() for name, value in network.state_dict().items()}
    windows = np.random.default_rng(0).integers(0, 9, (3, 8))
    scorer = NetworkScorer(network)
    chosen = influential_tokens(scorer, windows, 3, count=2)
    losses = three_losses(scorer, windows, 3, chosen)

    def literal(window: list[int], kept: list[int]) -> float:
        return next_losses(state, 2, 2, [*(window[k] for k in kept), window[-1]], kept)[-1]

    for row, window in enumerate(windows.tolist()):
        without = [literal(window, [k for k in range(7) if k != hidden]) for hidden in range(4)]
        assert set(chosen[row]) == set(np.argsort(without)[-2:])
        near = [4, 5, 6]
        assert losses.short[row] == pytest.approx(literal(window, near), abs=1e-4)
        assert losses.long[row] == pytest.approx(literal(window, list(range(7))), abs=1e-4)
        assert losses.sparse[row] == pytest.approx(literal(window, [*sorted(chosen[row]), *near]), abs=1e-4)


def test_no_correlation_where_nothing_varies() -> None:
    same = three_losses(Adding(), WINDOWS[[0, 0]], 2, np.array([[0], [0]]))
    assert same.correlation is None


@pytest.mark.parametrize(("context", "count"), [(2, 5), (6, 1), (2, 0)])
def test_lengths_that_leave_too_little(context: int, count: int) -> None:
    with pytest.raises(InputError):
        influential_tokens(Adding(), WINDOWS, context, count=count)


def test_logits_fit_or_go_one_by_one() -> None:
    assert rows_at_once(10, 1000) * 10 * 1000 * 4 <= MEMORY
    assert rows_at_once(10**6, 10**6) == 1


class Known:
    """The loss of a token is its number divided by its place."""

    longest: int | None = 6
    vocabulary = 100

    def losses(self, windows: Tokens) -> Losses:
        return windows[:, 1:] / np.arange(1, windows.shape[1])

    def last_losses(self, windows: Tokens, visible: Visible) -> Losses:
        return self.losses(windows)[:, -1]


@pytest.mark.parametrize("memory", [1, 10**9])
def test_means_by_position(memory: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scorer_module, "MEMORY", memory)
    windows = np.array([[0, 1, 2, 3], [5, 3, 4, 9]])
    told: list[int] = []
    found = perplexity_at(Known(), windows, told.append)
    assert found.by_position == pytest.approx((2.0, 1.5, 2.0))
    assert found.perplexity == pytest.approx(math.exp(5.5 / 3))
    assert found.last == pytest.approx(math.exp(2))
    assert (found.length, found.windows, sum(told)) == (3, 2, 2)
    assert found.document()["perplexity"] == found.perplexity


def test_windows_and_what_does_not_fit() -> None:
    assert cut_windows(range(10), 3).tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert cut_windows(range(10), 3, 2).tolist() == [[0, 1, 2], [6, 7, 8]]
    with pytest.raises(InputError, match="the text has 10 tokens, and a window needs 11"):
        cut_windows(range(10), 11)
    with pytest.raises(InputError, match="lengths: 7 is more than the 6 positions"):
        perplexity_at(Known(), np.zeros((1, 8), dtype=np.int64))
    with pytest.raises(InputError, match="token 100 is outside"):
        perplexity_at(Known(), np.array([[1, 100]]))
