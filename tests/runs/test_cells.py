"""Cells against a plain recount."""

from __future__ import annotations

import math
import statistics

from hypothesis import given
from hypothesis import strategies as st

from longreach.runs.cells import cells
from longreach.runs.index import Row

RANGES = ("1-5", "6-10", "11-15")
runs = st.lists(
    st.tuples(
        st.sampled_from(["parity", "sort"]),
        st.sampled_from(["ape", "nope"]),
        st.sampled_from([1, 2]),
        st.sampled_from(["done", "failed", "damaged"]),
        st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, math.nan]), min_size=3, max_size=3),
    ),
    max_size=12,
)


def _row(seed: int, task: str, encoding: str, layers: int, status: str, shares: list[float]) -> Row:
    config = {"task": task, "encoding": encoding, "layers": layers, "seed": seed}
    if status == "damaged":
        return Row(key=str(seed), status="damaged")
    accuracy = dict(zip(RANGES, shares, strict=True)) if status == "done" else {}
    reached = shares[0] == 1.0 if status == "done" else None
    return Row(
        key=str(seed), status="failed" if status == "failed" else "done", task=task, encoding=encoding,
        config=config, accuracy=accuracy, reached=reached, seconds=2.0,
    )  # fmt: skip


@given(runs)
def test_cells_are_a_recount(found: list[tuple[str, str, int, str, list[float]]]) -> None:
    rows = [_row(seed, *one) for seed, one in enumerate(found)]
    made = cells(rows)
    assert sum(len(cell.rows) for cell in made) == sum(one[3] != "damaged" for one in found)
    for cell in made:
        mine = [one for one in found if one[:3] == (cell.task, cell.encoding, cell.config["layers"])]
        mine = [one for one in mine if one[3] != "damaged"]
        done = [one[4] for one in mine if one[3] == "done"]
        right = [shares for shares in done if shares[0] == 1.0]
        assert cell.success == len(right) / len(mine)
        assert cell.learned == bool(right)
        assert cell.seconds == 2.0 * len(mine)
        for place, name in enumerate(RANGES):
            numbers = [shares[place] for shares in right or done if not math.isnan(shares[place])]
            assert (name in cell.accuracy) == bool(numbers)
            if numbers:
                spread = cell.accuracy[name]
                assert math.isclose(spread.mean, statistics.fmean(numbers))
                assert (spread.low, spread.high, spread.count) == (min(numbers), max(numbers), len(numbers))
        if done:
            assert cell.ranges == RANGES
