"""Compiled programs against the interpreter, at every operation and position, read literally."""

from __future__ import annotations

import random
import time
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.errors import InputError
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.evaluate import accepts, predictions
from longreach.theory.crasp.library import load
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.program import parse
from longreach.theory.crasp.words import encode
from longreach.theory.limit.certificate import verify
from longreach.theory.limit.compiler import compile_program, compile_source
from longreach.theory.limit.model import Array, Transformer
from longreach.theory.limit.run import accepts as accepts_source_to_transformer
from tests.helpers import crasp_strategies as strategies
from tests.helpers import limit_reference as reference
from tests.helpers.crasp_oracle import all_words
from tests.helpers.examples import examples
from tests.helpers.limit_programs import table


def reference_states(model: Transformer, batch: np.ndarray) -> Array:
    words = [[model.vocabulary[row] for row in word[1:]] for word in batch]
    return np.stack([reference.states(model, word) for word in words])


@pytest.mark.parametrize("name", table())
def test_every_operation_at_every_position(name: str) -> None:
    core = table()[name]
    model = compile_program(core)
    # The literal evaluator on short words, the fast one, which it confirms, on more and longer ones.
    wide = core.size > 300
    short = verify(model, core, 6, 6, longest=60, most=20 if wide else 300, states=reference_states)
    assert short.agrees, short.disagreement
    everything = verify(model, core, 8, 6, longest=1000, most=300 if wide else 3000)
    assert everything.agrees, everything.disagreement
    if len(core.alphabet) <= 3:
        assert everything.exhaustive >= 6


def test_a_long_word_with_the_literal_evaluator() -> None:
    for name in ("dyck-1", "tomita-4", "(aab)* ape"):
        core = table()[name]
        report = verify(compile_program(core), core, 0, samples=1, longest=1000, states=reference_states)
        assert (report.longest, report.disagreement) == (1000, None)


@pytest.mark.parametrize("name", table())
def test_outputs(name: str) -> None:
    core = table()[name]
    model = compile_program(core)
    rng = random.Random(3)
    words = [list(word) for word in all_words(core.alphabet[:2], 2 if core.size > 300 else 5)]
    words += [[rng.choice(core.alphabet) for _ in range(n)] for n in (9, 30) if core.alphabet]
    found = [reference.outputs(model, word) for word in words]
    assert all(np.abs(np.abs(output) - 1).max() == 0 for output in found)  # far from 0 on both sides
    codes = [encode(core, word) for word in words]
    if core.is_predictor:
        assert model.read_out == tuple(token for token, _ in core.outputs)
        for output, expected in zip(found, predictions(core, codes), strict=True):
            predicted = [[t for t, x in zip(model.read_out, row, strict=True) if x > 0] for row in output[1:]]
            assert predicted == expected
    else:
        assert [output[-1, 0] > 0 for output in found] == accepts(core, codes).tolist()


@given(
    st.one_of(
        strategies.cores(most=16),
        strategies.programs(huge=False, statements=5).map(lambda program: program.core),
    )
)
@settings(max_examples=examples(300))
def test_random_programs(core: Core) -> None:
    try:
        model = compile_program(core)
    except InputError as error:
        assert "the program needs the number" in str(error)  # noqa: PT017 (only such programs are refused)
        return
    for states in (None, reference_states):
        longest = 60 if states else 200
        report = verify(model, core, 4, samples=4, longest=longest, most=100, states=states)
        assert report.agrees, report.disagreement


@pytest.mark.parametrize("name", table())
def test_programs_without_relations_have_no_positions(name: str) -> None:
    core = table()[name]
    model = compile_program(core)
    if "periodic" not in core.relations:
        assert model.positions.shape == (1, model.width)
        assert not model.positions.any()
    assert model.period == core.modulus
    heads = [head for layer in model.layers for head in layer.heads]
    assert all(not head.kq.any() for head in heads)
    if "local" not in core.relations:
        assert all(head.phi is None for head in heads)
    for layer in model.layers:  # one uniform head and one per distance
        distances = [np.flatnonzero(head.phi).tolist() for head in layer.heads if head.phi is not None]
        assert sorted(distances) == sorted({tuple(d): d for d in distances}.values())
        assert sum(head.phi is None for head in layer.heads) <= 1


