"""Members that predict position ids, from the first step to the result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from longreach.config.run import RunConfig
from longreach.runs.index import row_of
from longreach.training.job import run
from longreach.training.loop import train, train_runs
from longreach.training.result import Evaluation
from longreach.training.run import Trained
from tests.training.test_loop import same, tiny


def ppc(**given: Any) -> RunConfig:
    fields = {
        "train_lengths": (1, 4),
        "test_lengths": ((5, 6),),
        "lr": 1e-2,
        "max_steps": 60,
        "test_size": 50,
        "predict_ids": True,
        "max_position": 20,
    }
    return tiny(task="copy-repeat", **{**fields, **given})


class Killed(Exception):
    pass


@pytest.mark.parametrize("given", [{}, {"position_ids": "pose", "predict_ids": False}], ids=str)
def test_a_run_goes_on_where_it_was(tmp_path: Path, given: dict[str, Any]) -> None:
    config = ppc(**given)

    def kill(done: int, row: Evaluation | None) -> None:
        if done == 34:
            raise Killed

    with pytest.raises(Killed):
        train(config, tmp_path, report=kill, checkpoint_seconds=0)
    resumed = train(config, tmp_path)
    assert resumed.resumed == 33
    assert same(resumed, train(config))


def test_the_result_tells_what_the_model_writes_on_its_own(tmp_path: Path) -> None:
    result = run(ppc().document(), tmp_path)
    assert result.final is not None
    assert result.config["predict_ids"] is True
    found = result.final.other
    assert set(found) == {
        f"{kind} {span}" for kind in ("written right", "tokens written right") for span in ("1-4", "5-6")
    }
    for span, share in result.final.accuracy.items():
        assert found[f"written right {span}"] == pytest.approx(share, abs=0.021)
        assert found[f"tokens written right {span}"] >= found[f"written right {span}"]
    assert row_of(result).encoding == "ape+coupled+predicted"


def test_members_that_predict_ids_train_side_by_side() -> None:
    configs = [ppc(seed=seed, max_steps=20) for seed in range(2)]
    ended = dict(train_runs(configs))
    for place, config in enumerate(configs):
        mine = ended[place]
        assert isinstance(mine, Trained)
        alone = train(config)
        assert mine.rows[-1].loss == pytest.approx(alone.rows[-1].loss, rel=1e-3)
        for name, value in alone.parameters.items():
            assert torch.allclose(mine.parameters[name], value, atol=2e-3), name


def test_nothing_is_written_where_ids_are_not_predicted() -> None:
    trained = train(ppc(predict_ids=False, max_steps=2))
    assert trained.rows[-1].other == {}
    assert "generate" not in trained.seconds
