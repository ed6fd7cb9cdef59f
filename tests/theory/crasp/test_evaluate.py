"""Batched, streaming and traced evaluation agree with each other and with the literal readings."""

from __future__ import annotations

import itertools
import random
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.theory.crasp import core as c
from longreach.theory.crasp import evaluate
from longreach.theory.crasp import program as trace
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.evaluate import Stream, accepts, at_empty_word, predictions
from longreach.theory.crasp.program import Program, parse
from longreach.theory.crasp.words import encode
from tests.helpers import crasp_oracle as oracle
from tests.helpers import crasp_strategies as strategies
from tests.helpers.examples import at_most, examples

BLOCKS = st.sampled_from([1, 2, 3, 7, 1 << 16])
CUTS = st.lists(st.integers(0, 12), max_size=4)


def _check_all(core: Core, words: list[list[str]], block: int, cuts: list[int]) -> None:
    codes = [encode(core, word) for word in words]
    with mock.patch.object(evaluate, "BLOCK", block), mock.patch.object(trace, "BLOCK", block):
        if core.is_predictor:
            assert predictions(core, codes) == [oracle.core_predicts(core, word) for word in words]
        else:
            assert accepts(core, codes).tolist() == [oracle.core_accepts(core, word) for word in words]
        for word, coded in zip(words, codes, strict=True):
            expected = oracle.core_values(core, word)
            traced = trace.values_of_all(core, coded)
            assert traced == expected
            kinds = [{type(value) for value in row} for row in traced]
            assert kinds == [{bool} if c.is_boolean(op) else {int} for op in core.ops]
            stream = Stream(core)
            places = [0, *sorted(cut for cut in cuts if cut < len(coded)), len(coded)]
            for start, stop in itertools.pairwise(places):
                stream.feed(coded[start:stop])
            assert stream.position == len(word)
            last = [bool(expected[root][-1]) for root in core.roots]
            if core.is_predictor:
                tokens = [token for (token, _), holds in zip(core.outputs, last, strict=True) if holds]
                assert stream.predicted == tokens
            else:
                assert [stream.accepted] == last


@settings(max_examples=examples(600))
@given(st.data(), strategies.cores(), BLOCKS, CUTS)
def test_random_core_programs(data: st.DataObject, core: Core, block: int, cuts: list[int]) -> None:
    _check_all(core, data.draw(strategies.batches(core)), block, cuts)


@settings(max_examples=examples(600))
@given(st.data(), strategies.programs(), BLOCKS, CUTS)
def test_random_programs(data: st.DataObject, program: Program, block: int, cuts: list[int]) -> None:
    words = data.draw(strategies.batches(program.core))
    _check_all(program.core, words, block, cuts)
    codes = [encode(program.core, word) for word in words]
    if program.core.is_predictor:
        assert predictions(program.core, codes) == [oracle.surface_predicts(program, w) for w in words]
        assert [program.predicts(w) for w in words] == predictions(program.core, codes)
    else:
        assert accepts(program.core, codes).tolist() == [oracle.surface_accepts(program, w) for w in words]
        assert [program.accepts(w) for w in words] == accepts(program.core, codes).tolist()


@given(st.data(), strategies.cores(most=10), st.sampled_from([16, 64, 1 << 16]))
@settings(max_examples=at_most(60))
def test_longer_words(data: st.DataObject, core: Core, block: int) -> None:
    words = data.draw(st.lists(strategies.words(core, 90), max_size=4))
    _check_all(core, words, block, [17, 40])


FIXED = """
#import pred
#import pos_even
A = # "a"
B = # "b"
ab = "b" && #[pred] "a" == 1
near = #[i-4..i-1] "a" + #[{i, i-2, i-7}] "b" - #[<] ab
ahead = max(A - B, 2 * near) if pos_even else min(A, B)
odd = i % 3 in {0, 2} <=> ahead > near
L = exists odd => (# (ab || !odd) >= A && ahead != 3)
"""


@pytest.mark.parametrize("block", [1, 3, 1 << 16])
def test_every_short_word(block: int) -> None:
    program = parse(FIXED)
    words = [list(word) for word in oracle.all_words("abx", 6)]
    codes = [encode(program.core, word) for word in words]
    with mock.patch.object(evaluate, "BLOCK", block):
        found = accepts(program.core, codes).tolist()
    assert found == [oracle.surface_accepts(program, word) for word in words]
    assert 0 < sum(found) < len(found)


def test_many_words_of_all_lengths_at_once() -> None:
    core = parse('#alphabet a b\nP = # "a" > # "b" && "b"').core
    rng = random.Random(5)
    words = [[rng.choice("ab") for _ in range(rng.choice([0, 1, 2, 30, 31, 500]))] for _ in range(400)]
    expected = [bool(w) and w.count("a") > w.count("b") and w[-1] == "b" for w in words]
    assert accepts(core, [encode(core, word) for word in words]).tolist() == expected
    assert accepts(core, []).tolist() == []