@pytest.mark.parametrize(
    ("name", "layers"),
    [
        ("aa", 0),  # the position alone decides
        ("majority", 1),
        ("count-3", 1),
        ("tomita-1", 1),
        ("dyck-1", 2),
        ("anbncn", 2),
        ("tomita-2", 2),  # a conditional inside a comparison
        ("tomita-4", 2),  # two look-ups in one unit
        ("contains-ab-abc", 2),
        ("contains-bb", 2),
        ("aa-bb-cc-dd-ee", 2),  # many existence tests at once
        ("tomita-7", 4),
        ("induction-all", 2),
        ("conditional of a test", 2),  # of two counts that are not compared with each other: no quadrant
        ("parity of bits", 2),
        ("wide or", 1),
    ],
)
def test_layers_are_as_few_as_can_be(name: str, layers: int) -> None:
    assert len(compile_program(table()[name]).layers) == layers


@pytest.mark.parametrize("name", table())
def test_layers_are_at_least_the_counting_depth(name: str) -> None:
    core = table()[name]
    layers = compile_program(core).layers
    assert len(layers) >= core.depth
    # A layer without heads writes something, or it would not be there.
    assert all(len(layer.b) or layer.heads for layer in layers)


def test_coordinates_are_named() -> None:
    model = compile_program(load("contains-bb").core)
    assert {"1", "$", "1/(i+1)", "op.0", "op.0@1", "bb", "L"} <= model.coordinates.keys()
    assert sorted(set(model.coordinates.values())) == list(range(model.width))
    assert model.program is not None
    assert simplify(parse(model.program).core).ops == simplify(load("contains-bb").core).ops


def test_deep_and_large_programs() -> None:
    deep = load("l-60").core
    model = compile_program(deep)
    assert len(model.layers) == deep.depth == 60
    assert verify(model, deep, 3, samples=2, longest=300).agrees
    lines = ["#alphabet a b", 'P_0 = "a"']
    lines += [f'P_{k} = !(P_{k - 1} && {"!" * (k % 2)}(# "b" > {k})) || "b"' for k in range(1, 40)]
    circuit = parse("\n".join(lines)).core
    assert verify(compile_program(circuit), circuit, 7, samples=4, longest=200).agrees
    chain = parse('#alphabet a b\nL = # "a" > ' + " + ".join(['# "b"'] * 2000)).core
    assert len(compile_program(chain).layers) == 1


def test_compiling_is_fast() -> None:
    core = table()["sort-10"]
    assert core.size > 100
    started = time.perf_counter()
    compile_program(core)
    assert time.perf_counter() - started < 1


TEXT = '#alphabet a b\nP = # "a" >= # "b"'


class _Holds:
    def __init__(self, program: object) -> None:
        self.program = program


def test_all_sources_give_the_program_s_transformer(tmp_path: Path) -> None:
    file = tmp_path / "mine.cr"
    file.write_text(TEXT, encoding="utf-8")
    words = [word for length in range(6) for word in product("ab", repeat=length)]
    program = parse(TEXT)
    expected = [program.accepts(word) for word in words]
    for source in (TEXT, program, str(file), _Holds(program)):
        assert accepts_source_to_transformer(compile_source(source), words).tolist() == expected  # type: ignore[arg-type]
        finite = compile_source(source, context=6)  # type: ignore[arg-type]
        assert finite.context == 6
        assert accepts_source_to_transformer(finite, words).tolist() == expected
    assert program.compile(context=6).context == 6


def test_library_programs_are_known_by_name() -> None:
    assert compile_source("lib:dyck-1").program == compile_source(load("dyck-1")).program


def test_a_transformer_is_described_in_one_line() -> None:
    assert repr(compile_source(TEXT)) == (
        "limit transformer: 1 layer, 1 head, width 8; reads a b, accepts or rejects"
    )
    finite = repr(compile_source("lib:dyck-1-next", context=20))
    assert finite.startswith("transformer for 20 positions: 2 layers, ")
    assert finite.endswith("; reads ( ) EOS, predicts what may follow")
