"""What automata, expressions and documents refuse, and in which words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from longreach.theory.automata.automaton import combine, labelled, minimal
from longreach.theory.automata.files import read_automaton, read_automaton_file
from longreach.theory.automata.named import named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.budget import Budget
from tests.helpers.refusals import refusal

CHAIN = '{"initial": "0", "accepting": [], "transitions": {"0": {"a": "1"}, "1": {"a": "2"}, "2": {}}}'
WHOLE = "expressions match whole words:"
REFUSALS: list[tuple[Callable[[], object], str]] = [
    # Automata
    (lambda: minimal((), [[]], 0, []), "alphabet is empty"),
    (lambda: labelled("", [[]], 0, ["x"]), "alphabet is empty"),
    (lambda: from_expression("a", "ab").accepts("abc"), "'c' is not in the alphabet a b"),
    (lambda: labelled("a", [[0]], 0, ["x"]).run("ab"), "token 'b' is not in the alphabet a"),
    (lambda: combine(from_expression("a"), from_expression("b"), max), "different alphabets"),
    (lambda: named_automaton("tomita1"), "did you mean 'tomita-1'"),
    (lambda: named_automaton("d-99999"), "between 1 and"),
    (lambda: named_automaton("d-0"), "between 1 and"),
    (lambda: read_automaton(CHAIN, Budget(states=2)), "budget of 2"),
    # Expressions
    (lambda: from_expression("a", ""), "the alphabet is empty"),
    (lambda: from_expression("a", "aa"), "appears twice in the alphabet"),
    (lambda: from_expression("a", ["ab", "c"]), "letter 'ab' of the alphabet"),
    (lambda: from_expression("()"), "give its alphabet"),
    (lambda: from_expression("("), "column 1: this bracket is never closed"),
    (lambda: from_expression("(a|b)*a(a|b){25}"), "budget"),
    (lambda: from_expression("(a|b)*a(a|b)*a(a|b){12}b"), "budget"),
    (lambda: from_expression("(a?){2500}"), "budget"),
    (lambda: from_expression("a^b^c^d^e^f^g^h^i^j^k^l^m^n"), "budget"),
    (lambda: from_expression("(a{300}){300}"), "budget"),
    (lambda: from_expression("a{20}", budget=Budget(states=7)), "more than 7 states"),
    (lambda: from_expression("a" * 40_000), "too large"),
    (
        lambda: from_expression("^(aa)*$"),
        f"column 1: {WHOLE} remove '^' and '$'",
    ),
    (lambda: from_expression("^a"), f"column 1: {WHOLE} remove '^'"),
    (
        lambda: from_expression("ab$"),
        f"column 3: {WHOLE} remove '$', or write '\\$' for",
    ),
]
DOCUMENTS = [
    ("{", "automaton:1:2: not JSON: Expecting property name"),
    ("[" * 100_000, "automaton:1: JSON that is nested too deeply"),
    ("[]", "automaton: "),
    (
        '{"initial": "q", "accepting": ["q"], "transitions": {"q": {"a": "q", "a": "p"}, "p": {}}}',
        "automaton: the field 'a' appears twice in one object",
    ),
    ('{"initial": "q", "accepting": []}', "transitions: missing"),
    (
        '{"initial": "even", "accepting": [], "transitions": {"even": {"a": "odd"}, "odd": {"a":"evn"}}}',
        "transitions.odd: no state named 'evn'; did you mean 'even'?",
    ),
    (
        '{"initial": "q", "accepting": ["q"], "transitions": {"q": {"a": "z"}}}',
        "transitions.q: no state named 'z'; a state without moves is written {}",
    ),
    ('{"initial": "q", "accepting": ["x"], "transitions": {"q": {"a": "q"}}}', "no state named 'x'"),
    (
        '{"alphabet": ["a"], "initial": "q", "accepting": [], "transitions": {"q": {"b": "q"}}}',
        "token 'b' is not in the alphabet",
    ),
    ('{"alphabet": ["a", "a"], "initial": "q", "accepting": [], "transitions": {}}', "appears twice"),
    ('{"initial": "q", "accepting": [], "transitions": {}}', "alphabet is empty"),
    ('{"initial": "q", "accepting": [], "transitions": {}, "colour": 1}', "colour: no such"),
]
NUMBERED = [
    ('"transitions": [[0, 0]], "accepting": []', "transitions.0: 2 moves for 1 letter"),
    ('"transitions": [[1]], "accepting": []', "transitions.0: there is no state 1"),
    ('"transitions": [["0"]], "accepting": []', "transitions.0.0: expected a whole"),
    ('"transitions": [[0]], "accepting": [-1]', "accepting: there is no state -1"),
    ('"transitions": [], "accepting": []', "transitions: there is no state"),
    ('"transitions": [[0]]', "accepting: missing; name the accepting states"),
    ('"transitions": [[0]], "accepting": [0], "outputs": ["x"]', "outputs: cannot be used with accepting"),
    ('"transitions": [[0]], "accepting": [], "name": "a b"', "name: at most 40"),
    ('"transitions": [[0]], "outputs": ["x"]', "accepting: missing; with outputs"),
]
DOCUMENTS += [(f'{{"alphabet": ["a"], {rest}}}', message) for rest, message in NUMBERED]
DOCUMENTS += [('{"transitions": [[0]], "accepting": []}', "alphabet: missing")]
LOOP = '{"initial": "q", "transitions": {"q": {"a": "q"}}, "outputs": %s}'
CLASSES = [
    ('{"alphabet": ["a"], "transitions": [[0]], "outputs": ["x", "y"]}', "outputs: 2 classes for 1 states"),
    ('{"alphabet": ["a"], "transitions": [[null]], "outputs": ["x"]}', "no move leaves the state '0' by 'a'"),
    (LOOP % "{}", "the state 'q' has no class"),
    (LOOP % '{"r": "x"}', "no state named 'r'"),
    (LOOP % '{"q": "{x}"}', "the class '{x}' has"),
]
REFUSALS += [(lambda text=text: read_automaton(text), message) for text, message in DOCUMENTS]
REFUSALS += [(lambda text=text: read_automaton_file(text), message) for text, message in CLASSES]


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_refusals(call: Callable[[], object], message: str) -> None:
    assert message in refusal(call)
