"""Whatever holds a program → its transformer, for all lengths or for a context."""

from __future__ import annotations

from typing import Protocol

from longreach.crasp.library import PREFIX, load_program
from longreach.crasp.program import Program, parse
from longreach.errors import InputError
from longreach.limit.compile.program_to_limit import compile_program
from longreach.limit.model import Transformer
from longreach.limit.run.limit_to_finite import to_finite


class HoldsProgram(Protocol):
    """Something with a program, or without: a forecast, a verdict."""

    @property
    def program(self) -> Program | None:
        """None: there is none to compile."""


def compile_source(source: Program | HoldsProgram | str, context: int | None = None) -> Transformer:
    """The limit transformer of a program, or with a context of n positions the ordinary transformer T_n.

    A program is a `Program`, its text, `lib:NAME`, a file `….cr`, or whatever has one, such as a forecast.

    >>> compile_source('P = # "a" >= # "b"')
    limit transformer: 1 layer, 1 head, width 8; reads a b, accepts or rejects
    >>> compile_source("lib:dyck-1", context=64).context
    64
    """
    limit = compile_program(_program(source).core)
    return limit if context is None else to_finite(limit, context)


def _program(source: Program | HoldsProgram | str) -> Program:
    if isinstance(source, Program):
        return source
    if isinstance(source, str):
        named = source.startswith(PREFIX) or (source.endswith(".cr") and "\n" not in source)
        return load_program(source) if named else parse(source)
    program = source.program
    if program is None:
        raise InputError("there is no program to compile: none is known")
    return program
