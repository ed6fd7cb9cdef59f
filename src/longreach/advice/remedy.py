"""A change that may make a task work on longer inputs, and what speaks for it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from longreach.config.cell_label import encoding_label
from longreach.config.task_name import TaskName
from longreach.forecast.other_encodings import COUPLED

Ground: TypeAlias = Literal["program", "local steps", "open"]
"""What speaks for a remedy: a program that theory expects to be learned, steps that depend on few and near
tokens, or nothing but that it is worth a try."""


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """A changed task under an encoding, to be trained in place of the original.

    >>> from longreach.advice.task_to_remedies import remedies
    >>> from longreach.forecast import forecast
    >>> remedies(forecast("parity"))[0].name
    'parity+scratchpad with coupled-local'
    """

    task: str
    """The name of the changed task, or of the original."""
    encoding: str
    change: str
    """In words."""
    basis: str
    """Why it may help, in one sentence."""
    plain: str = ""
    """The same in words that need no paper, where `basis` has others."""
    ground: Ground
    predict_ids: bool = False
    """Whether the model predicts the position ids of its answer: they would tell part of it."""

    @property
    def label(self) -> str:
        """The encoding, as results under such ids are called."""
        return encoding_label(self.encoding, {"predict_ids": self.predict_ids})

    @property
    def name(self) -> str:
        """The task and its encoding."""
        return f"{TaskName(self.task).short} with {self.label}"

    @property
    def is_coupled(self) -> bool:
        """Whether it is trained with the task's own position ids."""
        return self.encoding in COUPLED

    @property
    def command(self) -> str:
        """How to train it."""
        ids = ["--predict-ids"] if self.predict_ids else []
        return shlex.join(
            ["longreach", "train", self.task, "--encoding", self.encoding, *ids, "--seeds", "3"]
        )

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "change": self.change,
            "task": self.task,
            "encoding": self.encoding,
            "predict_ids": self.predict_ids,
            "ground": self.ground,
            "basis": self.basis,
            "command": self.command,
        }
