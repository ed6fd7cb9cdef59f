from __future__ import annotations

from longreach.answer.question import Question
from longreach.answer.question_to_members import first_members
from longreach.comparison.criterion import ByAccuracy
from longreach.comparison.measured_cell import MeasuredCell
from tests.helpers.asked_results import result_of


def test_runs_are_counted_one_by_one() -> None:
    members = first_members(Question(task="parity", encodings=("ape",)), 1.0)
    shares = [(1.0, 0.9, 0.75), (0.99, 0.9, 0.74)]
    results = [result_of(member, share) for member, share in zip(members, shares, strict=False)]
    (cell,) = MeasuredCell.of(members, results, ByAccuracy(0.5))
    assert (cell.tally.runs, cell.tally.learned, cell.tally.work) == (2, 1, 1)
    assert (cell.lowest, cell.highest) == (0.74, 0.75)
    assert cell.words == "1 of 2 runs works, 1 not finished"
    assert cell.keys == tuple(member.key for member in members[:2])
    document = cell.document()
    wanted = {"encoding": "ape", "train_to": 20, "tested": "41-60", "runs": 2, "work": 1, "learned": 1}
    assert document == {**document, **wanted}


def test_results_of_others_do_not_count() -> None:
    members = first_members(Question(task="parity", seeds=1), 1.0)
    stranger = result_of(members[0].with_seed(7), (1.0, 1.0, 1.0))
    cells = MeasuredCell.of(members, [stranger], ByAccuracy(0.5))
    assert [cell.tally.runs for cell in cells] == [0, 0]
    assert [cell.words for cell in cells] == ["no run has finished"] * 2
