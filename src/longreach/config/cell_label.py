"""An encoding, and a penalty if there is one: what the members of a cell share besides their task."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_AND = " + "


@dataclass(frozen=True)
class CellLabel:
    """An encoding, with or without the penalty on attention between positions.

    >>> CellLabel("ape").text, CellLabel("ape", 1e-4).text, CellLabel.read("ape + 0.0001")
    ('ape', 'ape + 0.0001', CellLabel(encoding='ape', penalty=0.0001))
    """

    encoding: str
    penalty: float = 0.0

    @property
    def text(self) -> str:
        return f"{self.encoding}{_AND}{self.penalty:g}" if self.penalty else self.encoding

    @staticmethod
    def read(text: str) -> CellLabel:
        """The label of a text; a text that is none is the name of an encoding, whatever it is."""
        encoding, _, penalty = text.rpartition(_AND)
        try:
            number = float(penalty)
        except ValueError:
            return CellLabel(text)
        return (
            CellLabel(encoding, number) if encoding and math.isfinite(number) and number else CellLabel(text)
        )


def encoding_label(encoding: str, config: Mapping[str, Any]) -> str:
    """An encoding with the position ids that it was trained under, where they are unusual.

    Results under other ids are results of their own: theory, and other runs, speak of the plain encoding.

    >>> encoding_label("ape", {}), encoding_label("rope", {"position_ids": "pose"})
    ('ape', 'rope+pose')
    >>> encoding_label("ape", {"predict_ids": True})
    'ape+coupled+predicted'
    """
    ids, predicted = config.get("position_ids"), config.get("predict_ids") is True
    if predicted and ids is None:
        ids = "coupled"
    unusual = ids in ("coupled", "pose", "randomized") and ids != encoding
    return encoding + (f"+{ids}" if unusual else "") + ("+predicted" if predicted else "")
