"""From regular expressions to automata, against Python's `re` and automata-lib."""

from __future__ import annotations

import random
import re

import pytest
from automata.fa.nfa import NFA

from longreach.errors import InputError
from longreach.theory.automata.regex import from_expression
from tests.helpers.language_oracles import words


def _random(depth: int, chance: random.Random) -> str:
    kind = chance.random()
    if depth == 0 or kind < 0.3:
        return chance.choice(["a", "b", "c", ".", "[ab]", "[^a]", "[a-c]", "()"])
    if kind < 0.5:
        return _random(depth - 1, chance) + _random(depth - 1, chance)
    if kind < 0.7:
        return f"({_random(depth - 1, chance)}|{_random(depth - 1, chance)})"
    repeat = chance.choice(["*", "+", "?", "{2}", "{0}", "{0,0}", "{0,2}", "{1,2}", "{2,}", "{,2}"])
    return f"({_random(depth - 1, chance)}){repeat}"


def test_agrees_with_python() -> None:
    chance = random.Random(2)
    for _ in range(150):
        expression = _random(4, chance)
        automaton = from_expression(expression, "abc")
        pattern = re.compile(expression.replace("{,", "{0,"))
        for word in words("abc", 4):
            assert automaton.accepts(word) == bool(pattern.fullmatch("".join(word))), expression


def _with_products(depth: int, chance: random.Random) -> str:
    if depth == 0:
        return chance.choice(["a", "b*", "(ab)*", "[ab]", "a?c", "(b|c){2}", "(a|bc)+"])
    first, second = (_with_products(depth - 1, chance) for _ in range(2))
    joined = f"{first}{chance.choice('|&^')}{second}{chance.choice(['', '&.*', '|c', '^a'])}"
    return f"({joined}){chance.choice(['', '', '*', '{2}'])}"


def test_agrees_with_automata_lib_on_intersections_and_shuffles() -> None:
    chance = random.Random(3)
    for _ in range(200):
        expression = _with_products(1, chance)
        automaton = from_expression(expression, "abc")
        oracle = NFA.from_regex(expression, input_symbols=set("abc"))
        for word in words("abc", 4):
            assert automaton.accepts(word) == oracle.accepts_input("".join(word)), expression


def test_intersection_and_shuffle() -> None:
    both = from_expression("(a|b)*a&(aa|b)*", "ab")
    assert [both.accepts(w) for w in ("aa", "baa", "a", "aab")] == [True, True, False, False]
    mixed = from_expression("ab^c")
    assert [mixed.accepts(w) for w in ("abc", "acb", "cab", "bac")] == [True, True, True, False]


@pytest.mark.parametrize(
    ("expression", "alphabet", "accepted", "rejected"),
    [
        ("", "ab", "", "a"),
        ("()", "ab", "", "b"),
        ("[^ab]", "ab", None, "ab"),
        (r"\(*\)", None, "(()", "()("),
        (r"\ a", " a", " a", "a"),
        (r"\d*", "0a1", "0110", "0a"),
        (r"\D", "0a1", "a", "0"),
        (r"[\]a]", None, "]", "]]"),
        ("[a-]", None, "-", "b-"),
    ],
)
def test_corner_cases(expression, alphabet, accepted, rejected) -> None:
    automaton = from_expression(expression, alphabet)
    assert accepted is None or automaton.accepts(accepted)
    assert not set(rejected) <= set(automaton.alphabet) or not automaton.accepts(rejected)


@pytest.mark.parametrize(
    ("expression", "alphabet", "column"),
    [
        ("(a|b", None, 1),
        ("a(b(a)", None, 2),
        ("ab)", None, 3),
        ("a|", None, 2),
        ("|a", None, 1),
        ("a||b", None, 3),
        ("(a|)b", None, 4),
        ("(|a)", None, 2),
        ("*a", None, 1),
        ("a|*b", None, 3),
        ("(*a)", None, 2),
        ("a{3,2}", None, 2),
        ("a{x}", None, 2),
        ("a{}", None, 2),
        ("a{2", None, 2),
        ("ab[a", None, 3),
        ("a[]", None, 3),
        ("[b-a]", None, 2),
        ("ab]", None, 3),
        ("a}", None, 2),
        ("abxa", "ab", 3),
        ("a[bx]", "ab", 2),
        ("a b", None, 2),
        ("ab\\", None, 3),
        ("a{1000000}", None, 2),
        ("a{99999999999999999999}", None, 2),
        ("((a{100}){100}){100}", None, 10),
    ],
)
def test_errors_name_the_column(expression, alphabet, column) -> None:
    with pytest.raises(InputError) as caught:
        from_expression(expression, alphabet)
    assert caught.value.column == column
    assert caught.value.message.startswith(f"column {column}: ")
    assert "\n" not in caught.value.message


def test_deep_nesting() -> None:
    assert len(from_expression("(" * 100 + "a" + ")*" * 100)) == 1


def test_a_dollar_may_be_a_letter() -> None:
    assert from_expression(r"a\$").alphabet == ("$", "a")
    assert from_expression("a$", "a$").accepts("a$")
    assert from_expression("$a").accepts("$a")


def test_groups_that_capture_nothing() -> None:
    assert from_expression("(?:ab|c)*(?:a)?") == from_expression("(ab|c)*(a)?")
    for expression in ("(?=a)", "(?", "a(?!b)"):
        with pytest.raises(InputError, match=r"the only groups are \(…\) and \(\?:…\)"):
            from_expression(expression)
