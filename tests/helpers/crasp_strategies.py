"""Random core programs, programs as written, and words."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.program import Program
from longreach.theory.crasp.syntax import (
    Expr,
    Guard,
    PositionTest,
    Statement,
    as_expr,
    conditional,
    integer,
    make,
    reference,
    token,
)

ALPHABETS: tuple[tuple[str, ...], ...] = (
    ("a",),
    ("a", "b"),
    ("a", "b", "c"),
    ("left", "right"),
    ("SOS", "0", "1", 'say "x"'),
    tuple(f"t{k}" for k in range(150)),
)
FOREIGN = "elsewhere"
# Distances beyond the words' lengths are there on purpose.
DISTANCES = st.lists(st.sampled_from([0, 1, 1, 2, 3, 4, 5, 9, 40]), min_size=1, max_size=5, unique=True)
FACTORS = st.sampled_from([0, 1, 2, 3, 7, 2**31 - 1, 2**40, 2**63, 2**64 + 3, 10**25])
INTEGERS = st.sampled_from([0, 0, 1, 1, 2, 3, 5, 2**31, 2**63 - 1, 2**70 + 1])


def _sorted(numbers: list[int]) -> tuple[int, ...]:
    return tuple(sorted(set(numbers)))


@st.composite
def position_tests(draw: st.DrawFn) -> PositionTest:
    modulus = draw(st.sampled_from([1, 2, 2, 3, 4, 5, 30]))
    residues = draw(st.lists(st.integers(0, modulus - 1), min_size=1, max_size=3))
    return PositionTest(modulus, _sorted(residues))


def words(core: Core, longest: int = 12) -> st.SearchStrategy[list[str]]:
    """Words over the tokens of a program, and over foreign ones where they are allowed."""
    named = [op.symbol for op in core.ops if isinstance(op, c.Token)]
    tokens = list(dict.fromkeys(named + list(core.alphabet[:3]) + ([] if core.closed else [FOREIGN])))
    return st.lists(st.sampled_from(tokens or [FOREIGN]), max_size=longest)


def batches(core: Core, longest: int = 12) -> st.SearchStrategy[list[list[str]]]:
    return st.lists(words(core, longest), max_size=8)


# Core programs


@st.composite
def cores(draw: st.DrawFn, most: int = 14, predictor: bool | None = None) -> Core:
    """A core program operation by operation: also such that lowering would never write."""
    alphabet = draw(st.sampled_from(ALPHABETS))
    symbols = draw(st.lists(st.sampled_from(alphabet[:5]), min_size=2, max_size=2))
    ops: list[c.Op] = [*map(c.Token, symbols), c.Count(0), c.Count(1), c.One()]
    booleans, counts = [0, 1], [2, 3, 4]
    for step in range(draw(st.integers(2, most))):
        kind = draw(st.sampled_from(_KINDS)) if step % 5 else "Leq"
        if kind == "huge":  # doubles a count until it needs more than 64 bits
            for _ in range(draw(st.integers(31, 70))):
                ops.append(c.Add(counts[-1], counts[-1]))
                counts.append(len(ops) - 1)
            continue
        ops.append(_core_op(draw, kind, alphabet, booleans, counts))
        (booleans if c.is_boolean(ops[-1]) else counts).append(len(ops) - 1)
    closed = draw(st.booleans())
    if draw(st.booleans()) if predictor is None else predictor:
        symbols = draw(st.lists(st.sampled_from(alphabet[:6]), min_size=1, max_size=3, unique=True))
        booleans = booleans[-4:]
        outputs = tuple((symbol, draw(st.sampled_from(booleans))) for symbol in symbols)
        return Core(tuple(ops), alphabet, closed, None, outputs)
    return Core(tuple(ops), alphabet, closed, draw(st.sampled_from(booleans[-2:])))


_KINDS = ["Count", "Leq", "And", "Guarded", "Subtract", "Conditional", "Not", "Count", "Leq", "Guarded",
          "Add", "Periodic", "Token", "Top", "One", "huge"]  # fmt: skip


def _core_op(
    draw: st.DrawFn, kind: str, alphabet: tuple[str, ...], booleans: list[int], counts: list[int]
) -> c.Op:
    def p() -> int:
        return draw(st.sampled_from(booleans[-6:]))

    def n() -> int:
        return draw(st.sampled_from(counts[-6:]))

    match kind:
        case "Token":
            return c.Token(draw(st.sampled_from(alphabet[:5])))
        case "Top":
            return c.Top()
        case "Not":
            return c.Not(p())
        case "And":
            return c.And(p(), p())
        case "Periodic":
            modulus = draw(st.sampled_from([1, 2, 3, 5, 30]))
            return c.Periodic(modulus, _sorted(draw(st.lists(st.integers(0, modulus - 1), max_size=3))))
        case "Leq":
            left = n()
            return c.Leq(left, draw(st.sampled_from([k for k in counts[-6:] if k != left])))
        case "Count":
            return c.Count(p())
        case "Guarded":
            return c.Count(p(), _sorted(draw(DISTANCES)))
        case "Conditional":
            return c.Conditional(p(), n(), n())
        case "Add":
            return c.Add(n(), n())
        case "Subtract":
            return c.Subtract(n(), n())
        case _:
            return c.One()


# Programs as written


@dataclass
class _Writer:
    """Draws expressions over an alphabet and the names defined so far."""

    draw: st.DrawFn
    alphabet: tuple[str, ...]
    booleans: list[Expr]
    counts: list[Expr]
    huge: bool

    def pick(self, kinds: list[str]) -> str:
        return self.draw(st.sampled_from(kinds))

    def boolean(self, fuel: int) -> Expr:
        leaves = (
            ["token"] * 6 + ["constant", "periodic", "periodic", "pos"] + ["name"] * 4 * bool(self.booleans)
        )
        inner = ["not", "and", "or", "implies", "iff", "exists", "compare", "compare", "compare"]
        match self.pick(leaves if fuel <= 0 else inner + leaves):
            case "token":
                return token(self.draw(st.sampled_from(self.alphabet[:4])))
            case "constant":
                return as_expr(self.draw(st.booleans()))
            case "periodic":
                return Expr("periodic", (), self.draw(position_tests()))
            case "pos":
                residue = self.draw(st.sampled_from([0, 1]))
                return Expr("periodic", (), PositionTest(2, (residue,), ("pos_odd", "pos_even")[residue]))
            case "name":
                return self.booleans[self.draw(st.integers(0, len(self.booleans) - 1))]
            case "compare":
                kind = self.pick(["eq", "ne", "lt", "le", "gt", "ge"])
                return make(kind, self.count(fuel - 1), self.count(fuel - 1))
            case ("not" | "exists") as kind:
                return make(kind, self.boolean(fuel - 1))
            case kind:
                return make(kind, self.boolean(fuel - 1), self.boolean(fuel - 1))

    def count(self, fuel: int) -> Expr:
        leaves = ["integer"] + ["name"] * 3 * bool(self.counts)
        inner = ["#", "#", "#", "#", "guard", "guard", "add", "sub", "min", "max", "if", "mul"]
        match self.pick(leaves if fuel <= 0 else inner + leaves):
            case "integer":
                return integer(self.draw(INTEGERS if self.huge else st.integers(0, 4)))
            case "name":
                return self.counts[self.draw(st.integers(0, len(self.counts) - 1))]
            case "#":
                return make("count", self.boolean(fuel - 1))
            case "guard":
                return make("count", self.boolean(fuel - 1), value=self.guard())
            case "if":
                return conditional(self.boolean(fuel - 1), self.count(fuel - 1), self.count(fuel - 1))
            case "mul":
                factor = integer(self.draw(FACTORS if self.huge else st.integers(0, 4)))
                sides = [factor, self.count(fuel - 1)]
                return make("mul", *(reversed(sides) if self.draw(st.booleans()) else sides))
            case kind:
                return make(kind, self.count(fuel - 1), self.count(fuel - 1))

    def guard(self) -> Guard:
        match self.pick(["set", "range", "<", "pred"]):
            case "set":
                return Guard(_sorted(self.draw(DISTANCES)))
            case "range":
                near, span = self.draw(st.integers(0, 4)), self.draw(st.integers(0, 6))
                return Guard(tuple(range(near, near + span + 1)))
            case "<":
                return Guard(None)
            case _:
                back = self.draw(st.sampled_from([1, 2, 3, 14]))
                return Guard((back,), "pred" if back == 1 else f"pred{back}")


@st.composite
def programs(
    draw: st.DrawFn,
    predictor: bool | None = None,
    alphabets: tuple[tuple[str, ...], ...] = ALPHABETS,
    huge: bool = True,
    statements: int = 4,
) -> Program:
    """A program as people write them, with every construct of the text format."""
    alphabet = draw(st.sampled_from(alphabets))
    writer = _Writer(draw, alphabet, [], [], huge and draw(st.booleans()))
    made: list[Statement] = []
    for number in range(draw(st.integers(0, statements))):
        boolean = draw(st.booleans())
        expr = writer.boolean(3) if boolean else writer.count(3)
        made.append(Statement(f"s_{number}", expr))
        (writer.booleans if boolean else writer.counts).append(reference(made[-1].name, expr))
    if draw(st.booleans()) if predictor is None else predictor:
        symbols = draw(st.lists(st.sampled_from(alphabet[:4]), min_size=1, max_size=3, unique=True))
        made += [Statement(symbol, writer.boolean(2), is_output=True) for symbol in symbols]
    else:
        made.append(Statement("L", writer.boolean(3)))
    return Program(tuple(made), alphabet if draw(st.booleans()) else None)


@st.composite
def neighbours(draw: st.DrawFn, predictor: bool = False) -> tuple[Program, Program]:
    """Two programs over one alphabet that differ, if at all, only where a drawn test and a length hold."""
    alphabet = draw(st.sampled_from([("a",), ("a", "b"), ("b", "a"), ("x", "y", "z")]))
    left = draw(programs(predictor=predictor, alphabets=(alphabet,), statements=3))
    counts = [reference(s.name, s.expr) for s in left.statements if s.expr.sort == "count"]
    writer = _Writer(draw, alphabet, [], counts, huge=False)
    # Multiplied with itself the test is no less random, but rarer.
    test = writer.boolean(3) & writer.boolean(3)
    rare = test & (make("count", True) >= draw(st.integers(0, 6)))
    last = left.statements[-1]
    changed = Statement(last.name, last.expr.iff(~rare), last.is_output)
    return Program(left.statements, alphabet), Program((*left.statements[:-1], changed), alphabet)


def bracketed(program: Program) -> str:
    """The program with brackets around everything, and other spellings than the printer's."""
    lines = [
        "// written with every bracket",
        "#import pred pred2  pred3",
        "#import pred14 pos_even pos_odd",
        "",
    ]
    if program.alphabet is not None:
        lines.append("#alphabet " + "  ".join(_literal(symbol) for symbol in program.alphabet) + "  // all")
    for statement in program.statements:
        head = f"output {_literal(statement.name)}" if statement.is_output else statement.name
        lines += [f"  {head}={_spelled(statement.expr)} // {statement.name}", "\t"]
    return "\r\n".join(lines)


