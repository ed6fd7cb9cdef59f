from __future__ import annotations

import pytest

from longreach.config.scales import SCALES, Scale
from longreach.studies.coupling.curves import Curve
from longreach.studies.coupling.variable_assignment_study import COUPLING, STUDY, claims, curves, whole_chains
from longreach.tasks.catalog import load_task
from tests.helpers.curve_samples import measured_curves


def test_the_published_setting() -> None:
    """Table 4; the ablation without a scratchpad has ten runs."""
    found = curves("paper")
    assert [each.seeds for each in found] == [3] * 12 + [10] * 4
    config = found[3].config
    assert (config.task, config.position_ids) == ("variable-assignment:5", "coupled")
    assert (config.batch, config.test_size, config.max_position) == (32, 192, 230)
    assert config.train_lengths == (17, 62)
    assert found[0].lengths == tuple(2 + 6 * (each // 6) for each in range(20, 201, 20))
    assert found[-1].config.task == "variable-assignment:5,scratchpad=no"
    assert len(STUDY.members("paper")) == 12 * 3 + 4 * 10


@pytest.mark.parametrize("scale", SCALES)
def test_every_length_has_inputs_and_fits(scale: Scale) -> None:
    for curve in curves(scale):
        task, config = load_task(curve.config.task), curve.config
        assert curve.lengths == tuple(first for first, _ in config.test_lengths)
        assert config.max_position is not None
        assert task.input_size(curve.lengths[-1]) <= config.max_position
        assert len(task.lengths(*config.train_lengths)) > 1


def test_chains_are_whole() -> None:
    assert [whole_chains(60, depth) for depth in (2, 3, 4, 5)] == [62, 56, 62, 62]
    assert whole_chains(2, 3) == 11


def _as_published(curve: Curve, length: int) -> float:
    return 0.9 if curve.panel == COUPLING else 0.4


def test_claims() -> None:
    assert all(each.holds for each in claims("laptop", measured_curves(curves("laptop"), _as_published)))
    flat = claims("laptop", measured_curves(curves("laptop"), lambda curve, length: 0.9))
    assert not any(each.holds for each in flat)
