"""What is established about a program for a language, and verdicts in plain words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import replace

from longreach.errors import MissingExtra
from longreach.theory.automata.automaton import Automaton
from longreach.theory.budget import Budget
from longreach.theory.certificates.check_yes import legal_symbols, wrong_after
from longreach.theory.crasp.core import Core
from longreach.theory.prove.equivalence import rightness
from longreach.theory.prove.induction import prove_announcer
from longreach.theory.verdicts.verdict import Answer, Verdict

# What is established of a program for a language, in a few words; within a time that nobody notices.


PROVED = "proved"
NOT_KNOWN = "not known"
NOT_WRITTEN = "decided, program not written"
NOT_CERTIFIED = "decided, proof too large to write"
PROOF_SECONDS = 2.0
"""Of computing; whoever wants to wait asks `longreach verify`."""


def program_basis(core: Core, automaton: Automaton, budget: Budget) -> str:
    """How a program, for membership or for what may follow on words of the language, is known to be right.

    >>> from longreach.theory.crasp.library import load
    >>> from longreach.theory.budget import DEFAULT_BUDGET
    >>> from longreach.theory.automata.named import named_automaton
    >>> program_basis(load("tomita-4").core, named_automaton("tomita-4"), DEFAULT_BUDGET)
    'program, proved for all lengths'
    """
    short = _short(budget)
    if core.is_predictor:
        return announcer_basis(core, automaton, legal_symbols(automaton), short)
    known = rightness(core, automaton, budget=short)
    if known.witness is not None:
        return "program, found wrong"
    return basis(None if known.proved else known.length)


def _short(budget: Budget) -> Budget:
    return replace(budget, seconds=min(budget.seconds, PROOF_SECONDS), ends=None)


def announcer_basis(core: Core, automaton: Automaton, labels: Mapping[str, Set[int]], budget: Budget) -> str:
    """The same of a program that says the labels of states on words of the language."""
    try:
        if prove_announcer(core, automaton, labels, budget=_short(budget)).proved:
            return basis(None)
    except MissingExtra:
        pass
    wrong, length = wrong_after(core, automaton, labels)
    return basis(length) if wrong is None else "program, found wrong"


def basis(length: int | None) -> str:
    """Of a program that is right on all that was tried, to a length; None: proved.

    >>> basis(None), basis(12)
    ('program, proved for all lengths', 'program, checked to length 12')
    """
    return "program, proved for all lengths" if length is None else f"program, checked to length {length}"


# Verdicts in words that need no paper: what is expected, why in one clause, and what that rests on.


_CITATION = re.compile(r"\s*\([^()]*(?:et al\.|arXiv|Theorem|Corollary|Table)[^()]*\)")
_TERMS = re.compile(
    r"C-RASP|\bRASP|idempotent|component|\bstates?\b|transformer|monoid|semigroup|potential|relation|"
    r"induction head|reduction|reduces|\bflows?\b|et al|arXiv|Corollary|Theorem|automat|certificate|"
    r"communication|\bw\b|\b[ES]OS\b|\bSEP\b",
    re.IGNORECASE,
)
"""What a reader would have to look up."""


def expectation(answer: Answer) -> str:
    """The answer for what is trained, in plain words.

    >>> expectation(Answer.NO)
    'expected to fail'
    """
    return answer.expectation


def clause(verdict: Verdict) -> str:
    """Why what is trained has its answer, in one clause.

    >>> from longreach.theory.automata.regex import from_expression
    >>> from longreach.theory.verdicts.judge import judge
    >>> clause(judge(from_expression("(aa)*")).nope)
    'after a long word, counting cannot tell "a" from "aa"'
    """
    proof = verdict.easiest_proof
    return proof.clause or plainly(proof.reason) or _USUAL[verdict.trained]


_USUAL = {
    Answer.YES: "a program with counts over the input does it",
    Answer.NO: "an argument says that attention cannot do it at every length",
    Answer.UNDECIDED: "no argument for or against it has been found",
}


def plainly(reason: str) -> str | None:
    """A reason without its citation; None if it has words of the papers.

    >>> plainly("letters are counted (Huang et al., C.1.3)"), plainly("the graph of idempotents is large")
    ('letters are counted', None)
    """
    found = _CITATION.sub("", reason).strip()
    return None if _TERMS.search(found) or len(found) > 110 else found


def rests_on(verdict: Verdict) -> str:
    """What the answer for what is trained rests on, in a few words.

    >>> from longreach.theory.automata.regex import from_expression
    >>> from longreach.theory.verdicts.judge import judge
    >>> found = judge(from_expression("(aa)*"))
    >>> rests_on(found.nope), rests_on(found.ape)
    ('proved', 'program, proved for all lengths')
    """
    if verdict.trained is Answer.UNDECIDED:
        return NOT_KNOWN
    return verdict.trained_proof.basis or "claimed, not checked"
