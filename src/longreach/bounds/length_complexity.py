"""Length complexity (Chen, Ma and Li, arXiv 2506.03085): when all shorter inputs tell functions apart.

A learner that returns a simplest function which fits every input up to this length has found the function.
No computable bound of this kind exists for C-RASP of two layers (Yang et al., arXiv 2603.02238).
"""

from __future__ import annotations

from fractions import Fraction

from longreach.bounds.bound_definition import Definition, Term, Values
from longreach.bounds.bound_size import Size

PAPER = "Chen, Ma and Li, Non-Asymptotic Length Generalization (arXiv 2506.03085)"
NO_BOUND = "no computable bound exists for two-layer C-RASP in general (Yang et al., arXiv 2603.02238)"
LEARNER = "the learner sees every input up to this length and returns a simplest function that fits them"


def automaton_length(values: Values) -> Size:
    """2n − 2."""
    return Size.of(2 * Fraction(values["states"]) - 2)


def squared(values: Values) -> Size:
    """T²."""
    return Size.of(Fraction(values["T"]) ** 2)


def to_the_heads(values: Values) -> Size:
    """T^K."""
    return Size.of(Fraction(values["T"])).power(Fraction(values["K"]))


AUTOMATON = Definition(
    name="automaton",
    terms={"length": Term(needs=("states",), compute=automaton_length)},
    combine=lambda terms: terms["length"],
    formula="2n − 2",
    says="two different complete automata of at most n states differ on a word of at most this length",
    source=f"{PAPER}",
    assumes=(
        f"{LEARNER}, an automaton of at most n states",
        "n counts the states of the minimal complete automaton",
    ),
    constants="none: the bound is exact",
    up_to_constants=False,
)
DEPTH_ONE = Definition(
    name="depth-one",
    terms={"length": Term(needs=("T",), compute=squared)},
    combine=lambda terms: terms["length"],
    formula="O(T²)",
    says="two different programs of counting depth one with numbers up to T differ on an input of this order",
    source=f"{PAPER}",
    assumes=(
        f"{LEARNER}, a program of counting depth one",
        "two letters, no relations of positions, and no number in a comparison exceeds T",
    ),
    constants="the factor is unknown and taken as 1",
    up_to_constants=True,
)
RESTRICTED = Definition(
    name="two-layer-restricted",
    terms={"length": Term(needs=("T", "K"), compute=to_the_heads)},
    combine=lambda terms: terms["length"],
    formula="O(T^{O(K)})",
    says="the same for a restricted class of programs of two layers with K heads in the first",
    source=f"{PAPER}",
    assumes=(f"{LEARNER}, a program of the restricted class of that paper", f"in general {NO_BOUND}"),
    constants="the factor of the exponent is unknown and taken as 1: the number shows the growth alone",
    up_to_constants=True,
    extra=True,
)
