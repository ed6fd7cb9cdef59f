"""Measured curves, made up for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from longreach.runs.index import row_of
from longreach.studies.curves import Curve, Measured
from longreach.training.result import task_number
from tests.helpers.asked_results import result_of


def measured_curves(found: Iterable[Curve], value: Callable[[Curve, int], float]) -> list[Measured]:
    """Curves whose runs all have the value that a function gives for the curve and a length."""
    made = []
    for curve in found:
        rows = []
        for member in curve.members():
            result = result_of(member, [1.0] * len(member.ranges))
            assert result.final is not None
            numbers = {f"{length}-{length}": value(curve, length) for length in curve.lengths}
            named = {task_number(curve.tested or "", name): each for name, each in numbers.items()}
            final = result.final.model_copy(update={"accuracy": numbers, "other": named})
            rows.append(row_of(result.model_copy(update={"final": final})))
        made.append(Measured(curve=curve, wanted=curve.seeds, rows=tuple(rows)))
    return made
