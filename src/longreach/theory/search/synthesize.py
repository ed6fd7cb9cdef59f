"""From a language, a predicate or examples to a program: by construction, by enumeration, by search."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from longreach.theory.automata.automaton import Automaton
from longreach.theory.automata.learn import FittingAutomaton, fit_automaton
from longreach.theory.budget import Budget
from longreach.theory.crasp.core import Core
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.program import Program
from longreach.theory.search.programs import (
    MAX_SIZE,
    larger_program,
    readable,
    smallest_program,
)
from longreach.theory.search.space import Family
from longreach.theory.search.targets import (
    Check,
    ExamplesTarget,
    PredicateTarget,
    RegularTarget,
    Target,
    Wanted,
    target_of,
)
from longreach.theory.verdicts.judge import judge
from longreach.theory.verdicts.verdict import Answer

SECONDS = 30.0
EXHAUSTIVE = 0.6
"""The share of the time for enumeration; the rest is for larger programs."""
DECIDING = 5.0
"""Seconds for what theory says of a language."""
LEARNING = 0.2
"""The share of the time for an automaton that agrees with examples."""


class Status(StrEnum):
    """How much is known of the result."""

    PROVED = "proved"
    """The program is right on words of every length."""
    CHECKED = "checked"
    """It is right on all words up to a length; nothing is known beyond."""
    CONSISTENT = "consistent"
    """It agrees with all examples; there is no right beyond them."""
    IMPOSSIBLE = "impossible"
    """No program of the class exists."""
    NONE = "none found"
    """The search ended without a program."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Synthesis:
    """The result of a search.

    >>> synthesize({"ab": True, "aab": True, "ba": False, "a": False, "": False}).status.value
    'consistent'
    """

    program: Program | None = None
    size: int | None = None
    status: Status = Status.NONE
    checked_to: int | None = None
    """The length up to which all words were compared; None where that was not done."""
    tried: int = 0
    method: str = "none"
    """How it was found: construction, automaton (a construction from a learned one), enumeration, join or
    local search."""
    smallest: bool = False
    """Whether no program of the family has fewer operations."""
    none_up_to: int = 0
    """No program of the family has so few operations or fewer."""
    reason: str = ""
    """Why there is no program, or no proof that it is the smallest."""
    seconds: float = 0.0
    examples: int | None = None
    """With how many examples it agrees; None where there is more to ask than examples."""

    def words(self, family: Family) -> str:
        """What is known, on one line; theory speaks of the whole class, a search of the family alone."""
        if self.status is Status.IMPOSSIBLE:
            return f"no program in {family.class_name}: {self.reason}"
        if self.program is None:
            return f"no program in {family.searched} up to size {self.none_up_to}; {self.reason}"
        known = {
            Status.PROVED: "proved for all lengths",
            Status.CHECKED: f"checked to length {self.checked_to}, not proved beyond",
            Status.CONSISTENT: "agrees with the one example; nothing is known beyond it"
            if self.examples == 1
            else f"agrees with all {self.examples} examples; nothing is known beyond them",
        }[self.status]
        smallest = f"none smaller in {family.searched}"
        if not self.smallest:
            smallest = f"none in {family.searched} up to size {self.none_up_to}, larger ones not all tried"
        return f"{known}; {smallest} (by {self.method})"


def synthesize(
    wanted: Wanted | Target,
    *,
    alphabet: Iterable[str] | None = None,
    family: Family | str = "empty",
    seconds: float = SECONDS,
    max_size: int = MAX_SIZE,
    length: int | None = None,
    bytes: int = 1 << 30,
    seed: int = 0,
) -> Synthesis:
    """A program for an automaton, for another program, for a function of words, or for labelled words.

    `seconds` are of computing. `length` bounds the words on which a function is asked.

    >>> found = synthesize(from_expression("(a|b)*ab(a|b)*"))
    >>> found.status.value, found.size
    ('proved', 7)
    """
    target = target_of(wanted, alphabet, length=length)
    started = time.thread_time()
    asked = Family.named(family) if isinstance(family, str) else family
    found = _search(target, asked, max_size, Budget(seconds=seconds, bytes=bytes).running(), seed)
    examples = len(target.examples) if isinstance(target, ExamplesTarget) else None
    return replace(found, examples=examples, seconds=time.thread_time() - started)


