"""`longreach tasks export`: training and test sets as files that need none of this package."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from longreach.cli.options import option
from longreach.cli.output import console, note, print_json
from longreach.errors import Argument, Field, InputError
from longreach.wording import Column, Table, counted

if TYPE_CHECKING:
    from longreach.tasks.export import Exported
    from longreach.tasks.lengths import LengthRange

TRAIN_TO = 50
"""The longest training length where nothing is said."""
SIZE = 500
SUITE = "suite-"
SUITE_SIZE = 100
"""As many as a profile tests at each length."""
MOST = 100_000
MOST_ROWS = 50
PANEL = "Options of export"


class FormatName(StrEnum):
    jsonl = "jsonl"
    datasets = "datasets"
    lm_eval = "lm-eval"


@dataclass(frozen=True)
class ExportOptions:
    """What is written, and where."""

    made: Annotated[
        FormatName | None,
        option("JSON lines (default), a Hugging Face dataset, or lm-evaluation-harness tasks.",
               None, "--format", panel=PANEL),
    ] = None  # fmt: skip
    out: Annotated[
        Path | None, option("A new directory (default: TASK-FORMAT).", "DIR", "--out", panel=PANEL)
    ] = None
    train_lengths: Annotated[
        str | None, option(f"Training lengths (default: to {TRAIN_TO}).", "A:B", panel=PANEL)
    ] = None
    test_lengths: Annotated[
        str | None, option("Test lengths (default: up to three times as long).", "A:B,…", panel=PANEL)
    ] = None
    size: Annotated[
        int | None,
        option(f"Examples per test set (default: {SIZE}; suite: {SUITE_SIZE}); ten times as many to train.",
               "N", min=1, max=MOST, panel=PANEL),
    ] = None  # fmt: skip
    seed: Annotated[int | None, option("Seed of the examples (default: 0).", "S", min=0, panel=PANEL)] = None

    def refuse(self) -> None:
        """For `tasks` without `export`."""
        for field in fields(self):
            if getattr(self, field.name) is not None:
                name = "format" if field.name == "made" else field.name.replace("_", "-")
                raise InputError(f"--{name}: only for `tasks export TASK`")


NOT_EXPORTED = ExportOptions()


def export_tasks(name: str, alphabet: list[str] | None, given: ExportOptions, as_json: bool) -> None:
    """Draw the sets of a task, or of all tasks of a suite, and write them into a directory."""
    from longreach.cli.progress import counted_stages
    from longreach.tasks.export import check_directory, export

    made = given.made or FormatName.jsonl
    is_suite = name.startswith(SUITE)
    asked = _suite(name, alphabet, given) if is_suite else [_exported(name, alphabet, given)]
    out = given.out or Path(f"{name.replace(':', '-') if is_suite else asked[0].slug}-{made}")
    check_directory(out)
    size, seed = given.size or (SUITE_SIZE if is_suite else SIZE), given.seed or 0
    with counted_stages(silent=as_json or len(asked) == 1) as stage:
        advance = stage("drawing examples", len(asked))
        manifest = export(asked, made.value, out, title=name, size=size, seed=seed, advance=advance)
    _print_sets(out, manifest, as_json)


def _suite(name: str, alphabet: list[str] | None, given: ExportOptions) -> list[Exported]:
    """The tasks of `suite-1`, or of `suite-1:held-out`, on the lengths of the suite."""
    from longreach.answers.profile_suite import PARTS, suite, tasks_of
    from longreach.tasks.catalog import file_name, load_task
    from longreach.tasks.export import Exported
    from longreach.theory.names import TaskName

    known = suite()
    named = {f"{SUITE}{known.suite}": PARTS[0]}
    named |= {f"{SUITE}{known.suite}:{part}": part for part in PARTS}
    if name not in named:
        raise InputError(f"unknown suite {name!r}; there are {', '.join(named)}", place=Argument("task"))
    for option_, value in (("alphabet", alphabet), ("train-lengths", given.train_lengths)):
        if value is not None:
            raise InputError(f"--{option_}: {name} has its own")
    tests = _ranges(given.test_lengths, "test_lengths")
    found = []
    for need, each in tasks_of(known, named[name]):
        task = load_task(each.task)
        ranges = tuple(lengths for lengths in tests or known.tested(each) if _has(task, lengths))
        found.append(
            Exported(
                name=TaskName(each.task).short, slug=file_name(each.task, None).lower(), task=task,
                train=task.train_range(known.trained_to), tests=ranges, need=need.need,
            )
        )  # fmt: skip
    return found


def _exported(name: str, alphabet: list[str] | None, given: ExportOptions) -> Exported:
    from longreach.tasks.catalog import file_name, load_argument
    from longreach.tasks.export import Exported
    from longreach.tasks.names import has_numbers
    from longreach.theory.names import TaskName

    if has_numbers(name):
        raise InputError("tasks whose answers are numbers are not exported", place=Argument("task"))
    task = load_argument(name, alphabet)
    train = _ranges(given.train_lengths, "train_lengths")
    if len(train) > 1:
        raise InputError("one range, as in 1:50", place=Field("train_lengths"))
    trained = train[0] if train else task.train_range(TRAIN_TO)
    tests = _ranges(given.test_lengths, "test_lengths") or task.test_ranges(trained.last)
    slug = file_name(name, None if alphabet is None else tuple(alphabet)).lower()
    kept = tuple(each for each in tests if given.test_lengths is not None or _has(task, each))
    return Exported(name=TaskName(name).short, slug=slug, task=task, train=trained, tests=kept)


def _has(task: Any, lengths: LengthRange) -> bool:
    try:
        return bool(len(task.lengths(*lengths)))
    except InputError:
        return False


def _ranges(text: str | None, name: str) -> tuple[LengthRange, ...]:
    from longreach.tasks.lengths import read_options

    try:
        found = () if text is None else read_options(text)
    except InputError as error:
        raise error.at(Field(name)) from None
    for each in found:
        if each.first > each.last:
            raise InputError(f"{each.option} has no length, the first is above the last", place=Field(name))
    return found


def _print_sets(out: Path, manifest: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json({"out": str(out), **{name: manifest[name] for name in manifest if name != "files"}})
        return
    rows = [
        [each["path"], each["kind"], f"{each['lengths'][0]}–{each['lengths'][1]}", f"{each['examples']:,}"]
        for each in manifest["sets"]
    ]
    columns: list[Column | str] = [
        Column("file", right=False), Column("set", right=False), "lengths", "examples",
    ]  # fmt: skip
    shown = rows[:MOST_ROWS]
    console().table(Table(columns, shown))
    left = f"; {counted(len(rows) - len(shown), 'set')} not shown" if len(rows) > len(shown) else ""
    note(f"{counted(len(manifest['files']) + 1, 'file')} in {out}{left}")
