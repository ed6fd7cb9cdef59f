"""Proof, for words of every length, that a program accepts the language of an automaton, or predicts on its
prefixes what may follow.

By induction over the letters. What a program carries is split into a control part, of which finitely many
values occur (the automaton's state, the position's residue, the last values that local relations see, and
counters up to the largest number that they are compared with), and the other combinations of counters that
comparisons read. Where there are no others, the control values that runs meet are all there are, and every
answer has been seen. Otherwise, for each control value facts low ≤ combination ≤ high are guessed from runs;
z3 (extra `smt`) drops those that a letter does not preserve, until the rest is inductive, and then shows that
the answer after each letter is right. Nothing here knows how the program was made.

`rightness` compares all short words first and, where there is no proof, tries more words.
"""

from __future__ import annotations

import importlib.util
from collections import deque
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from longreach.errors import InputError, MissingExtra
from longreach.theory.automata.automaton import Automaton, Word
from longreach.theory.budget import DEFAULT_BUDGET, Budget, OverBudget
from longreach.theory.crasp.compare import ProgramSide, Side, compare, within_length
from longreach.theory.crasp.core import PLAIN, Core
from longreach.theory.crasp.evaluate import Kernel, State, at_empty_word
from longreach.theory.crasp.lower import simplify
from longreach.theory.prove.step import Control, Machine, Symbolic, automaton_side, limit, satisfiable
from longreach.wording import word

if TYPE_CHECKING:
    import z3

    from longreach.theory.automata.samples import Letters

MAX_CONTROLS = 3_000
MAX_RUNS = 40_000
CHECKED_LENGTH = 12
MODULI = 4
"""Without a proof, all words up to so many moduli are tried, as far as the budget of states goes."""
MOST_COMPARED_STATES = 100_000
LONGEST_WORD = 2000


@dataclass(frozen=True, slots=True)
class Fact:
    """A combination of counters is at least (sign 1) or at most (sign −1) a bound."""

    form: int
    sign: int
    bound: int

    def holds(self, values: Sequence[int]) -> bool:
        return self.sign * (values[self.form] - self.bound) >= 0


@dataclass(frozen=True)
class Induction:
    """The outcome: proved and how, or why not; with the number of facts."""

    proved: bool
    reason: str
    facts: int = 0
    witness: Word | None = None
    """A word on which the program and the language differ, if a run met one."""


class _Differs(Exception):
    """A run on which program and language give different answers."""

    def __init__(self, reason: str, word: Word) -> None:
        super().__init__(reason)
        self.word = word


_Path = tuple[()] | tuple[Any, int]
"""The letters of a run, the last one first: (path before, letter)."""


def prove(
    core: Core, automaton: Automaton, always_z3: bool = False, budget: Budget = DEFAULT_BUDGET
) -> Induction:
    """Whether the program accepts exactly the automaton's language, for words of every length.

    A budget that ends the work is the reason of an answer that is not a proof.

    >>> from longreach.theory.crasp.library import load
    >>> prove(load("dyck-1").core, from_expression(r"(\\\\(\\\\))*")).reason
    'the program and the language differ on a short word'
    >>> prove(load("d-2").core, from_expression("(a(ab)*b)*")).proved
    True
    """
    if core.is_predictor:
        raise InputError("a predictor accepts no language")
    core = simplify(core)
    assert core.accept is not None
    answers = {state: (state in automaton.accepting,) for state in range(len(automaton))}
    return _prove(Machine(core, automaton, (core.accept,), answers), always_z3, budget)


