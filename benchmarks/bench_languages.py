"""Languages: how the cost of a verdict grows, and Table 2 and random expressions against what was asked."""

from __future__ import annotations

import random
from collections.abc import Iterator

from benchmarks.harness import Row, best_time
from longreach.theory.automata.automaton import Automaton, minimal
from longreach.theory.automata.named import NAMED_LANGUAGES, bounded_brackets, named_automaton
from longreach.theory.automata.regex import from_expression
from longreach.theory.decide.decisions import decide
from longreach.theory.decide.without_positions import plain_analysis


def random_expression(size: int, chance: random.Random) -> str:
    """A random expression over a, b, c with about that many characters and at most 30."""

    def part(budget: int) -> str:
        if budget <= 1:
            return chance.choice("abc")
        kind = chance.random()
        if kind < 0.45:
            cut = chance.randrange(1, budget)
            return part(cut) + part(budget - cut)
        if kind < 0.7 and budget >= 5:
            cut = chance.randrange(1, budget - 3)
            return f"({part(cut)}|{part(budget - 3 - cut)})"
        if budget >= 4:
            return f"({part(budget - 3)}){chance.choice('**+?')}"
        return chance.choice("abc") + chance.choice("*+?")

    while len(expression := part(size)) > 30:
        pass
    return expression


def random_automaton(states: int, letters: str, chance: random.Random) -> Automaton:
    rows = [[chance.randrange(states) for _ in letters] for _ in range(states)]
    return minimal(letters, rows, 0, [q for q in range(states) if chance.random() < 0.5])


def rows() -> Iterator[Row]:
    decide(named_automaton("abab"))  # loads what is loaded on first use
    slowest = max(best_time(lambda name=name: decide(named_automaton(name)), 3) for name in NAMED_LANGUAGES)
    yield Row("slowest named language / 50 ms", slowest / 0.050, "×", "≤ 1")

    base = None
    for depth in (4, 8, 16, 32, 64, 128, 256):
        automaton = bounded_brackets(depth)
        cost = best_time(lambda automaton=automaton: plain_analysis(automaton))
        base = base or cost
        yield Row(f"[∅] test of D_{depth} / of D_4", cost / base, "×", f"at most {depth // 4} squared")

    chance = random.Random(0)
    base = None
    for states in (10, 20, 50, 100, 200):
        sample = [random_automaton(states, "abc", chance) for _ in range(5)]
        cost = best_time(lambda sample=sample: [plain_analysis(automaton) for automaton in sample])
        base = base or cost
        wanted = f"at most {states // 10} squared"
        yield Row(f"[∅] test, random, {states} states / 10 states", cost / base, "×", wanted)

    sample = [random_automaton(20, "abc", chance) for _ in range(20)]
    slowest = max(best_time(lambda automaton=automaton: decide(automaton), 1) for automaton in sample)
    yield Row("slowest random automaton, 20 states, 3 letters / 1 s", slowest, "×", "≤ 1")

    expressions = [random_expression(chance.randrange(8, 31), chance) for _ in range(1000)]
    cost = best_time(lambda: [decide(from_expression(expression, "abc")) for expression in expressions], 1)
    yield Row("1000 random expressions, all verdicts / 60 s", cost / 60, "×", "≤ 1")
