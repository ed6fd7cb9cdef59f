"""Tests of `theory.verdicts.explain`."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from longreach.answers.kinds import kind_of
from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.named import NAMED_LANGUAGES, named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.decide.decisions import decide
from longreach.theory.verdicts.explain import Alike, Unseen, _no, examples, explain, explain_at_end
from longreach.theory.verdicts.judge import judge
from tests.helpers.language_oracles import automata

# The words of an explanation really differ in the language.


@pytest.mark.parametrize("name", NAMED_LANGUAGES)
def test_the_two_words_differ(name: str) -> None:
    automaton = named_automaton(name)
    verdicts = judge(automaton)
    for verdict in (verdicts.nope, verdicts.ape):
        lines = kind_of(verdict.certificate).explain(verdict.certificate)
        if verdict.answer.value != "no":
            assert lines == ()
            continue
        words = [line.strip() for line in lines if line.startswith("    ")]
        assert len(words) == 2
        for power in (1, 2, 5):
            answers = []
            for word in words:
                # p is a product of loops; the empty one is among them.
                spelled = re.sub(r"\((\w+)\)ᴺ", r"\1" * power, word.replace("p", "", 1))
                answers.append(automaton.accepts(spelled.replace(" ", "")))
            assert answers[0] != answers[1]


# The examples of a clause are read back from its text and tried on the automaton.


ALIKE = re.compile(r'counts alone cannot tell whether a long word ends in "(\w+)" or "(\w+)"')
UNSEEN = re.compile(r'in a long run "(\w+)…", an extra "(\w+)" matters but cannot be seen')
AT_END = re.compile(r'counts alone cannot tell whether a long word ends in one more "(\w+)"')
LONG = 60
"""A multiple of every number of states up to 6."""


def check_no(automaton: Automaton, text: str, *, prediction: bool) -> None:
    """From some state, both words lead to states after which different words are accepted."""
    usable = automaton.live if prediction else frozenset(range(len(automaton)))
    alike, unseen = ALIKE.fullmatch(text), UNSEEN.fullmatch(text)
    if alike:
        first, second = alike.groups()
        assert first[-1] == second[-1]  # a program sees the last letter
        ends = [(automaton.run(first, q), automaton.run(second, q)) for q in range(len(automaton))]
        # Different states of a minimal automaton accept different words.
        assert any(p != q and {p, q} <= usable for p, q in ends)
    elif unseen:
        beginning, extra = unseen.groups()
        roots = [
            size
            for size in range(1, len(beginning) + 1)
            if beginning == (beginning[:size] * len(beginning))[: len(beginning)]
        ]
        run = beginning[: roots[0]] * LONG
        hidden = [q for q in range(len(automaton)) if automaton.run(run, q) == q]
        ends = [automaton.run(run, automaton.run(extra, q)) for q in hidden]
        assert any(p != q and p in hidden and {p, q} <= usable for p, q in zip(ends, hidden, strict=True))
    else:
        assert "counts" in text, text


@given(automata(6, "ab"))
def test_the_words_of_a_no_lead_to_different_continuations(automaton) -> None:
    found = decide(automaton)
    for decision in (found.nope, found.ape, found.local):
        if decision.answer is False:
            check_no(automaton, explain(decision).short(), prediction=False)
        if decision.prediction is False:
            check_no(automaton, explain(decision, prediction=True).short(), prediction=True)


@given(automata(5, "abc"))
def test_a_word_more_at_the_end_changes_what_may_follow(automaton) -> None:
    decision = decide(automaton).nope
    clause = explain_at_end(decision).short()
    found = AT_END.fullmatch(clause)
    if decision.at_end is False and found:
        assert any(automaton.run(found[1], q) != q for q in range(len(automaton)))
    assert (found is None) == (decision.at_end is not False or "distinguish" in clause)


@pytest.mark.parametrize("name", NAMED_LANGUAGES)
def test_named_languages(name) -> None:
    automaton = named_automaton(name)
    found = decide(automaton)
    for decision in (found.nope, found.ape):
        text = explain(decision, prediction=True).short()
        if decision.prediction is False:
            check_no(automaton, text, prediction=True)
            assert '"' in text
        else:
            assert "may follow" in text


@pytest.mark.parametrize(
    ("expression", "alphabet", "nope", "ape"),
    [
        (
            "(aa)*",
            "a",
            'counts alone cannot tell whether a long word ends in "a" or "aa"',
            "the position modulo 2 determines what may follow",
        ),
        (
            "(a|b)*bb(a|b)*",
            "ab",
            'counts alone cannot tell whether a long word ends in "b" or "bb"',
            "the last 2 letters and one-time events determine what may follow",
        ),
        ("ab?c", "abc", "the language is finite: its longest word has 3 letters", None),
        ("a?", "a", "the language is finite: its longest word has 1 letter", None),
        ("(ab)*", "ab", "the last letter determines what may follow", None),
        ("(a|b)*", "ab", "the same letters may follow everywhere", None),
        ("a(a|b)*", "ab", "the same letters may follow everywhere after the first one", None),
        ("(a(ab)*b)*", "ab", "counts determine what may follow", None),
    ],
)
def test_clauses(expression, alphabet, nope, ape) -> None:
    found = decide(from_expression(expression, alphabet))
    assert explain(found.nope, prediction=True).short() == nope
    assert explain(found.ape, prediction=True).short() == (ape or nope)


def test_examples_are_the_shortest() -> None:
    found = decide(from_expression("b*(ab*ab*)*"))
    assert examples(found.nope) == Alike(("a",), ("a", "a"))
    assert examples(found.ape) == Unseen(("b",), ("a", "b"))


def test_letters_may_be_shown_as_others() -> None:
    decision = decide(from_expression("b*(ab*ab*)*")).nope
    shown = explain(decision).short({"a": "one", "b": "zero"})
    assert shown == 'counts alone cannot tell whether a long input ends in "one" or "one one"'


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (("SEP",), ("a", "SEP"), 'ends in "a"'),
        (("SOS", "a", "SEP"), ("a", "b", "SEP"), 'ends in "a" or "ab"'),
    ],
)
def test_tokens_that_nobody_wrote_are_not_shown(
    first: tuple[str, ...], second: tuple[str, ...], words: str
) -> None:
    assert _no(Alike(first, second), None) == f"counts alone cannot tell whether a long word {words}"


@given(automata(6, "ab"))
def test_where_positions_are_seen_a_word_stands_for_repetitions_of_its_length(automaton) -> None:
    decision = decide(automaton).ape
    if decision.answer is False:
        found = examples(decision)
        assert isinstance(found, Unseen)
        assert len(found.extra) % len(found.repeated) == 0
        hidden = [q for q in range(len(automaton)) if automaton.run(found.repeated, q) == q]
        assert any(automaton.run(found.extra, q) in set(hidden) - {q} for q in hidden)
