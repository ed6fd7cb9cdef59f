"""Labels of formal languages, by trying continuations; Dyck-1 and aⁿbⁿcⁿ by their definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given

from longreach.errors import InputError
from longreach.languages.regular.automaton import Automaton, from_automata_lib, minimal
from longreach.languages.regular.named_languages import NAMED_LANGUAGES
from longreach.tasks import draws
from longreach.tasks.catalog import load_task
from longreach.tasks.dyck_1 import Dyck1
from longreach.tasks.language_task import LanguageTask, RegularLanguage, label_name
from longreach.tasks.task import EOS, draw_lengths
from tests.helpers.enumeration import chi_square_is_usual, distribution, normalized
from tests.helpers.language_oracles import automata
from tests.languages.regular.test_named_languages import DEFINITIONS


def _balanced(word: str) -> bool:
    while "()" in word:
        word = word.replace("()", "")
    return not word


def _anbncn(word: str) -> bool:
    n = len(word) // 3
    return word == "a" * n + "b" * n + "c" * n


LANGUAGES: dict[str, tuple[str, Callable[[str], bool]]] = {
    **{name: (named.alphabet, DEFINITIONS[name]) for name, named in NAMED_LANGUAGES.items()},
    "dyck-1": ("()", _balanced),
    "anbncn": ("abc", _anbncn),
}


def _language(name: str) -> LanguageTask:
    task = load_task(name)
    assert isinstance(task, LanguageTask)
    return task


@pytest.mark.parametrize("name", list(LANGUAGES))
def test_labels_are_the_symbols_that_may_come_next(name: str) -> None:
    task = _language(name)
    letters, member = LANGUAGES[name]
    longest, ahead = 8, 4  # every live state of these languages is near acceptance
    words = {
        word
        for size in range(longest + 1)
        for word in map("".join, product(letters, repeat=size))
        if member(word)
    }
    if name == "anbncn":  # short beginnings have long continuations
        words |= {n * "a" + n * "b" + n * "c" for n in range(longest)}
    starts = {word[:end] for word in words for end in range(len(word) + 1)}
    checked = 0
    for start in starts:
        if len(start) <= longest - ahead - 1:
            right = [letter for letter in letters if start + letter in starts]
            right += [EOS] if start in words else []
            assert task.answer(start)[-1] == label_name(right), start
            checked += 1
    assert checked


@pytest.mark.parametrize("name", [*LANGUAGES, "d-7", "regex:(a|b)*abb(c|d)*"])
def test_a_label_means_the_same_set_in_all_words(name: str) -> None:
    task, rng = _language(name), np.random.default_rng(0)
    assert len(set(task.labels)) == len(task.labels)
    seen: dict[int, set[str]] = {}
    for span in ((1, 50), (101, 150)):
        lengths = draw_lengths(task, *span, 60, rng)
        batch = task.sample(lengths, rng)
        for row, length in enumerate(lengths.tolist()):
            word = task.decode(batch.tokens[row, 1 : 1 + length].tolist())
            for target, label in zip(batch.targets[row].tolist(), task.answer(word), strict=False):
                seen.setdefault(target, set()).add(label)
    first = len(task.tokens) - len(task.labels)
    for target, labels in seen.items():
        assert labels == {task.tokens[target]}
        assert target >= first


@pytest.mark.parametrize("name", list(LANGUAGES))
def test_samples_are_words_of_the_language(name: str) -> None:
    task, rng = _language(name), np.random.default_rng(1)
    lengths = draw_lengths(task, 1, 80, 200, rng)
    batch = task.sample(lengths, rng)
    for row, length in enumerate(lengths.tolist()):
        assert LANGUAGES[name][1]("".join(task.decode(batch.tokens[row, 1 : 1 + length].tolist())))


@given(automata(states=6))
def test_labels_of_any_automaton(automaton: Automaton) -> None:
    if not automaton.accepting:
        return
    task = RegularLanguage("any", automaton)
    ahead = len(automaton)
    reach = [{q} for q in range(len(automaton))]
    for _ in range(ahead):
        reach = [{r for s in states for r in automaton.transitions[s]} | states for states in reach]
    for size in range(4):
        for word in product(automaton.alphabet, repeat=size):
            state = automaton.run(word)
            if not reach[state] & automaton.accepting:
                with pytest.raises(InputError, match="no word begins with"):
                    task.answer(word)
                continue
            right = [letter for letter in "ab" if reach[automaton.run(letter, state)] & automaton.accepting]
            assert task.answer(word)[-1] == label_name(
                [*right, EOS] if state in automaton.accepting else right
            )


def test_balanced_words_are_exactly_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draws, "KEY_BITS", 6)
    found, _ = distribution(
        lambda rng: "".join(Dyck1().decode(Dyck1().sample([4], rng).tokens[0, 1:].tolist())), 5
    )
    assert normalized(found) == {"(())": Fraction(1, 2), "()()": Fraction(1, 2)}


def test_balanced_words_with_a_real_generator() -> None:
    batch = Dyck1().sample([10] * 4200, np.random.default_rng(2))
    counts = Counter(map(tuple, batch.tokens.tolist()))
    assert len(counts) == 42  # the fifth Catalan number
    assert chi_square_is_usual(list(counts.values()), 100)


def test_languages_of_the_users_own() -> None:
    from automata.fa.dfa import DFA

    dfa = DFA(
        states={0, 1}, input_symbols={"x", "y"}, transitions={0: {"x": 1}, 1: {"y": 0}},
        initial_state=0, final_states={0}, allow_partial=True,
    )  # fmt: skip
    task = RegularLanguage("mine", from_automata_lib(dfa))
    assert task.answer(["x", "y"]) == ("{x,EOS}", "{y}", "{x,EOS}")
    assert task.least_length == 2
    with pytest.raises(InputError, match="mine: the language is empty"):
        RegularLanguage("mine", minimal(("a",), [[0]], 0, ()))
    with pytest.raises(InputError, match="mine: EOS is the end of a word"):
        RegularLanguage("mine", minimal(("EOS",), [[0]], 0, {0}))
    assert RegularLanguage("mine", minimal(("a",), [[1], [1]], 0, {0})).least_length == 0
