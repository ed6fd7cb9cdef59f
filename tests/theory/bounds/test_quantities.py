"""Quantities of models and programs against their definitions, read literally."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, inf, isclose, log2, sqrt

import numpy as np
import pytest

from longreach.theory.bounds.definition import BoundInputs, NotApplicable
from longreach.theory.bounds.inputs import automaton_inputs, program_inputs, together, without_model
from longreach.theory.bounds.quantities import (
    NO_WORSE,
    ModelQuantities,
    Regime,
    combined,
    complexity_log2,
    depth_reason,
    model_inputs,
    quantities,
)
from longreach.theory.bounds.theorems import NO_BOUND, bounds
from longreach.theory.crasp.library import load
from longreach.theory.crasp.program import parse
from longreach.theory.limit.compiler import compile_program
from longreach.theory.limit.hand_built import induction_head
from longreach.theory.limit.model import Head, Layer, Transformer
from tests.helpers.small_models import small_model


def test_one_layer_with_everything() -> None:
    model = one_layer(phi=[0.0, 0.5], period=2)
    found = bounds(model_inputs(quantities(model, precision=3)), Fraction(1, 2))
    worst, workshop = found.bounds
    norm = Fraction(quantities(model).L)
    assert worst.terms["hard"].number() == 2**6
    assert worst.terms["resolution"].exact == norm**2 * 2**7 * 2**6 * 4
    assert workshop.terms["resolution"].exact == 2 * norm**2 * 4
    assert NO_WORSE in worst.assumes
    (two,) = (each for each in found.not_applicable if each.definition.name == "two-layer")
    assert set(two.why.values()) == {"the model has one layer"}


def test_equal_logits_limit_nothing() -> None:
    inputs = model_inputs(quantities(one_layer()))
    assert inputs.values["gamma"] == inf
    assert "one-layer-worst-case" in {each.definition.name for each in bounds(inputs, Fraction(1)).bounds}


def test_a_pair_takes_nothing_for_granted() -> None:
    f = quantities(one_layer(), precision=3)
    assert NO_WORSE not in bounds(model_inputs(f, f), Fraction(1)).bounds[0].assumes


def test_steps_have_no_lipschitz_constant() -> None:
    inputs = model_inputs(quantities(compile_program(load("majority").core), precision=8))
    assert inputs.absent["L"].startswith("1 of 1 units of the MLP are Heaviside steps")
    found = bounds(inputs, Fraction(1, 10)).not_applicable[0]
    assert isinstance(found, NotApplicable)
    assert found.missing == ("L",)
    # Whoever gives L vouches for it.
    again = bounds(inputs.given({"L": Fraction(2)}), Fraction(1, 10)).bounds[0]
    assert again.definition.name == "one-layer-worst-case"


def test_without_an_mlp_the_formula_says_nothing() -> None:
    inputs = model_inputs(quantities(one_layer(units=0), precision=8))
    assert "L is 0" in inputs.absent["L"]


def test_two_layers() -> None:
    inputs = model_inputs(quantities(induction_head("ab")))
    (found,) = bounds(inputs, Fraction(1, 10)).bounds
    assert found.definition.name == "two-layer"
    assert found.terms["exponent"].number() == 3
    assert any("our choice" in text for text in found.assumes)
    stepping = model_inputs(quantities(compile_program(load("tomita-4").core)))
    assert "Heaviside" in stepping.absent["C_f"]
    assert not bounds(stepping, Fraction(1, 10)).bounds


@pytest.mark.parametrize("layers", [0, 3])
def test_depths_that_no_theorem_speaks_of(layers: int) -> None:
    reason = depth_reason(layers)
    assert reason is not None
    found = bounds(without_model(reason), Fraction(1, 10))
    assert not found.bounds
    assert found.not_applicable[0].why["gamma"] == reason
    assert depth_reason(1) is depth_reason(2) is None


MODELS = [small_model(seed, layers=layers) for seed in range(12) for layers in (1, 2)]


def one_layer(
    *, kq: np.ndarray | None = None, phi: list[float] | None = None, period: int = 1, units: int = 1
) -> Transformer:
    """Two tokens with embeddings e₁ and e₂, $ with 0; one head whose values are the tokens."""
    embedding = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    head = Head(np.zeros((2, 2)) if kq is None else kq, np.eye(2), None if phi is None else np.array(phi))
    mlp = (np.full((units, 2), 2.0), np.zeros(units), np.full((2, units), 3.0), np.zeros(units, dtype=bool))
    positions = np.arange(2.0 * period).reshape(period, 2) / 4 if period > 1 else np.zeros((1, 2))
    return Transformer(
        "limit", ("$", "a", "b"), embedding, positions, (Layer((head,), *mlp),), np.ones((1, 2))
    )


def literal_margin(model: Transformer, longest: int) -> Fraction | None:
    """The least gap of two logits of one query token and residue, over all inputs together, exactly."""
    exact = np.vectorize(Fraction, otypes=[object])
    seen: dict[tuple[int, str, int], set[Fraction]] = {}
    for word in (word for n in range(1, longest + 1) for word in product("ab", repeat=n)):
        rows = np.arange(len(word) + 1) % model.period
        y = exact(model.embedding[model.encode(word)]) + exact(model.positions[rows])
        i = len(word)
        for h, head in enumerate(model.layers[0].heads):
            phi = head.phi if isinstance(head.phi, np.ndarray) else np.zeros(0)
            for j in range(i + 1):
                near = Fraction(phi[i - j]) if i - j < len(phi) else Fraction(0)
                kind = seen.setdefault((h, word[-1], i % model.period), set())
                kind.add(y[j] @ exact(head.kq) @ y[i] + near)
    gaps = [abs(a - b) for kind in seen.values() for a in kind for b in kind if a != b]
    return min(gaps, default=None)


@pytest.mark.parametrize("model", MODELS[:16], ids=range(16))
def test_the_logit_margin_over_all_short_inputs(model: Transformer) -> None:
    # All tokens at all residues and distances are seen by then.
    longest = model.locality + model.period + 2
    assert longest <= 8
    assert quantities(model).logit_margin == literal_margin(model, longest)


@pytest.mark.parametrize("model", MODELS, ids=range(len(MODELS)))
def test_the_norms(model: Transformer) -> None:
    first = model.layers[0]
    start = model.vocabulary.index("$")
    largest = max(
        sum(float(np.linalg.norm(head.v @ (model.embedding[s] + model.positions[r]))) for head in first.heads)
        for s in range(len(model.vocabulary))
        for r in range(1 if s == start else model.period)
    )
    found = quantities(model)
    mlp = float(np.linalg.norm(first.a) * np.linalg.norm(first.out))
    assert isclose(found.L, mlp * largest, rel_tol=1e-12)
    assert [head.key_query for head in found.heads] == pytest.approx(
        [np.linalg.svd(head.kq)[1].max() for head in first.heads]
    )
    assert found.alphabet == len(model.vocabulary) - 1
    repeats = np.array_equal(model.positions[0], model.positions[1])
    assert (found.period, found.locality, found.layers) == (
        1 if repeats else 2,
        model.locality,
        len(model.layers),
    )


def literal_positional_margin(model: Transformer) -> Fraction | None:
    margins = []
    for head in model.layers[0].heads:
        phi = head.phi if isinstance(head.phi, np.ndarray) else np.zeros(0)
        padded = [*phi.tolist(), *([0.0] * (model.locality + 1 - len(phi)))][: model.locality + 1]
        values = {1.0, *padded} if any(padded) else {1.0}
        if len(values) > 1:
            best, runner_up = sorted(values, reverse=True)[:2]
            margins.append(Fraction(best) - Fraction(runner_up))
    return min(margins, default=None)


@pytest.mark.parametrize("model", MODELS, ids=range(len(MODELS)))
def test_the_positional_margin(model: Transformer) -> None:
    assert quantities(model).positional_margin == literal_positional_margin(model)


@pytest.mark.parametrize(
    ("phi", "margin", "regime"),
    [
        (None, None, Regime.TOKENS),
        ([0.0, 0.0], None, Regime.TOKENS),
        ([0.5], Fraction(1, 2), Regime.TOKENS),
        ([-1.0, 0.25], Fraction(3, 4), Regime.TOKENS),
        ([1.0], None, Regime.BALANCED),
        ([0.0, 1.0], Fraction(1), Regime.BALANCED),
        ([0.0, 2.0], Fraction(1), Regime.POSITIONS),
        ([1.75, 2.0], Fraction(1, 4), Regime.POSITIONS),
    ],
)
def test_regimes(phi: list[float] | None, margin: Fraction | None, regime: Regime) -> None:
    (head,) = quantities(one_layer(phi=phi)).heads
    assert (head.positional_margin, head.regime) == (margin, regime)


def test_all_logits_equal() -> None:
    found = quantities(one_layer())
    assert found.logit_margin is None
    assert found.hard_from == 0.0
    assert found.document()["gamma"] is None


def test_the_largest_logit_may_be_absent() -> None:
    """Without b the largest is a's; so the gap between a and $ counts as well as the one below b."""
    found = quantities(one_layer(kq=np.array([[0.25, 0.25], [1.0, 1.0]])), precision=4)
    assert found.logit_margin == Fraction(1, 4)
    assert found.hard_from == 16.0


