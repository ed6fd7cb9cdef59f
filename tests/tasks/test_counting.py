"""Tests of `tasks.counting`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import pytest

from longreach.answers.certificates import ReductionCertificate
from longreach.answers.checkers import check_reduction
from longreach.answers.forecast import forecast
from longreach.answers.kinds import kind_of
from longreach.errors import InputError
from longreach.tasks import layouts as draws
from longreach.tasks.counting import EVERY_FIFTH, Count, CycleNavigation, EvenPairs, Mode, ModularArithmetic
from longreach.tasks.layouts import UNDEFINED
from longreach.theory.automata.regex import from_expression
from tests.helpers.enumeration import distribution, normalized
from tests.helpers.task_checks import assert_program_solves, assert_samples_are_right, least_share, statuses


def _literal(x: Sequence[str]) -> list[str]:
    return ["a"] * sum(symbol == "a" for symbol in x)


def test_samples() -> None:
    assert_samples_are_right(Count(), _literal)


def test_the_number_is_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "KEY_BITS", 6)

    def run(rng: Any) -> tuple[str, ...]:
        return tuple(Count().decode(Count().sample([3], rng).tokens[0, 1:4].tolist()))

    expected = {x: Fraction(1, 4 * comb(3, x.count("a"))) for x in product("ab", repeat=3)}
    assert normalized(distribution(run, 4)[0]) == expected


def test_program_on_all_short_inputs() -> None:
    words = (word for length in range(1, 10) for word in product("ab", repeat=length))
    assert_program_solves("count", words, _literal)


def test_forecast() -> None:
    assert statuses("count") == {"nope": ("yes", "not proved"), "ape": ("yes", "not proved")}


def _literal_cycle_navigation(x: Sequence[str]) -> list[str]:
    places = ["0", "1", "2", "3", "4"]
    for step in x:
        if step == "right":
            places = [*places[1:], places[0]]
        elif step == "left":
            places = [places[-1], *places[:-1]]
    return places[:1]


def test_samples_cycle_navigation() -> None:
    assert_samples_are_right(CycleNavigation(), _literal_cycle_navigation)
    assert least_share(CycleNavigation(), 40) > 0.15


def test_forecast_cycle_navigation() -> None:
    assert statuses("cycle-navigation") == {"nope": ("no", "valid"), "ape": ("no", "valid")}


def test_the_language_reduced_to() -> None:
    language = from_expression(EVERY_FIFTH.removeprefix("regex:"))
    for length in range(12):
        for word in product("ab", repeat=length):
            assert language.accepts(word) == (word.count("a") % 5 == 0)


def _literal_even_pairs(x: Sequence[str]) -> list[str]:
    word = "".join(x)
    pairs = sum(word[k : k + 2] in ("ab", "ba") for k in range(len(word)))
    return ["even" if pairs % 2 == 0 else "odd"]


def test_samples_even_pairs() -> None:
    assert_samples_are_right(EvenPairs(), _literal_even_pairs)
    assert least_share(EvenPairs(), 40) > 0.45


def test_program_on_all_short_inputs_even_pairs() -> None:
    words = (word for length in range(1, 10) for word in product("ab", repeat=length))
    assert_program_solves("even-pairs", words, _literal_even_pairs)


def test_forecast_even_pairs() -> None:
    assert statuses("even-pairs") == {"nope": ("no", "valid"), "ape": ("yes", "not proved")}


@pytest.mark.parametrize("length", range(1, 8))
def test_the_answer_is_whether_the_ends_are_equal(length: int) -> None:
    machine, language = EvenPairs().machine, from_expression("a|b|a(a|b)*a|b(a|b)*b")
    for word in product("ab", repeat=length):
        assert [machine.class_of(word)] == _literal_even_pairs(word)
        assert language.accepts(word) == (_literal_even_pairs(word) == ["even"]) == (word[0] == word[-1])


def test_the_proof_is_about_reading_after_the_last_letter() -> None:
    certificate = forecast("even-pairs").sides["nope"].certificate
    assert isinstance(certificate, ReductionCertificate)
    assert getattr(certificate.certificate, "convention", None) == "end-of-sequence"
    assert (
        kind_of(certificate)
        .in_short(certificate)
        .endswith("in C-RASP[∅] that is read after the last letter (flow)")
    )
    assert check_reduction(certificate, EvenPairs(), True).valid
    # Read at the last letter there is a program: without SEP the same certificate proves nothing.
    read_before = certificate.reduction.model_copy(update={"after": ()})
    found = check_reduction(certificate.model_copy(update={"reduction": read_before}), EvenPairs(), True)
    assert (
        found.problem == "the language's certificate is about programs that are not read at the last letter"
    )


def _literal_mode(x: Sequence[str]) -> list[str]:
    most = max(list(x).count(symbol) for symbol in x)
    (mode,) = {symbol for symbol in x if list(x).count(symbol) == most}
    return [mode]


def _has_mode(x: Sequence[str]) -> bool:
    counts = sorted((list(x).count(symbol) for symbol in set(x)), reverse=True)
    return len(counts) == 1 or counts[0] > counts[1]


def test_samples_mode() -> None:
    assert_samples_are_right(Mode(), _literal_mode)
    assert least_share(Mode(), 40) > 0.15


def test_program_on_all_short_inputs_mode() -> None:
    words = (word for length in range(1, 5) for word in product("abcde", repeat=length) if _has_mode(word))
    assert_program_solves("mode", words, _literal_mode)


def test_forecast_mode() -> None:
    assert statuses("mode") == {"nope": ("yes", "not proved"), "ape": ("yes", "not proved")}


def _literal_modular_arithmetic(x: Sequence[str]) -> list[str]:
    """Two passes over a list: products first, then sums from the left."""
    work: list[str | int] = [int(token) if token.isdigit() else token for token in x]
    for operators in ("*", "+-"):
        place = 1
        while place < len(work):
            if work[place] in list(operators):
                left, operator, right = work[place - 1 : place + 2]
                assert isinstance(left, int)
                assert isinstance(right, int)
                value = left * right if operator == "*" else left + right if operator == "+" else left - right
                work[place - 1 : place + 2] = [value]
            else:
                place += 2
    (value,) = work
    assert isinstance(value, int)
    return [str(value % 5)]


def test_examples_of_the_authors() -> None:
    for text, value in (("1+2*3", "2"), ("1-1-1", "4"), ("0*1+4*3-2", "0")):
        assert (
            ModularArithmetic().answer(list(text))
            == (value, "EOS")
            == (*_literal_modular_arithmetic(text), "EOS")
        )


def test_samples_modular_arithmetic() -> None:
    assert_samples_are_right(ModularArithmetic(), _literal_modular_arithmetic)
    assert least_share(ModularArithmetic(), 41) > 0.12
    assert ModularArithmetic().lengths(1, 6).tolist() == [1, 3, 5]


def test_forecast_modular_arithmetic() -> None:
    assert statuses("modular-arithmetic") == {"nope": ("no", "valid"), "ape": ("no", "valid")}


def test_the_automaton_knows_expressions() -> None:
    task = ModularArithmetic()
    for length in (1, 2, 3, 4):
        for word in product("014+-*", repeat=length):
            try:
                right = (
                    _literal_modular_arithmetic(word)[0] if length % 2 and _is_expression(word) else UNDEFINED
                )
            except (AssertionError, ValueError):
                right = UNDEFINED
            assert task.machine.class_of(word) == right
            if right == UNDEFINED:
                with pytest.raises(InputError, match="is no expression"):
                    task.answer(word)


def _is_expression(word: Sequence[str]) -> bool:
    return all(token.isdigit() == (place % 2 == 0) for place, token in enumerate(word))
