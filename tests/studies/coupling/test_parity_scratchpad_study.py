from __future__ import annotations

from dataclasses import replace

from longreach.studies.coupling.curves import Curve
from longreach.studies.coupling.parity_scratchpad_study import COUPLING, SCALES, STUDY, claims, curves
from tests.helpers.curve_samples import measured_curves


def test_the_published_setting() -> None:
    """Table 3: lengths there are 2ℓ; ten runs, three of each ablation."""
    found = curves("paper")
    coupled = [each for each in found if each.panel == COUPLING]
    assert [each.name for each in coupled] == ["k = 1", "k = 2", "k = 3", "k = 4"]
    assert {each.seeds for each in coupled} == {10}
    assert {each.seeds for each in found if each.panel != COUPLING} == {3}
    config = coupled[0].config
    assert (config.encoding, config.position_ids, config.predict_ids) == ("ape", "coupled", True)
    assert (config.train_lengths, config.max_position, config.test_size) == ((5, 20), 210, 192)
    assert coupled[0].lengths[-1] == 100
    assert len(STUDY.members("paper")) == 4 * 10 + 8 * 3 + 2 * 3


def _as_published(curve: Curve, length: int) -> float:
    if curve.panel != COUPLING:
        return 0.2
    return 1.0 - length / 100 * (int(curve.name.split()[-1]) - 1)


def test_claims() -> None:
    found = claims("laptop", measured_curves(curves("laptop"), _as_published))
    assert all(each.holds for each in found)
    assert len(found) == 3 + len(SCALES["laptop"].jumps) - 1
    flat = claims("laptop", measured_curves(curves("laptop"), lambda curve, length: 0.9))
    assert not any(each.holds for each in flat)
    none = claims(
        "laptop", [replace(each, results=()) for each in measured_curves(curves("laptop"), _as_published)]
    )
    assert {each.holds for each in none} == {None}
