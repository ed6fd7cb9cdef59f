"""Right programs, equal programs and the automata of programs, for all lengths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError, MissingExtra
from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.automata.samples import random_words
from longreach.theory.budget import Budget
from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core, CoreBuilder
from longreach.theory.crasp.evaluate import accepts
from longreach.theory.crasp.library import load
from longreach.theory.crasp.program import parse
from longreach.theory.crasp.transform import symmetric_difference
from longreach.theory.crasp.words import Encoder, encode
from longreach.theory.prove import equivalence as module
from longreach.theory.prove.equivalence import accepts_nothing, equivalent, regular_language
from longreach.theory.prove.induction import LONGEST_WORD, Induction, difference, prove, rightness
from tests.helpers.examples import examples
from tests.helpers.extras import needs
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

    def rule(op: c.Op) -> int:
        match op:
            case c.Leq(left, right):
                double = [b.add_op(c.Add(k, k)) for k in (left, right)]
                return b.not_(b.leq(double[1], b.add_op(c.Subtract(double[0], b.integer(1)))))
            case c.And(left, right):
                return b.not_(b.or_(b.not_(left), b.not_(right)))
            case _:
                return b.add_op(op)

    return core.moved_to(b.ops, c.rewrite(core.ops, rule))


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


@needs("z3")
@pytest.mark.parametrize(
    "name", ["tomita-1", "tomita-2", "tomita-4", "tomita-7", "d-3", "aa", "abab", "aa-bb-cc-dd-ee", "ab-d-bc"]
)
def test_the_automaton_of_a_regular_language_is_found(name: str) -> None:
    assert regular_language(load(name).core) == named_automaton(name)


@pytest.mark.parametrize("name", ["dyck-1", "majority", "anbncn", "induction-all"])
def test_other_programs_have_none(name: str) -> None:
    assert regular_language(load(name).core) is None


def test_what_cannot_be_proved_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    core = parse('#alphabet a b\nL = # "a" >= 12').core  # short words are all rejected

    def never(*_: object) -> bool:
        return False

    found = regular_language(core)
    assert found is None or found.accepts("a" * 12)
    monkeypatch.setattr(module, "_proved", never)
    assert regular_language(load("tomita-1").core) is None


def test_a_wrong_guess_is_not_taken() -> None:
    core = parse('#alphabet a\nL = # "a" == 30').core
    found = regular_language(core)
    assert found is None or (isinstance(found, Automaton) and found.accepts("a" * 30))


# How a program is known to be right: by proof, not at all, or refuted by a word.


BB = '#alphabet a b\nbb = #[i-1..i] "b" == 2\n'


@pytest.mark.parametrize(
    ("text", "regex"),
    [
        (BB + 'L = exists bb && # "a" <= 14', "(a|b)*bb(a|b)*"),  # the prover meets a long word
        (BB + 'L = exists bb && # "a" - # "b" <= 60', "(a|b)*bb(a|b)*"),  # only random words do
        (BB + 'L = exists bb && # "a" - # "b" <= 1500', "(a|b)*bb(a|b)*"),
        ("#alphabet a\nL = " + " || ".join(f'# "a" == {n}' for n in range(0, 16, 2)), "(aa)*"),
        ('#alphabet a\nL = i % 2 == 0 && !(i % 38 == 30)', "(aa)*"),
        ('#alphabet a b\nL = # "a" == # "b"', "(ab|ba)*"),
    ],
)  # fmt: skip
def test_wrong_programs_meet_a_word(text: str, regex: str) -> None:
    core, automaton = parse(text).core, from_expression(regex)
    known = rightness(core, automaton)
    assert known.witness is not None
    assert not known.proved
    said = bool(accepts(core, [Encoder(core).tokens(known.witness)])[0])
    assert said != automaton.accepts(known.witness)
    assert str(known).startswith("wrong on ")


def test_right_programs_are_proved_or_not_proved() -> None:
    language = from_expression("(a|b)*bb(a|b)*")
    assert str(rightness(parse(BB + "L = exists bb").core, language)) == "proved for all lengths"
    known = rightness(
        parse(BB + 'L = exists bb && # "a" - # "b" <= 100000').core,
        language,
        budget=Budget(seconds=1).running(),
    )
    assert (known.proved, known.witness, known.word) == (False, None, "checked")
    assert "): no difference on all words to length 12 and 96 random words" in str(known)
    assert known.reason


def test_without_z3_nothing_is_called_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    language = from_expression("(a(ab)*b)*")
    program = parse('#alphabet a b\nn = # "a" - # "b"\nL = # (n < 0 || n > 2) == 0 && n == 0').core
    assert rightness(program, language).proved
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    known = rightness(program, language)
    assert (known.proved, known.tried) == (False, 96)
    assert "smt" in known.reason


def test_all_words_to_several_moduli(monkeypatch: pytest.MonkeyPatch) -> None:
    none = np.zeros((1, 1), dtype=np.int64)
    monkeypatch.setattr("longreach.theory.automata.samples.random_words", lambda *_: none)
    monkeypatch.setattr(
        "longreach.theory.prove.induction.prove", lambda *_, **__: Induction(False, "given up")
    )
    wrong = parse("#alphabet a\nL = i % 2 == 0 && !(i % 26 == 25 || i % 26 == 24)").core
    known = rightness(wrong, from_expression("(aa)*"))
    assert known.witness == ("a",) * 24


def test_the_prover_gives_its_witness() -> None:
    language = from_expression("(a|b)*bb(a|b)*")
    found = prove(parse(BB + 'L = exists bb && # "a" <= 14').core, language)
    assert found.witness is not None
    assert (found.witness.count("a"), language.accepts(found.witness)) == (15, True)
    assert prove(parse('#alphabet a\nL = # "a" >= 0').core, from_expression("aa*")).witness == ()
    assert prove(parse(BB + "L = exists bb").core, language).witness is None


def test_random_words_are_long_and_leave_the_sink_alone() -> None:
    automaton = from_expression("(a(ab)*b)*")
    words = random_words(automaton, np.random.default_rng(0), 2000)
    assert words.shape == (96, LONGEST_WORD)
    assert set(np.unique(words)) == {0, 1}
    live = [automaton.run([automaton.alphabet[k] for k in word]) for word in words[-24:]]
    assert all(set(automaton.transitions[state]) != {state} for state in live)
    even = from_expression("(aa)*")
    odd = parse("#alphabet a\nL = i % 2 == 1").core
    assert difference(odd, even, random_words(even, np.random.default_rng(0), 2000)) == ("a",)
