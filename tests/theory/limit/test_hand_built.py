"""Hand-built models against the definitions of their tasks; a circuit that works only on short inputs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import sin

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.inspection.positions import invariant_version, offset_variance
from longreach.studies.limit_theory.measured import (
    counter_example,
    induction_errors,
    kgram_frequencies,
    two_headed,
    witness,
)
from longreach.theory.limit.hand_built import induction_head, kgram_head, modp_task_model, simple_task_model
from longreach.theory.limit.model import Transformer
from longreach.theory.limit.rounding import RelativePrecision
from longreach.theory.limit.run import attention, run
from tests.helpers import exact_evaluator as exact

HARD = RelativePrecision(4)  # from |x| = 2 on


def _simple_task(word: str, omega: float) -> float:
    """sin(ω · average of +1 for a zero, −1 for a one), by definition."""
    zeros, ones = word.count("0"), word.count("1")
    return sin(omega * (zeros - ones) / max(zeros + ones, 1))


def _modp_task(word: str, period: int, residue: int) -> float:
    """The average of the bits at the places of one residue, by definition."""
    bits = [int(token) for place, token in enumerate(word, 1) if place % period == residue]
    return sum(bits) / len(bits)


@pytest.mark.parametrize("omega", [0.5, 1.0, 8.0])
def test_simple_task_is_within_its_tolerance_of_the_definition(omega: float) -> None:
    model = simple_task_model(omega)
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("012"), size)) for size in rng.integers(1, 60, 40)] + ["2", "222", ""]
    for word, output in zip(words, run(model, words, precision=HARD), strict=True):
        assert abs(output[-1, 0] - _simple_task(word, omega)) <= 1e-3


def test_simple_task_attends_exactly() -> None:
    """The attended difference is the rational number of the definition."""
    model = simple_task_model()
    found = exact.run(model, "0010212", streams=True, precision=HARD)
    assert found.exact
    difference = found.streams[1][-1][model.coordinates["difference"]]
    assert difference * 5 == 3 - 2


def test_norms_of_simple_task_grow_with_the_frequency_as_said() -> None:
    for omega in (4.0, 8.0, 16.0):
        layer = simple_task_model(omega).layers[0]
        norm = np.linalg.norm(layer.a) * np.linalg.norm(layer.out)
        # Twice the variation of the slope on [0, 1], which begins with ω: between ω² and 2ω² here.
        assert omega**2 < norm < 2 * omega**2


@given(st.integers(1, 6).flatmap(lambda p: st.tuples(st.just(p), st.integers(0, p - 1))), st.data())
def test_modp_task_is_exact(parameters: tuple[int, int], data: st.DataObject) -> None:
    period, residue = parameters
    word = data.draw(st.text("01", min_size=period, max_size=30))
    output = run(modp_task_model(period, residue), [word], precision=HARD)[0]
    assert output[-1, 0] == pytest.approx(_modp_task(word, period, residue), abs=1e-12)


def brute_force(word: str, tokens: str) -> list[list[Fraction]]:
    """Equation (10) as it is printed."""
    rows = []
    for i in range(len(word)):
        before = [k for k in range(i) if word[k] == word[i]]
        rows.append([Fraction(sum(word[k + 1] == s for k in before), max(len(before), 1)) for s in tokens])
    return rows


def all_words(tokens: str, longest: int) -> list[str]:
    return ["".join(word) for n in range(longest + 1) for word in product(tokens, repeat=n)]


def worst(model: Transformer, words: list[str], tokens: str, offset: int = 0) -> float:
    """The largest error times the length."""
    outputs = run(model, words, offset)
    return max(
        float(np.abs(output - kgram_frequencies(word, tokens)).max()) * len(output)
        for output, word in zip(outputs, words, strict=True)
    )


def test_frequencies_are_equation_10() -> None:
    for word in all_words("abc", 5):
        frequencies = kgram_frequencies(word, "abc")
        assert not frequencies[0].any()
        np.testing.assert_allclose(
            frequencies[1:].reshape(-1, 3), np.array(brute_force(word, "abc"), float).reshape(-1, 3)
        )


def test_error_is_at_most_one_over_the_length_on_all_short_words() -> None:
    assert worst(induction_head("abc"), all_words("abc", 7), "abc") < 0.7


def test_error_falls_like_one_over_the_length() -> None:
    rows = induction_errors([8, 32, 128, 512, 2048])
    assert all(row.scaled < 0.7 for row in rows)
    assert rows[-1].random < 1e-3


def test_without_rounding_the_error_falls_too_but_slower() -> None:
    rows = induction_errors([64, 512, 4096], precision=None)
    assert all(row.scaled < 0.5 * np.log(row.length) for row in rows)
    assert rows[-1].scaled > 1.5 * rows[0].scaled


def test_with_a_weaker_first_layer_the_error_stays() -> None:
    rows = induction_errors([64, 512, 4096], phi=1.0)
    assert all(row.worst > 0.4 for row in rows)
    assert rows[-1].random > 0.02


def test_zero_where_the_frequencies_are_undefined() -> None:
    outputs = run(induction_head("abcd"), ["abc" + "d" * 500])[0]
    assert outputs[:5].max() < 1e-4


def test_induction_head_is_exact_in_its_own_arithmetic() -> None:
    result = exact.run(induction_head("ab"), "abaabb")
    assert result.exact
    np.testing.assert_allclose(
        np.array(result.outputs, dtype=float), run(induction_head("ab"), ["abaabb"])[0], rtol=1e-12
    )


def test_second_layer_attends_to_what_followed() -> None:
    weights = attention(induction_head("abc"), "abcabcabca", 1, 0)
    assert np.flatnonzero(weights[-1] > 0.1).tolist() == [2, 5, 8]


def generate(model: Transformer, prompt: Sequence[str], stop: str, limit: int) -> tuple[str, ...]:
    """The token with the largest output, again and again, until `stop`, which is included, or the limit."""
    text = list(prompt)
    while len(text) < len(prompt) + limit:
        text.append(model.read_out[int(np.argmax(run(model, [text])[0][-1]))])
        if text[-1] == stop:
            break
    return tuple(text[len(prompt) :])


@pytest.mark.parametrize(("tokens", "length"), [(3, 1), (20, 20), (60, 40)])
def test_copying_without_repetition(tokens: int, length: int) -> None:
    """Huang et al., arXiv 2410.02140, section C.2.2."""
    names = [f"t{number}" for number in range(tokens)]
    word = [names[i] for i in np.random.default_rng(length).permutation(tokens)[:length]]
    answer = generate(induction_head(["#", *names]), ["#", *word, "#"], stop="#", limit=length + 1)
    assert answer == (*word, "#")


def test_copying_with_repetition_fails() -> None:
    # After "a", "b" and "c" have followed equally often.
    assert generate(induction_head("#abc"), "#abac#", "#", 10) != tuple("abac#")


def test_generation_stops_at_the_limit() -> None:
    assert generate(induction_head("ab"), "aab", "b", 0) == ()
    assert len(generate(induction_head("abc"), "ababa", "c", 7)) == 7


def test_counter_example_is_right_up_to_half_its_context() -> None:
    model = two_headed(12, "abc")
    for offset in range(12):
        words = all_words("abc", min(12 - offset, 6) - 1)
        assert worst(model, words, "abc", offset) < 0.7


@pytest.mark.parametrize("context", [16, 32, 64])
def test_counter_example_is_wrong_at_its_context(context: int) -> None:
    half, whole = context // 2, context
    rows = counter_example(context, [2, 5, half - 1, half, whole])
    assert all(row.right for row in rows if row.length <= half)
    (last,) = [row for row in rows if row.length == whole]
    assert last.error > 0.9
    assert len(rows) == sum(context - length + 1 for length in (2, 5, half - 1, half, whole))


def test_counter_example_depends_on_the_offset_between() -> None:
    rows = counter_example(32, [20])
    assert {row.right for row in rows} == {True, False}


def test_witness_is_misread_as_skipping_a_token() -> None:
    outputs = run(two_headed(32), [witness(32)])[0]
    np.testing.assert_allclose(outputs[-1], [0, 0, 1, 0], atol=0.01)
    assert kgram_frequencies(witness(32), "abcd")[-1].tolist() == [0, 1, 0, 0]


def _position_products(model: Transformer) -> list[np.ndarray]:
    """p_jᵀ KQ p_i of each head; rows are queries."""
    return [model.positions @ head.kq.T @ model.positions.T for layer in model.layers for head in layer.heads]


def test_product_functions_vary_with_the_offset_and_are_local() -> None:
    model = two_headed(32)
    matrices = _position_products(model)
    assert all(offset_variance(each) > 0.05 for each in matrices[:2])
    assert all(np.abs(np.tril(each - invariant_version(each))).max() > 1 for each in matrices[:2])
    assert [offset_variance(each) for each in matrices[2:]] == [0, 0]
    for each in matrices:
        i, j = np.nonzero(each)
        assert all(1 <= distance <= 2 for distance in i - j)


def test_parameters_stay_bounded_as_the_context_grows() -> None:
    sizes = []
    for context in (16, 64):
        model = two_headed(context)
        norms = [np.linalg.norm(head.kq, 2) for layer in model.layers for head in layer.heads]
        sizes.append(max(*norms, *np.linalg.norm(model.positions, axis=1)))
    assert sizes[1] == pytest.approx(sizes[0])


def test_variance_of_a_translation_invariant_model_is_zero() -> None:
    assert all(offset_variance(each) == 0 for each in _position_products(induction_head("ab")))


def _counted(word: str, tokens: str, k: int) -> list[float]:
    """At the end of the word, literally."""
    if len(word) < k:
        return [0.0] * len(tokens)
    after = [word[j] for j in range(k, len(word)) if word[j - k : j] == word[len(word) - k :]]
    return [after.count(token) / max(len(after), 1) for token in tokens]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_frequencies_are_counted(k: int) -> None:
    rng = np.random.default_rng(k)
    for size in (0, 1, 2, 5, 30):
        word = "".join(rng.choice(list("abc"), size))
        found = kgram_frequencies(word, "abc", k)
        for end in range(size + 1):
            assert found[end].tolist() == _counted(word[:end], "abc", k)


@pytest.mark.parametrize(("k", "tokens"), [(1, "abcd"), (2, "ab"), (2, "abc"), (3, "ab")])
def test_the_head_errs_by_one_over_the_length_at_most(k: int, tokens: str) -> None:
    model = kgram_head(tokens, k)
    rng = np.random.default_rng(0)
    for size in (16 * k, 64, 300):
        words = ["".join(rng.choice(list(tokens), size)) for _ in range(3)]
        words += [tokens[0] * size, (tokens * size)[:size], tokens[1] * (size - 1) + tokens[0]]
        for word, outputs in zip(words, run(model, words), strict=True):
            assert np.abs(outputs - kgram_frequencies(word, tokens, k)).max() <= 1 / (size + 1)


def test_one_token_of_memory_is_the_induction_head() -> None:
    one, other = kgram_head("abc", 1), induction_head("abc")
    np.testing.assert_array_equal(run(one, ["abcacbabc"])[0], run(other, ["abcacbabc"])[0])


def test_a_larger_match_makes_infinite_precision_sharper() -> None:
    word = "abaabbab" * 40
    wanted = kgram_frequencies(word, "ab", 2)[-1]
    errors = [
        float(
            np.abs(run(kgram_head("ab", 2, match=match), [word], precision="infinite")[0][-1] - wanted).max()
        )
        for match in (4.0, 8.0, 16.0)
    ]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.02
