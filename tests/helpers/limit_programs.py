"""The table of programs that all tests of the compiler share."""

from __future__ import annotations

from functools import cache

from longreach.theory.automata.regex import from_expression
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.library import ENTRIES, load
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.program import parse
from longreach.theory.decide.decisions import decide
from longreach.theory.write.programs import acceptor, predictor

LARGEST = 600  # operations; the library's larger members have smaller siblings in their families

WRITTEN = {
    "true": "#alphabet a b\nL = true",
    "false": "#alphabet a b\nL = false",
    "empty word": "#alphabet a\nL = # true == 0",
    "token": '#alphabet a b\nL = !"a"',
    "not at the start": '#alphabet a b\nL = # (!"a") >= 2',
    "negative": '#alphabet a b\nD = # "a" - 3 * # "b"\nE = D if "a" else 0 - D\nL = # (E < 0 - 2) >= 1',
    "minimum": '#alphabet a b c\nL = min(# "a", # "b") + 1 >= max(# "c", 2)',
    "nested conditionals": (
        '#alphabet a b c\nA = # "a"\nB = # "b"\n'
        'X = (A if "a" else (B if "b" else (A + B if "c" else 5)))\nL = X >= 2 && !(X == 4)'
    ),
    "conditional of a test": '#alphabet a b\nA = # "a"\nL = (A - 2 if A >= 3 else 7) == # "b"',
    "missing targets": '#alphabet a b\nL = #[i-5] (!"a") == 0 && #[i-2..i-1] (!"b") <= 1',
    "here and before": '#alphabet a b\nL = #[{i, i-2}] (!"a") == 1',
    "window": '#alphabet a b\nW = #[i-7..i] "a"\nL = W >= 3 && W != 5 && 2 * # "b" >= W',
    "far": '#alphabet a b\nL = # (#[i-40] "a" >= 1) > # (#[i-3] "b" >= 1)',
    "local of local": '#alphabet a b\nP = #[i-1] "a" >= 1\nL = # (#[i-2] P >= 1 && "b") >= 2',
    "many letters back": '#alphabet a b\nL = #[i-1] "a" >= 1 && #[i-2] "b" >= 1 && #[i-3] "a" >= 1 && '
    '#[i-4] "b" >= 1 && #[i-5] "a" >= 1 && #[i-6] "b" >= 1 && #[i-7] "a" >= 1 && #[i-8] "b" >= 1',
    "periodic": '#alphabet a b\nL = # ("a" && i % 3 in {0, 2}) <= # (i % 2 == 1)',
    "periods alone": "#alphabet a\nL = i % 4 == 1 || !(i % 6 in {0, 3})",
    "wide or": '#alphabet a b c d e\nL = exists "a" || exists "b" && exists "c" || exists "d" && exists "e"',
    "parity of bits": '#alphabet a b c\nL = (# "a" > 2) <=> ((# "b" > 3) <=> (# "c" > 1 <=> # true > 7))',
    "large constant": '#alphabet a b\nL = 1000000 * # "a" >= 999999 * # "b" + 123456',
    "empty alphabet": "L = true",
}

EXPRESSIONS = (
    "a*b*a*",
    "(a(ab)*b)*",
    "(a|b)*a(a|b)*b(a|b)*",
    "(ab)*",
    "(aab)*",
    "(a|b)*ab",
    "((a|b)(a|b))*a",
    "(a|bb)*",
    "a(a|b)*b|b(a|b)*a",
    "(abc)*",
)


@cache
def table() -> dict[str, Core]:
    """All programs by name, simplified."""
    programs = {entry.example: load(entry.example).core for entry in ENTRIES.values()}
    programs |= {name: parse(text).core for name, text in WRITTEN.items()}
    for text in EXPRESSIONS:
        verdicts = decide(from_expression(text))
        for kind, verdict in (("nope", verdicts.nope), ("ape", verdicts.ape), ("local", verdicts.local)):
            if verdict.analysis is not None and verdict.answer:
                programs[f"{text} {kind}"] = acceptor(verdict.analysis).core
                programs[f"{text} {kind} next"] = predictor(verdict.analysis).core
    programs = {name: simplify(core) for name, core in programs.items()}
    return {name: core for name, core in programs.items() if core.size <= LARGEST}
