"""Batched, streaming and traced evaluation agree with each other and with the literal readings."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.crasp import core as c
from longreach.crasp import evaluate, parse, trace
from longreach.crasp.core import Core
from longreach.crasp.evaluate import Stream, accepts, at_empty_word, predictions
from longreach.crasp.expressions import Program
from longreach.crasp.words import encode
from tests.crasp import oracle, strategies

BLOCKS = st.sampled_from([1, 2, 3, 7, 1 << 16])


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
            for start, stop in zip(places, places[1:], strict=False):
                stream.feed(coded[start:stop])
            assert stream.position == len(word)
            last = [bool(expected[root][-1]) for root in core.roots]
            if core.is_predictor:
                tokens = [token for (token, _), holds in zip(core.outputs, last, strict=True) if holds]
                assert stream.predicted == tokens
            else:
                assert [stream.accepted] == last


@given(st.data(), strategies.cores(), BLOCKS, st.lists(st.integers(0, 12), max_size=4))
def test_random_core_programs(data: st.DataObject, core: Core, block: int, cuts: list[int]) -> None:
    _check_all(core, data.draw(strategies.batches(core)), block, cuts)


@given(st.data(), strategies.programs(), BLOCKS, st.lists(st.integers(0, 12), max_size=4))
def test_random_programs(data: st.DataObject, program: Program, block: int, cuts: list[int]) -> None:
    words = data.draw(strategies.batches(program.core))
    _check_all(program.core, words, block, cuts)
    codes = [encode(program.core, word) for word in words]
    if program.core.is_predictor:
        assert predictions(program.core, codes) == [oracle.surface_predicts(program, w) for w in words]
    else:
        assert accepts(program.core, codes).tolist() == [oracle.surface_accepts(program, w) for w in words]
