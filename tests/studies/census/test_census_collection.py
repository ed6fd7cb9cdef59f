"""Runs of the census from a table and from results."""

from __future__ import annotations

from pathlib import Path

from longreach.config.training import TrainConfig
from longreach.results.files import write_result
from longreach.results.schema import Final, Result, Timings
from longreach.studies.census.census_collection import collect, run_of
from longreach.studies.census.census_members import Member, language_table, members
from longreach.studies.census.census_settings import settings


def _result(config: TrainConfig, *values: float) -> Result:
    names = [each.name for each in config.ranges]
    final = Final(steps=5, accuracy=dict(zip(names, values, strict=True))) if values else None
    return Result(
        key=config.key,
        config=config.document(),
        seed=config.seed,
        status="done" if values else "failed",
        error=None if values else "out of\nmemory",
        code="1.0",
        packages={},
        timings=Timings(started="2026-01-31T12:00:00Z", seconds=2.54),
        final=final,
    )


def _members() -> list[tuple[Member, TrainConfig, str | None]]:
    found = members(language_table().values(), settings(), parts=("development",), trained_to=(20,))
    return [(member, config, None) for member, config in list(found.items())[:4]]


def test_accuracies_stand_in_the_order_of_the_ratios_and_failures_are_kept(tmp_path: Path) -> None:
    first, second, third, fourth = _members()
    write_result(tmp_path, _result(first[1], 1.0, 0.75, 0.5, 0.25))
    write_result(tmp_path, _result(second[1]))
    known = run_of(third[0], _result(third[1], 0.5, 0.5, 0.5, 0.5), "old")
    found = collect([first, second, third, fourth], tmp_path, "now", [known])
    assert found.missing == 1
    done, failed, from_table = found.runs
    assert (done.accuracy, done.seconds, done.settings) == ((1.0, 0.75, 0.5, 0.25), 2.5, "now")
    assert (failed.accuracy, failed.error) == ((), "out of memory")
    assert from_table == known
    assert [each.run for each in found.runs] == [each[1].key for each in (first, second, third)]


def test_a_failure_in_the_table_gives_way_to_a_later_success(tmp_path: Path) -> None:
    (first, *_) = _members()
    failed = run_of(first[0], _result(first[1]), "now")
    assert collect([first], tmp_path, "now", [failed]).runs == (failed,)
    write_result(tmp_path, _result(first[1], 1.0, 1.0, 1.0, 1.0))
    assert not collect([first], tmp_path, "now", [failed]).runs[0].failed