def test_rounding_makes_no_margin() -> None:
    """0.1 + 0.2 and 0.3 differ in floating point; the stored numbers do too, and exactly so."""
    found = quantities(one_layer(kq=np.array([[0.1, 0.1], [0.1, 0.1]]))).logit_margin
    assert found == Fraction(0.1)


def test_by_hand() -> None:
    found = quantities(one_layer(phi=[0.0, 2.0], period=2, units=2), precision=8)
    # ‖A‖_F = ‖B‖_F: four 2s, four 3s; the longest value is (0, 1) + (½, ¾).
    assert found.L_squared == 16 * 36 * (Fraction(1, 4) + Fraction(49, 16))
    assert isclose(found.L, sqrt(found.L_squared))
    assert (found.period, found.locality, found.precision, found.units, found.steps) == (2, 1, 8, 2, 0)
    assert isclose(found.output, sqrt(2) * (1 + sqrt(16 * 36)))


def test_pairs() -> None:
    f = quantities(one_layer(kq=np.eye(2), period=2), precision=8)
    g = quantities(one_layer(phi=[0.0, 0.0, 0.0, 0.25], period=3))
    pair = combined(f, g)
    assert pair.L_squared == max(f.L_squared, g.L_squared)
    assert f.logit_margin is not None
    assert pair.logit_margin == min(f.logit_margin, Fraction(1, 4))
    assert (pair.period, pair.locality, pair.precision) == (6, 3, 8)
    assert combined(g, f).precision == 8


