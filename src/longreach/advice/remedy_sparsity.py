"""On how many earlier tokens each written token depends, and how far away, measured from examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longreach.advice.remedy import Remedy
from longreach.forecast import Forecast


@dataclass(frozen=True, kw_only=True)
class StepSparsity:
    """The most tokens that a written token depends on, at a short length and at a longer one."""

    task: str
    name: str
    lengths: tuple[int, int]
    parents: tuple[int, int]
    distances: tuple[int, int]
    """The farthest of them, in the task's own position ids if it has some, else in positions."""
    coupled: bool

    @property
    def is_sparse(self) -> bool:
        """Whether longer inputs need no more tokens, and none farther away."""
        return self.parents[1] <= self.parents[0]

    @property
    def is_local(self) -> bool:
        """Whether those are no farther away on longer inputs."""
        return self.distances[1] <= self.distances[0]

    @property
    def words(self) -> str:
        """One line."""
        short, long = self.lengths
        ids = "coupled ids" if self.coupled else "positions"
        many = (
            f"{self.parents[1]} tokens"
            if self.is_sparse
            else f"{self.parents[0]} tokens at length {short}, {self.parents[1]} at {long}: more and more"
        )
        far = (
            f"within {self.distances[1]} in {ids}"
            if self.is_local
            else f"within {self.distances[0]} in {ids} at length {short}, {self.distances[1]} at {long}"
        )
        return f"{many}, {far}"

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "lengths": list(self.lengths),
            "parents": list(self.parents),
            "distances": list(self.distances),
            "ids": "coupled" if self.coupled else "true",
            "sparse": self.is_sparse,
            "local": self.is_local,
        }


def measured_sparsity(
    forecast: Forecast, remedies: Sequence[Remedy], alphabet: Sequence[str] | None
) -> tuple[StepSparsity, ...]:
    """Of the original and of the changed tasks, each once."""
    return ()
