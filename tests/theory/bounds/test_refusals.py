"""What bounds and simulation strings refuse, and in which words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest

from longreach.errors import Argument, InputError
from longreach.theory.bounds.definition import read_error, read_settings
from longreach.theory.bounds.quantities import combined, quantities
from longreach.theory.bounds.simulation import ModelPair, read_word
from longreach.theory.bounds.strings import FiniteSimulation, InfiniteSimulation, check_one_layer
from longreach.theory.limit.finite import to_finite
from longreach.theory.limit.hand_built import induction_head, kgram_head, modp_task_model, simple_task_model
from longreach.theory.limit.model import Head, Transformer
from longreach.theory.limit.named import load_model
from tests.helpers.one_layer_models import one_layer_model
from tests.helpers.refusals import refusal
from tests.helpers.small_models import small_model

SIMPLE, DEEP, STEPS = simple_task_model(), kgram_head("012", 1), load_model("lib:majority")
FINITE, GENERAL = to_finite(modp_task_model(1), 8), small_model(1, phi="general")
HUGE = replace(SIMPLE, unembedding=SIMPLE.unembedding * 1e300, embedding=SIMPLE.embedding * 1e200)
SHORT = np.zeros(5, dtype=np.intp)


def finite(model: Transformer, error: float = 1.0) -> object:
    return FiniteSimulation(ModelPair(model, model), precision=8).string(SHORT, error)


def infinite(model: Transformer) -> InfiniteSimulation:
    return InfiniteSimulation(ModelPair(model, model))


REFUSALS: list[tuple[Callable[[], object], str]] = [
    # Quantities as they are typed
    (lambda: read_settings(["gama=1"]), "--set: no quantity named 'gama'; did you mean 'gamma'"),
    (lambda: read_settings(["zzz=1"]), "--set: no quantity named 'zzz'; the names are precision, gamma"),
    (lambda: read_settings(["gamma"]), "--set: 'gamma': expected name=value"),
    (lambda: read_settings(["gamma="]), "--set: gamma: '' is not a number"),
    (lambda: read_settings(["gamma=0"]), "--set: gamma: 0 is not positive"),
    (lambda: read_settings(["gamma=-1"]), "--set: gamma: -1 is not positive"),
    (lambda: read_settings(["gamma=nan"]), "--set: gamma: 'nan' is not a number"),
    (lambda: read_settings(["gamma=1/0"]), "--set: gamma: '1/0' is not a number"),
    (lambda: read_settings(["L=inf"]), "--set: L: 'inf' is not a number"),
    (lambda: read_settings(["L=1e999999999"]), "--set: L: 1e999999999 is not between 1e-300 and 1e300"),
    (lambda: read_settings(["L=1e301"]), "--set: L: 1e301 is not between 1e-300 and 1e300"),
    (lambda: read_settings(["L=1e-301"]), "--set: L: 1e-301 is not between 1e-300 and 1e300"),
    (lambda: read_settings(["period=0"]), "--set: period: must be at least 1, not 0"),
    (lambda: read_settings(["period=1.5"]), "--set: period: 1.5 is not a whole number"),
    (lambda: read_settings(["locality=-1"]), "--set: locality: must be at least 0, not -1"),
    (lambda: read_settings(["states=0"]), "--set: states: must be at least 1, not 0"),
    (lambda: read_settings(["L=1", "L=2"]), "--set: L is given twice"),
    *(
        (lambda text=text: read_error(text), "--error: ")
        for text in ("0", "-0.1", "abc", "", "nan", "inf", "1e99999")
    ),
    # Models that no theorem is about
    (lambda: quantities(small_model(0, layers=3)), "a model of 3 layers: the bounds are about one or two"),
    (lambda: quantities(FINITE), "this one is finite"),
    (lambda: quantities(GENERAL), "not local"),
    (lambda: quantities(SIMPLE, precision=-1), "not negative"),
    (lambda: quantities(SIMPLE).hard_from, "no precision is given"),
    (lambda: combined(quantities(SIMPLE, precision=8), quantities(SIMPLE, precision=4)), "one precision"),
    (lambda: combined(*(quantities(induction_head(each)) for each in ("ab", "abc"))), "one alphabet"),
    (lambda: combined(quantities(SIMPLE), quantities(DEEP)), "one depth"),
    (
        lambda: ModelPair(FINITE, SIMPLE),
        "model: a finite transformer; simulation strings are",
    ),
    (lambda: ModelPair(SIMPLE, FINITE), "against: a finite transformer"),
    (lambda: ModelPair(SIMPLE, modp_task_model()), "against: it reads other tokens"),
    (lambda: ModelPair(SIMPLE, DEEP), "against: a pair has one depth"),
    (lambda: finite(DEEP), "model: 2 layers; with finite precision the theorem is about one"),
    (lambda: finite(STEPS), "model: 1 of 1 units of the MLP are Heaviside steps"),
    (lambda: finite(HUGE), "no finite Lipschitz constant"),
    (lambda: infinite(SIMPLE), "model: 1 layers; with infinite precision the theorem is about two"),
    (lambda: infinite(GENERAL), "model: layer.0.head.0.phi: not local"),
    # Errors, lengths and words
    *(
        (lambda error=error: finite(SIMPLE, error), f"error: {error:g}: an error is a positive number")
        for error in (0.0, -1.0, nan, inf)
    ),
    (lambda: infinite(DEEP).string(SHORT, 0.0), "error: 0: an error is a positive number"),
    (
        lambda: infinite(DEEP).of_length(SHORT, 10),
        "length: 10: the construction is made for 216 tokens",
    ),
    (lambda: ModelPair(SIMPLE, SIMPLE).encode("07"), "word: token 2, '7', is not one of the model's (0 1 2)"),
    (lambda: read_word(ModelPair(SIMPLE, SIMPLE), "013"), "word: token 3, '3', is not one of the model's"),
    (lambda: read_word(ModelPair(SIMPLE, SIMPLE), "random:x"), "word: 'random:x': random:LENGTH"),
    (lambda: read_word(ModelPair(SIMPLE, SIMPLE), "random:999999999999"), "has up to 50,000,000 tokens"),
    (lambda: read_word(ModelPair(SIMPLE, SIMPLE), "@nowhere"), "nowhere: no such file"),
    (lambda: read_word(ModelPair(SIMPLE, SIMPLE), "@."), "is a directory, not a file"),
]


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_refusals(call: Callable[[], object], message: str) -> None:
    assert message in refusal(call)


def test_two_heads_that_write_are_refused_and_silent_ones_are_not() -> None:
    model = one_layer_model(np.random.default_rng(0))
    (head,) = model.layers[0].heads
    silent = Head(head.kq, np.zeros_like(head.v))

    def check(*heads: Head) -> None:
        check_one_layer(replace(model, layers=(replace(model.layers[0], heads=heads),)), Argument("model"))

    check(head, silent)
    with pytest.raises(InputError, match="model: 2 heads that write; the theorem is about one head"):
        check(head, head)
    with pytest.raises(InputError, match="model: 0 heads that write"):
        check(silent)
