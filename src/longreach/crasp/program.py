"""Programs: what is read, lowered, printed and run, behind one class.

>>> from longreach.crasp.syntax import count
>>> b = Builder(alphabet=["(", ")"])
>>> opened, closed = b.let("opened", count("(")), b.let("closed", count(")"))
>>> bad = b.let("bad", count(opened < closed))
>>> _ = b.let("D", (bad == 0) & (opened == closed))
>>> print(b.program().text)
#alphabet ( )
opened = # "("
closed = # ")"
bad = # (opened < closed)
D = bad == 0 && opened == closed
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import longreach
from longreach import notebook
from longreach.crasp import evaluate
from longreach.crasp.core import Core
from longreach.crasp.lowering import lower, raised
from longreach.crasp.parser import check_name, read_program, read_text
from longreach.crasp.printer import to_text
from longreach.crasp.syntax import Expr, Listing, Operand, Statement, as_expr, reference
from longreach.crasp.trace import Trace, trace
from longreach.crasp.words import Encoder, encode
from longreach.errors import InputError
from longreach.wording import counted

if TYPE_CHECKING:
    from longreach.limit.model import Transformer

SHOWN = 12
"""Letters that a short description names."""


@dataclass(frozen=True, eq=False, repr=False)
class Program(Listing):
    """A listing with its meaning: core operations, text, and what it accepts or predicts.

    >>> parse('#alphabet a b\\nP = # "a" >= # "b"')
    Program: an acceptor over a b in C-RASP[∅], 5 operations, depth 1
    """

    @classmethod
    def of(cls, listing: Listing) -> Program:
        return cls(listing.statements, listing.alphabet, listing.title)

    @cached_property
    def core(self) -> Core:
        """The straight-line program of core operations."""
        return lower(self)

    @property
    def text(self) -> str:
        """The program in the `.cr` format."""
        return to_text(self)

    def accepts(self, word: str | Sequence[str]) -> bool:
        """Whether the program accepts a word: a list of tokens, or a string as on the command line.

        >>> parse('P = # "a" >= # "b"').accepts("abba")
        True
        """
        return bool(evaluate.accepts(self.core, [encode(self.core, word)])[0])

    def predicts(self, word: str | Sequence[str]) -> list[list[str]]:
        """For a predictor: at each position the tokens that may come next."""
        if not self.core.is_predictor:
            raise InputError("the program accepts or rejects words and predicts nothing: ask for accepts")
        return evaluate.predictions(self.core, [encode(self.core, word)])[0]

    def trace(self, word: str | Sequence[str]) -> Trace:
        """The value of every statement at every position of a word.

        >>> parse('C = # "a"\\nP = C >= 2').trace("aba")
                   1 2 3
                   a b a
        C = # "a"  1 1 2
        P = C >= 2 · · ⊤
        accept
        """
        tokens = Encoder(self.core).split(word) if isinstance(word, str) else list(word)
        return trace(self, tokens, encode(self.core, word))

    def compile(self, context: int | None = None) -> Transformer:
        """The transformer that computes the program: a limit transformer, or T_n for a context of n.

        >>> parse('P = # "a" >= # "b"').compile()
        limit transformer: 1 layer, 1 head, width 8; reads a b, accepts or rejects
        """
        # Transformers stand above programs; the front door knows where.
        return longreach.compile(self, context)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        try:
            core = self.core
        except InputError:
            return f"Program: {counted(len(self.statements), 'statement')}, not a program yet"
        kind = "a predictor" if core.is_predictor else "an acceptor"
        letters = " ".join(core.alphabet[:SHOWN]) + (" …" if len(core.alphabet) > SHOWN else "")
        size = f"{counted(core.size, 'operation')}, depth {core.depth}"
        return f"Program: {kind} over {letters} in {core.class_name}, {size}"

    def _repr_html_(self) -> str:
        return notebook.listing(self.text, title=repr(self))


def parse(text: str, file: str = "<text>") -> Program:
    """The program that a text in the `.cr` format describes.

    >>> parse('P = # "a" >= 2').core.class_name
    'C-RASP[∅]'
    >>> parse('P = # "a" && true')
    Traceback (most recent call last):
    ...
    longreach.errors.InputError: <text>:1:5: '&&' takes a Boolean on its left, not a count; ...
    """
    return Program.of(read_program(text, file))


def parse_file(path: str | Path) -> Program:
    """The program in a file."""
    return parse(read_text(path), str(path))


def raise_core(core: Core) -> Program:
    """A program with one statement per operation, whose core is `core` again."""
    return Program.of(raised(core))


class Builder:
    """Builds a program statement by statement; `let` returns the name for use in later expressions."""

    def __init__(self, alphabet: Iterable[str] | None = None, title: str = "") -> None:
        self._alphabet = None if alphabet is None else tuple(alphabet)
        self._title = title
        self._statements: list[Statement] = []
        self._names: set[str] = set()

    def let(self, name: str, operand: Operand) -> Expr:
        check_name(name)
        if name in self._names:
            raise InputError(f"name {name!r} is defined twice")
        self._names.add(name)
        expr = as_expr(operand)
        self._statements.append(Statement(name, expr))
        return reference(name, expr)

    def output(self, symbol: str, operand: Operand) -> None:
        """Make the program a predictor: `symbol` may come next where the operand holds."""
        expr = as_expr(operand)
        if expr.sort != "Boolean":
            raise InputError(f"output {symbol!r} must be a Boolean, not a count")
        if any(s.is_output and s.name == symbol for s in self._statements):
            raise InputError(f"output {symbol!r} is defined twice")
        self._statements.append(Statement(symbol, expr, is_output=True))

    def draft(self) -> Program:
        """The program so far, not yet checked as a whole."""
        return Program(tuple(self._statements), self._alphabet, self._title)

    def program(self) -> Program:
        """The finished program."""
        program = self.draft()
        _ = program.core  # rejects programs without a Boolean statement and tokens outside the alphabet
        return program
