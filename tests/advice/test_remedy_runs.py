from __future__ import annotations

from pathlib import Path

from longreach.advice.remedy_runs import known_runs
from longreach.advice.task_to_remedies import remedies
from longreach.advice.trial_members import AdviceQuestion, remedy_members
from longreach.forecast import forecast
from tests.helpers.asked_results import write_results


def test_runs_of_the_best_setting_are_counted(tmp_path: Path) -> None:
    remedy = remedies(forecast("parity"))[0]
    assert known_runs(remedy, tmp_path, 0.0) is None
    assert known_runs(remedy, tmp_path / "none", 0.0) is None
    question = AdviceQuestion(task="parity", seeds=3)
    write_results(tmp_path, remedy_members(question, remedy, 0.1), lambda member: False)
    whole = remedy_members(question, remedy, 1.0)
    longest = whole[0].test_lengths[-1].name.replace("-", "–")
    assert known_runs(remedy, tmp_path, 0.0) == f"0 of 3 runs work at {longest}"
    write_results(tmp_path, whole, lambda member: member.seed < 2)
    assert known_runs(remedy, tmp_path, 0.0) == f"2 of 3 runs work at {longest}"
    assert known_runs(remedies(forecast("addition"))[0], tmp_path, 0.0) is None
