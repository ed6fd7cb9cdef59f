"""Several processes train one model: the same as one process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from longreach.language_models.data_parallel import Workers, join_workers
from longreach.language_models.language_settings import LanguageTraining, NetworkShape
from longreach.language_models.language_training import MODEL, LanguageTrainer, train_language_model
from longreach.language_models.text_tokenizer import Bytes
from longreach.language_models.token_file import TokenFile, write_tokens
from tests.helpers.examples import slow
from tests.helpers.text_samples import SENTENCE

SCRIPT = """
import sys, torch
from pathlib import Path
from longreach.language_models.data_parallel import join_workers, leave_workers
from longreach.language_models.language_settings import LanguageTraining, NetworkShape
from longreach.language_models.language_training import LanguageTrainer, train_language_model
from longreach.language_models.token_file import TokenFile
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
    command: list[object] = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc_per_node",
        "2",
    ]
    command += [script, shape.model_dump_json(), training.model_dump_json()]
    command += [tmp_path / "tokens.bin", tmp_path / "two"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run(list(map(str, command)), check=True, env=environment, capture_output=True, timeout=300)
    one, two = load_file(tmp_path / "one" / MODEL), load_file(tmp_path / "two" / MODEL)
    assert one.keys() == two.keys()
    models = [name for name in one if name.startswith("model.")]
    assert all(torch.allclose(one[name], two[name], atol=2e-4) for name in models)
