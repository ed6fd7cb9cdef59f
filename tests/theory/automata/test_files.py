"""Automata as JSON documents."""

from __future__ import annotations

import json

import pytest

from longreach.errors import InputError
from longreach.theory.automata.files import read_automaton, read_automaton_file, write_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.budget import Budget
from longreach.theory.certificates.tables import automaton_table


def test_any_tokens() -> None:
    text = json.dumps(
        {
            "alphabet": ["open", "close"],
            "initial": "out",
            "accepting": ["out"],
            "transitions": {"out": {"open": "in"}, "in": {"close": "out"}},
        }
    )
    automaton = read_automaton(text)
    assert automaton.accepts(["open", "close"])
    assert not automaton.accepts(["open", "open", "close", "close"])
    assert automaton.transitions == from_expression("(ab)*").transitions


def test_one_state() -> None:
    automaton = read_automaton('{"alphabet": ["a"], "initial": "q", "accepting": ["q"], "transitions": {}}')
    assert automaton.accepts("")
    assert not automaton.accepts("a")


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "automaton:1:2: not JSON: Expecting property name"),
        ("[" * 100_000, "automaton:1: JSON that is nested too deeply"),
        ("[]", "automaton: "),
        (
            '{"initial": "q", "accepting": ["q"], "transitions": {"q": {"a": "q", "a": "p"}, "p": {}}}',
            "automaton: the field 'a' stands twice in one object",
        ),
        ('{"initial": "q", "accepting": []}', "transitions: missing"),
        (
            '{"initial": "even", "accepting": [], "transitions": {"even": {"a": "odd"}, "odd": {"a":"evn"}}}',
            "transitions.odd: no state is named 'evn'; did you mean 'even'?",
        ),
        (
            '{"initial": "q", "accepting": ["q"], "transitions": {"q": {"a": "z"}}}',
            "transitions.q: no state is named 'z'; a state without moves is written {}",
        ),
        ('{"initial": "q", "accepting": ["x"], "transitions": {"q": {"a": "q"}}}', "no state is named 'x'"),
        (
            '{"alphabet": ["a"], "initial": "q", "accepting": [], "transitions": {"q": {"b": "q"}}}',
            "token 'b' is not in the alphabet",
        ),
        (
            '{"alphabet": ["a", "a"], "initial": "q", "accepting": [], "transitions": {}}',
            "stands there twice",
        ),
        ('{"initial": "q", "accepting": [], "transitions": {}}', "alphabet is empty"),
        (
            '{"initial": "q", "accepting": [], "transitions": {}, "colour": 1}',
            "colour: no such",
        ),
        (
            '{"alphabet": ["a"], "transitions": [[0, 0]], "accepting": []}',
            "transitions.0: 2 moves for 1 letter",
        ),
        ('{"alphabet": ["a"], "transitions": [[1]], "accepting": []}', "transitions.0: there is no state 1"),
        (
            '{"alphabet": ["a"], "transitions": [["0"]], "accepting": []}',
            "transitions.0.0: expected a whole",
        ),
        ('{"alphabet": ["a"], "transitions": [[0]], "accepting": [-1]}', "accepting: there is no state -1"),
        ('{"alphabet": ["a"], "transitions": [], "accepting": []}', "transitions: there is no state"),
        ('{"transitions": [[0]], "accepting": []}', "alphabet: missing"),
        ('{"alphabet": ["a"], "transitions": [[0]]}', "accepting: missing; name the accepting states"),
        (
            '{"alphabet": ["a"], "transitions": [[0]], "accepting": [0], "outputs": ["x"]}',
            "outputs: goes without accepting",
        ),
        ('{"alphabet": ["a"], "transitions": [[0]], "accepting": [], "name": "a b"}', "name: at most 40"),
        ('{"alphabet": ["a"], "transitions": [[0]], "outputs": ["x"]}', "accepting: missing; with outputs"),
    ],
)
def test_errors_are_one_line(document: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_automaton(document)
    assert message in caught.value.message
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            '{"alphabet": ["a"], "transitions": [[0]], "outputs": ["x", "y"]}',
            "outputs: 2 classes for 1 states",
        ),
        (
            '{"alphabet": ["a"], "transitions": [[null]], "outputs": ["x"]}',
            "no move leaves the state '0' by 'a'",
        ),
        ('{"initial": "q", "transitions": {"q": {"a": "q"}}, "outputs": {}}', "the state 'q' has no class"),
        (
            '{"initial": "q", "transitions": {"q": {"a": "q"}}, "outputs": {"r": "x"}}',
            "no state is named 'r'",
        ),
        (
            '{"initial": "q", "transitions": {"q": {"a": "q"}}, "outputs": {"q": "{x}"}}',
            "the class '{x}' has",
        ),
    ],
)
def test_errors_about_classes(document: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_automaton_file(document)
    assert message in caught.value.message
    assert "\n" not in caught.value.message


def test_the_budget_is_kept() -> None:
    text = '{"initial": "0", "accepting": [], "transitions": {"0": {"a": "1"}, "1": {"a": "2"}, "2": {}}}'
    with pytest.raises(InputError, match="budget of 2"):
        read_automaton(text, Budget(states=2))


def test_table() -> None:
    table = automaton_table(from_expression("(a|b)*b"))
    assert table.model_dump(mode="json") == {
        "alphabet": ["a", "b"],
        "transitions": [[0, 1], [0, 1]],
        "accepting": [1],
    }


def test_numbered_states_are_those_of_certificates() -> None:
    automaton = from_expression("(a|b)*b(a|b)", "abc")
    assert read_automaton(automaton_table(automaton).model_dump_json()) == automaton
    assert read_automaton(write_automaton(automaton)) == automaton
    # A move that is null leads to a sink; reading may begin elsewhere.
    text = '{"alphabet": ["a", "b"], "initial": 1, "transitions": [[null, 1], [0, null]], "accepting": [1]}'
    assert read_automaton(text) == from_expression("(ab)*")


def test_all_documents_of_an_automaton_have_one_text() -> None:
    numbered = '{"alphabet": ["a"], "transitions": [[1], [2], [3], [0]], "accepting": [0, 2]}'
    named = '{"initial": "e", "accepting": ["e"], "transitions": {"e": {"a": "o"}, "o": {"a": "e"}}}'
    texts = {read_automaton_file(text).text for text in (numbered, named)}
    assert texts == {'{"alphabet":["a"],"transitions":[[1],[0]],"accepting":[0]}'}
    assert read_automaton_file(texts.pop().replace("{", '{"name":"even",')).name == "even"


def test_classes_are_written_and_read() -> None:
    text = '{"name":"mine","alphabet":["a"],"transitions":[[1],[0]],"outputs":["even","odd"]}'
    named = (
        '{"name": "mine", "initial": "e", "transitions": {"e": {"a": "o"}, "o": {"a": "e"}}, '
        '"outputs": {"e": "even", "o": "odd"}}'
    )
    assert read_automaton_file(text).text == text == read_automaton_file(named).text
