from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from longreach.answer.threshold_curve import Threshold
from longreach.comparison.measured_cell import MeasuredCell
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


def test_an_exact_start_says_so() -> None:
    found = Threshold.of_cells([_cell(16, 3), _cell(15, 1), _cell(32, 3)])
    assert found is not None
    assert (found.words, found.is_exact, found.remark) == ("from 16 on", True, "")
    least = Threshold.of_cells([_cell(2, 3), _cell(4, 2)], least=2)
    assert least is not None
    assert (least.words, least.is_exact, least.is_open_below) == (
        "from 2 on, the shortest possible",
        True,
        False,
    )


def test_what_is_not_monotone_is_said() -> None:
    found = Threshold.of_cells([_cell(8, 3), _cell(12, 0), _cell(16, 3)])
    assert found is not None
    assert (found.start, found.worked_below) == (16, (8,))
    assert found.remark == "not monotone: 8 works, 12 does not"
    none = Threshold.of_cells([_cell(8, 3), _cell(10, 2), _cell(12, 0)])
    assert none is not None
    assert (none.words, none.remark) == ("none up to 12", "not monotone: 8, 10 work, 12 does not")
    assert none.document()["worked_below"] == [8, 10]


def test_lengths_that_depend_on_the_training_length() -> None:
    other = replace(_cell(10, 3), tested=LengthRange(21, 30))
    found = Threshold.of_cells([_cell(20, 3), other])
    assert found is not None
    assert found.tested is None
    assert found.document()["tested"] is None


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