def _search(target: Target, family: Family, max_size: int, budget: Budget, seed: int) -> Synthesis:
    """Decide what can be decided, then search for something smaller than what is written."""
    written: Synthesis | None = None
    if isinstance(target, RegularTarget):
        written = by_construction(target.automaton, family, budget)
        if written.status is Status.IMPOSSIBLE:
            return written
    elif isinstance(target, ExamplesTarget | PredicateTarget):
        written = by_learning(target, family, budget)
    most = max_size if written is None or written.size is None else min(max_size, written.size - 1)
    reach = most + 1 if most < max_size and isinstance(target, ExamplesTarget | PredicateTarget) else most
    share = replace(budget, seconds=round(max(0.0, budget.left) * EXHAUSTIVE, 1), ends=None).running()
    search = smallest_program(target, family, max_size=reach, budget=share)
    if search.core is None and search.none_up_to < most:
        search = larger_program(target, family, search=search, max_size=most, budget=budget, seed=seed)
    if search.core is not None and search.check is not None:
        found = made(search.core, search.check, target, search.method)
        smallest = search.method == "enumeration"
    elif written is not None and written.program is not None:
        found, smallest = written, written.size == search.none_up_to + 1
    else:
        found, smallest = Synthesis(reason=search.reason), False
    return replace(found, tried=search.tried, none_up_to=search.none_up_to, smallest=smallest)


def by_construction(automaton: Automaton, family: Family, budget: Budget) -> Synthesis:
    """What the theory of regular languages says: a program, that there is none, or nothing.

    For position tests alone less is decided: what has no program with local relations besides has none. What
    is written may have a larger modulus or distance than the family.

    >>> by_construction(named_automaton("parity-language"), Family(), Budget()).status.value
    'impossible'
    """
    verdicts = judge(automaton, replace(budget, seconds=min(budget.left, DECIDING), ends=None))
    side = {"empty": verdicts.nope, "local": verdicts.local, "both": verdicts.ape}.get(family.name)
    refuting = verdicts.ape if side is None else side
    if refuting.answer is Answer.NO:
        return Synthesis(status=Status.IMPOSSIBLE, reason=refuting.reason)
    if side is None:
        wider = verdicts.ape.program
        side = verdicts.nope if wider is None or wider.core.locality else verdicts.ape
    program = side.program if side.answer is Answer.YES else None
    if program is None:
        return Synthesis()
    smaller = simplify(program.core)
    known = RegularTarget(automaton).check(smaller, budget)
    if known.witness is not None:
        return Synthesis()
    plain = readable(smaller)
    return Synthesis(
        program=program if program.core.size <= plain.core.size else plain,
        size=min(program.core.size, plain.core.size),
        status=Status.PROVED if known.proved else Status.CHECKED,
        checked_to=known.length,
        method="construction",
    )


def by_learning(target: ExamplesTarget | PredicateTarget, family: Family, budget: Budget) -> Synthesis:
    """The program that theory writes for a small automaton which agrees with the words that are known.

    What theory says against that automaton says nothing of the words: others agree with them too.

    >>> from itertools import product
    >>> words = ["".join(word) for n in range(7) for word in product("ab", repeat=n)]
    >>> found = by_learning(target_of({word: "ba" not in word for word in words}), Family(), Budget())
    >>> found.status.value, found.method
    ('consistent', 'automaton')
    """
    labels = {word: str(label) for word, label in target.known_words().items()}
    share = replace(budget, seconds=budget.left * LEARNING, ends=None)
    learned = fit_automaton(labels, target.alphabet, budget=share)
    if not isinstance(learned, FittingAutomaton):
        return Synthesis()
    program = by_construction(learned.machine.language(str(True)), family, share.running()).program
    if program is None:
        return Synthesis()
    check = target.check(program.core, budget)
    if check.witness is not None:
        return Synthesis()
    return made(program.core, check, target, "automaton")


def made(core: Core, check: Check, target: Target, method: str) -> Synthesis:
    program = readable(simplify(core))
    status = Status.PROVED if check.proved else Status.CHECKED
    if isinstance(target, ExamplesTarget):
        status = Status.CONSISTENT
    return Synthesis(
        program=program, size=program.core.size, status=status, checked_to=check.length, method=method
    )
