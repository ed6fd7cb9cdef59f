from __future__ import annotations

from longreach.studies.coupling.curves import Curve
from longreach.studies.coupling.sparse_parity_study import SCALES, STUDY, claims, curves
from tests.helpers.curve_samples import measured_curves


def test_the_published_setting() -> None:
    """Table 2 and section 5.1."""
    found = curves("paper")
    assert len(STUDY.members("paper")) == 5
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


def _as_published(curve: Curve, length: int) -> float:
    trained, tested = (int(text.split()[-1]) for text in (curve.panel, curve.name))
    return 0.99 if tested <= trained else 0.55


def test_claims() -> None:
    assert all(each.holds for each in claims("laptop", measured_curves(curves("laptop"), _as_published)))
    flat = claims("laptop", measured_curves(curves("laptop"), lambda curve, length: 0.99))
    assert [each.holds for each in flat] == [True, False] * len(SCALES["laptop"].trained)
