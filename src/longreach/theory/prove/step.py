"""One step of a program beside an automaton, in numbers or in z3 terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from longreach.theory.automata.automaton import Automaton
from longreach.theory.budget import Budget, OverBudget
from longreach.theory.crasp import core as c
from longreach.theory.crasp.compare import DeterministicSide
from longreach.theory.crasp.core import Algebra, Core
from longreach.theory.crasp.ranges import Factors, comparison_forms

if TYPE_CHECKING:
    import z3


@dataclass(frozen=True, slots=True)
class Control:
    """The part of what a run carries that takes finitely many values."""

    state: int
    residue: int
    windows: tuple[int, ...]
    """The last values that each local count sees, the newest in the lowest bit."""
    latches: tuple[int, ...]


class Machine:
    """One step of the program and the automaton together, on numbers or on z3 terms."""

    def __init__(
        self,
        core: Core,
        automaton: Automaton,
        roots: tuple[int, ...],
        answers: Mapping[int, tuple[bool, ...]],
    ) -> None:
        """`answers[state]` holds the expected root values; states missing from it are never entered."""
        self.core = core
        self.automaton = automaton
        self.roots = roots
        self.answers = answers
        self.counters = counting(core, local=False)
        self.guarded = counting(core, local=True)
        self.place = {counter: k for k, counter in enumerate(self.counters)}
        latches: dict[int, int] = {}
        self.forms: list[Factors] = []
        self.caps: list[int] = []
        for form in comparison_forms(core):
            factors, bounds = form.factors, form.bounds
            if len(factors) == 1 and bounds is not None:
                # A counter only grows: beyond every bound that it is compared with, nothing changes.
                (counter, factor), bound = factors[0], max(map(abs, bounds))
                latches[counter] = max(latches.get(counter, 1), -(-bound // abs(factor)) + 1)
            else:
                self.forms.append(factors)
                # Runs are followed until every comparison has been seen on both sides.
                self.caps.append(max(len(automaton) + 4, 2 + max(map(abs, bounds or (0,)))))
        self.latches = sorted(latches.items())
        self.window_bytes = sum(self._reach(k) for k in self.guarded) // 8
        self._by_letter = _letter_values(core, automaton.alphabet)
        self._others = [(k, op) for k, op in enumerate(core.ops) if k not in self._by_letter]
        read = {k for _, op in self._others for k in c.operands(op)} | set(self.roots)
        self._unlike = unlike(automaton, [values for k, values in self._by_letter.items() if k in read])

    def start(self) -> tuple[Control, tuple[int, ...]]:
        control = Control(0, 0, (0,) * len(self.guarded), (0,) * len(self.latches))
        return control, (0,) * len(self.counters)

    def _reach(self, index: int) -> int:
        op = self.core.ops[index]
        assert isinstance(op, c.Count)
        assert op.distances is not None
        return op.distances[-1]

    def values_of_forms(self, totals: Sequence[Any]) -> list[Any]:
        return [sum(factor * totals[self.place[k]] for k, factor in factors) for factors in self.forms]

    def letters(self, state: int) -> list[int]:
        """The letters after which programs are judged."""
        row = self.automaton.transitions[state]
        return [letter for letter in self._unlike if row[letter] in self.answers]

    def step(
        self, control: Control, totals: Sequence[Any], letter: int, algebra: Algebra
    ) -> tuple[list[Any], list[Any], list[Any]]:
        """The answers after the letter, the new counters, and the values that enter the windows."""
        residue = (control.residue + 1) % self.core.modulus
        windows = dict(zip(self.guarded, control.windows, strict=True))
        values: list[Any] = [None] * len(self.core.ops)
        for index, known in self._by_letter.items():
            values[index] = known[letter]
        entering: list[Any] = []
        new = list(totals)
        value: Any
        for index, op in self._others:
            match op:
                case c.Periodic(modulus, residues):
                    value = residue % modulus in residues
                case c.Count(body, None):
                    value = totals[self.place[index]] + algebra.choose(values[body], 1, 0)
                    new[self.place[index]] = value
                case c.Count(body, distances):
                    entering.append(values[body])
                    value = sum((windows[index] >> d - 1) & 1 for d in distances or () if d)
                    if distances and distances[0] == 0:
                        value = value + algebra.choose(values[body], 1, 0)
                case _:
                    value = algebra.value(op, values.__getitem__)
            values[index] = value
        return [values[root] for root in self.roots], new, entering

    def next_control(
        self, control: Control, letter: int, totals: Sequence[int], entering: Sequence[bool]
    ) -> Control:
        """The control part after the letter, from the new counters as numbers."""
        windows = tuple(
            (old << 1 | bit) & (1 << self._reach(k)) - 1
            for k, old, bit in zip(self.guarded, control.windows, entering, strict=True)
        )
        latches = tuple(min(totals[self.place[counter]], cap) for counter, cap in self.latches)
        state = self.automaton.transitions[control.state][letter]
        return Control(state, (control.residue + 1) % self.core.modulus, windows, latches)


class Symbolic(Algebra):
    """Operations on z3 terms, keeping what is known as Python values."""

    def negate(self, value: Any) -> Any:
        import z3

        return (not value) if isinstance(value, bool) else z3.Not(value)

    def both(self, left: Any, right: Any) -> Any:
        import z3

        if isinstance(left, bool):
            return right if left else False
        if isinstance(right, bool):
            return left if right else False
        return z3.And(left, right)

    def choose(self, test: Any, then: Any, other: Any) -> Any:
        import z3

        return (then if test else other) if isinstance(test, bool) else z3.If(test, then, other)


def _letter_values(core: Core, alphabet: Sequence[str]) -> dict[int, list[bool]]:
    """The operations that depend on the present letter alone, with their values by letter."""
    found: dict[int, list[bool]] = {}
    for index, op in enumerate(core.ops):
        match op:
            case c.Token(symbol):
                found[index] = [symbol == token for token in alphabet]
            case c.Top():
                found[index] = [True] * len(alphabet)
            case c.Not(body) if body in found:
                found[index] = [not value for value in found[body]]
            case c.And(left, right) if left in found and right in found:
                found[index] = [x and y for x, y in zip(found[left], found[right], strict=True)]
            case _:
                pass
    return found


def counting(core: Core, *, local: bool) -> list[int]:
    """The counting operations with a local relation, or those without."""
    ops = enumerate(core.ops)
    return [k for k, op in ops if isinstance(op, c.Count) and (op.distances is not None) == local]


SOLVER_STEPS = 20_000_000
"""Steps of z3 for one question, by its own count."""


def limit(solver: z3.Solver, budget: Budget) -> z3.Solver:
    """The solver, with limits for each question that follows."""
    budget.check()
    # Steps are the same on every machine; z3's own clock, on the wall, is the last resort.
    solver.set(rlimit=SOLVER_STEPS, timeout=max(1, int(10_000 * budget.left)))
    return solver


def satisfiable(solver: z3.Solver, budget: Budget) -> bool:
    """What z3 finds; an answer "unknown" raises `OverBudget`."""
    import z3

    answer = solver.check()
    if answer == z3.unknown:
        budget.check()
        raise OverBudget(f"z3 gave up ({solver.reason_unknown()}; budget: {SOLVER_STEPS} steps)")
    return bool(answer == z3.sat)


def unlike(automaton: Automaton, seen: Sequence[Sequence[object]]) -> list[int]:
    """One letter of every group that neither the automaton nor what is seen of each tells apart."""
    found: dict[tuple[object, ...], int] = {}
    for letter, column in enumerate(zip(*automaton.transitions, strict=True)):
        found.setdefault((column, *(values[letter] for values in seen)), letter)
    return list(found.values())


def automaton_side(automaton: Automaton) -> DeterministicSide:
    """The automaton, ready to be compared with a program over the same letters."""
    return DeterministicSide(automaton.table, 0, automaton.accepting_mask)
