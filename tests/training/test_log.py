"""`log.csv`: every evaluation once, also of a run that is resumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from longreach.runs.resolve import resolve
from longreach.training import result as results
from longreach.training.job import run
from longreach.training.log import LOG, Log, log_text, numbers_of
from longreach.training.result import Diary, Evaluation


def rows(path: Path) -> list[list[str]]:
    return [line.split(",") for line in (path / LOG).read_text().splitlines()]


def test_a_finished_run_has_all_its_evaluations(tmp_path: Path) -> None:
    config = resolve("parity", train_lengths=(1, 5), max_steps=6, evaluate_every=2, test_size=10)
    found = run(config.document(), tmp_path)
    assert (tmp_path / LOG).read_text() == log_text(map(numbers_of, found.rows))
    header, *written = rows(tmp_path)
    assert header[:3] == ["step", "loss", "accuracy 1-5"]
    assert [row[0] for row in written] == ["2", "4", "6"]
    assert len({len(row) for row in written}) == 1


def test_steps_that_are_taken_again_are_written_once(tmp_path: Path) -> None:
    first = Log(tmp_path)
    for step in (5, 10, 15):
        first.add(Evaluation(step=step, loss=float(step)))
    first.write()
    second = Log(tmp_path)  # resumed from step 8
    second.add(Evaluation(step=10, loss=0.5, accuracy={"1-5": 0.25}))
    second.write()
    assert rows(tmp_path) == [["step", "loss", "accuracy 1-5"], ["5", "5.0", ""], ["10", "0.5", "0.25"]]


@pytest.mark.parametrize("content", ["", "a,b\n1,2\n", "step,loss\nx,1\n", "step\n1,2,3\n", "\0"])
def test_what_is_no_log_is_replaced(tmp_path: Path, content: str) -> None:
    (tmp_path / LOG).write_text(content)
    log = Log(tmp_path)
    log.add(Evaluation(step=3, loss=1.0))
    log.write()
    assert rows(tmp_path) == [["step", "loss"], ["3", "1.0"]]


def test_a_log_is_written_on_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "DIARY_SECONDS", 0.0)
    diary = Diary(tmp_path)
    diary(1, None)
    assert not (tmp_path / LOG).exists()
    diary(2, Evaluation(step=2, loss=1.0))
    assert rows(tmp_path) == [["step", "loss"], ["2", "1.0"]]
