"""The loop: the same numbers after an interruption, PoSE in the last steps, losses that fall."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from longreach.errors import InputError
from longreach.language_models.language_settings import LanguageTraining, NetworkShape
from longreach.language_models.language_training import (
    CHECKPOINT,
    MODEL,
    LanguageTrainer,
    batch_of,
    train_language_model,
)
from longreach.language_models.text_tokenizer import Bytes
from longreach.language_models.token_file import TokenFile, write_tokens
from tests.helpers.text_samples import SENTENCE

SHAPE = NetworkShape(layers=1, heads=2, width=8, vocabulary=257)
TRAINING = LanguageTraining(
    context=8, batch=4, steps=10, pose_steps=3, longest=16, rate=1e-2, warmup=2, seed=1
)


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    write_tokens(tmp_path / "tokens.bin", [[SENTENCE * 5]], Bytes())
    return TokenFile(tmp_path / "tokens.bin")


def state(trainer: LanguageTrainer) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in trainer.network.state_dict().items()}


def test_pose_comes_in_the_last_steps(tokens: TokenFile) -> None:
    straight = [bool((batch_of(TRAINING, tokens, step)[1] == torch.arange(8)).all()) for step in range(10)]
    assert straight == [True] * 7 + [False] * 3
    windows, ids = batch_of(TRAINING, tokens, 9)
    assert (windows.shape, ids.shape, int(ids.max()) < 16) == ((4, 9), (4, 8), True)


def test_a_training_goes_on_as_if_it_had_not_stopped(tokens: TokenFile, tmp_path: Path) -> None:
    whole = LanguageTrainer(SHAPE, TRAINING)
    for _ in range(10):
        whole.advance(tokens)
    begun = LanguageTrainer(SHAPE, TRAINING)
    for _ in range(4):
        begun.advance(tokens)
    (tmp_path / "run").mkdir()
    begun.save(tmp_path / "run" / CHECKPOINT)
    steps: list[int] = []
    again = LanguageTrainer(SHAPE, TRAINING)
    train_language_model(again, tokens, tmp_path / "run", told=lambda step, loss: steps.append(step))
    assert steps == [5, 6, 7, 8, 9, 10]
    wanted = state(whole)
    assert all(torch.equal(value, wanted[name]) for name, value in state(again).items())
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [MODEL]
    done = LanguageTrainer(SHAPE, TRAINING)
    train_language_model(done, tokens, tmp_path / "run", told=lambda step, loss: steps.append(0))
    assert 0 not in steps
    assert all(torch.equal(value, wanted[name]) for name, value in state(done).items())


def test_the_loss_falls(tokens: TokenFile) -> None:
    trainer = LanguageTrainer(SHAPE, TRAINING.model_copy(update={"steps": 60, "pose_steps": 0}))
    losses = [trainer.advance(tokens) for _ in range(60)]
    assert sum(losses[-5:]) / 5 < losses[0] - 1.5


def test_parts_of_a_batch_add_up(tokens: TokenFile, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = (LanguageTrainer(SHAPE, TRAINING) for _ in range(2))
    first = whole.advance(tokens)
    monkeypatch.setattr("longreach.language_models.language_training.MICROBATCH", 3)
    assert parts.advance(tokens) == pytest.approx(first, abs=1e-5)
    wanted = state(whole)
    assert all(torch.allclose(value, wanted[name], atol=1e-4) for name, value in state(parts).items())


def test_damaged_and_foreign_checkpoints(tokens: TokenFile, tmp_path: Path) -> None:
    trainer = LanguageTrainer(SHAPE, TRAINING)
    trainer.save(tmp_path / "a")
    other = LanguageTrainer(SHAPE, TRAINING.model_copy(update={"seed": 2}))
    with pytest.raises(InputError, match="another training"):
        other.load(tmp_path / "a")
    (tmp_path / "b").write_bytes((tmp_path / "a").read_bytes()[:200])
    with pytest.raises(InputError, match="damaged"):
        trainer.load(tmp_path / "b")
    with pytest.raises(InputError, match="cannot be read"):
        trainer.load(tmp_path / "c")
