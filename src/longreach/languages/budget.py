"""How much work a question may cost before the answer is "undecided" or an error that says so."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """Limits of every step that can explode. All are counts, so that two machines give the same answer.

    >>> Budget(monoid=100).monoid
    100
    """

    expression: int = 20_000
    """States of the nondeterministic automaton of an expression."""
    states: int = 4_096
    """States of a deterministic automaton before it is minimized."""
    determinization: int = 1_500_000
    """Elementary steps of the subset construction."""
    samples: int = 24
    """Object words tried by the sampled search for a "no"."""
    monoid: int = 10_000
    """Elements of the transition monoid."""
    arrows: int = 200_000
    """Edges of the graph of idempotents."""
    window: int = 64
    """Letters of the past that a window may show."""
    window_states: int = 6_000
    """States of the automaton extended by a window and a modulus."""
    certificate: int = 150
    """Vertices of a component for which flows are written out."""


DEFAULT_BUDGET = Budget()
