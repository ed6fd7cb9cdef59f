"""`--log`: event files of TensorBoard, and offline runs of W&B; what is said where a package is missing."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from longreach.errors import MissingExtra
from longreach.runs import logs
from longreach.runs.resolve import resolve
from longreach.training.result import Evaluation, Final, Result, Timings


def result(seed: int = 0, *, losses: tuple[float, ...] = (2.0, 1.0)) -> Result:
    config = resolve("regex:(ab)*", "ape", seed=seed)
    rows = [Evaluation(step=10 * (place + 1), loss=loss) for place, loss in enumerate(losses)]
    if rows:
        rows[-1] = rows[-1].model_copy(update={"accuracy": {"1-50": 1.0}, "other": {"probing 1-50": 0.5}})
    return Result(
        key=config.key, config=config.document(), seed=seed, status="done", code="0.1.0", packages={},
        timings=Timings.model_validate({"started": "2026-01-31T12:00:00Z", "seconds": 2.5}),
        rows=tuple(rows), final=Final(steps=10 * len(losses)),
    )  # fmt: skip


WRITTEN = {
    "loss": [(10, 2.0), (20, 1.0)],
    "accuracy/1-50": [(20, 1.0)],
    "other/probing 1-50": [(20, 0.5)],
}


class Recorder:
    """Stands for the packages: what is written, by run."""

    def __init__(self) -> None:
        self.runs: dict[str, dict[str, list[tuple[int, float]]]] = {}
        self.texts: list[str] = []

    def SummaryWriter(self, directory: str) -> Any:
        Path(directory).mkdir(parents=True)
        found = self.runs.setdefault(Path(directory).name, {})
        return _Writer(found, self.texts)

    def init(self, **given: Any) -> Any:
        assert (given["project"], given["mode"]) == ("longreach", "offline")
        (Path(given["dir"]) / "wandb" / f"offline-run-20260131_120000-{given['id']}").mkdir(parents=True)
        found = self.runs.setdefault(given["name"], {})

        def log(numbers: dict[str, float], step: int) -> None:
            for tag, value in numbers.items():
                found.setdefault(tag, []).append((step, value))

        return SimpleNamespace(log=log, finish=lambda exit_code: None)

    def Settings(self, **given: Any) -> Any:
        return given


class _Writer:
    def __init__(self, found: dict[str, list[tuple[int, float]]], texts: list[str]) -> None:
        self._found, self._texts = found, texts

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, *given: object) -> None:
        pass

    def add_scalar(self, tag: str, value: float, step: int) -> None:
        self._found.setdefault(tag, []).append((step, value))

    def add_text(self, tag: str, text: str) -> None:
        self._texts.append(text)


@pytest.mark.parametrize("name", logs.LOGGERS)
def test_every_evaluation_is_written_once(name: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WANDB_MODE", raising=False)
    recorder = Recorder()
    monkeypatch.setattr(logs, "import_module", lambda module: recorder)
    results = [result(0), result(1), result(2, losses=())]  # the last one failed before an evaluation
    assert logs.logger(name)(tmp_path, results) == tmp_path / name
    assert recorder.runs == {logs.title_of(each): WRITTEN for each in results[:2]}
    recorder.runs.clear()
    logs.logger(name)(tmp_path, results)  # again: replaced, or left as it is
    assert all(found == WRITTEN for found in recorder.runs.values())
    if name == "wandb":
        assert recorder.runs == {}
    else:
        assert "| task | regex:(ab)* |" in recorder.texts[0]


def test_a_missing_package_is_named_before_anything_is_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str) -> None:
        raise ModuleNotFoundError(module)

    monkeypatch.setattr(logs, "import_module", missing)
    with pytest.raises(
        MissingExtra, match=r"--log wandb needs the extra 'wandb': pip install 'longreach\[wandb\]'"
    ):
        logs.logger("wandb")


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.skipif(find_spec("tensorboard") is None, reason="needs tensorboard")
def test_tensorboard_reads_them(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # type: ignore[import-not-found, unused-ignore]

    logs.logger("tensorboard")(tmp_path, [result()])
    read = EventAccumulator(str(tmp_path / "tensorboard" / logs.title_of(result())))
    read.Reload()
    found = {tag: [(each.step, each.value) for each in read.Scalars(tag)] for tag in read.Tags()["scalars"]}
    assert found == WRITTEN


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.skipif(find_spec("wandb") is None, reason="needs wandb")
def test_wandb_writes_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WANDB_MODE", raising=False)
    logs.logger("wandb")(tmp_path, [result()])
    (run,) = (tmp_path / "wandb" / "wandb").glob("offline-run-*")
    assert run.name.endswith(result().key)
    (data,) = run.glob("*.wandb")
    content = data.read_bytes()
    assert b"accuracy/1-50" in content
    assert os.path.getsize(data) > 0
