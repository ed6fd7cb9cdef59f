from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longreach.answer.measured_cell import MeasuredCell
from longreach.answer.threshold_curve import Threshold
from longreach.comparison.tally import Tally
from longreach.config.length_range import LengthRange


def _cell(train_to: int, work: int, runs: int = 3) -> MeasuredCell:
    return MeasuredCell(
        encoding="ape",
        train_to=train_to,
        tested=LengthRange(41, 60),
        planned=3,
        steps=100,
        tally=Tally(runs=runs, learned=runs, work=work),
        keys=(),
        lowest=None,
        highest=None,
    )


def test_the_example_of_the_manual() -> None:
    found = Threshold.of([_cell(20, 3)], [_cell(16, 3), _cell(12, 1), _cell(8, 0)])
    assert found is not None
    assert (found.start, found.words) == (16, "from about 16 on")
    assert found.counts == "8: 0 of 3 · 12: 1 of 3 · 16: 3 of 3 · 20: 3 of 3"


def test_all_work_or_none() -> None:
    every = Threshold.of([_cell(20, 3)], [_cell(8, 2)])
    assert every is not None
    assert every.words == "from 8 on, or less"
    none = Threshold.of([_cell(20, 0)], [_cell(30, 1), _cell(40, 0)])
    assert none is not None
    assert (none.start, none.words) == (None, "none up to 40")
    assert none.document()["from"] is None


def test_without_finished_runs_there_is_none() -> None:
    assert Threshold.of([_cell(20, 3)], []) is None
    assert Threshold.of([_cell(20, 3)], [_cell(16, 0, runs=0)]) is None


@given(st.dictionaries(st.integers(1, 40), st.integers(0, 3), min_size=2))
def test_the_start_by_its_definition(work: dict[int, int]) -> None:
    first, *others = (_cell(length, number) for length, number in work.items())
    found = Threshold.of([first], others)
    assert found is not None
    starts = [
        length for length in work if all(2 * number >= 3 for other, number in work.items() if other >= length)
    ]
    assert found.start == min(starts, default=None)