def test_the_complexity_by_hand() -> None:
    model = one_layer(kq=np.diag([3.0, 1.0]), phi=[0.0, 0.5])
    # ‖K Q‖ = 3, τ + 1 = 2, ‖E‖ = 1, ‖U‖ = √2, ‖V‖ = 1, ‖A‖_F ‖B‖_F = √8 √18 = 12
    expected = exp(3) * 2 * (1 + 1) * (1 + sqrt(2)) * (1 + 1) * (1 + 12)
    assert isclose(complexity_log2(model), log2(expected), rel_tol=1e-12)


def test_compiled_models() -> None:
    found = quantities(compile_program(load("majority").core))
    assert found.logit_margin is None
    assert (found.steps, found.units, found.layers) == (1, 1, 1)
    found = quantities(compile_program(load("tomita-4").core))
    assert (found.logit_margin, found.positional_margin) == (2, 1)
    assert {head.regime for head in found.heads} == {Regime.TOKENS, Regime.POSITIONS}


def test_extreme_parameters() -> None:
    model = one_layer(kq=np.array([[1e300, 0.0], [0.0, 1e-300]]))
    found: ModelQuantities = quantities(model)
    assert found.logit_margin == Fraction(1e-300)


@pytest.mark.parametrize(
    ("text", "largest"),
    [
        ('P = # "a" >= # "b"', 1),
        ('P = # "a" >= 5', 5),
        ('P = 3 * # "a" >= 7 * # "b" + 2', 7),
        ('P = # "a" >= 2 && 4 * # "b" >= # true', 4),
    ],
)
def test_the_largest_number(text: str, largest: int) -> None:
    inputs = program_inputs(parse(f"#alphabet a b\n{text}").core)
    assert inputs.values == {"T": largest}
    assert not inputs.notes


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('#alphabet a b\nP = "a"', "the program counts nothing"),
        ('#alphabet a b c\nP = # "a" >= # "b"', "the program reads 3 letters, and O(T²) is shown for 2"),
        (
            '#alphabet a b\nP = #[i-1] "a" >= 1',
            "the program is in C-RASP[local], and O(T²) is shown without relations of positions",
        ),
    ],
)
def test_programs_outside_the_class(text: str, reason: str) -> None:
    assert program_inputs(parse(text).core).absent == {"T": reason}


def test_deeper_programs_have_no_computable_bound() -> None:
    inputs = program_inputs(parse('#alphabet a b\nC = # (# "a" >= # "b")\nP = C >= 1').core)
    assert inputs.absent == {"T": "the program has counting depth 2"}
    assert inputs.notes == (NO_BOUND,)


def test_a_predictor_does_not_read_its_end() -> None:
    text = '#alphabet a b EOS\noutput "a" = true\noutput "b" = # "a" >= 2\noutput "EOS" = true'
    assert program_inputs(parse(text).core).values == {"T": 2}


def test_values_count_more_than_reasons() -> None:
    said = BoundInputs(absent={"states": "none", "T": "none"}, notes=("a", "b"))
    both = together(automaton_inputs(3), said, said)
    assert both.values == {"states": Fraction(3)}
    assert both.absent == {"T": "none"}
    assert both.notes == ("a", "b")
