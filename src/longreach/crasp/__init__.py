"""C-RASP programs: text format, core operations, evaluation, library, equivalence.

`syntax` is a program as written and `core` its straight-line operations; `parser` reads text, `lowering`
goes from syntax to core and back, `printer` writes; `simplify` and `evaluate` work on the core, `equal`
compares two. `program` stands on these: Program and Builder, with everything a user calls on them.
`library` holds the ready programs; `peer` reads as another interpreter does; `run` and `trace` are commands.
`closure` has the transformations of programs that the paper proves.

>>> from longreach.crasp import parse
>>> parse('P = # "a" >= # "b"').accepts("aab")
True
"""

from longreach.crasp.core import Core
from longreach.crasp.program import Builder, Program, parse, parse_file
from longreach.crasp.syntax import (
    Expr,
    all_of,
    any_of,
    conditional,
    count,
    exists,
    integer,
    maximum,
    minimum,
    position,
    token,
)

__all__ = [
    "Builder",
    "Core",
    "Expr",
    "Program",
    "all_of",
    "any_of",
    "conditional",
    "count",
    "exists",
    "integer",
    "maximum",
    "minimum",
    "parse",
    "parse_file",
    "position",
    "token",
]
