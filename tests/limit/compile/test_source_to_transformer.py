from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from longreach.crasp.library import load
from longreach.crasp.program import parse
from longreach.errors import InputError
from longreach.limit.compile.source_to_transformer import compile_source
from longreach.limit.run.float_evaluator import accepts

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
        assert accepts(compile_source(source), words).tolist() == expected  # type: ignore[arg-type]
        finite = compile_source(source, context=6)  # type: ignore[arg-type]
        assert finite.context == 6
        assert accepts(finite, words).tolist() == expected
    assert program.compile(context=6).context == 6


def test_library_programs_are_known_by_name() -> None:
    assert compile_source("lib:dyck-1").program == compile_source(load("dyck-1")).program


def test_what_cannot_be_compiled_is_refused() -> None:
    with pytest.raises(InputError, match="there is no program to compile"):
        compile_source(_Holds(None))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="<text>:1:"):
        compile_source("P = ")
    with pytest.raises(InputError, match=r"none\.cr: no such file"):
        compile_source("none.cr")


def test_a_transformer_is_described_in_one_line() -> None:
    assert repr(compile_source(TEXT)) == (
        "limit transformer: 1 layer, 1 head, width 8; reads a b, accepts or rejects"
    )
    finite = repr(compile_source("lib:dyck-1-next", context=20))
    assert finite.startswith("transformer for 20 positions: 2 layers, ")
    assert finite.endswith("; reads ( ) EOS, predicts what may follow")
