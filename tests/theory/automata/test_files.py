"""Automata as JSON documents."""

from __future__ import annotations

import json

from longreach.theory.automata.files import read_automaton, read_automaton_file, write_automaton
from longreach.theory.automata.regex import from_expression
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
