"""The case analysis of Theorem 4.1 by hand and for all counts, pairs of models, and words from outside."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import floor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.theory.bounds.simulation import (
    Case,
    Classes,
    Counts,
    ModelPair,
    Scales,
    apportioned,
    plan,
    read_word,
)
from longreach.theory.bounds.strings import FiniteSimulation
from longreach.theory.limit.hand_built import kgram_head, modp_task_model, simple_task_model


def test_the_order_of_the_vocabulary_does_not_matter() -> None:
    f, g = simple_task_model(1.0), simple_task_model(2.0)
    order = [2, 3, 0, 1]
    turned = replace(g, vocabulary=tuple(g.vocabulary[i] for i in order), embedding=g.embedding[order])
    x = np.random.default_rng(0).integers(0, 3, 20_000)
    one, other = (FiniteSimulation(ModelPair(f, second), 8).string(x, 0.5) for second in (g, turned))
    assert one.z.tolist() == other.z.tolist()
    assert one.errors == other.errors
    assert one.errors.g > 0


def test_words_go_there_and_back() -> None:
    pair = ModelPair(modp_task_model(2), modp_task_model(3))
    assert pair.period == 6
    assert pair.decode(pair.encode("0110")) == list("0110")


def _scales(tokens: int, period: int = 1, tolerance: Fraction = Fraction(1), kept: int = 2) -> Scales:
    return Scales(tolerance=tolerance, tokens=tokens, period=period, kept=kept)


def _column(*values: int) -> Counts:
    return np.array(values, dtype=np.int64)[:, None]


def _mask(*values: int) -> Classes:
    return np.array(values, dtype=np.bool_)[:, None]


def distance(n: Counts, m: Counts, classes: Classes, kept: int) -> Fraction:
    """Total difference of the weights of uniform attention, `kept` attended tokens being the same."""
    a, b = int(n[classes].sum()) + kept, int(m[classes].sum()) + kept
    if a == 0:
        return Fraction(0) if b == 0 else Fraction(2)
    if b == 0:
        return Fraction(2)
    apart = sum(
        abs(Fraction(int(x), a) - Fraction(int(y), b)) for x, y in zip(n[classes], m[classes], strict=True)
    )
    return apart + kept * abs(Fraction(1, a) - Fraction(1, b))


def test_the_numbers_by_hand() -> None:
    # |Σ| = 2, Δ = 3, τ = 1, α = 1/2: K = 12, k = 3, T = 24 + 8 · 15 · 2, η = 1/32 < 1/12, (T + k)/η.
    scales = _scales(2, period=3, tolerance=Fraction(1, 2), kept=3)
    assert (scales.classes, scales.first, scales.overlap) == (12, 264, Fraction(1, 32))
    assert scales.second == 267 * 32
    assert scales.longest == 3 * (264 + 267 * 32 + 3 + 4) + 3
    assert _scales(2, period=10).overlap == Fraction(1, 40)


def test_both_copied() -> None:
    scales = _scales(3)
    found = plan(_column(10, 20, 10_000), _mask(1, 0, 0), _mask(0, 1, 0), scales)
    assert found.case is Case.COPIED
    assert found.counts.ravel().tolist() == [10, 20, 0]
    assert found.removed == 10_000


@pytest.mark.parametrize("few", [7, 5_000])
def test_hardly_shared_has_two_scales(few: int) -> None:
    scales = _scales(4)
    n = _column(few, 400_000, 200_001, 999)
    found = plan(n, _mask(1, 0, 0, 0), _mask(1, 1, 1, 0), scales)
    assert found.case is Case.APART
    total = few + 600_001
    first = few if few <= scales.first else scales.first
    wanted = [first, *(floor(Fraction(int(s), total) * scales.second) for s in n.ravel()[1:3]), 0]
    assert found.counts.ravel().tolist() == wanted


def test_shared_has_one_scale() -> None:
    scales = _scales(4)
    n = _column(5_000, 3_000, 12_345, 999)
    found = plan(n, _mask(1, 1, 0, 0), _mask(0, 1, 1, 0), scales)
    assert found.case is Case.SHARED
    first, second = (floor(Fraction(s, 8_000) * scales.first) for s in (5_000, 3_000))
    assert found.counts.ravel().tolist() == [first, second, floor(Fraction(first, 5_000) * 12_345), 0]


def test_the_order_of_the_models_does_not_matter() -> None:
    n, f, g = _column(5_000, 3_000, 12_345, 999), _mask(1, 1, 0, 0), _mask(0, 1, 1, 0)
    one, other = plan(n, f, g, _scales(4)), plan(n, g, f, _scales(4))
    np.testing.assert_array_equal(one.counts, other.counts)


def test_full_residues_leave_one_scale() -> None:
    # f attends to residue 0, g to residue 1, and all tokens of each.
    scales = _scales(2, period=2)
    n = np.array([[60_000, 20_000], [40_000, 80_000]], dtype=np.int64)
    f, g = np.array([[True, False]] * 2), np.array([[False, True]] * 2)
    found = plan(n, f, g, scales)
    assert found.case is Case.NO_ROOM
    assert (found.counts.sum(axis=0) == 100_000 - found.removed).all()
    assert found.counts.sum() <= 2 * scales.first + 8


def test_full_residues_with_few_tokens_of_f() -> None:
    scales = _scales(2, period=2)
    n = np.array([[30, 5_000_000], [10_000_000, 5_000_030]], dtype=np.int64)
    f, g = np.array([[True, False], [False, False]]), np.array([[False, True], [True, True]])
    found = plan(n, f, g, scales)
    assert found.case is Case.APART
    assert found.counts[0, 0] == 30
    assert (found.counts.sum(axis=0) == n.sum(axis=0) - found.removed).all()


def test_a_least_length_is_kept_by_tokens_that_nobody_attends_to() -> None:
    n = _column(500, 0, 100_000)
    found = plan(n, _mask(1, 0, 0), _mask(1, 0, 0), _scales(3), least=40_000)
    assert found.counts.sum() == 40_000
    assert found.counts[2, 0] == 40_000 - found.counts[0, 0]


def test_a_least_length_without_such_tokens_scales_all() -> None:
    n = _column(50_000, 30_000)
    found = plan(n, _mask(1, 1), _mask(1, 1), _scales(2), least=40_000)
    assert found.case is Case.NO_ROOM
    assert found.counts.ravel().tolist() == [25_000, 15_000]


def test_nothing_to_remove_is_x_itself() -> None:
    n = _column(5, 3)
    for least in (0, 8, 100):
        found = plan(n, _mask(1, 1), _mask(1, 1), _scales(2), least=least)
        assert found.case is Case.WHOLE
        assert found.counts is n


@given(st.lists(st.integers(0, 50), min_size=1, max_size=6).filter(any), st.integers(0, 200))
def test_apportioned_is_within_one_and_adds_up(shares: list[int], total: int) -> None:
    found = apportioned(np.array(shares), total)
    assert found.sum() == total
    assert all(
        abs(m - Fraction(total * s, sum(shares))) < 1 for m, s in zip(found.tolist(), shares, strict=True)
    )


@given(
    st.lists(st.integers(0, 5000), min_size=3, max_size=3),
    st.lists(st.booleans(), min_size=3, max_size=3),
    st.lists(st.booleans(), min_size=3, max_size=3),
)
def test_the_floor_formulas_as_they_are_printed(sizes: list[int], f: list[bool], g: list[bool]) -> None:
    """A.1 of the workshop version, with fractions; a fourth token, to which nobody attends, gives room."""
    scales = _scales(4)
    n = dict(enumerate([*sizes, 1_000_000]))
    s_f = {s for s in range(3) if f[s] and n[s]}
    s_g = {s for s in range(3) if g[s] and n[s]}
    if sum(n[s] for s in s_f) > sum(n[s] for s in s_g):
        s_f, s_g = s_g, s_f
    a_f, a_g, both = (sum(n[s] for s in tokens) for tokens in (s_f, s_g, s_f & s_g))
    t = Fraction(scales.first)
    m = dict.fromkeys(range(4), 0)
    if a_g <= t:
        m |= {s: n[s] for s in s_f | s_g}
    else:
        m |= {s: n[s] if a_f <= t else floor(Fraction(n[s], a_f) * t) for s in s_f}
        if both <= scales.overlap * a_g:
            m |= {s: floor(Fraction(n[s], a_g) * min(scales.second, a_g)) for s in s_g - s_f}
        else:
            star = max(s_f, key=lambda s: (n[s], -s))
            m |= {s: floor(Fraction(m[star], n[star]) * n[s]) for s in s_g - s_f}
    masks = (_mask(*f, 0) & (_column(*n.values()) > 0), _mask(*g, 0) & (_column(*n.values()) > 0))
    assert plan(_column(*n.values()), *masks, scales).counts.ravel().tolist() == list(m.values())


@st.composite
def counted(draw: st.DrawFn) -> tuple[Counts, Classes, Classes, Scales, int]:
    """Counts with nearly as many positions at each residue, of any size; some classes absent or rare."""
    tokens, period = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    size = int(10 ** rng.uniform(0, 8))
    n = np.empty((tokens, period), dtype=np.int64)
    for residue in range(period):
        shares = 10.0 ** -rng.choice([0, 1, 3, 5, 300], tokens)
        shares[rng.integers(tokens)] = 1.0
        n[:, residue] = apportioned(
            (1e9 * shares / shares.sum()).astype(np.int64), size + int(rng.integers(2))
        )
    f, g = (rng.random(n.shape) < rng.choice([0.2, 0.5, 0.9]) for _ in range(2))
    tolerance = Fraction(draw(st.sampled_from([1, 2, 5, 40])), 40)
    scales = _scales(tokens, period, tolerance, kept=draw(st.integers(2, 5)))
    return n, f & (n > 0), g & (n > 0), scales, draw(st.sampled_from([0, 0, 1_000, 100_000]))


@given(counted())
def test_weights_stay_within_the_tolerance_and_z_within_the_bound(
    drawn: tuple[Counts, Classes, Classes, Scales, int],
) -> None:
    n, f, g, scales, least = drawn
    found = plan(n, f, g, scales, least=least)
    m = found.counts
    assert (m >= 0).all()
    assert (m[n == 0] == 0).all()
    assert (m.sum(axis=0) == n.sum(axis=0) - found.removed).all()
    assert m.sum() >= min(least, n.sum())
    assert (
        m.sum() + scales.kept <= max(scales.longest, least + scales.period + scales.kept)
        or found.removed == 0
    )
    if found.removed == 0:
        assert n.sum() + scales.kept <= max(scales.longest, least + scales.period + scales.kept)
    for classes in (f, g):
        for kept in (0, 1, scales.kept):
            assert distance(n, m, classes, kept) <= scales.tolerance


PAIR = ModelPair(simple_task_model(), simple_task_model())


def test_tokens_together_or_apart() -> None:
    assert read_word(PAIR, "0120").tolist() == read_word(PAIR, " 0 1 2 0 ").tolist() == [0, 1, 2, 0]
    long = kgram_head(["up", "down"], 1)
    assert read_word(ModelPair(long, long), "up down up").tolist() == [0, 1, 0]


def test_a_file_may_have_many_lines(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("012\n210\n")
    assert read_word(PAIR, f"@{tmp_path / 'word'}").tolist() == [0, 1, 2, 2, 1, 0]


def test_random_words_are_the_same_for_the_same_seed() -> None:
    one, other, third = (read_word(PAIR, f"random:100{seed}") for seed in ("", ":0", ":1"))
    assert one.tolist() == other.tolist() != third.tolist()
    assert set(one.tolist()) == {0, 1, 2}


def test_a_bad_token_in_a_file_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "word").write_text("0 1\nx")
    with pytest.raises(InputError, match=r"word: token 3, 'x', is not one"):
        read_word(PAIR, f"@{tmp_path / 'word'}")
    (tmp_path / "word").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_word(PAIR, f"@{tmp_path / 'word'}")
