"""Generation with kept keys and values against the whole prefix again and again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from longreach.config.encoding_table import ENCODINGS
from longreach.errors import InputError
from longreach.tasks.task import Batch
from longreach.training import generation
from longreach.training.accuracy import accuracy, packed_parts
from longreach.training.engine import train
from longreach.training.generation import generate, written_right
from longreach.training.placing import placed
from longreach.training.shape import decoder_of, task_of
from longreach.training.step import Layout
from tests.helpers.plain_generation import plainly_generated
from tests.models.test_decoder_gradient import parameters_of, shape
from tests.training.test_engine import tiny


@pytest.mark.parametrize("encoding", list(ENCODINGS))
@pytest.mark.parametrize(
    "change", [{}, {"log_length": True}, {"predict_ids": True}, {"tied": False, "predict_ids": True}], ids=str
)
@pytest.mark.parametrize("end", [None, 3])
def test_as_if_the_prefix_were_read_again(
    encoding: str, change: dict[str, Any], end: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generation, "TOKENS_AT_ONCE", 60)  # several parts
    config = shape(encoding=encoding, positions=40, **change)
    parameters, rng = parameters_of(config), np.random.default_rng(0)
    rows, width, most = 9, 6, 12
    tokens = rng.integers(0, config.vocabulary, (rows, width))
    ids, following = (rng.integers(0, config.positions, (rows, size)) for size in (width, most))
    sizes, limits = rng.integers(1, width + 1, rows), rng.integers(0, most + 1, rows)
    made = generate(
        parameters, config, tokens, sizes=sizes, ids=ids, most=limits, end=end, following=following
    )
    for row in range(rows):
        size, limit, count = int(sizes[row]), int(limits[row]), int(made.counts[row])
        prompt = tokens[row, :size].tolist(), ids[row, :size].tolist()
        wanted = plainly_generated(parameters, config, *prompt, following[row, :limit].tolist(), end)
        assert made.tokens[row, :count].tolist() == wanted[0]
        assert made.ids[row, :count].tolist() == wanted[1]
        assert not made.tokens[row, count:].any()
        assert not made.ids[row, count:].any()
    assert len(set(made.counts.tolist())) > 3


def test_ids_go_on_where_nothing_is_said() -> None:
    config = shape(positions=9)
    parameters = parameters_of(config)
    made = generate(parameters, config, np.array([[1, 2, 5], [1, 4, 0]]), sizes=np.array([3, 2]), most=6)
    assert made.ids.tolist() == [[3, 4, 5, 6, 7, 8], [2, 3, 4, 5, 6, 7]]
    # The last one is written and never read: its id need not exist.
    assert generate(parameters, config, np.array([[1, 2, 5]]), most=7).ids[0, -1] == 9
    with pytest.raises(InputError, match="the position id 9 is beyond the 9 of the model"):
        generate(parameters, config, np.array([[1, 2, 5]]), most=8)
    with pytest.raises(InputError, match="a prompt has no token"):
        generate(parameters, config, np.array([[1]]), sizes=np.array([0]), most=1)


def _trained(**given: Any) -> tuple[Any, Layout, torch.Tensor]:
    fields = {"train_lengths": (1, 3), "test_lengths": ((4, 5),), "lr": 1e-2, "max_steps": 90}
    config = tiny(task=given.pop("task", "copy-repeat"), **{**fields, **given})
    layout = Layout(decoder_of(config))
    return config, layout, layout.vector(train(config).parameters)


@pytest.mark.parametrize(
    "given",
    [
        {"predict_ids": True},
        {"encoding": "coupled"},
        {"task": "parity"},
        {"task": "addition", "train_lengths": (4, 6), "test_lengths": ((7, 8),)},
        {"task": "repeated-copy", "predict_ids": True, "train_lengths": (2, 5), "test_lengths": ((6, 8),)},
    ],
    ids=str,
)
def test_a_sequence_is_written_right_when_each_step_is(given: dict[str, Any]) -> None:
    """Teacher-forced accuracy and free generation count the same sequences: a wrong step spoils both."""
    config, layout, vector = _trained(**given)
    task, rng = task_of(config), np.random.default_rng(1)
    shares = []
    for lengths in config.ranges:
        batch = placed(task.sample(rng.integers(lengths[0], lengths[1] + 1, 300), rng), config, "first", rng)
        forced = accuracy(vector, layout, packed_parts(batch, config))
        found = written_right(layout.named(vector), decoder_of(config), task, batch)
        assert found is not None
        assert found.right == pytest.approx(forced, abs=1 / 300 + 1e-9)
        assert found.tokens_right >= found.right
        shares.append(found.right)
    assert max(shares) > 0


def test_what_cannot_be_written_on_ones_own() -> None:
    """Between supervised tokens something would have to be given."""
    config = tiny(task="parity")
    model = decoder_of(config)
    tokens = np.array([[1, 4, 3, 6]])
    mask = np.array([[True, False, True, True]])
    batch = Batch(tokens, tokens, mask, np.arange(4)[None], np.array([4]))
    assert written_right(parameters_of(model), model, task_of(config), batch) is None
