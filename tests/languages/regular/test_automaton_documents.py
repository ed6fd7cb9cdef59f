from __future__ import annotations

import json

import pytest

from longreach.errors import InputError
from longreach.languages.budget import Budget
from longreach.languages.regular.automaton_documents import automaton_table, read_automaton
from longreach.languages.regular.expression_to_automaton import from_expression


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
        ("{", "automaton: Invalid JSON"),
        ("[]", "automaton: "),
        ('{"initial": "q", "accepting": []}', "transitions: Field required"),
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
        ('{"initial": "q", "accepting": [], "transitions": {}, "colour": 1}', "colour: Extra inputs"),
    ],
)
def test_errors_are_one_line(document, message) -> None:
    with pytest.raises(InputError) as caught:
        read_automaton(document)
    assert message in caught.value.message
    assert "\n" not in caught.value.message


def test_the_budget_is_kept() -> None:
    text = '{"initial": "0", "accepting": [], "transitions": {"0": {"a": "1"}, "1": {"a": "2"}}}'
    with pytest.raises(InputError, match="budget of 2"):
        read_automaton(text, Budget(states=2))


def test_table() -> None:
    table = automaton_table(from_expression("(a|b)*b"))
    assert table.model_dump(mode="json") == {
        "alphabet": ["a", "b"],
        "transitions": [[0, 1], [0, 1]],
        "accepting": [1],
    }
