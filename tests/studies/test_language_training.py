"""Tests of `studies.language_training`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from longreach.errors import InputError
from longreach.inspection.texts import BytePairs, Bytes, TokenFile, from_files, write_tokens
from longreach.studies.language_network import SETTINGS, LanguageSettings, LanguageTraining, NetworkShape
from longreach.studies.language_training import (
    CHECKPOINT,
    MODEL,
    NAMES,
    LanguageRun,
    LanguageTrainer,
    Workers,
    batch_of,
    estimated_seconds,
    join_workers,
    train_language_model,
)
from tests.helpers.examples import slow
from tests.helpers.extras import needs
from tests.helpers.text_samples import SENTENCE, text_file

# Several processes train one model: the same as one process.


SCRIPT = """
import sys, torch
from pathlib import Path
from longreach.studies.language_training import join_workers, leave_workers
from longreach.studies.language_network import LanguageTraining, NetworkShape
from longreach.studies.language_training import LanguageTrainer, train_language_model
from longreach.inspection.texts import TokenFile
shape, training, tokens, out = sys.argv[1:]
workers = join_workers(torch.device("cpu"))
assert workers.count == 2
trainer = LanguageTrainer(NetworkShape.model_validate_json(shape),
                          LanguageTraining.model_validate_json(training), workers=workers)
