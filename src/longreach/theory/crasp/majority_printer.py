"""Writing formulas of the majority logic in the papers' notation.

A part that is used more than once is written once, as φ1(x) := …; φ1(y) is then the same with x and y
exchanged, also inside.

>>> from longreach.theory.crasp.majority import to_majority_logic
>>> print(formula_text(to_majority_logic(parse('P = # "a" > # "b"').core)))
∃x (¬∃y (x < y) ∧ M̂aj y ⟨¬(y ≤ x ∧ Q_b(y)), y ≤ x ∧ Q_a(y)⟩)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from longreach.theory.crasp.core import Not, Top
from longreach.theory.crasp.majority import (
    OTHER,
    And,
    Exists,
    Formula,
    Less,
    Letter,
    Majority,
    Mod,
    Node,
    Or,
    Succ,
    Variable,
    parts_of,
    with_parts,
)
from longreach.theory.crasp.printer import latex_escaped

SPELLED_OUT = 3  # copies of a part that are repeated; more are written as a factor


@dataclass(frozen=True, slots=True)
class _Style:
    """How the symbols of the logic are written."""

    top: str
    bottom: str
    negation: str
    conjunction: str
    disjunction: str
    exists: str
    majority: str
    left: str
    right: str
    at_most: str
    times: str
    defined: str
    end: str
    letter: Callable[[str], str]
    mod: str
    succ: str
    name: Callable[[int], str]


_TEXT = _Style(
    "⊤", "⊥", "¬", " ∧ ", " ∨ ", "∃", "M̂aj ", " ⟨", "⟩", "≤", " × ", " := ", "",
    lambda symbol: f"Q_{symbol}", "Mod_{{{m},{r}}}", "Succ", lambda number: f"φ{number}",
)  # fmt: skip
_LATEX = _Style(
    r"\top", r"\bot", r"\lnot ", r" \land ", r" \lor ", r"\exists ",
    r"\widehat{\mathrm{Maj}}\ ", r" \langle ", r" \rangle", r"\le", r" \times ", r" &:= ", r" \\",
    lambda symbol: rf"Q_{{\texttt{{{latex_escaped(symbol)}}}}}", r"\mathrm{{Mod}}_{{{m},{r}}}",
    r"\mathrm{Succ}", lambda number: rf"\varphi_{{{number}}}",
)  # fmt: skip


def formula_text(formula: Formula) -> str:
    """The formula as text: one line per definition, the formula itself last.

    >>> from longreach.theory.crasp.majority import FormulaBuilder
    >>> b = FormulaBuilder()
    >>> print(formula_text(b.formula(b.majority("x", [(1, b.letter("a", "x")), (5, b.top())]))))
    M̂aj x ⟨Q_a(x), 5 × ⊤⟩
    """
    return "\n".join(_Writer(formula, _TEXT).lines())


def formula_latex(formula: Formula) -> str:
    r"""The formula in LaTeX, for an `align*` environment when there are definitions.

    >>> from longreach.theory.crasp.majority import FormulaBuilder
    >>> b = FormulaBuilder()
    >>> print(formula_latex(b.formula(b.not_(b.letter("a", "x")))))
    \lnot Q_{\texttt{a}}(x)
    """
    return "\n".join(_Writer(formula, _LATEX).lines())


_ATOM, _RELATION, _CONJUNCTION, _DISJUNCTION = 3, 2, 1, 0  # how tightly texts bind


class _Writer:
    """Writes nodes in order, so that parts are ready when needed; no recursion, however long the formula."""

    def __init__(self, formula: Formula, style: _Style) -> None:
        self._formula = formula
        self._style = style
        self._twins = _twins(formula.nodes)
        self._texts: list[tuple[str, int]] = []  # with how tightly each binds
        self._names: dict[int, str] = {}
        self._definitions: list[str] = []

    def lines(self) -> list[str]:
        uses = self._uses()
        for index, node in enumerate(self._formula.nodes):
            canonical = self._canonical(index)
            if canonical not in self._names:
                self._texts.append(self._text(node))
                if uses[canonical] < 2 or self._is_short(node) or index == self._formula.root:
                    continue
                self._names[canonical] = self._style.name(len(self._names) + 1)
                defined = self._reference(index) + self._style.defined + self._texts[index][0]
                self._definitions.append(defined + self._style.end)
                self._texts[index] = (self._reference(index), _ATOM)
            else:
                self._texts.append((self._reference(index), _ATOM))
        return [*self._definitions, self._texts[self._formula.root][0]]

    def _uses(self) -> Counter[int]:
        """How often each node is written; what is written for a node serves its twin."""
        uses: Counter[int] = Counter()
        for index, node in enumerate(self._formula.nodes):
            if self._canonical(index) == index and not isinstance(node, Not):
                weighted = node.parts if isinstance(node, Majority) else [(1, k) for k in parts_of(node)]
                for copies, part in weighted:
                    uses[self._canonical(self._unnegated(part))] += copies if copies <= SPELLED_OUT else 1
        return uses

    def _unnegated(self, index: int) -> int:
        """The node to name: a negation takes the name of its body."""
        node = self._formula.nodes[index]
        return node.body if isinstance(node, Not) else index

    def _canonical(self, index: int) -> int:
        twin = self._twins[index]
        return index if twin is None else min(index, twin)

    def _reference(self, index: int) -> str:
        """The name with the free variables, in the order that x and y have in the definition."""
        canonical = self._canonical(index)
        free = sorted(self._formula.free_variables[canonical])
        shown = free if index == canonical else [OTHER[variable] for variable in free]
        return self._names[canonical] + (f"({', '.join(shown)})" if shown else "")

    def _is_short(self, node: Node) -> bool:
        """An atom, a negation, or x = y: no shorter by a name."""
        return not parts_of(node) or isinstance(node, Not) or self._equality(node) is not None

    def _equality(self, node: Node) -> tuple[Variable, Variable] | None:
        match node:
            case And((first, second)):
                one, other = self._order(first), self._order(second)
                return one if one is not None and other == (one[1], one[0]) else None
            case _:
                return None

    def _order(self, index: int) -> tuple[Variable, Variable] | None:
        """The variables u, v of a node that says u ≤ v."""
        node = self._formula.nodes[index]
        below = self._formula.nodes[node.body] if isinstance(node, Not) else None
        return (below.right, below.left) if isinstance(below, Less) else None

    def _text(self, node: Node) -> tuple[str, int]:
        s = self._style
        match node:
            case Top():
                return s.top, _ATOM
            case Letter(symbol, variable):
                return f"{s.letter(symbol)}({variable})", _ATOM
            case Mod(modulus, residue, variable):
                return f"{s.mod.format(m=modulus, r=residue)}({variable})", _ATOM
            case Succ(left, right):
                return f"{s.succ}({left}, {right})", _ATOM
            case Less(left, right):
                return f"{left} < {right}", _RELATION
            case Not(body):
                return self._negation(body)
            case And(parts):
                if equality := self._equality(node):
                    return " = ".join(equality), _RELATION
                return self._joined(parts, s.conjunction, _CONJUNCTION, s.top)
            case Or(parts):
                return self._joined(parts, s.disjunction, _DISJUNCTION, s.bottom)
            case Exists(variable, body):
                return f"{s.exists}{variable} {self._place(body, _ATOM)}", _ATOM
            case Majority(variable, weighted):
                shown = ", ".join(self._copies(copies, part) for copies, part in weighted)
                return f"{s.majority}{variable}{s.left}{shown}{s.right}", _ATOM

    def _negation(self, body: int) -> tuple[str, int]:
        match self._formula.nodes[body]:
            case Top():
                return self._style.bottom, _ATOM
            case Less(left, right):
                return f"{right} {self._style.at_most} {left}", _RELATION
            case _:
                return self._style.negation + self._place(body, _ATOM), _ATOM

    def _joined(self, parts: Sequence[int], sign: str, level: int, nothing: str) -> tuple[str, int]:
        if len(parts) < 2:
            return self._texts[parts[0]] if parts else (nothing, _ATOM)
        return sign.join(self._place(part, level) for part in parts), level

    def _copies(self, copies: int, part: int) -> str:
        if copies <= SPELLED_OUT:
            return ", ".join([self._texts[part][0]] * copies)
        return f"{copies}{self._style.times}{self._place(part, _ATOM)}"

    def _place(self, index: int, level: int) -> str:
        text, own = self._texts[index]
        return text if own >= level else f"({text})"


def _twins(nodes: Sequence[Node]) -> list[int | None]:
    """For each node its twin with x and y exchanged, or None."""
    places = {node: index for index, node in enumerate(nodes)}
    twins: list[int | None] = []
    for node in nodes:
        parts = [twins[part] for part in parts_of(node)]
        known = [part for part in parts if part is not None]
        twins.append(places.get(with_parts(_exchanged(node), known)) if len(known) == len(parts) else None)
    return twins


def _exchanged(node: Node) -> Node:
    match node:
        case Letter(symbol, variable):
            return Letter(symbol, OTHER[variable])
        case Mod(modulus, residue, variable):
            return Mod(modulus, residue, OTHER[variable])
        case Succ(left, right):
            return Succ(OTHER[left], OTHER[right])
        case Less(left, right):
            return Less(OTHER[left], OTHER[right])
        case Exists(variable, body):
            return Exists(OTHER[variable], body)
        case Majority(variable, weighted):
            return Majority(OTHER[variable], weighted)
        case _:
            return node