def prove_announcer(
    core: Core,
    automaton: Automaton,
    labels: Mapping[str, Set[int]],
    always_z3: bool = False,
    budget: Budget = DEFAULT_BUDGET,
) -> Induction:
    """Whether a program says, after every prefix of a word of the language, exactly the labels of the state
    that is reached, for words of every length. Other words are not looked at.

    >>> last = parse('#alphabet a b q0 q1\\noutput "q0" = !"a"\\noutput "q1" = "a"')
    >>> prove_announcer(last.core, from_expression("(ab)*"), {"q0": {0}, "q1": {1}}).proved
    True
    """
    if not core.is_predictor:
        raise InputError("the program predicts nothing")
    core = simplify(core)
    outputs = dict(core.outputs)
    if set(outputs) != set(labels):
        return Induction(False, "the outputs are not what is to be said")
    answers = {q: tuple(q in states for states in labels.values()) for q in automaton.live}
    roots = tuple(outputs[label] for label in labels)
    return _prove(Machine(core, automaton, roots, answers), always_z3, budget)


def _prove(machine: Machine, always_z3: bool, budget: Budget) -> Induction:
    budget = budget.running()
    try:
        runs = _explore(machine, budget)
        if isinstance(runs, str):
            return Induction(False, runs)
        if not machine.forms and not always_z3:
            return Induction(True, "by exhausting the control values")
        if importlib.util.find_spec("z3") is None:
            raise MissingExtra("a proof for all lengths", "smt")
        facts = {control: _guess(machine, found) for control, found in runs.items()}
        return _Prover(machine, facts, budget).run()
    except _Differs as found:
        return Induction(False, str(found), witness=found.word)
    except OverBudget as spent:
        return Induction(False, str(spent))


def _explore(machine: Machine, budget: Budget) -> dict[Control, list[list[int]]] | str:
    """Runs from the start: per control value the values of the forms that were met, or what went wrong."""
    control, totals = machine.start()
    if 0 not in machine.answers:
        return {}  # the language is empty, and so are its prefixes
    empty = at_empty_word(machine.core)
    if tuple(bool(empty[root]) for root in machine.roots) != machine.answers[0]:
        raise _Differs("the program and the language differ on the empty word", ())
    met: dict[Control, list[list[int]]] = {control: [machine.values_of_forms(totals)]}
    seen = {(control, tuple(met[control][0]))}
    queue: deque[tuple[Control, tuple[int, ...], _Path]] = deque([(control, totals, ())])
    while queue:
        control, totals, path = queue.popleft()
        budget.check()
        budget.reserve(len(seen) * machine.window_bytes, "the table of control values")
        for letter in machine.letters(control.state):
            said, new, entering = machine.step(control, totals, letter, PLAIN)
            following = machine.next_control(control, letter, new, entering)
            if tuple(map(bool, said)) != machine.answers[following.state]:
                word = _letters(machine.automaton, (path, letter))
                raise _Differs("the program and the language differ on a short word", word)
            values = machine.values_of_forms(new)
            key = (following, _cut(values, machine.caps))
            if key in seen:
                continue
            seen.add(key)
            met.setdefault(following, []).append(values)
            if len(met) > MAX_CONTROLS or len(seen) > MAX_RUNS:
                return f"more than {MAX_CONTROLS} control values or {MAX_RUNS} runs"
            queue.append((following, tuple(new), (path, letter)))
    return met


def _letters(automaton: Automaton, path: _Path) -> Word:
    word = []
    while path:
        path, letter = path
        word.append(automaton.alphabet[letter])
    return tuple(reversed(word))


def _cut(values: Sequence[int], caps: Sequence[int]) -> tuple[int, ...]:
    return tuple(max(-cap, min(cap, value)) for value, cap in zip(values, caps, strict=True))


def _guess(machine: Machine, met: list[list[int]]) -> set[Fact]:
    facts: set[Fact] = set()
    for form in range(len(machine.forms)):
        values = [row[form] for row in met]
        facts |= {Fact(form, 1, min(values)), Fact(form, -1, max(values))}
    return facts


