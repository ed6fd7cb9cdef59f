"""Bounded equivalence against listing every word."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.theory.crasp import library
from longreach.theory.crasp.compare import DeterministicSide, ProgramSide, compare, equal
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.evaluate import Stream, accepts
from longreach.theory.crasp.program import Program, parse
from longreach.theory.crasp.words import encode
from tests.helpers import crasp_oracle as oracle
from tests.helpers import crasp_strategies as strategies
from tests.helpers.examples import at_most, examples


def _first_difference(
    left: Core, right: Core, letters: tuple[str, ...], longest: int
) -> tuple[str, ...] | None:
    words = list(oracle.all_words(letters, longest))
    if not left.is_predictor:
        found = [accepts(core, [encode(core, word) for word in words]) for core in (left, right)]
        differing = np.flatnonzero(found[0] != found[1])
        return words[differing[0]] if len(differing) else None
    for word in words:
        streams = Stream(left), Stream(right)
        for stream in streams:
            stream.feed(encode(stream.core, word))
        if set(streams[0].predicted) != set(streams[1].predicted):
            return word
    return None


def _check(left: Program, right: Program, budget: int) -> None:
    letters = left.core.alphabet
    longest = {1: 14, 2: 8, 3: 6}[len(letters)]
    expected = _first_difference(left.core, right.core, letters, longest)
    found = equal(left.core, right.core, longest)
    assert (found.equal, found.witness, found.complete) == (expected is None, expected, True)
    assert found.length == longest
    limited = equal(left.core, right.core, longest, max_states=budget)
    if limited.complete:
        assert limited == found
    else:
        assert limited.equal
        assert limited.witness is None
        assert limited.length < longest
        assert expected is None or len(expected) > limited.length


@settings(max_examples=examples(400))
@given(strategies.neighbours(), st.integers(1, 40))
def test_acceptors(pair: tuple[Program, Program], budget: int) -> None:
    _check(*pair, budget)


@pytest.mark.slow
@settings(max_examples=at_most(80))
@given(strategies.neighbours(predictor=True), st.integers(1, 40))
def test_predictors(pair: tuple[Program, Program], budget: int) -> None:
    _check(*pair, budget)


def test_the_witness_is_the_shortest_and_alphabetically_first_word() -> None:
    left = parse('#alphabet b a\nP = # "a" >= 2 && # "b" >= 1').core
    right = parse("#alphabet b a\nP = false").core
    assert equal(left, right, 9).witness == ("b", "a", "a")
    assert equal(left, right, 2).witness is None
    assert equal(parse("P = true").core, parse("P = exists true").core, 4).witness == ()


@pytest.mark.parametrize("letters", ["ab", "ba"])
@pytest.mark.parametrize(
    "count",
    ['# "a"', '# "a" - # "b"', '2 * # "a" - # "b"', '# "b" + #[i-2..i] "a"', '(3 if "a" else 0) - # "b"'],
)
def test_thresholds_that_only_the_last_letters_reach(count: str, letters: str) -> None:
    # Prefixes may be merged only once no continuation tells them apart: tight at every threshold.
    cores = [parse(f"#alphabet {' '.join(letters)}\nP = {count} + 20 >= {k}").core for k in range(8, 36)]
    never = parse(f"#alphabet {' '.join(letters)}\nP = false").core
    words = list(oracle.all_words(letters, 7))
    codes = [encode(never, word) for word in words]
    accepted = [accepts(core, codes) for core in [*cores, never]]
    for k, core in enumerate(cores):
        for other in (k + 1, len(cores)):
            differing = np.flatnonzero(accepted[k] != accepted[other])
            expected = words[differing[0]] if len(differing) else None
            assert equal(core, [*cores, never][other], 7).witness == expected


def test_long_words_are_merged_not_listed() -> None:
    left = library.load("dyck-1").core
    right = parse(
        '#alphabet ( )\nh = # "(" - # ")"\nD = # (h < 0) == 0 && h == 0 && (# true) * 2 != 600'
    ).core
    assert equal(left, right, 299).equal
    found = equal(left, right, 300, max_states=2000)
    assert found.complete
    assert found.witness == ("(",) * 150 + (")",) * 150


def test_a_budget_ends_the_search_and_says_so() -> None:
    left, right = parse('P = # (# "a" > # "b") > # "b"').core, parse('P = # "b" < # (# "a" > # "b")').core
    found = equal(left, right, 60, max_states=100)
    assert (found.equal, found.complete, found.witness) == (True, False, None)
    assert 0 < found.length < 60
    assert equal(left, right, 60).complete


def test_programs_with_different_alphabets() -> None:
    wider = parse('#alphabet a b c\nP = exists "a"').core
    assert equal(parse('P = exists "a"').core, wider, 5).equal
    left, right = parse('P = # "a" == # true').core, parse('P = # !"a" == 0').core
    assert equal(left, right, 5).equal
    other = equal(left, parse('P = exists "a" || # true == 0').core, 5, alphabet=["a", "z"])
    assert other.witness == ("a", "z")


def test_a_missing_output_is_never_predicted() -> None:
    left = parse('#alphabet a b\noutput "a" = true\noutput "b" = # "b" >= 2').core
    right = parse('#alphabet a b\noutput "a" = true').core
    assert equal(left, right, 5).witness == ("b", "b")
    assert equal(right, left, 5).witness == ("b", "b")


@pytest.mark.parametrize("text", ["# true", '3 * # "b" - # "a" + #[i-2..i] "b"', f'{2**64} * # "a" - # "b"'])
def test_automata_on_the_other_side(text: str) -> None:
    core = parse(f"#alphabet a b\nC = {text}\nP = # (C >= 4) >= 1").core
    # Words with the subword bb, as an automaton.
    table = np.array([[0, 1], [0, 2], [2, 2]])
    side = DeterministicSide(table, 0, np.array([False, False, True]))
    words = list(oracle.all_words("ab", 9))
    differing = [word for word in words if oracle.core_accepts(core, word) != ("bb" in "".join(word))]
    found = compare(ProgramSide(core, "ab"), side, "ab", 9)
    assert found.witness == differing[0]
    assert not found.equal


def test_windows_are_no_longer_than_the_words() -> None:
    far = parse('#alphabet a b\nP = #[i-1000000..i] "a" >= 1\nQ = P && #[i-500000] "a" == 0').core
    assert equal(far, parse('#alphabet a b\nP = exists "a"').core, 14).equal
    for distance in range(1, 6):
        near = parse(f'#alphabet a b\nP = #[i-{distance}] "a" >= 1').core
        for length in range(7):
            found = equal(near, parse("#alphabet a b\nP = false").core, length)
            assert found.equal == (distance >= length)
