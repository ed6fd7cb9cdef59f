"""Runs written down, against automata that are run letter by letter."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.tasks.catalog import load_task
from longreach.tasks.run_scratchpad import RunScratchpad, branches
from longreach.tasks.task import EOS, SEP, SOS
from tests.helpers.task_checks import assert_samples_are_right, statuses

MODULO_3 = 'dfa:{"alphabet":["a","b"],"transitions":[[1,0],[2,1],[0,2]],"outputs":["zero","one","two"]}'


def test_prefix_parities() -> None:
    def oracle(x: list[str]) -> list[str]:
        return [["even", "odd"][x[: end + 1].count("1") % 2] for end in range(len(x))]

    assert_samples_are_right(load_task("parity+scratchpad"), oracle)


@pytest.mark.parametrize("expression", ["(aa)*", "(ab|ba)*", "a*b*", "(a|b)*abb", "(a|b|c)*"])
def test_runs_of_languages(expression: str) -> None:
    automaton = from_expression(expression)

    def oracle(x: list[str]) -> list[str]:
        states = [automaton.run(x[: end + 1]) for end in range(len(x))]
        return [*(f"q{state}" for state in states), "yes" if automaton.accepts(x) else "no"]

    assert_samples_are_right(load_task(f"regex:{expression}+scratchpad"), oracle)


def test_as_many_words_are_in_the_language_as_are_not() -> None:
    task = load_task("regex:(ab)*+scratchpad")
    batch = task.sample([4] * 4000, np.random.default_rng(0))
    words = Counter("".join(task.decode(row[1:5].tolist())) for row in batch.tokens)
    assert abs(words["abab"] / 4000 - 0.5) < 0.04
    others = [words["".join(word)] for word in product("ab", repeat=4) if "".join(word) != "abab"]
    assert len(others) == 15
    assert min(others) > 80  # 133 are expected of each
    odd = task.sample([3] * 50, np.random.default_rng(0))  # no word of the language has three letters
    assert {task.decode(row[mask].tolist())[-2] for row, mask in zip(odd.targets, odd.mask, strict=True)} == {
        "no"
    }


def test_states_of_words() -> None:
    automaton = from_expression("(ab|ba)*")
    task = load_task("states:(ab|ba)*+scratchpad")
    lengths = [2, 4, 8]
    batch = task.sample(lengths, np.random.default_rng(1))
    for row, length in enumerate(lengths):
        read = task.decode(batch.tokens[row, : batch.sizes[row]].tolist())
        x = read[1 : 1 + length]
        assert automaton.accepts(x)
        assert read == [SOS, *x, SEP, *(f"q{automaton.run(x[: end + 1])}" for end in range(length))]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["even-pairs", "cycle-navigation", "modular-arithmetic"])
def test_runs_that_end_in_an_answer(name: str) -> None:
    base = load_task(name)
    machine = base.machine  # type: ignore[attr-defined]

    def oracle(x: list[str]) -> list[str]:
        return [*(f"q{machine.run(x[: end + 1])}" for end in range(len(x))), base.answer(x)[0]]

    assert_samples_are_right(load_task(f"{name}+scratchpad"), oracle)


def test_classes_of_an_automaton() -> None:
    def oracle(x: list[str]) -> list[str]:
        sums = [x[: end + 1].count("a") % 3 for end in range(len(x))]
        return [*(f"q{state}" for state in sums), ("zero", "one", "two")[sums[-1]]]

    assert_samples_are_right(load_task(f"{MODULO_3}+scratchpad"), oracle)


def _runs(task: RunScratchpad, length: int) -> int:
    return len({task.answer(word) for word in product(task.letters, repeat=length)})


@pytest.mark.parametrize(
    "expression", ["(aa)*", "(ab)*", "(ab|ba)*", "a*b*", "(a|b)*abb", "a(a|b)", "(abc)*", "(a|b)*"]
)
def test_runs_branch_where_their_number_grows_exponentially(expression: str) -> None:
    task = load_task(f"regex:{expression}+scratchpad")
    assert isinstance(task, RunScratchpad)
    counts = [_runs(task, length) for length in range(1, 9)]
    # A choice at every second letter is four times as many; polynomials of these degrees have fewer.
    assert branches(task.table) == (counts[7] >= 4 * counts[3])


def test_forecasts() -> None:
    for name in ("parity+scratchpad", "regex:(a|b)*abb+scratchpad"):
        assert statuses(name) == {"nope": ("no", "valid"), "ape": ("no", "valid")}, name
    # A choice at every second letter is not counted as linear; without one there is nothing to tell.
    for name in ("regex:(ab|ba)*+scratchpad", "regex:(aa)*+scratchpad"):
        assert {verdict for verdict, _ in statuses(name).values()} == {"undecided"}, name


def test_letters_that_the_task_needs_itself() -> None:
    with pytest.raises(InputError, match="'q1' cannot be a symbol"):
        load_task('dfa:{"alphabet":["q1","a"],"transitions":[[1,0],[0,1]],"accepting":[0]}+scratchpad')


def test_no_word_is_empty() -> None:
    assert load_task("parity-with-empty+scratchpad").least_length == 1
    assert SOS != EOS
    with pytest.raises(InputError, match="no input has length 0"):
        load_task("parity-with-empty+scratchpad").sample([0], np.random.default_rng(0))
