"""From C-RASP programs to the two-variable majority logic.

>>> from longreach.crasp import parse
>>> from longreach.crasp.closure.majority_logic import satisfies
>>> dyck = to_majority_logic(parse('o = # "("\\nc = # ")"\\nD = # (o < c) == 0 && o == c').core)
>>> dyck.logic, [satisfies(word, dyck) for word in ("(())", "())(", "")]
('MAJ₂[<]', [True, False, True])
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from longreach.crasp import core as c
from longreach.crasp.closure.majority_logic import OTHER, Formula, FormulaBuilder, Less, Mod, Succ, Variable
from longreach.crasp.closure.transform import acceptance
from longreach.crasp.core import Core
from longreach.crasp.evaluate import at_empty_word
from longreach.crasp.simplify import simplify

MAX_GUARDS = 16  # conditions under which one count is read; beyond it they are added up in binary


def to_majority_logic(core: Core) -> Formula:
    """A sentence of MAJ₂[<, +1, Mod] that the words satisfy which the program accepts.

    Without periodic relations it does not use Mod, without local ones not Succ. See Huang et al., arXiv
    2410.02140, Proposition 31. Unlike there, a comparison is one majority, without a case for each outcome
    of local counts and conditionals: these are formulas of the position x itself, and the parts of a majority
    over y may speak of x. A constant counts y = x instead of the first position. What the last position
    decides is said with ∃, and the empty word, which has none, at the very end.

    The number of nodes is polynomial: of the order of the program's size, plus for each comparison the counts
    that it adds up, plus for each local count its largest distance; k conditionals below one comparison,
    which may stand for 2^k cases, make of the order of k² nodes: their conditions are added in binary.

    >>> from longreach.crasp import parse
    >>> to_majority_logic(parse('P = "a" && i % 2 == 0').core).logic
    'MAJ₂[<, Mod]'
    """
    accept = acceptance(core)
    translation = _Translation(simplify(core))  # which may change position 0 alone, not asked for here
    b = translation.builder
    last = b.not_(b.exists("y", b.add(Less("x", "y"))))
    accepted = b.exists("x", b.and_(last, translation.formula))
    if at_empty_word(core)[accept]:
        accepted = b.or_(b.not_(b.exists("x", b.top())), accepted)
    return b.sentence(accepted)


class _Translation:
    """The formulas of a program's Boolean operations, each with x and with y as its free variable."""

    def __init__(self, core: Core) -> None:
        self.builder = FormulaBuilder()
        self._core = core
        self._formulas: dict[tuple[int, Variable], int] = {}
        for index, op in enumerate(core.ops):
            if c.is_boolean(op):
                for variable in OTHER:
                    self._formulas[index, variable] = self._boolean(op, variable)

    @property
    def formula(self) -> int:
        """That of acceptance, at x."""
        return self._formulas[acceptance(self._core), "x"]

    def _boolean(self, op: c.Op, x: Variable) -> int:
        b = self.builder
        match op:
            case c.Token(symbol):
                return b.letter(symbol, x)
            case c.Not(body):
                return b.not_(self._formulas[body, x])
            case c.And(left, right):
                return b.and_(self._formulas[left, x], self._formulas[right, x])
            case c.Periodic(modulus, residues):
                return b.or_(*(b.add(Mod(modulus, residue, x)) for residue in residues))
            case c.Leq(left, right):
                return b.not_(self._exceeds(left, right, x))
            case _:
                return b.top()

    def _exceeds(self, left: int, right: int, x: Variable) -> int:
        """C1 > C2 at x: the sum over y of what C1 − C2 counts at y is positive."""
        weights: Counter[int] = Counter()
        for guard, factor, counted in self._terms(left, right, x):
            weights[self.builder.and_(guard, counted)] += factor
        return self._positive({part: factor for part, factor in weights.items() if factor}, OTHER[x])

    def _positive(self, weights: dict[int, int], y: Variable) -> int:
        """0 < Σ factor · #y φ. A part counts 1 or −1, not 1 or 0: copies of ⊤ or ⊥ make up for that."""
        b = self.builder
        if not weights:
            return b.bottom()
        parts = [(abs(factor), part if factor > 0 else b.not_(part)) for part, factor in weights.items()]
        surplus = sum(weights.values())
        if surplus:
            parts.append((abs(surplus), b.top() if surplus > 0 else b.bottom()))
        return b.majority(y, parts)

    def _terms(self, left: int, right: int, x: Variable) -> Iterator[tuple[int, int, int]]:
        """C1 − C2 as a sum of (condition on x, factor, formula that is counted over y).

        Counts are taken apart from the last to the first, with all conditions under which each is read, so
        that one that is read along many paths is taken apart once.
        """
        b, y = self.builder, OTHER[x]
        pending: defaultdict[int, Counter[int]] = defaultdict(Counter)
        pending[left][b.top()] += 1
        pending[right][b.top()] -= 1
        while pending:
            index = max(pending)
            guards = self._few(pending.pop(index))
            match self._core.ops[index]:
                case c.One():
                    counted = [b.equal(x, y)]
                case c.Count(body, None):
                    counted = [b.and_(b.at_most(y, x), self._formulas[body, y])]
                case c.Count(body, tuple(distances)):
                    here = b.equal(x, y)
                    counted = [b.and_(here, self._back(body, distance, x)) for distance in distances]
                case c.Add(first, second):
                    pending[first].update(guards)
                    pending[second].update(guards)
                    continue
                case c.Subtract(first, second):
                    pending[first].update(guards)
                    pending[second].subtract(guards)
                    continue
                case c.Conditional(test, then, other):
                    holds = self._formulas[test, x]
                    self._branch(pending[then], guards, holds)
                    self._branch(pending[other], guards, b.not_(holds))
                    continue
                case op:
                    raise AssertionError(f"{op} is no count")
            for part in counted:
                yield from ((guard, factor, part) for guard, factor in guards.items())

    def _branch(self, into: Counter[int], guards: Counter[int], test: int) -> None:
        for guard, factor in guards.items():
            into[self.builder.and_(guard, test)] += factor

    def _back(self, body: int, distance: int, x: Variable) -> int:
        """P(x − d), a chain of steps back; false where there is no such position."""
        b = self.builder
        at: Variable = x if distance % 2 == 0 else OTHER[x]
        formula = self._formulas[body, at]
        for _ in range(distance):
            formula = b.exists(at, b.and_(b.add(Succ(at, OTHER[at])), formula))
            at = OTHER[at]
        return formula

    def _few(self, guards: Counter[int]) -> Counter[int]:
        """The same sum of factors under conditions, with few conditions: at most two per binary digit."""
        kept = Counter({guard: factor for guard, factor in guards.items() if factor})
        if len(kept) <= MAX_GUARDS:
            return kept
        result: Counter[int] = Counter()
        for sign in (1, -1):
            own = [(guard, sign * factor) for guard, factor in kept.items() if sign * factor > 0]
            for digit, guard in enumerate(self._digits(own)):
                result[guard] += sign << digit
        return result

    def _digits(self, guards: Iterable[tuple[int, int]]) -> Iterator[int]:
        """The binary digits of a sum, lowest first, as formulas: adders on the columns of its summands."""
        columns: defaultdict[int, list[int]] = defaultdict(list)
        for guard, factor in guards:
            for digit in range(factor.bit_length()):
                if factor >> digit & 1:
                    columns[digit].append(guard)
        digit = 0
        while digit <= max(columns, default=-1):  # carries may add columns
            column = columns[digit]
            while len(column) > 1:
                p, q = column.pop(), column.pop()
                r = column.pop() if column else self.builder.bottom()
                column.append(self._odd(self._odd(p, q), r))
                columns[digit + 1].append(self._two_of(p, q, r))
            yield column[0] if column else self.builder.bottom()
            digit += 1

    def _odd(self, p: int, q: int) -> int:
        b = self.builder
        return b.or_(b.and_(p, b.not_(q)), b.and_(b.not_(p), q))

    def _two_of(self, p: int, q: int, r: int) -> int:
        b = self.builder
        return b.or_(b.and_(p, q), b.and_(p, r), b.and_(q, r))
