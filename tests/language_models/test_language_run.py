"""A whole study at its smallest: every part once, the rest from the directory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from longreach.errors import InputError
from longreach.language_models.corpus import from_files
from longreach.language_models.data_parallel import Workers
from longreach.language_models.language_run import NAMES, LanguageRun, estimated_seconds
from longreach.language_models.language_settings import SETTINGS, LanguageSettings
from longreach.language_models.text_tokenizer import BytePairs
from tests.helpers.examples import slow
from tests.helpers.extras import needs
from tests.helpers.text_samples import text_file

SMOKE = SETTINGS["smoke"].model_copy(update={"steps": 2, "long_steps": 2, "examples": 3})


class Stages:
    def __init__(self) -> None:
        self.begun: list[str] = []

    def __call__(self, doing: str, total: int) -> Callable[[int], None]:
        self.begun.append(doing)
        return lambda more: None


def run_of(folder: Path, settings: LanguageSettings = SMOKE) -> LanguageRun:
    return LanguageRun(settings, from_files([text_file(folder, 100)]), folder / "runs")


def test_everything_is_measured_and_done_once(tmp_path: Path) -> None:
    run, stages = run_of(tmp_path), Stages()
    size = run.prepare(stages).size

    def trained() -> dict[str, object]:
        return {
            n: run.train(n, size, device=torch.device("cpu"), workers=Workers(), stage=stages) for n in NAMES
        }

    networks = trained()
    found = run.measure(networks, stages)  # type: ignore[arg-type]
    assert {name: sorted(by) for name, by in found.perplexity.items()} == {
        "short": [16, 32],
        "long": [16, 32],
    }
    assert set(found.losses) == {(a, b) for a in NAMES for b in NAMES}
    assert all(len(losses.short) == 3 for losses in found.losses.values())
    # L_short and L_long of a model do not depend on who chose the tokens.
    assert (found.losses["short", "short"].long == found.losses["short", "long"].long).all()
    assert "reading the text" in stages.begun
    times = {path: path.stat().st_mtime_ns for path in run.directory.rglob("*.*")}
    run.prepare(stages)
    trained()
    assert times == {path: path.stat().st_mtime_ns for path in run.directory.rglob("*.*")}


@needs("tokenizers")
def test_byte_pairs_are_learned_from_the_text(tmp_path: Path) -> None:
    settings = SMOKE.model_copy(update={"tokenizer": "bpe", "vocabulary": 300})
    tokenizer = run_of(tmp_path, settings).prepare(Stages())
    assert isinstance(tokenizer, BytePairs)
    assert tokenizer.size == 300


@pytest.mark.parametrize(("text", "part"), [("", "for training has 0"), ("a b " * 60, "held out has 14")])
def test_too_little_text_is_refused_before_training(tmp_path: Path, text: str, part: str) -> None:
    (tmp_path / "little.txt").write_text(text, encoding="utf-8")
    run = LanguageRun(SMOKE, from_files([tmp_path / "little.txt"]), tmp_path / "runs")
    with pytest.raises(InputError, match=rf"little.txt: the text {part} tokens, and a window needs 33"):
        run.prepare(Stages())


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


@pytest.mark.parametrize("name", NAMES)
def test_both_models_have_one_shape(name: str) -> None:
    assert SMOKE.training(name).longest == SMOKE.full


@slow("two processes start, train and measure")
def test_two_processes_make_the_whole_study(tmp_path: Path) -> None:
    """As the documentation starts it; the first of them speaks."""
    found = []
    launcher = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2")
    for start in ((), launcher):
        command: list[object] = [
            sys.executable, *start, "-m", "longreach", "study", "natural-language", "--scale", "smoke",
            "--text", text_file(tmp_path, 100), "--runs", tmp_path / f"runs{len(found)}", "--json",
        ]  # fmt: skip
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            list(map(str, command)), check=True, env=environment, capture_output=True, timeout=300
        )
        found.append([entry["perplexity"] for entry in json.loads(done.stdout)["perplexity"]])
    assert found[1] == pytest.approx(found[0], rel=1e-4)
