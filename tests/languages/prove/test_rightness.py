"""How a program is known to be right: by proof, not at all, or refuted by a word."""

from __future__ import annotations

import numpy as np
import pytest

from longreach.crasp import parse
from longreach.crasp.evaluate import accepts
from longreach.crasp.words import Encoder
from longreach.languages.budget import Budget
from longreach.languages.prove import rightness as module
from longreach.languages.prove.induction import Induction, prove
from longreach.languages.prove.rightness import LONGEST_WORD, difference, random_words, rightness
from longreach.languages.regular.expression_to_automaton import from_expression

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
    monkeypatch.setattr(module, "random_words", lambda *_: np.zeros((1, 1), dtype=np.int64))
    monkeypatch.setattr(module, "prove", lambda *_, **__: Induction(False, "given up"))
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
    words = random_words(automaton, np.random.default_rng(0))
    assert words.shape == (96, LONGEST_WORD)
    assert set(np.unique(words)) == {0, 1}
    live = [automaton.run([automaton.alphabet[k] for k in word]) for word in words[-24:]]
    assert all(set(automaton.transitions[state]) != {state} for state in live)
    even = from_expression("(aa)*")
    odd = parse("#alphabet a\nL = i % 2 == 1").core
    assert difference(odd, even, random_words(even, np.random.default_rng(0))) == ("a",)
