"""Equal and empty for all lengths: never said of programs that differ, and the first word where they do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.crasp import core as c
from longreach.crasp import parse
from longreach.crasp.closure.transform import symmetric_difference
from longreach.crasp.core import Core, CoreBuilder
from longreach.crasp.evaluate import accepts
from longreach.crasp.library import load
from longreach.crasp.words import encode
from longreach.errors import InputError, MissingExtra
from longreach.languages.budget import Budget
from longreach.languages.prove import equivalence as module
from longreach.languages.prove.equivalence import accepts_nothing, equivalent
from tests.helpers.examples import examples
from tests.helpers.small_programs import ALL_CLASSES, programs, words_up_to

WORDS = list(words_up_to("ab", 8))


def first(core: Core, *others: Core) -> tuple[str, ...] | None:
    """The first listed word that one program accepts, or on which two differ."""
    said = accepts(core, [encode(core, list(word)) for word in WORDS])
    for other in others:
        said = said != accepts(other, [encode(other, list(word)) for word in WORDS])
    return next((word for word, yes in zip(WORDS, said, strict=True) if yes), None)


def rewritten(core: Core) -> Core:
    """The same with a ≤ b written as a + a − 1 < b + b, and p ∧ q as ¬(¬p ∨ ¬q)."""
    b = CoreBuilder()
    moved: list[int] = []
    for op in core.ops:
        match op:
            case c.Leq(left, right):
                double = [b.add_op(c.Add(moved[k], moved[k])) for k in (left, right)]
                less = b.add_op(c.Subtract(double[0], b.integer(1)))
                moved.append(b.not_(b.leq(double[1], less)))
            case c.And(left, right):
                moved.append(b.not_(b.or_(b.not_(moved[left]), b.not_(moved[right]))))
            case _:
                moved.append(b.add_op(c.with_operands(op, [moved[k] for k in c.operands(op)])))
    assert core.accept is not None
    return Core(tuple(b.ops), core.alphabet, core.closed, moved[core.accept])


@pytest.mark.parametrize("relations", ALL_CLASSES)
@settings(max_examples=examples(40))
@given(data=st.data(), length=st.integers(0, 4))
def test_one_level_programs_are_decided(data: st.DataObject, length: int, relations) -> None:  # type: ignore[no-untyped-def]
    left = data.draw(programs(relations, layers=1))
    same = equivalent(left, rewritten(left), length)
    assert (same.comparison.equal, same.comparison.proof, same.reason) == (True, "proved", "")
    rare = data.draw(programs(relations, layers=1))
    other = equivalent(left, symmetric_difference(left, rare), length)
    wanted = first(rare)
    if wanted is not None:
        assert other.comparison.witness == wanted
        assert other.shortest == len(wanted)
    elif not other.comparison.equal:
        assert other.shortest is not None
        assert other.shortest > 8
    else:
        assert other.comparison.proof == "proved"
    empty = accepts_nothing(rare, length)
    assert empty.comparison == other.comparison


@settings(max_examples=examples(25))
@given(programs(layers=2), programs(layers=2))
def test_nested_programs_are_never_proved_wrongly(left: Core, right: Core) -> None:
    for one, other in ((left, right), (left, rewritten(left))):
        found = equivalent(one, other, 3)
        wanted = first(one, other)
        if found.comparison.equal:
            assert found.comparison.proof == "proved" or found.reason
            if found.comparison.proof == "proved":
                assert wanted is None
        if wanted is not None and not found.comparison.equal:
            assert found.comparison.witness == wanted


def test_nested_programs_by_induction_and_by_their_language() -> None:
    # Both say that no b comes before an a.
    sorted_words = parse('#alphabet a b\nP = # ("a" && # "b" >= 1) == 0').core
    other = parse('#alphabet a b\nP = # ("b" && #[i-1] "b" == 0) + ("b" ? 0 : # "b") <= 1 && '
                  '# ("a" && # "b" > 0) < 1').core  # fmt: skip
    assert equivalent(sorted_words, other, 5).comparison.proof == "proved"
    assert equivalent(load("d-3").core, load("d-3").core, 2).comparison.proof == "proved"


def test_nested_differences_beyond_the_length() -> None:
    left = parse('#alphabet a\nP = # (# "a" >= 2) <= 15').core
    right = parse('#alphabet a\nP = # (# "a" >= 3) <= 15').core
    found = equivalent(left, right, 5)
    assert (found.comparison.equal, found.shortest) == (False, 17)
    assert found.comparison.witness == ("a",) * 17


def test_what_is_not_known_has_a_reason() -> None:
    # Dyck-1 by counts, once with the depth of the brackets bounded far away.
    deep = parse(
        '#alphabet ( )\no = # "("\nc = # ")"\nD = # (o < c) == 0 && o == c && # (o - c > 9000) == 0'
    ).core
    found = equivalent(load("dyck-1").core, deep, 6, Budget(seconds=0.5))
    assert (found.comparison.equal, found.comparison.proof) == (True, "checked")
    assert "a count reads another count" in found.reason


def test_predictors() -> None:
    left = parse('#alphabet a b\noutput "a" = # "a" >= 2\noutput "b" = false').core
    same = parse('#alphabet a b\noutput "a" = ! (# "a" <= 1)').core
    assert equivalent(left, same, 2).comparison.proof == "proved"
    late = parse('#alphabet a b\noutput "a" = # "a" >= 2\noutput "b" = # "b" >= 20').core
    assert equivalent(left, late, 2).comparison.witness == ("b",) * 20
    with pytest.raises(InputError, match="predictor"):
        accepts_nothing(left, 3)


def test_the_order_of_the_letters_is_that_of_the_alphabet() -> None:
    for letters, wanted in (("a b", "a" * 20 + "b" * 20), ("b a", "b" * 20 + "a" * 20)):
        core = parse(f'#alphabet {letters}\nP = # "a" >= 20 && # "b" >= 20').core
        assert "".join(accepts_nothing(core, 3).comparison.witness or ()) == wanted


def test_programs_that_name_other_tokens() -> None:
    left, right = parse('P = # "a" >= 1').core, parse('P = # "a" >= 1 || # "b" >= 30').core
    assert equivalent(left, right, 4).comparison.witness == ("b",) * 30
    assert (
        equivalent(parse("P = # true >= 2").core, parse("P = # true > 1").core, 4).comparison.proof
        == "proved"
    )


def test_without_z3_the_answer_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise MissingExtra("an answer for all lengths", "smt")

    monkeypatch.setattr(module, "first_difference", missing)
    core = parse('P = # "a" >= 2').core
    found = equivalent(core, replace(rewritten(core), names=()), 4)
    assert (found.comparison.proof, "smt" in found.reason) == ("checked", True)
