"""Tests of `tasks.regular`."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.tasks import layouts as draws
from longreach.tasks.catalog import load_task, name_of, name_of_task, self_contained
from longreach.tasks.check import check_task
from longreach.tasks.formal import Dyck1
from longreach.tasks.regular import (
    LabelledLanguage,
    LanguageTask,
    RegularLanguage,
    StateTask,
    after_each_letter,
    label_name,
)
from longreach.tasks.task import EOS, draw_lengths
from longreach.tasks.uniform import UniformWords, choose_exactly
from longreach.theory.automata.automaton import Automaton, from_automata_lib, labelled, minimal
from longreach.theory.automata.named import NAMED_LANGUAGES, named_automaton
from longreach.theory.automata.regex import from_expression
from tests.helpers.enumeration import chi_square_is_usual, distribution, normalized
from tests.helpers.examples import at_most
from tests.helpers.language_oracles import automata, live, random_automaton, words
from tests.theory.automata.test_named import DEFINITIONS

# a swaps the first two of three things, b turns all three: S₃, by what stands first.
ORDERS = ["012", "120", "201", "102", "021", "210"]


def _moved(order: str, letter: str) -> str:
    return order[1] + order[0] + order[2] if letter == "a" else order[1:] + order[0]


SWAPS = LabelledLanguage(
    "swaps",
    labelled(
        "ab",
        [[ORDERS.index(_moved(order, letter)) for letter in "ab"] for order in ORDERS],
        0,
        [order[0] for order in ORDERS],
    ),
)


def test_labels_are_the_classes_of_all_beginnings() -> None:
    batch = SWAPS.sample([5] * 40 + [9], np.random.default_rng(0))
    for row in range(len(batch)):
        word = SWAPS.decode(batch.tokens[row, 1 : batch.sizes[row]].tolist())
        order, right = "012", ["{0}"]
        for letter in word:
            order = _moved(order, letter)
            right.append(f"{{{order[0]}}}")
        assert SWAPS.decode(batch.targets[row][batch.mask[row]].tolist()) == right == list(SWAPS.answer(word))


def test_all_words_are_equally_likely() -> None:
    def run(rng: Any) -> tuple[str, ...]:
        return tuple(SWAPS.decode(SWAPS.sample([3], rng).tokens[0, 1:].tolist()))

    assert distribution(run, 3)[0] == {word: Fraction(1, 8) for word in product("ab", repeat=3)}


def test_what_comes_next_is_said_for_all_lengths() -> None:
    automaton = SWAPS.continuation({"x": ("a", "b"), "y": "b"}, ("a",), "1")
    assert automaton is not None
    for word in product("xy", repeat=4):
        symbols = "".join("ab" if letter == "x" else "b" for letter in word) + "a"
        assert automaton.accepts(word) == (SWAPS.answer(symbols)[-1] == "{1}")
    assert SWAPS.continuation({"x": "c"}, (), "1") is None


def test_one_class_alone_is_always_guessed() -> None:
    one = LabelledLanguage("one", labelled("a", [[0]], 0, ["x"]))
    assert (one.chance, SWAPS.chance) == (1.0, 0.0)


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
    assert RegularLanguage("mine", minimal(("a",), [[1], [1]], 0, {0})).least_length == 0


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


def _words(automaton: Automaton, length: int) -> list[tuple[int, ...]]:
    letters = range(len(automaton.alphabet))
    return [
        word
        for word in product(letters, repeat=length)
        if automaton.accepts(automaton.alphabet[letter] for letter in word)
    ]


def _drawn(words: UniformWords, length: int) -> Any:
    return lambda rng: tuple(words.draw(np.array([length]), rng).letters[:, 0].tolist())


@pytest.mark.parametrize("name", list(NAMED_LANGUAGES))
def test_counts_are_those_of_the_definition(name: str) -> None:
    words = UniformWords(named_automaton(name))
    letters = NAMED_LANGUAGES[name].alphabet
    for length in range(7):
        expected = sum(DEFINITIONS[name]("".join(word)) for word in product(letters, repeat=length))
        assert words.count(length) == expected
        assert words.has(np.array([length])).tolist() == [expected > 0]


@given(automata(states=6, letters="abc"), st.integers(0, 5))
def test_counts_of_any_automaton(automaton: Automaton, length: int) -> None:
    assert UniformWords(automaton).count(length) == len(_words(automaton, length))


EXPRESSIONS_UNIFORM_WORDS = [
    "(a|b)*b",
    "a*ba*",
    "b*(ab*ab*)*",
    "(a|b|c)*bc*",
    "(a|ba|cba)*c?",
    "[a-e]b*|a*c",
    "(aa|b)*c",
]


@pytest.mark.parametrize("expression", EXPRESSIONS_UNIFORM_WORDS)
@pytest.mark.parametrize("bits", [1, 2, 3])
def test_the_exact_probability_of_every_word(expression: str, bits: int) -> None:
    """With so few digits at once most choices need more; what is decided never exceeds 1/n."""
    automaton = from_expression(expression)
    words = UniformWords(automaton, bits)
    for length in (1, 2, 3):
        every = _words(automaton, length)
        if not every:
            continue
        found, unsettled = distribution(_drawn(words, length), 2 * length + 2)
        assert set(found) <= set(every)
        assert sum(found.values(), unsettled) == 1
        share = Fraction(1, len(every))
        for word in every:
            assert found.get(word, Fraction(0)) <= share <= found.get(word, Fraction(0)) + unsettled
        assert unsettled <= Fraction(2, 8**bits)


@pytest.mark.parametrize(
    "weights", [[1, 2], [1, 1, 1], [0, 3, 4], [5, 0, 2], [7, 0], [10**40, 1, 2 * 10**40]]
)
def test_a_choice_has_exactly_the_ratio_of_the_weights(weights: list[int]) -> None:
    def run(rng: Any) -> int:
        return choose_exactly(weights, int(rng.integers(0, 4)), 2, rng)

    found, unsettled = distribution(run, 6)
    assert unsettled <= Fraction(len(weights) - 1, 4**6)
    for k, weight in enumerate(weights):
        share = Fraction(weight, sum(weights))
        assert found.get(k, Fraction(0)) <= share <= found.get(k, Fraction(0)) + unsettled
        assert weight or k not in found


def test_digits_decide_as_more_digits_would() -> None:
    """The quick walk and the exact one agree: few digits at once and many give the same distribution."""
    automaton = named_automaton("tomita-4")
    rng = np.random.default_rng(0)
    for bits in (2, 5, 62):
        walks = UniformWords(automaton, bits).draw(np.full(6000, 5), rng)
        counts = Counter(map(tuple, walks.letters.T.tolist()))
        assert set(counts) == set(_words(automaton, 5))
        assert chi_square_is_usual(list(counts.values()), 6000 / len(counts))


@pytest.mark.parametrize("name", ["tomita-3", "tomita-5", "tomita-6", "d-3", "ab-d-bc", "012-0-2", "l-bb"])
def test_words_are_uniform_with_a_real_generator(name: str) -> None:
    automaton = named_automaton(name)
    words = UniformWords(automaton)
    for length in (4, 6):
        every = _words(automaton, length)
        lengths = np.full(100 * len(every), length)
        counts = Counter(map(tuple, words.draw(lengths, np.random.default_rng(1)).letters.T.tolist()))
        assert set(counts) <= set(every)
        assert chi_square_is_usual([counts[word] for word in every], 100)


def test_random_automata_are_sampled_within_their_language() -> None:
    chance = random.Random(0)
    rng = np.random.default_rng(2)
    for _ in range(40):
        automaton = random_automaton(8, "abc", chance, sink=0.4)
        words = UniformWords(automaton)
        lengths = np.arange(40)[words.has(np.arange(40))]
        if not len(lengths):
            continue
        walks = words.draw(lengths, rng)
        for example, length in enumerate(lengths.tolist()):
            word = [automaton.alphabet[letter] for letter in walks.letters[:length, example]]
            assert automaton.accepts(word)
            states = [automaton.run(word[:end]) for end in range(length + 1)]
            assert walks.states[: length + 1, example].tolist() == states
            assert set(walks.states[length:, example].tolist()) == {states[-1]}


def test_long_words_with_huge_counts() -> None:
    words = UniformWords(named_automaton("tomita-6"))
    assert words.count(500) > 2**498
    walks = words.draw(np.full(200, 500), np.random.default_rng(3))
    ones = walks.letters.sum(axis=0)
    assert ((500 - 2 * ones) % 3 == 0).all()
    assert abs(ones.mean() - 250) < 4 * (500 / 4 / 200) ** 0.5


def test_the_place_of_a_rare_letter_is_uniform() -> None:
    """One b among 300: a sampler that rounds or that walks without counting would prefer some places."""
    words = UniformWords(from_expression("a*ba*"))
    walks = words.draw(np.full(30_000, 300), np.random.default_rng(4))
    assert chi_square_is_usual(np.bincount(walks.letters.argmax(axis=0), minlength=300).tolist(), 100)


def test_deep_brackets_need_only_the_states_within_reach() -> None:
    shallow, deep = UniformWords(named_automaton("d-40")), UniformWords(named_automaton("d-1500"))
    assert shallow.count(60) == deep.count(60)
    assert len(deep._table(60).names) < 80


def test_words_without_letters() -> None:
    only_empty = UniformWords(minimal(("a",), [[1], [1]], 0, {0}))
    assert only_empty.has(np.array([-1, 0, 1, 2])).tolist() == [False, True, False, False]
    assert only_empty.draw(np.array([0, 0]), np.random.default_rng(0)).letters.shape == (0, 2)
