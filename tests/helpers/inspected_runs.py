"""Run directories with untrained models, made in no time, for whatever looks into runs."""

from __future__ import annotations

from pathlib import Path

from longreach.config.run import RunConfig
from longreach.runs.resolve import resolve
from longreach.training.checkpoint import save_model
from longreach.training.result import write_result
from longreach.training.setup import decoder_of
from tests.helpers.asked_results import result_of
from tests.helpers.inspected_models import lively


def small_member(task: str = "regex:(ab)*", encoding: str = "ape", seed: int = 0) -> RunConfig:
    """A member with two layers of two heads that trains to 6 and is tested to 18."""
    return resolve(
        task, encoding, layers=2, heads=2, width=8, train_lengths=(1, 6), test_lengths=((7, 12), (13, 18)),
        max_steps=10, test_size=10, seed=seed,
    )  # fmt: skip


def write_run(runs: Path, member: RunConfig, accuracies: tuple[float, ...] = (1.0, 1.0, 0.0)) -> Path:
    """The directory of a run that came to these accuracies."""
    result = result_of(member, list(accuracies))
    path = write_result(runs, result).parent
    config = decoder_of(member)
    save_model(path, lively(config, member.seed), config)
    return path
