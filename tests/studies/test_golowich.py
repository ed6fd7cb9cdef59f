"""The three studies of coupling: their published settings, and what they claim of runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from longreach.config.scales import SCALES, Scale
from longreach.studies.curves import Curve
from longreach.studies.golowich import (
    COUPLING,
    PARITY_SCRATCHPAD,
    SPARSE_PARITY,
    VARIABLE_ASSIGNMENT,
    assignment_claims,
    assignment_curves,
    scratchpad_claims,
    scratchpad_curves,
    sparse_parity_claims,
    sparse_parity_curves,
    whole_chains,
)
from longreach.studies.study import Study, StudyOptions, study_members
from longreach.tasks.catalog import load_task
from tests.helpers.curve_samples import measured_curves


@pytest.mark.parametrize(
    ("study", "count"),
    [(SPARSE_PARITY, 5), (PARITY_SCRATCHPAD, 4 * 10 + 8 * 3 + 2 * 3), (VARIABLE_ASSIGNMENT, 12 * 3 + 4 * 10)],
)
def test_the_published_number_of_runs(study: Study, count: int) -> None:
    assert len(study_members(study, StudyOptions(scale="paper"))) == count


def test_the_published_setting_of_sparse_parity() -> None:
    """Table 2 and section 5.1."""
    found = sparse_parity_curves("paper")
    assert len(found) == 5 * 7
    config = found[0].config
    assert (config.task, config.encoding, config.position_ids) == ("sparse-parity", "rope", "pose")
    assert (config.layers, config.heads, config.width, config.lr) == (12, 16, 1024, 5e-5)
    assert (config.weight_decay, config.warmup, config.max_steps) == (0.1, 300, 50_000)
    assert (config.batch, config.test_size, config.max_position) == (64, 512, 510)
    assert config.train_lengths == (20, 50)
    assert found[0].lengths[::11] == (20, 500)
    # k_test = 16 needs more than 16 bits.
    assert min(found[-1].lengths) == 36
    assert {each.panel for each in found} == {f"K_train = {k}" for k in (4, 6, 8, 10, 12)}


def test_the_published_setting_of_the_scratchpad() -> None:
    """Table 3: lengths there are 2ℓ; ten runs, three of each ablation."""
    found = scratchpad_curves("paper")
    coupled = [each for each in found if each.panel == COUPLING]
    assert [each.name for each in coupled] == ["k = 1", "k = 2", "k = 3", "k = 4"]
    assert {each.seeds for each in coupled} == {10}
    assert {each.seeds for each in found if each.panel != COUPLING} == {3}
    config = coupled[0].config
    assert (config.encoding, config.position_ids, config.predict_ids) == ("ape", "coupled", True)
    assert (config.train_lengths, config.max_position, config.test_size) == ((5, 20), 210, 192)
    assert coupled[0].lengths[-1] == 100


def test_the_published_setting_of_variable_assignment() -> None:
    """Table 4; the ablation without a scratchpad has ten runs."""
    found = assignment_curves("paper")
    assert [each.seeds for each in found] == [3] * 12 + [10] * 4
    config = found[3].config
    assert (config.task, config.position_ids) == ("variable-assignment:5", "coupled")
    assert (config.batch, config.test_size, config.max_position) == (32, 192, 230)
    assert config.train_lengths == (17, 62)
    assert found[0].lengths == tuple(2 + 6 * (each // 6) for each in range(20, 201, 20))
    assert found[-1].config.task == "variable-assignment:5,scratchpad=no"


@pytest.mark.parametrize("scale", SCALES)
def test_every_length_has_inputs_and_fits(scale: Scale) -> None:
    for curve in assignment_curves(scale):
        task, config = load_task(curve.config.task), curve.config
        assert curve.lengths == tuple(first for first, _ in config.test_lengths)
        assert config.max_position is not None
        assert task.input_size(curve.lengths[-1]) <= config.max_position
        assert len(task.lengths(*config.train_lengths)) > 1
    assert [whole_chains(60, depth) for depth in (2, 3, 4, 5)] == [62, 56, 62, 62]
    assert whole_chains(2, 3) == 11


def _last(text: str) -> int:
    return int(text.split()[-1])


PUBLISHED: dict[str, Callable[[Curve, int], float]] = {
    "sparse-parity": lambda curve, length: 0.99 if _last(curve.name) <= _last(curve.panel) else 0.55,
    "scratchpad": lambda curve, length: (
        1.0 - length / 100 * (_last(curve.name) - 1) if curve.panel == COUPLING else 0.2
    ),
    "assignment": lambda curve, length: 0.9 if curve.panel == COUPLING else 0.4,
}
"""Accuracies as the paper has them, roughly."""


@pytest.mark.parametrize(
    ("name", "curves", "claims", "flat"),
    [
        ("sparse-parity", sparse_parity_curves, sparse_parity_claims, [True, False] * 2),
        ("scratchpad", scratchpad_curves, scratchpad_claims, [False] * 5),
        ("assignment", assignment_curves, assignment_claims, [False] * 6),
    ],
)
def test_claims(name: str, curves: Callable, claims: Callable, flat: list[bool]) -> None:
    measured = measured_curves(curves("laptop"), PUBLISHED[name])
    assert [each.holds for each in claims("laptop", measured)] == [True] * len(flat)
    level = measured_curves(curves("laptop"), lambda curve, length: 0.92)
    assert [each.holds for each in claims("laptop", level)] == flat
    none = [replace(each, rows=()) for each in measured]
    assert {each.holds for each in claims("laptop", none)} == {None}
