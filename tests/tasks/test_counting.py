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
from longreach.tasks.counting import EVERY_FIFTH, Count, EvenPairs, ModularArithmetic
from longreach.tasks.layouts import UNDEFINED
from longreach.theory.automata.regex import from_expression
from tests.helpers.enumeration import distribution, normalized
from tests.helpers.task_oracles import even_pairs, modular_arithmetic


def test_the_number_is_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "KEY_BITS", 6)

    def run(rng: Any) -> tuple[str, ...]:
        return tuple(Count().decode(Count().sample([3], rng).tokens[0, 1:4].tolist()))

    expected = {x: Fraction(1, 4 * comb(3, x.count("a"))) for x in product("ab", repeat=3)}
    assert normalized(distribution(run, 4)[0]) == expected


def test_the_language_reduced_to() -> None:
    language = from_expression(EVERY_FIFTH.removeprefix("regex:"))
    for length in range(12):
        for word in product("ab", repeat=length):
            assert language.accepts(word) == (word.count("a") % 5 == 0)


@pytest.mark.parametrize("length", range(1, 8))
def test_the_answer_is_whether_the_ends_are_equal(length: int) -> None:
    machine, language = EvenPairs().machine, from_expression("a|b|a(a|b)*a|b(a|b)*b")
    for word in product("ab", repeat=length):
        assert [machine.class_of(word)] == even_pairs(word)
        assert language.accepts(word) == (even_pairs(word) == ["even"]) == (word[0] == word[-1])


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


def test_examples_of_the_authors() -> None:
    for text, value in (("1+2*3", "2"), ("1-1-1", "4"), ("0*1+4*3-2", "0")):
        assert ModularArithmetic().answer(list(text)) == (value, "EOS") == (*modular_arithmetic(text), "EOS")


def test_the_automaton_knows_expressions() -> None:
    task = ModularArithmetic()
    assert task.lengths(1, 6).tolist() == [1, 3, 5]
    for length in (1, 2, 3, 4):
        for word in product("014+-*", repeat=length):
            try:
                right = modular_arithmetic(word)[0] if length % 2 and _is_expression(word) else UNDEFINED
            except (AssertionError, ValueError):
                right = UNDEFINED
            assert task.machine.class_of(word) == right
            if right == UNDEFINED:
                with pytest.raises(InputError, match="is no expression"):
                    task.answer(word)


def _is_expression(word: Sequence[str]) -> bool:
    return all(token.isdigit() == (place % 2 == 0) for place, token in enumerate(word))
