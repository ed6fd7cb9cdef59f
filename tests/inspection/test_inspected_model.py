"""What can be opened, and what is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from longreach.config.baseline import BaselineConfig
from longreach.errors import InputError
from longreach.inspection.inspected_model import (
    OutsideModel,
    Subject,
    data_for,
    nearest_length,
    open_model,
    read_token_file,
)
from longreach.limit.compile.hand_built import induction_head
from longreach.limit.run.model_files import save as save_limit
from longreach.models import huggingface
from longreach.models.trainable import initial
from longreach.tasks.catalog import load_task
from longreach.training.checkpoint import save_model
from tests.helpers.inspected_models import lively, small_config
from tests.helpers.inspected_runs import small_member, write_run


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
    with pytest.raises(InputError, match="no such file"):
        open_model(tmp_path / "none")
    with pytest.raises(InputError, match=r"no model.safetensors there"):
        open_model(tmp_path)
    (tmp_path / "model.bin").write_bytes(b"x")
    with pytest.raises(InputError, match=r"or a model.safetensors"):
        open_model(tmp_path / "model.bin")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "config.json").write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        open_model(tmp_path / "bad")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(InputError, match="not a model, or damaged"):
        open_model(tmp_path / "broken")
    baseline = BaselineConfig(width=4, vocabulary=5, outputs=5)
    save_model(tmp_path / "mlp", initial(baseline, 0), baseline)
    with pytest.raises(InputError, match="no attention"):
        open_model(tmp_path / "mlp")
    save_limit(induction_head("ab"), tmp_path / "limit")
    with pytest.raises(InputError, match="limit info"):
        open_model(tmp_path / "limit")


def test_a_result_names_no_code_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module of a run's task is not imported because a file says so."""
    marker = tmp_path / "imported"
    (tmp_path / "own_task.py").write_text(f"open({str(marker)!r}, 'w')\nmine = None\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    path = write_run(tmp_path, small_member())
    from longreach.config.keys import job_key

    document = json.loads((path / "result.json").read_text())
    document["config"]["task"] = "own_task:mine"
    document["key"] = job_key(document["config"])
    moved = path.rename(path.with_name(document["key"]))
    (moved / "result.json").write_text(json.dumps(document))
    found = _subject(moved)
    assert found.task is None
    assert "--task" in found.remarks[0]
    assert not marker.exists()


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
