"""Tasks of one class that differ in their parameters, which their names say, and that have no EOS."""

from __future__ import annotations

from typing import ClassVar

from longreach.config.family_name import FamilyName, Value
from longreach.tasks.evidence import Evidence
from longreach.tasks.layout import SequenceTask


class FamilyTask(SequenceTask):
    """A task whose class is a frozen dataclass with its parameters; `_describe` is called at its making.

    Sequences of Golowich et al., arXiv 2502.16792, end with the answer.
    """

    family: ClassVar[str]
    ended = False

    @property
    def with_scratchpad(self) -> FamilyTask | None:
        """The member of the family that writes its steps; None: this one does, or the family has none."""
        return None

    def _describe(
        self, parameters: dict[str, Value], *, about: str, nope: Evidence, ape: Evidence, chance: float
    ) -> None:
        """Set what depends on the parameters. The class is frozen: nothing else changes these fields."""
        own = {
            "name": FamilyName.of(self.family, parameters).text,
            "about": about,
            "nope": nope,
            "ape": ape,
            "chance": chance,
        }
        for field, value in own.items():
            object.__setattr__(self, field, value)
