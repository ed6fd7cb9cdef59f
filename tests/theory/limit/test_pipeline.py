"""From a program to all that is made of it: limit transformer, T_n, module, file, message, and back."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch

from longreach.models.compiled import CompiledTransformer
from longreach.studies.limit_theory.finite_to_limit import to_limit
from longreach.studies.limit_theory.protocol import run_protocol
from longreach.theory.automata.regex import from_expression
from longreach.theory.communication.complexity import fit_growth
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.evaluate import accepts as program_accepts
from longreach.theory.crasp.library import load
from longreach.theory.crasp.words import Encoder
from longreach.theory.decide.with_positions import decide_positional
from longreach.theory.limit.compiler import compile_program
from longreach.theory.limit.files import load as load_model
from longreach.theory.limit.files import save
from longreach.theory.limit.finite import to_finite
from longreach.theory.limit.model import Transformer
from longreach.theory.limit.norms import growth, limit_regularizer, membership
from longreach.theory.limit.run import accepts, run
from longreach.theory.write.programs import acceptor

LIBRARY = [
    "majority", "dyck-1", "anbncn", "contains-ab", "contains-ab-abc", "contains-bb", "aa", "abab", "tomita-2",
    "tomita-4", "tomita-7", "ab-d-bc", "d-3", "l-3",
]  # fmt: skip
EXPRESSIONS = ["(a|b)*a(a|b)", "((a|b)(a|b)(a|b))*", "b*ab*(ab)*", "(a(ab)*b)*c(b(ba)*a)*"]


def program(name: str) -> Core:
    if name in LIBRARY:
        return load(name).core
    analysis = decide_positional(from_expression(name)).periodic_local.analysis
    assert analysis is not None
    return acceptor(analysis).core


def words(core: Core, longest: int) -> list[list[str]]:
    rng = np.random.default_rng(0)
    short = [list(word) for n in range(4) for word in product(core.alphabet[:3], repeat=n)]
    return short + [list(rng.choice(core.alphabet, n)) for n in range(4, longest + 1, 3)]


@pytest.fixture(params=LIBRARY + EXPRESSIONS)
def compiled(request: pytest.FixtureRequest) -> tuple[Core, Transformer]:
    core = program(request.param)
    return core, compile_program(core)


def test_the_limit_transformer_accepts_what_the_program_does(compiled: tuple[Core, Transformer]) -> None:
    core, model = compiled
    tried = words(core, 40)
    wanted = program_accepts(core, [Encoder(core).tokens(word) for word in tried])
    assert accepts(model, tried).tolist() == wanted.tolist()
    if not core.relations:
        assert not model.positions.any()
        assert model.locality == 0


def test_transformers_for_a_context_agree_at_every_offset(compiled: tuple[Core, Transformer]) -> None:
    core, model = compiled
    finite = to_finite(model, 24)
    tried = words(core, 20)
    for offset in (0, 1, 3):
        for ours, theirs in zip(run(finite, tried, offset), run(model, tried), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-9)
    assert membership(finite).member


def test_the_regularizer_stays_bounded(compiled: tuple[Core, Transformer]) -> None:
    _, model = compiled
    totals = [found.total for _, found in growth(model, (16, 32, 64))]
    assert max(totals) - min(totals) <= 0.1
    assert limit_regularizer(model).total > 0


def test_the_module_and_the_file_give_the_same_outputs(
    compiled: tuple[Core, Transformer], tmp_path: Path
) -> None:
    core, model = compiled
    save(model, tmp_path / "model")
    again = load_model(tmp_path / "model")
    module = CompiledTransformer(model)
    for word in words(core, 20)[::4]:
        (wanted,) = run(model, [word])
        np.testing.assert_array_equal(run(again, [word])[0], wanted)
        outputs = module(torch.from_numpy(model.encode(word))[None])[0].detach().numpy()
        np.testing.assert_allclose(outputs, wanted, atol=1e-9)


@pytest.mark.parametrize("name", ["majority", "dyck-1", "contains-ab-abc", "tomita-4", "abab"])
def test_messages_grow_like_the_logarithm(name: str) -> None:
    core = load(name).core
    model = replace(compile_program(core), precision=6)
    lengths, bits = [8, 16, 32, 64, 128], []
    for length in lengths:
        word = list(np.random.default_rng(length).choice(core.alphabet, length))
        transcript = run_protocol(model, word[: length // 2], word[length // 2 :])
        bits.append(transcript.bits)
        assert transcript.keys_exact
        assert (transcript.outputs[-1][0] > 0) == program_accepts(core, [Encoder(core).tokens(word)])[0]
    assert fit_growth(lengths, bits, offset=True).name == "logarithmic"


@pytest.mark.parametrize("name", ["majority", "contains-bb", "aa"])
def test_and_back_to_a_limit_transformer(name: str) -> None:
    core = load(name).core
    finite = to_finite(compile_program(core), 10)
    limit = to_limit(finite)
    tried = [list(word) for n in range(6) for word in product(core.alphabet, repeat=n)]
    for ours, theirs in zip(run(limit, tried), run(finite, tried), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