class _Prover:
    """Drops facts until the rest is inductive, then checks every answer."""

    def __init__(self, machine: Machine, facts: dict[Control, set[Fact]], budget: Budget) -> None:
        import z3

        self._z3 = z3
        self._machine = machine
        self._facts = facts
        self._totals = [z3.Int(f"n{k}") for k in range(len(machine.counters))]
        self._symbolic = Symbolic()
        self._budget = budget

    def run(self) -> Induction:
        work = deque((control, letter) for control in self._facts for letter in self._letters(control))
        queued = set(work)
        while work:
            control, letter = work.popleft()
            queued.discard((control, letter))
            weakened = self._preserve(control, letter)
            for changed in weakened:
                for again in self._letters(changed):
                    if (changed, again) not in queued:
                        queued.add((changed, again))
                        work.append((changed, again))
        for control in self._facts:
            for letter in self._letters(control):
                if not self._answers(control, letter):
                    return Induction(False, "the facts that were guessed do not give the answer")
        count = sum(map(len, self._facts.values()))
        return Induction(True, "by induction over the letters", count)

    def _letters(self, control: Control) -> list[int]:
        return self._machine.letters(control.state)

    def _assume(self, solver: z3.Solver, control: Control) -> None:
        for total in self._totals:
            solver.add(total >= 0)
        for (counter, cap), value in zip(self._machine.latches, control.latches, strict=True):
            total = self._totals[self._machine.place[counter]]
            solver.add(total >= cap if value == cap else total == value)
        values = self._machine.values_of_forms(self._totals)
        for fact in self._facts[control]:
            solver.add(self._term(fact, values))

    def _term(self, fact: Fact, values: Sequence[Any]) -> Any:
        return values[fact.form] >= fact.bound if fact.sign > 0 else values[fact.form] <= fact.bound

    def _preserve(self, control: Control, letter: int) -> list[Control]:
        """Drops the facts that this letter breaks; the control values whose facts were dropped."""
        z3 = self._z3
        solver = limit(self._z3.Solver(), self._budget)
        self._assume(solver, control)
        _, new, entering = self._machine.step(control, self._totals, letter, self._symbolic)
        weakened = []
        for following, condition in self._followers(solver, control, letter, new, entering):
            if following not in self._facts:
                # Not met by the runs, but not excluded by the facts either: nothing is known of it.
                self._facts[following] = set()
                weakened.append(following)
                if len(self._facts) > MAX_CONTROLS:
                    raise OverBudget(f"more than {MAX_CONTROLS} control values")
            values = self._machine.values_of_forms(new)
            solver.push()
            solver.add(condition)
            dropped = False
            while self._facts[following]:
                solver.push()
                solver.add(z3.Or([z3.Not(self._term(fact, values)) for fact in self._facts[following]]))
                broken = satisfiable(solver, self._budget)
                if broken:
                    model = solver.model()
                    numbers = [model.eval(v, model_completion=True) if z3.is_expr(v) else v for v in values]
                    known = [n.as_long() if z3.is_expr(n) else n for n in numbers]
                    self._facts[following] = {f for f in self._facts[following] if f.holds(known)}
                    dropped = True
                solver.pop()
                if not broken:
                    break
            solver.pop()
            if dropped:
                weakened.append(following)
        return weakened

    def _followers(
        self, solver: z3.Solver, control: Control, letter: int, new: Sequence[Any], entering: Sequence[Any]
    ) -> Iterator[tuple[Control, Any]]:
        """Every control value that can follow, with the condition under which it does."""
        z3 = self._z3
        solver.push()
        excluded: list[Any] = []
        while True:
            solver.push()
            solver.add(*excluded)
            model = solver.model() if satisfiable(solver, self._budget) else None
            solver.pop()
            if model is None:
                break
            totals = [model.eval(z3.IntVal(0) + n, model_completion=True).as_long() for n in new]
            bits = [
                b if isinstance(b, bool) else z3.is_true(model.eval(b, model_completion=True))
                for b in entering
            ]
            following = self._machine.next_control(control, letter, totals, bits)
            parts = [
                b if bit else z3.Not(b)
                for b, bit in zip(entering, bits, strict=True)
                if not isinstance(b, bool)
            ]
            for (counter, cap), value in zip(self._machine.latches, following.latches, strict=True):
                total = new[self._machine.place[counter]]
                parts.append(total >= cap if value == cap else total == value)
            condition = z3.And(parts) if parts else z3.BoolVal(True)
            excluded.append(z3.Not(condition))
            yield following, condition
        solver.pop()

    def _answers(self, control: Control, letter: int) -> bool:
        solver = limit(self._z3.Solver(), self._budget)
        self._assume(solver, control)
        said, _, _ = self._machine.step(control, self._totals, letter, self._symbolic)
        right = self._machine.answers[self._machine.automaton.transitions[control.state][letter]]
        wrong = []
        for answer, wanted in zip(said, right, strict=True):
            if not isinstance(answer, bool):
                wrong.append(answer != wanted)
            elif answer != wanted:
                return False
        if not wrong:
            return True
        solver.add(self._z3.Or(wrong))
        return not satisfiable(solver, self._budget)


