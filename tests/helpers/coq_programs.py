"""Core programs as terms of the Coq development, operation by operation."""

from __future__ import annotations

import pytest

from longreach.theory.certificates.coq import coqc
from longreach.theory.certificates.coq_terms import nats
from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core

needs_coq = pytest.mark.skipif(coqc() is None, reason="left out: needs Coq (make proofs)")


def program_term(core: Core) -> str:
    """`Programs.program`: tokens are their places in the alphabet."""
    return f"Program [{'; '.join(_op(op, core) for op in core.ops)}] {core.accept}"


def _op(op: c.Op, core: Core) -> str:
    match op:
        case c.Token(symbol):
            return f"Token {core.alphabet.index(symbol)}"
        case c.Periodic(modulus, residues):
            return f"Periodic {modulus} {nats(residues)}"
        case c.Count(body, distances) if distances is not None:
            return f"CountAt {nats(distances)} {body}"
        case _:
            return " ".join([type(op).__name__, *map(str, c.operands(op))])
