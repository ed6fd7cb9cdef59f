"""Verdicts in words that need no paper: what is expected, why in one clause, and what that rests on."""

from __future__ import annotations

import re

from longreach.config.encoding_table import ENCODINGS
from longreach.verdicts.program_to_basis import NOT_KNOWN
from longreach.verdicts.verdict import Answer, Verdict

_CITATION = re.compile(r"\s*\([^()]*(?:et al\.|arXiv|Theorem|Corollary|Table)[^()]*\)")
_TERMS = re.compile(
    r"C-RASP|\bRASP|idempotent|component|\bstates?\b|transformer|monoid|semigroup|potential|relation|"
    r"induction head|reduction|reduces|\bflows?\b|et al|arXiv|Corollary|Theorem|automat|certificate|"
    r"communication|\bw\b|\b[ES]OS\b|\bSEP\b",
    re.IGNORECASE,
)
"""What a reader would have to look up."""


def side_title(key: str) -> str:
    """A side of a forecast, or any encoding, in plain words.

    >>> side_title("nope"), side_title("rope")
    ('without positions (NoPE)', 'with rotary positions (RoPE)')
    """
    if key == "local":
        return "with nearby letters alone"
    row = ENCODINGS.get(key)
    return f"with {key}" if row is None else row.words


def expectation(answer: Answer) -> str:
    """The answer for what is trained, in plain words.

    >>> expectation(Answer.NO)
    'expected to fail'
    """
    return answer.expectation


def clause(verdict: Verdict) -> str:
    """Why what is trained has its answer, in one clause.

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> from longreach.verdicts.automaton_to_verdicts import judge
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

    >>> from longreach.languages.regular.expression_to_automaton import from_expression
    >>> from longreach.verdicts.automaton_to_verdicts import judge
    >>> found = judge(from_expression("(aa)*"))
    >>> rests_on(found.nope), rests_on(found.ape)
    ('proved', 'program, proved for all lengths')
    """
    if verdict.trained is Answer.UNDECIDED:
        return NOT_KNOWN
    return verdict.trained_proof.basis or "claimed, not checked"
