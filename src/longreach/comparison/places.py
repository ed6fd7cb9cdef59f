"""What the studies are about: tasks in the papers' order, and the cells that a study consists of."""

from __future__ import annotations

from dataclasses import dataclass

from longreach.config.cell_label import CellLabel
from longreach.config.hyperparameters import BASELINE

ALGORITHMIC = (
    "binary-majority", "binary-majority-interleave", "majority", "sort", "copy-unique", "copy-repeat",
    "parity", "addition",
)  # fmt: skip
"""In the order of Table 3 of Huang et al., arXiv 2410.02140."""
REGULAR = (
    "tomita-1", "tomita-2", "tomita-3", "tomita-4", "tomita-5", "tomita-6", "tomita-7",
    "d-2", "d-3", "d-4", "d-12", "aa", "aaaa", "abab", "aa-bb-cc-dd-ee", "ab-d-bc", "012-0-2",
)  # fmt: skip
"""In the numbering of Table 2 there: the first is number 1."""
ENCODINGS = ("ape", "nope")
"""Those for which there are forecasts."""

FAMILIES = (
    frozenset({"binary-majority", "binary-majority-interleave", "majority", "parity"}),
    frozenset({"sort", "copy-unique", "copy-repeat", "addition"}),
    frozenset(REGULAR),
)
"""Siblings: tasks whose answer is a few tokens, those whose answer is a sequence, the regular languages."""


@dataclass(frozen=True)
class Place:
    """A cell of a study: a task under an encoding, with or without the penalty on positions.

    >>> Place("sort", "ape").label, Place("sort", "ape", 1e-4).label
    ('ape', 'ape + 0.0001')
    """

    task: str
    encoding: str
    penalty: float = 0.0

    @property
    def is_baseline(self) -> bool:
        """Whether it shows what the current token alone tells: no evidence for or against a forecast."""
        return self.encoding == BASELINE

    @property
    def label(self) -> str:
        """The encoding, and the coefficient of the penalty if there is one."""
        return CellLabel(self.encoding, self.penalty).text


def siblings(task: str) -> frozenset[str]:
    """The other tasks of the same family.

    >>> sorted(siblings("parity"))
    ['binary-majority', 'binary-majority-interleave', 'majority']
    """
    return frozenset().union(*(family - {task} for family in FAMILIES if task in family))