def test_words_longer_than_a_block() -> None:
    core = parse('#alphabet a b\nP = # "a" >= # "b" + 3').core
    length = 2 * evaluate.BLOCK + 5
    codes = np.zeros(length, np.uint8)
    codes[: (length - 3) // 2] = 1
    level = codes.copy()
    level[-1] = 1
    assert accepts(core, [codes, level, codes[:7]]).tolist() == [True, False, False]
    assert parse('output "a" = # "a" < # "b"').core.is_predictor
    predicted = predictions(parse('#alphabet a b\noutput "a" = # "a" < # "b"').core, [codes])[0]
    assert len(predicted) == length
    assert [at for at in range(length) if not predicted[at]] == list(
        range(2 * ((length - 3) // 2) - 1, length)
    )


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("P = true", True),
        ("P = false", False),
        ('P = "a"', False),
        ('P = !"a"', True),
        ("P = # true == 0", True),
        ("P = #[i] true == 0", True),
        ("P = #[<] true == 0", True),
        ("P = exists true", False),
        ("P = i % 2 == 0", True),
        ("P = i % 3 in {1, 2}", False),
        ("#import pos_even\nP = pos_even", False),
        ("#import pos_odd\nP = pos_odd", True),
        ("P = 1 <= 1", True),
        ('P = (2 if "a" else 3) == 3', True),
    ],
)
def test_the_empty_word_is_read_at_position_zero(text: str, accepted: bool) -> None:
    program = parse(text)
    assert program.accepts("ε") is accepted
    assert program.accepts([]) is accepted
    assert Stream(program.core).accepted is accepted
    assert oracle.surface_accepts(program, []) is accepted


def test_position_zero_never_counts() -> None:
    program = parse("C = # (i % 2 == 0)\nD = #[i-1..i] (i % 2 == 0)\nP = C == 0 && D == 0")
    assert program.accepts("x")
    assert not program.accepts("xx")


def test_a_predictor_at_the_empty_word() -> None:
    core = parse('output "a" = # true == 0\noutput "b" = true').core
    assert predictions(core, [encode(core, [])]) == [[]]
    assert Stream(core).predicted == ["a", "b"]
    assert [bool(at_empty_word(core)[root]) for root in core.roots] == [True, True]


@pytest.mark.parametrize("factor", [2**20, 2**31 - 1, 2**32, 2**53 + 1, 2**62, 2**63 - 1, 2**64, 10**40])
def test_counts_are_exact_beyond_every_machine_integer(factor: int) -> None:
    program = parse(f'C = {factor} * # "a" - {factor} * # "b"\nP = C + 1 > {factor * 3}')
    for word in ["aaa", "aab", "aaaab", "aaaabb", "aaaaabb"]:
        excess = word.count("a") - word.count("b")
        assert program.accepts(word) is (excess >= 3)
    index = dict(program.core.names)["C"]
    values = trace.values_of_all(program.core, encode(program.core, "aab"))[index]
    assert values == [factor, 2 * factor, factor]
    assert {type(value) for value in values} == {int}


@pytest.mark.parametrize("value", [2**31 - 1, 2**63 - 1, 10**30])
@pytest.mark.parametrize("choice", ['(0 if "a" else {})', '({} if "b" else 0)', 'max(0 - # "a", {})'])
def test_sums_of_conditionals_are_exact(value: int, choice: str) -> None:
    program = parse(f"D = {choice.format(value)}\nP = D + D > D")
    assert program.accepts("aab")
    assert (
        trace.values_of_all(program.core, encode(program.core, "ab"))[dict(program.core.names)["D"]][1]
        == value
    )


def test_a_stream_outgrows_machine_integers_on_the_way() -> None:
    # The values need more than 32 bits from position 2048 on, and more than 64 from position 8192.
    for factor, edge in ((2**20, 2048), (2**50, 8192)):
        core = parse(f'#alphabet a b\nP = {factor} * # "a" >= {factor * edge} + #[i-3..i] "b"').core
        stream, found = Stream(core), []
        for _ in range(96):
            stream.feed(np.zeros(128, np.uint8))
            found.append(stream.accepted)
        assert found == [128 * (k + 1) >= edge for k in range(96)]


@pytest.mark.parametrize("size", [1, 2, 150, 300, 70_000])
def test_alphabets_of_any_size(size: int) -> None:
    tokens = [f"t{k}" for k in range(size)]
    core = Core((c.Token(tokens[-1]), c.Count(0), c.One(), c.Leq(2, 1)), tuple(tokens), True, 3)
    words = [tokens[:1] * 3, [*tokens[:1], tokens[-1], *tokens[:1]], tokens[-1:]]
    assert accepts(core, [encode(core, w) for w in words]).tolist() == [tokens[-1] in w for w in words]


def test_guards_longer_than_the_word() -> None:
    program = parse('C = #[i-900..i-2] "a" + #[{i-1, i-1000}] "a" + #[i-5000] "a"\nP = C == # "a" - 1 && "a"')
    assert program.accepts("aaa")
    assert program.accepts("a")
    assert not program.accepts(["a"] * 1002)
    assert not program.accepts("ε")


def test_a_modulus_longer_than_the_word() -> None:
    program = parse("P = i % 100000000000 in {0, 3, 5} || i % 1000000 != 4")
    assert [program.accepts(["x"] * n) for n in range(7)] == [True, True, True, True, False, True, True]