def _literal(symbol: str) -> str:
    quote = "'" if '"' in symbol else '"'
    return f"{quote}{symbol}{quote}"


_OPERATORS = {"and": "&&", "or": "||", "implies": "=>", "iff": "<=>", "eq": "==", "ne": "!=", "lt": "<",
              "le": "<=", "gt": ">", "ge": ">=", "add": "+", "sub": "-", "mul": "*"}  # fmt: skip


def _spelled(expr: Expr) -> str:
    args = [] if expr.kind == "name" else [_spelled(arg) for arg in expr.args]
    match expr.kind, expr.value:
        case "token", str(symbol):
            return _literal(symbol)
        case "periodic", PositionTest(modulus, residues, name):
            return name or f"(i%{modulus} in {{{','.join(map(str, reversed(residues)))}}})"
        case "count", Guard(distances, name):
            listed = ",".join(f"i-{d}" for d in reversed(distances or ()))
            return f"(#[{name or (f'{{{listed}}}' if distances else '<')}]{args[0]})"
        case "count", _:
            return f"(#{args[0]})"
        case "not", _:
            return f"(!{args[0]})"
        case "exists", _:
            return f"(exists {args[0]})"
        case "if", _:
            return f"({args[0]}?{args[1]}:{args[2]})"
        case ("min" | "max") as kind, _:
            return f"{kind}({args[0]},{args[1]})"
        case _ if not args:
            return expr.kind if expr.value is None else str(expr.value)
        case kind, _:
            return f"({args[0]}{_OPERATORS[kind]}{args[1]})"
