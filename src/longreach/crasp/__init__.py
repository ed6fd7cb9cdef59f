"""C-RASP programs: text format, core operations, evaluation, library, equivalence.

>>> from longreach.crasp import parse
>>> parse('P = # "a" >= # "b"').accepts("aab")
True
"""

from longreach.crasp.core import Core
from longreach.crasp.expressions import (
    Builder,
    Expr,
    Program,
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
from longreach.crasp.parser import parse, parse_file

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