@dataclass(frozen=True)
class Rightness:
    """How a program is known to be right."""

    proved: bool
    length: int
    """All words up to here were compared."""
    witness: Word | None = None
    reason: str = ""
    tried: int = 0
    """Without a proof: the number of random words tried, each with all its prefixes."""

    @property
    def word(self) -> str:
        return "proved" if self.proved else "checked" if self.witness is None else "wrong"

    def __str__(self) -> str:
        if self.witness is not None:
            return f"wrong on {word(self.witness)}"
        if self.proved:
            return "proved for all lengths"
        why = f" ({self.reason})" if self.reason else ""
        return (
            f"not proved{why}: no difference on all words to length {self.length} "
            f"and {self.tried} random words to length {LONGEST_WORD}"
        )


def rightness(
    core: Core, automaton: Automaton, length: int = CHECKED_LENGTH, budget: Budget = DEFAULT_BUDGET
) -> Rightness:
    """Compares a program with an automaton on all short words and by proof; without a proof, on more words.

    >>> from longreach.theory.crasp.library import load
    >>> str(rightness(load("tomita-4").core, named_automaton("tomita-4")))
    'proved for all lengths'
    """
    found = compare(*_sides(core, automaton, length), automaton.alphabet, length)
    if not found.equal:
        return Rightness(False, found.length, found.witness)
    try:
        attempt = prove(core, automaton, budget=budget)
    except MissingExtra as missing:
        return _tried_on_words(core, automaton, found.length, str(missing))
    if attempt.witness is not None or attempt.proved:
        return Rightness(attempt.proved, found.length, attempt.witness)
    return _tried_on_words(core, automaton, found.length, attempt.reason)


def _sides(core: Core, automaton: Automaton, length: int) -> tuple[Side, Side]:
    return ProgramSide(core, automaton.alphabet, length=length), automaton_side(automaton)


def _tried_on_words(core: Core, automaton: Automaton, length: int, reason: str) -> Rightness:
    longer = min(MODULI * core.modulus + core.locality, LONGEST_WORD)
    if longer > length:
        found = compare(*_sides(core, automaton, longer), automaton.alphabet, longer, MOST_COMPARED_STATES)
        length = max(length, found.length)
        if not found.equal:
            return Rightness(False, length, found.witness)
    from longreach.theory.automata.samples import random_words

    words = random_words(automaton, np.random.default_rng(0), LONGEST_WORD)
    return Rightness(False, length, difference(core, automaton, words), reason, len(words))


def difference(core: Core, automaton: Automaton, words: Letters) -> Word | None:
    """The shortest prefix of the words (rows of letter indices) on which the two differ."""
    near = simplify(within_length(core, words.shape[1]))
    assert near.accept is not None
    place = {symbol: code for code, symbol in enumerate(near.alphabet)}
    codes = np.array([place.get(letter, len(place)) for letter in automaton.alphabet], np.uint32)
    value = Kernel(near, near.roots).advance(State(), codes[words])[near.accept]
    said = np.broadcast_to(np.asarray(value, dtype=np.bool_), words.shape)
    wrong = said != automaton.accepting_mask[automaton.run_many(words)]
    if not wrong.any():
        return None
    column = int(wrong.any(axis=0).argmax())
    return tuple(automaton.alphabet[k] for k in words[int(wrong[:, column].argmax()), : column + 1])
