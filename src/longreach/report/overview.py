"""What the report says of a results directory as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from longreach import __version__
from longreach.config.length_range import read_name
from longreach.report.runs_view import training_range
from longreach.report.text import duration, plural
from longreach.results.cells import Cell
from longreach.results.index import Row
from longreach.results.schema import Result, setting

RULE = (
    "A cell counts as working when its mean accuracy on the longest range is at least half way from chance "
    "to 100 %; the mean is over the runs that learned the training range where there are any. A run works by "
    "the same level. A forecast agrees when yes meets a cell that works, or no one that fails. Not counted "
    "are cells with fewer than three finished runs, and failures where nothing shows that the training was "
    "long enough."
)
PUBLISHED_LENGTH = 50


def sentence(found: Sequence[Cell], tasks: int) -> str:
    """What was measured, and at which scale."""
    if not found:
        return (
            f"No runs yet: the theory's forecasts for {plural(tasks, 'task')}, each with its certificate, "
            "beside the published accuracies."
        )
    runs = plural(sum(len(cell.rows) for cell in found), "run")
    text = f"{runs} of small transformers on {plural(len({cell.task for cell in found}), 'task')}"
    trained = {_end(name) for cell in found if (name := training_range(cell)) is not None} - {0}
    tested = max((_end(name) for cell in found for name in cell.ranges), default=0)
    if trained and tested:
        text += f", trained up to a length of {_span(trained)} and tested up to one of {tested}"
    steps = [value for cell in found if isinstance(value := setting(cell.config, "max_steps"), int)]
    text += f", with at most {plural(max(steps), 'step')}" if steps else ""
    seeds = {len(cell.rows) for cell in found}
    text += f" and {_span(seeds)} seed{'' if seeds == {1} else 's'} each."
    if trained and max(trained) < PUBLISHED_LENGTH:
        text += f" A reduced scale: the published runs train on lengths up to {PUBLISHED_LENGTH}."
    return text


def _end(name: str) -> int:
    lengths = read_name(name)
    return 0 if lengths is None else lengths.last


def _span(numbers: set[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def without_place(message: str, runs: Path | None) -> str:
    """A message without the path to the results directory, which is nobody else's business."""
    for place in () if runs is None else (str(runs), str(runs.resolve())):
        message = message.replace(f"{place}/", "").replace(f"{place}\\", "")
    return message


def provenance(
    runs: Path | None, rows: Sequence[Row], results: Mapping[str, Result]
) -> tuple[tuple[str, str], ...]:
    """Which code made the runs, with what, on what, when."""
    facts = [("results", "none" if runs is None else runs.resolve().name)]
    facts.append(("report made by", f"longreach {__version__}"))
    codes = sorted({row.code for row in rows if row.code})
    devices = sorted({row.device for row in rows if row.device})
    days = sorted({row.started[:10] for row in rows if row.started})
    packages: dict[str, set[str]] = {}
    for result in results.values():
        for name, version in result.packages.items():
            packages.setdefault(name, set()).add(version)
    versions = [f"{name} {' / '.join(sorted(found))}" for name, found in sorted(packages.items())]
    if rows:
        facts += [
            ("runs made by", f"longreach {', '.join(codes)}" if codes else ""),
            ("with", ", ".join(versions)),
            ("device", ", ".join(devices)),
            ("runs of", days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else ""),
            ("time of all runs", duration(sum(row.seconds or 0.0 for row in rows))),
        ]
    return tuple((name, value) for name, value in facts if value)
