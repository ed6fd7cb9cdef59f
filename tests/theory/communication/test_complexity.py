"""Rows of communication matrices against plain definitions, formulas, and automata against matrices."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.theory.automata.named import NAMED_LANGUAGES, named_automaton
from longreach.theory.communication import complexity as communication
from longreach.theory.communication.complexity import distinct_rows, fit_growth, measure, regular_rows
from longreach.theory.communication.problems import PROBLEMS, problem


def rows_by_definition(alphabet: str, n: int, function: Callable[[str, str], object]) -> int:
    halves = ["".join(word) for word in product(alphabet, repeat=n)]
    return len({tuple(function(x, y) for y in halves) for x in halves})


def balanced(word: str) -> bool:
    while (shorter := word.replace("()", "").replace("[]", "")) != word:
        word = shorter
    return not word


def interleaved(word: str) -> list[bool]:
    return [2 * word[r::3].count("1") >= len(word[r::3]) for r in range(3)]


DEFINITIONS: dict[str, tuple[str, int, Callable[[str, str], object]]] = {
    "binary-majority": ("01", 6, lambda x, y: (x + y).count("1") >= (x + y).count("0")),
    "binary-majority-interleave": ("01", 6, lambda x, y: tuple(interleaved(x + y))),
    "majority": ("abc", 4, lambda x, y: max("abc", key=(x + y).count)),
    "parity": ("01", 6, lambda x, y: (x + y).count("1") % 2),
    "addition": ("01", 5, lambda x, y: bin(int(x, 2) + int(y, 2))),
    "multiplication": ("01", 5, lambda x, y: bin(int(x, 2) * int(y, 2))),
    "equality": ("01", 5, lambda x, y: x == y),
    "dyck-1": ("()", 6, lambda x, y: balanced(x + y)),
    "dyck-2": ("()[]", 3, lambda x, y: balanced(x + y)),
}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_rows_are_those_of_the_definition(name: str) -> None:
    alphabet, longest, function = DEFINITIONS[name]
    found = measure(problem(name), longest).rows
    assert list(found) == [rows_by_definition(alphabet, n, function) for n in range(1, longest + 1)]


FORMULAS: dict[str, tuple[int, Callable[[int], int], str]] = {
    "binary-majority": (12, lambda n: n + 1, "logarithmic"),
    "majority": (7, lambda n: comb(n + 2, 2), "logarithmic"),
    "parity": (12, lambda n: 2, "constant"),
    "copy-repeat": (11, lambda n: 2**n, "linear"),
    "addition": (12, lambda n: 2**n, "linear"),
    "multiplication": (12, lambda n: 2**n, "linear"),
    "equality": (12, lambda n: 2**n, "linear"),
    "dyck-1": (12, lambda n: n // 2 + 2, "logarithmic"),
    # One row for every stack that n brackets can leave, and one for broken words.
    "dyck-2": (6, lambda n: 1 + sum(2**h for h in range(n % 2, n + 1, 2)), "linear"),
    # The words of distinct symbols, and the sets of symbols.
    "copy-unique": (24, lambda n: 15, "constant"),
    "sort": (24, lambda n: 7, "constant"),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_known_rows_and_growth_with_at_least_ten_bits_a_side(name: str) -> None:
    length, formula, growth = FORMULAS[name]
    found = measure(problem(name), length)
    assert found.rows[3:] == tuple(formula(n) for n in range(4, length + 1))
    assert found.bits[-1] == pytest.approx(np.log2(formula(length)))
    assert found.growth.name == growth
    assert min(found.growth.fits, key=lambda name: found.growth.fits[name].error) == growth


def test_every_problem_reaches_ten_bits_a_side() -> None:
    for name in PROBLEMS.keys() - {"sort", "copy-unique"}:  # these have 15 inputs at every length
        entry = PROBLEMS[name]
        assert entry.inputs(entry.longest(communication.USUAL_INPUTS)) >= 2**10


@pytest.mark.parametrize("name", ["copy-repeat", "copy-unique", "sort"])
@pytest.mark.parametrize("n", [4, 5, 6])
def test_pairs_that_never_occur_add_no_row(name: str, n: int) -> None:
    """Rows that differ at all give different answers to a question that occurs for both."""
    alice, bob, function = problem(name).split(n)
    matrix = function(alice, bob)
    different = np.unique(matrix, axis=0)
    both = (different[:, None] >= 0) & (different[None] >= 0)
    conflict = (both & (different[:, None] != different[None])).any(axis=2)
    assert conflict.sum() == len(different) * (len(different) - 1)


def test_repeated_copying_asks_for_the_right_symbols() -> None:
    alice, bob, function = problem("copy-unique").split(6)
    matrix = function(alice, bob)
    assert matrix.shape[0] == 15
    assert set(np.unique(matrix)) == {-1, 0, 1, 2, 3}
    # Every row has one asked question for each of the 7 lengths of Bob's part.
    assert ((matrix >= 0).sum(axis=1) == 7).all()


@pytest.mark.parametrize("name", NAMED_LANGUAGES)
def test_regular_languages_are_constant(name: str) -> None:
    found = measure(problem(name))  # compares the automaton's counts with the matrix itself
    assert found.growth.name == "constant"
    assert found.growth.fits["constant"].error == pytest.approx(0, abs=1e-12)
    assert max(found.rows) == found.rows_at_all_lengths
    assert found.exhaustive * np.log2(len(named_automaton(name).alphabet)) >= 10 or name in ("aa", "aaaa")


@pytest.mark.parametrize(
    ("expression", "letters"), [("(ab|ba)*", "ab"), ("(a|b)*a(a|b){3}", "ab"), ("a*b*c*", "abc")]
)
def test_regular_rows_by_definition(expression: str, letters: str) -> None:
    found = measure(problem(f"regex:{expression}"), 5)
    pattern = re.compile(expression)
    for n in (1, 3, 5):
        rows = rows_by_definition(letters, n, lambda x, y: bool(pattern.fullmatch(x + y)))
        assert found.rows[n - 1] == rows


def test_rows_of_a_regular_language_repeat() -> None:
    rows = regular_rows(named_automaton("d-40"))
    assert [rows.at(n) for n in (3, 10, 39, 40, 41, 10**9)] == [3, 7, 21, 22, 21, 22]
    assert rows.largest == 22


def test_a_long_period_is_bounded_by_the_states() -> None:
    """The four cycles meet again after 7 · 11 · 13 · 16 steps, beyond the search."""
    language = problem("regex:a(e{7})*|b(e{11})*|c(e{13})*|d(e{16})*")
    assert language.automaton is not None
    found = regular_rows(language.automaton)
    assert found.start is None
    assert max(found.counts) <= found.largest == len(language.automaton)
    with pytest.raises(InputError, match="rows are known up to length 4095"):
        found.at(10**6)
    assert measure(language, 3).growth.name == "constant"


def test_rows_that_share_a_hash_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(communication, "_hashes", lambda keys: np.zeros(len(keys), dtype=np.uint64))
    assert measure(problem("equality"), 6).rows == (2, 4, 8, 16, 32, 64)
    assert measure(problem("dyck-1"), 6).rows == (2, 3, 3, 4, 4, 5)


@given(st.data())
def test_any_matrix_in_blocks(data: st.DataObject) -> None:
    shape = data.draw(st.tuples(st.integers(1, 12), st.integers(1, 200)))
    top = data.draw(st.sampled_from([1, 2, 1000]))
    seed = data.draw(st.integers(0, 2**32))
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, top + 1, size=shape)[rng.integers(0, shape[0], size=shape[0])]
    if top == 1:
        matrix = matrix.astype(bool)
    expected = len(np.unique(matrix, axis=0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(communication, "_ENTRIES_AT_ONCE", 64)
        found = distinct_rows(np.arange(shape[0]), np.arange(shape[1]), lambda x, y: matrix[np.ix_(x, y)])
    assert found == expected


@pytest.mark.parametrize("function", [lambda x, y: x, lambda x, y: np.ones((1, 1))])
def test_answers_of_the_wrong_shape(function: communication.Function) -> None:
    with pytest.raises(ValueError, match="answers of shape"):
        distinct_rows(np.arange(3), np.arange(2), function)


@pytest.mark.parametrize(
    ("shape", "name"),
    [(lambda n: 3.0, "constant"), (lambda n: 5 * np.log2(n) + 1, "logarithmic"), (lambda n: n + 4, "linear")],
)
def test_fits(shape: Callable[[int], float], name: str) -> None:
    lengths = [4, 8, 16, 32, 64, 128]
    growth = fit_growth(lengths, [shape(n) for n in lengths])
    assert growth.name == name
    assert growth.lengths == (64, 128)
    assert growth.fits[name].error == min(fit.error for fit in growth.fits.values())


def test_nothing_to_say_is_constant() -> None:
    assert fit_growth([1, 2, 3], [0, 0, 0]).name == "constant"
    assert fit_growth([1], [1.0]).name == "constant"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: problem("equalty"), "did you mean 'equality'"),
        (lambda: problem("regex:(a"), "column"),
        (lambda: measure(problem("copy-repeat"), 30), r"copy-repeat at length 30 .* the longest is 16"),
        (lambda: fit_growth([1, 2], [1.0]), "a fit needs"),
    ],
)
def test_refusals(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