train_language_model(trainer, TokenFile(Path(tokens)), Path(out), first=workers.first)
leave_workers()
"""


def test_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    workers = join_workers(torch.device("cpu"))
    assert (workers.rank, workers.count, workers.first) == (0, 1, True)
    gradient = torch.ones(2)
    workers.average([gradient], 0.5)
    workers.wait()
    assert gradient.tolist() == [1, 1]


def test_shares_are_disjoint_and_whole() -> None:
    rows = list(range(7))
    parts = [rows[Workers(rank, 3).share(7)] for rank in range(3)]
    assert sorted(row for part in parts for row in part) == rows


LAUNCHER = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2")


def _started(*arguments: object) -> bytes:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, check=True, env=environment, capture_output=True, timeout=300).stdout


@slow("two processes start and train")
def test_two_processes_train_as_one(tmp_path: Path) -> None:
    write_tokens(tmp_path / "tokens.bin", [[SENTENCE * 5]], Bytes())
    shape = NetworkShape(layers=1, heads=2, width=8, vocabulary=257)
    # An odd batch: the processes have shares of different size.
    training = LanguageTraining(context=8, batch=5, steps=4, pose_steps=2, longest=16, rate=1e-2, warmup=2)
    train_language_model(
        LanguageTrainer(shape, training), TokenFile(tmp_path / "tokens.bin"), tmp_path / "one"
    )
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    documents = [shape.model_dump_json(), training.model_dump_json()]
    _started(*LAUNCHER, script, *documents, tmp_path / "tokens.bin", tmp_path / "two")
    one, two = load_file(tmp_path / "one" / MODEL), load_file(tmp_path / "two" / MODEL)
    assert one.keys() == two.keys()
    models = [name for name in one if name.startswith("model.")]
    assert all(torch.allclose(one[name], two[name], atol=2e-4) for name in models)


# A whole study at its smallest: every part once, the rest from the directory.


SMOKE = SETTINGS["smoke"].model_copy(update={"steps": 2, "long_steps": 2, "examples": 3})


def silent(doing: str, total: int) -> Callable[[int], None]:
    return lambda more: None


def run_of(folder: Path, settings: LanguageSettings = SMOKE) -> LanguageRun:
    return LanguageRun(settings, from_files([text_file(folder, 100)]), folder / "runs")


def test_everything_is_measured_and_done_once(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    begun: list[str] = []

    def stages(doing: str, total: int) -> Callable[[int], None]:
        begun.append(doing)
        return lambda more: None

    size = run.prepare(stages).size

    def trained() -> dict[str, object]:
        return {
            n: run.train(n, size, device=torch.device("cpu"), workers=Workers(), stage=stages) for n in NAMES
        }

    networks = trained()
    perplexity, losses = run.measure(networks, stages)  # type: ignore[arg-type]
    assert {name: sorted(by) for name, by in perplexity.items()} == {"short": [16, 32], "long": [16, 32]}
    assert set(losses) == {(a, b) for a in NAMES for b in NAMES}
    assert all(len(each.short) == 3 for each in losses.values())
    # L_short and L_long of a model do not depend on who chose the tokens.
    assert (losses["short", "short"].long == losses["short", "long"].long).all()
    assert "reading the text" in begun
    times = {path: path.stat().st_mtime_ns for path in run.directory.rglob("*.*")}
    run.prepare(stages)
    trained()
    assert times == {path: path.stat().st_mtime_ns for path in run.directory.rglob("*.*")}


@needs("tokenizers")
def test_byte_pairs_are_learned_from_the_text(tmp_path: Path) -> None:
    settings = SMOKE.model_copy(update={"tokenizer": "bpe", "vocabulary": 300})
    tokenizer = run_of(tmp_path, settings).prepare(silent)
    assert isinstance(tokenizer, BytePairs)
    assert tokenizer.size == 300


@pytest.mark.parametrize(("text", "part"), [("", "for training has 0"), ("a b " * 60, "held out has 14")])
def test_too_little_text_is_refused_before_training(tmp_path: Path, text: str, part: str) -> None:
    (tmp_path / "little.txt").write_text(text, encoding="utf-8")
    run = LanguageRun(SMOKE, from_files([tmp_path / "little.txt"]), tmp_path / "runs")
    with pytest.raises(InputError, match=rf"little.txt: the text {part} tokens, and a window needs 33"):
        run.prepare(silent)


def test_other_text_or_settings_have_another_directory(tmp_path: Path) -> None:
    first = run_of(tmp_path).directory
    assert run_of(tmp_path).directory == first
    assert run_of(tmp_path, SMOKE.model_copy(update={"seed": 1})).directory != first
    (tmp_path / "text.txt").write_text("other text", encoding="utf-8")
    other = LanguageRun(SMOKE, from_files([tmp_path / "text.txt"]), tmp_path / "runs").directory
    assert other != first


def test_estimates_grow_with_the_work() -> None:
    twice = SMOKE.model_copy(update={"steps": 4000, "long_steps": 4000})
    assert 0 < estimated_seconds(SMOKE) < estimated_seconds(twice)


@slow("two processes start, train and measure")
def test_two_processes_make_the_whole_study(tmp_path: Path) -> None:
    """As the documentation starts it; the first of them speaks."""
    found = []
    for start in ((), LAUNCHER):
        study = ("-m", "longreach", "study", "natural-language", "--scale", "smoke", "--json")
        given = ("--text", text_file(tmp_path, 100), "--runs", tmp_path / f"runs{len(found)}")
        document = json.loads(_started(*start, *study, *given))
        found.append([entry["perplexity"] for entry in document["perplexity"]])
    assert found[1] == pytest.approx(found[0], rel=1e-4)


# The loop: the same numbers after an interruption, PoSE in the last steps, losses that fall.


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
    train_language_model(again, tokens, tmp_path / "run", advance=steps.append)
    assert steps == [4, 1, 1, 1, 1, 1, 1]
    wanted = state(whole)
    assert all(torch.equal(value, wanted[name]) for name, value in state(again).items())
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [MODEL]
    done = LanguageTrainer(SHAPE, TRAINING)
    train_language_model(done, tokens, tmp_path / "run", advance=steps.append)
    assert steps[7:] == [10]
    assert all(torch.equal(value, wanted[name]) for name, value in state(done).items())


def test_the_loss_falls(tokens: TokenFile) -> None:
    trainer = LanguageTrainer(SHAPE, TRAINING.model_copy(update={"steps": 60, "pose_steps": 0}))
    losses = [trainer.advance(tokens) for _ in range(60)]
    assert sum(losses[-5:]) / 5 < losses[0] - 1.5


def test_parts_of_a_batch_add_up(tokens: TokenFile, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = (LanguageTrainer(SHAPE, TRAINING) for _ in range(2))
    first = whole.advance(tokens)
    monkeypatch.setattr("longreach.studies.language_training.MICROBATCH", 3)
    assert parts.advance(tokens) == pytest.approx(first, abs=1e-5)
    wanted = state(whole)
    assert all(torch.allclose(value, wanted[name], atol=1e-4) for name, value in state(parts).items())


def test_damaged_and_foreign_checkpoints(tokens: TokenFile, tmp_path: Path) -> None:
    trainer = LanguageTrainer(SHAPE, TRAINING)
    trainer.save(tmp_path / "a")
    other = LanguageTrainer(SHAPE, TRAINING.model_copy(update={"seed": 2}))
    with pytest.raises(InputError, match="different training"):
        other.load(tmp_path / "a")
    (tmp_path / "b").write_bytes((tmp_path / "a").read_bytes()[:200])
    with pytest.raises(InputError, match="damaged"):
        trainer.load(tmp_path / "b")
    with pytest.raises(InputError, match="no such file"):
        trainer.load(tmp_path / "c")
