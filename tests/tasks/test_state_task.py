"""State prediction: labels against a literal run of the automaton."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.tasks.catalog import load_task, name_of, self_contained
from longreach.tasks.state_task import StateTask, after_each_letter
from longreach.tasks.task_check import check_task
from longreach.tasks.task_to_name import name_of_task
from tests.helpers.examples import at_most
from tests.helpers.language_oracles import automata, live, words

EXPRESSIONS = ["(ab|c)*", "(aa)*", "a", "(a|b)*bb(a|b)*", "(bab|b)*", "c(a|b)*"]


@pytest.mark.parametrize("prefix", ["states:", "states-after:"])
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_labels_are_the_states_of_all_beginnings(expression, prefix) -> None:
    task = load_task(prefix + expression)
    automaton = from_expression(expression)
    lengths = task.lengths(1, 12)
    batch = task.sample(np.repeat(lengths, 8), np.random.default_rng(0))
    for row, length in enumerate(np.repeat(lengths, 8).tolist()):
        read = task.decode(batch.tokens[row, : batch.sizes[row]].tolist())
        word = read[1::2] if prefix == "states-after:" else read[1:]
        assert len(word) == length
        assert automaton.accepts(word)
        if prefix == "states-after:":
            assert read[2::2] == ["SEP"] * length
        right = [f"{{q{automaton.run(word[:place])}}}" for place in range(length + 1)]
        assert task.decode(batch.targets[row][batch.mask[row]].tolist()) == right == list(task.answer(word))
        assert batch.mask[row].nonzero()[0].tolist() == [
            place * (2 if prefix == "states-after:" else 1) for place in range(length + 1)
        ]
        assert batch.sizes[row] == task.input_size(length)
        assert read[1:] == list(task.read(word))
    assert not batch.targets[~batch.mask].any()


@pytest.mark.parametrize("name", [p + e for p in ("states:", "states-after:") for e in EXPRESSIONS])
def test_the_task_keeps_its_word(name) -> None:
    failed = [check for check in check_task(load_task(name)).checks if check.status == "failed"]
    assert not failed


@pytest.mark.parametrize("prefix", ["states:", "states-after:"])
def test_words_are_those_of_the_language(prefix) -> None:
    """The same draws as for the legal next symbols, whose words are exactly uniform."""
    task, language = load_task(f"{prefix}(ab|c)*"), load_task("regex:(ab|c)*")
    batch, other = (each.sample([7] * 50, np.random.default_rng(3)) for each in (task, language))
    step = 2 if prefix == "states-after:" else 1
    assert [task.decode(row) for row in batch.tokens[:, 1::step].tolist()] == [
        language.decode(row) for row in other.tokens[:, 1:].tolist()
    ]


@settings(deadline=None, max_examples=at_most(60))
@given(automata(states=5), st.booleans())
def test_names_of_the_states_of_what_is_read(automaton, after) -> None:
    if not automaton.accepting:
        return
    task = StateTask("mine", automaton, after=after)
    alive = live(automaton)
    assert set(task.live) == alive
    said = {place: name for name, places in task.states.items() for place in places}
    for word in words(automaton.alphabet, 6):
        if all(automaton.run(word[:place]) in alive for place in range(len(word) + 1)):
            read = task.read(word)
            assert said[task.automaton.run(read)] == f"q{automaton.run(word)}"
            if after and word:
                assert said[task.automaton.run(read[:-1])] == f"q{automaton.run(word)}"
    # Every live state of what is read has one name.
    assert sorted(said) == sorted(live(task.automaton))
    assert sum(map(len, task.states.values())) == len(said)


@settings(deadline=None, max_examples=at_most(40))
@given(automata(states=4))
def test_marks_behind_letters(automaton) -> None:
    marked = after_each_letter(automaton, "!")
    for word in words((*automaton.alphabet, "!"), 5):
        right = (
            len(word) % 2 == 0
            and all((token == "!") == bool(place % 2) for place, token in enumerate(word))
            and automaton.accepts(word[::2])
        )
        assert marked.accepts(word) == right


def test_names_lead_back_to_the_task() -> None:
    task = load_task("states-after:a*", "ab")
    assert name_of_task(task) == ("states-after:a*", ("a", "b"))
    assert load_task(*name_of_task(task)) == task
    assert name_of(load_task("states:(ab)*")) == self_contained("states:(ab)*") == "states:(ab)*"
    assert load_task("states:(ab)*") != load_task("states-after:(ab)*")


def test_mistakes() -> None:
    with pytest.raises(InputError, match=r"states:a&b: the language is empty"):
        load_task("states:a&b")
    with pytest.raises(InputError, match="no word begins with a a"):
        load_task("states:(ab)*").answer("aab")
    with pytest.raises(InputError, match="'SEP' cannot be a letter, the task needs it itself"):
        StateTask("mine", after_each_letter(from_expression("a*"), "SEP"))
    with pytest.raises(InputError, match="an alphabet goes with regex:… and states:…"):
        load_task("sort", "ab")
