"""What limit transformers, their translations and programs refuse, and in which words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.studies.limit_theory.measured import two_headed, witness
from longreach.theory.crasp.library import load
from longreach.theory.crasp.lower import simplify
from longreach.theory.limit.compiler import MAX_WIDTH, compile_program, compile_source
from longreach.theory.limit.finite import to_finite
from longreach.theory.limit.hand_built import induction_head, kgram_head, modp_task_model, simple_task_model
from longreach.theory.limit.named import load_model
from longreach.theory.limit.norms import limit_regularizer, regularizer
from longreach.theory.limit.products import invariance
from longreach.theory.limit.rounding import RelativePrecision
from longreach.theory.limit.run import accepts, attention, predictions, residuals, run
from tests.helpers.limit_reference import random_limit
from tests.helpers.refusals import refusal
from tests.helpers.small_models import small_model

LIMIT = random_limit(np.random.default_rng(5))
HEAD = replace(LIMIT.layers[0].heads[0], phi=lambda j, i: float(j == 0))
FAR = replace(LIMIT, layers=(replace(LIMIT.layers[0], heads=(HEAD,)),))
FINITE = small_model(0, "finite")
NOTHING: Any = SimpleNamespace(program=None)

REFUSALS: list[tuple[Callable[[], object], str]] = [
    # Kinds of transformers
    (lambda: to_finite(to_finite(LIMIT, 4), 4), "only a limit transformer is translated to T_n"),
    (lambda: to_finite(LIMIT, 0), "a context of 0"),
    (lambda: to_finite(FAR, 4), "layer.0.head.0.phi: not local"),
    (lambda: regularizer(LIMIT), "R is defined for finite transformers"),
    (lambda: limit_regularizer(to_finite(LIMIT, 3)), "R_∞ is defined for limit transformers"),
    (lambda: invariance(LIMIT), "this is a limit transformer"),
    (lambda: accepts(small_model(0), ["a"]), "a predictor does not accept words"),
    (lambda: predictions(LIMIT, ["a"]), "an acceptor does not predict tokens"),
    (lambda: attention(LIMIT, "ab", 0, 2), "layer.0.head.2: there is no such head"),
    # Words
    (lambda: run(LIMIT, ["ab", "ac"]), "token 2 of the word: 'c'"),
    (lambda: run(LIMIT, ["$"]), "token 1 of the word: '$'"),
    (lambda: run(FINITE, ["a", "ab"], 12), "a word of 2 tokens and $ at offset 12 exceeds the context of 14"),
    (lambda: run(FINITE, ["a" * 14]), "a word of 14 tokens and $ exceeds the context of 14"),
    (lambda: residuals(LIMIT, "a", -1), "offset -1"),
    (lambda: compile_source('L = # "a" >= 1').encode(["a", "b"]), "'b' is not in the vocabulary"),
    # Parameters of hand-built models
    (lambda: RelativePrecision(-1), "precision -1: a number of bits from 0 to 1000 is needed"),
    (lambda: RelativePrecision(1001), "precision 1001: a number of bits from 0 to 1000 is needed"),
    (lambda: simple_task_model(0.0), "omega 0"),
    (lambda: simple_task_model(1.0, 2.0), "tolerance 2"),
    (lambda: modp_task_model(0), "period 0"),
    (lambda: modp_task_model(3, 3), "residue 3: a number from 0 to 2"),
    (lambda: induction_head("aa"), "tokens: distinct tokens are needed"),
    (lambda: kgram_head("aa", 2), "tokens: distinct tokens are needed"),
    (lambda: kgram_head("ab", 0), "k 0: a number from 1 to 16"),
    (lambda: two_headed(8, "$a"), "tokens"),
    (lambda: two_headed(10), "context 10"),
    (lambda: witness(5), "witness"),
    # Names of models
    (lambda: load_model("hand:simple"), "no model is built by hand as 'simple'; did you mean 'simple-task'"),
    (lambda: load_model("hand:simple-task:speed=3"), "'speed=3' is not a parameter of simple-task"),
    (lambda: load_model("hand:modp-task:period"), "'period' is not a parameter"),
    (lambda: load_model("hand:modp-task:period=x"), "period='x' is not an integer"),
    (lambda: load_model("hand:simple-task:omega=inf"), "omega='inf' is not a number"),
    (lambda: load_model("hand:modp-task:period=3,residue=4"), "residue 4: a number from 0 to 2"),
    (lambda: load_model("simple-task"), "did you mean 'hand:simple-task'"),
    (lambda: load_model("nowhere"), "no directory 'nowhere'; expected a directory of a model, hand:NAME"),
    # Programs
    (
        lambda: compile_source('L = "$"'),
        "the token '$' is the start symbol of compiled models; rename it",
    ),
    (
        lambda: compile_source('L = # "a" >= 2305843009213693952'),
        "the program needs the number 2305843009213693952; compiled, numbers up to 2^50 are exact",
    ),
    (
        lambda: compile_source("L = i % 997 == 1 && i % 991 == 1 && i % 983 == 1"),
        "the moduli give positions a period of 971230541; the limit is 2396745",
    ),
    (lambda: compile_source(NOTHING), "there is no program to compile"),
    (lambda: compile_source("P = "), "<text>:1:"),
    (lambda: compile_source("none.cr"), "none.cr: no such file"),
]


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_refusals(call: Callable[[], object], message: str) -> None:
    assert message in refusal(call)


def test_wide_programs_are_refused_with_the_number() -> None:
    core = load("copy-unique").core
    assert simplify(core).size > MAX_WIDTH
    # The size of the program, and eight symbols that are looked up one place back.
    with pytest.raises(InputError, match=f"would be at least 13532 wide; the limit is {MAX_WIDTH}"):
        compile_program(core)
    majority = load("majority").core
    width = compile_program(majority).width
    with pytest.raises(InputError, match=f"would be {width} wide; the limit is {width - 1}"):
        compile_program(majority, max_width=width - 1)
