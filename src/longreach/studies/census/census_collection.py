"""What the runs of the census came to, collected from results and tables; held-out ones under a condition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from longreach.config.training import TrainConfig
from longreach.results.atomic import ResultError
from longreach.results.files import read_result
from longreach.results.schema import Result
from longreach.studies.census.canonical_form import Part
from longreach.studies.census.census_members import Member
from longreach.studies.census.census_run import CensusRun, bins
from longreach.studies.census.census_settings import SETTINGS, commit_of


@dataclass(frozen=True, kw_only=True)
class Collected:
    """What a census came to so far."""

    runs: tuple[CensusRun, ...]
    missing: int
    """Members that are wanted and not done."""


def check_parts(parts: Iterable[Part], path: Path = SETTINGS) -> str | None:
    """The commit of the settings; held-out languages are refused where they are not committed as they are."""
    return commit_of(path) if "held-out" in tuple(parts) else None


def collect(
    members: Iterable[tuple[Member, TrainConfig, str | None]],
    runs: Path,
    settings: str,
    known: Sequence[CensusRun] = (),
) -> Collected:
    """The runs of these members, with the names of their recipes, from a table and the results directory."""
    table = {each.run: each for each in known}
    found: dict[str, CensusRun] = {}
    missing = 0
    for member, config, recipe in members:
        run = table.get(config.key)
        if run is None or run.failed:
            result = _result(runs, config.key)
            run = run if result is None else run_of(member, result, settings, recipe)
        if run is None:
            missing += 1
        else:
            found[config.key] = run
    return Collected(runs=tuple(found.values()), missing=missing)


def run_of(member: Member, result: Result, settings: str, recipe: str | None = None) -> CensusRun:
    """A result as a line of the table."""
    accuracy: tuple[float, ...] = ()
    if result.final is not None and result.status == "done":
        accuracy = tuple(result.final.accuracy[each.name] for each in bins(member.trained_to).values())
    error = None if result.error is None else " ".join(result.error.split())[:200]
    return CensusRun(
        run=result.key,
        language=member.language,
        encoding=member.encoding,
        trained_to=member.trained_to,
        seed=member.seed,
        accuracy=accuracy,
        code=result.code,
        seconds=round(result.timings.seconds, 1),
        settings=settings,
        error=error,
        recipe=recipe,
    )


def _result(runs: Path, key: str) -> Result | None:
    """What a run left behind, done or failed; a damaged file is as good as none."""
    try:
        return read_result(runs, key)
    except ResultError:
        return None
