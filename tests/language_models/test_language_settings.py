"""The settings of the study."""

from __future__ import annotations

from longreach.language_models.language_network import LanguageNetwork
from longreach.language_models.language_settings import SETTINGS, NetworkShape


def test_the_published_setting() -> None:
    """Golowich et al., arXiv 2502.16792, Table 5 and appendix F."""
    paper = SETTINGS["paper"]
    short, long = paper.training("short"), paper.training("long")
    assert (short.context, short.batch, short.steps, short.warmup, short.rate) == (
        64,
        8192,
        49000,
        5000,
        1e-3,
    )
    assert (long.context, long.batch, long.steps, long.pose_steps) == (128, 4096, 48000, 0)
    assert 1.2e9 < paper.shape(32000).parameters < 1.4e9
    # 34000 steps without PoSE and 15000 with it, "roughly 70 %".
    assert abs(short.pose_steps - 15000) < 500


def test_both_models_see_as_many_tokens() -> None:
    for settings in SETTINGS.values():
        short, long = settings.training("short"), settings.training("long")
        assert short.batch * short.context == long.batch * long.context
        assert short.longest == long.context == 2 * short.context


def test_sizes_are_those_of_the_network() -> None:
    shape = NetworkShape(layers=2, heads=2, width=8, vocabulary=11)
    assert shape.parameters == sum(p.numel() for p in LanguageNetwork(shape).parameters())
