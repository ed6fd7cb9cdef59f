"""The board: profiles of many models on the same suite with the same budget, a file each."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import longreach
from longreach.answers.profile import (
    ROUNDING,
    NeedProfile,
    Profile,
    ProfiledRun,
    SpentBudget,
    is_whole,
    lines_of,
    reach,
    with_theory,
)
from longreach.answers.profile_suite import PLAN, PROFILES, Suite, SuiteNeed, SuiteTask, suite, tasks_of
from longreach.config.model import CellLabel
from longreach.errors import Field, File, InputError
from longreach.files import job_key, read_document, write_atomically
from longreach.wording import Column, Table, duration, listed

BOARD = Path("results") / "board"


def board_directory() -> Path:
    """The board of the working directory, else that of the checkout that this program runs from."""
    own = Path(longreach.__file__).parents[2] / BOARD
    return own if own.is_dir() and not BOARD.is_dir() else BOARD


def read_profile(path: Path) -> Profile:
    """The profile in a file, all of whose numbers follow from its runs."""
    return read_document(path, Profile.model_validate_json, Profile.model_fields)


def read_board(directory: Path) -> tuple[Profile, ...]:
    """All profiles of a board, by model and part, quick ones last; a damaged file is named.

    >>> read_board(Path("no-such-directory"))
    ()
    """
    if directory.exists() and not directory.is_dir():
        raise InputError(f"{directory}: not a directory", place=Field("board"))
    found = []
    for path in sorted(directory.glob("*.json")):
        profile = read_profile(path)
        _check(profile, path)
        found.append(profile)
    return tuple(sorted(found, key=lambda each: (each.quick, each.label, each.part)))


def _check(profile: Profile, path: Path) -> None:
    try:
        check_suite(profile)
    except InputError as error:
        raise InputError(error.reason, place=File(str(path))) from None


def check_suite(profile: Profile) -> None:
    """Refuse a profile of another suite or budget, or that is neither all of the suite nor its quick form."""
    known = suite()
    if profile.suite != known.suite:
        raise InputError(f"suite {profile.suite!r}, and the board is of suite {known.suite!r}")
    if profile.hash != known.hash:
        raise InputError(f"the hash of the tasks is {profile.hash}, that of suite {known.suite} {known.hash}")
    _check_budget(profile, known)
    lacks = is_whole(profile.part, profile.runs, quick=profile.quick)
    if lacks is not None:
        raise InputError(f"not all of the {'quick form' if profile.quick else 'suite'}: {lacks}")
    if profile.whole == profile.quick:
        raise InputError(f"whole: {json.dumps(profile.whole)}, and it has {len(profile.runs)} runs")
    if not profile.quick:
        _check_tried(profile, known)
    _check_runs(profile, known)


def _check_budget(profile: Profile, known: Suite) -> None:
    budget = profile.budget
    steps = {need.need: need.steps for need in known.needs}
    if not budget.suite or (budget.batch, budget.steps) != (known.budget.batch, steps):
        raise InputError("trained with another budget than that of the suite")
    if not profile.quick:
        _check_rate(budget, known)
    elif budget.rate != known.budget.usual_rate or budget.rates or profile.tried:
        raise InputError(
            f"the learning rate of the quick form is {known.budget.usual_rate:g}, and none is tried"
        )


def _check_runs(profile: Profile, known: Suite) -> None:
    """Refuse runs with other steps or lengths than their need and task have, and other sums over them."""
    tasks = {(need.need, task.task): (need, task) for need, task in tasks_of(known, profile.part)}
    for run in profile.runs:
        _check_run(run, *tasks[run.need, run.task], known)
    spent, budget = (*profile.runs, *profile.tried), profile.budget
    parameters = profile.runs[0].parameters  # of the first task; none where it failed
    for what, said, found in (
        ("budget.examples", budget.examples, sum(budget.batch * run.steps for run in spent)),
        ("budget.seeds", budget.seeds, len({run.seed for run in profile.runs})),
        ("seconds", profile.seconds, round(sum(run.seconds for run in spent), 1)),
        ("parameters", profile.parameters, parameters or profile.parameters),
    ):
        if abs(said - found) > ROUNDING:
            raise InputError(f"{what}: {said:,}, and by its runs {found:,}")


def _check_run(run: ProfiledRun, need: SuiteNeed, task: SuiteTask, known: Suite) -> None:
    if run.error is None and run.steps != need.steps:
        raise InputError(f"run {run.run}: {run.steps} steps, and {run.need} has {need.steps}")
    tested = tuple(each.last for each in known.tested(task))
    if run.lengths[1:] != tested:
        raise InputError(f"run {run.run}: tested at {_lengths(run.lengths[1:])}, not at {_lengths(tested)}")


def _lengths(lengths: Sequence[int]) -> str:
    return listed(list(map(str, lengths))) if lengths else "no length"


def _check_rate(budget: SpentBudget, known: Suite) -> None:
    """Refuse a learning rate that was not chosen as the protocol says."""
    reached = {float(rate): reach(lengths) for rate, lengths in budget.rates.items()}
    if set(reached) != set(known.budget.rates):
        wanted = listed([f"{rate:g}" for rate in known.budget.rates])
        raise InputError(f"the learning rate was not chosen among {wanted} on development tasks")
    if reached.get(budget.rate, -1.0) < max(reached.values()):
        raise InputError(f"the learning rate {budget.rate:g} is not the best on development tasks")


def _check_tried(profile: Profile, known: Suite) -> None:
    """Refuse runs at other learning rates that are not those that chose it, or reach other lengths.

    They come by learning rate, then by task: with each rate the first development task of each need, seed 0.
    Those with the rate chosen are among the runs of a development profile.
    """
    judged_by = [(need, need.tasks["development"][0]) for need in known.needs]
    main = {(run.need, run.task): run for run in profile.runs if run.seed == 0}
    left = list(profile.tried)
    for rate, lengths in profile.budget.rates.items():
        if len(lengths) != len(judged_by):
            raise InputError(f"learning rate {rate}: {len(lengths)} lengths for {len(judged_by)} tasks")
        is_main = profile.part == "development" and float(rate) == profile.budget.rate
        for (need, task), length in zip(judged_by, lengths, strict=True):
            run = main[need.need, task.task] if is_main else left.pop(0) if left else None
            if run is None or (run.need, run.task, run.seed) != (need.need, task.task, 0):
                raise InputError(f"learning rate {rate}: no run of {task.task} with seed 0 at its place")
            if run.effective != length:
                raise InputError(
                    f"learning rate {rate}, {task.task}: effective to {length}, and its run {run.run} "
                    f"to {run.effective}"
                )
            _check_run(run, need, task, known)
    if left:
        raise InputError(f"run {left[0].run}: tried at no learning rate")


def keep(profile: Profile, runs: Path) -> None:
    """Write a profile beside its runs, where the report finds it; a whole one is not replaced by a part."""
    place = runs / PROFILES / f"{_stem(profile)}.json"
    if not profile.whole and place.exists():
        try:
            if read_profile(place).whole:
                return
        except InputError:
            pass  # damaged
    place.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(place, lines_of(profile).encode())


def kept_profiles(runs: Path | None) -> tuple[tuple[Profile, ...], tuple[tuple[str, str], ...]]:
    """The profiles beside the runs of a directory, and the names of damaged files with what is wrong.

    >>> kept_profiles(None)
    ((), ())
    """
    found, wrong = list[Profile](), list[tuple[str, str]]()
    for path in sorted((runs / PROFILES).glob("*.json")) if runs is not None else ():
        if path.name.endswith(PLAN):
            continue
        try:
            found.append(read_profile(path))
        except InputError as error:
            wrong.append((f"{PROFILES}/{path.name}", error.message))
    return tuple(sorted(found, key=lambda each: (each.label, each.part))), tuple(wrong)


class Added(NamedTuple):
    profile: Profile
    path: Path
    replaced: bool
    """Whether the board had a profile of the same model, part and form."""
    other_theory: tuple[str, ...] = ()
    """Tasks of which the file says something else than theory here does, which is what the board has."""


def add_profile(path: Path, directory: Path) -> Added:
    """Check a profile and put it on the board, in the place of one of the same model, part and form.

    What theory expects is not taken from the file.
    """
    from longreach.answers.profile_runs import expected  # loads what trains

    given = read_profile(path)
    _check(given, path)
    label = CellLabel.read(given.label)
    said = label.architecture, label.title, label.encoding.partition("(")[0]
    if said != (given.model, given.title, (given.encoding or CellLabel().encoding).partition("(")[0]):
        what = given.model if given.encoding is None else f"{given.model}, {given.encoding}"
        raise InputError(f"label: {given.label!r} is no label of {what}", place=File(str(path)))
    try:
        theory = expected(given.label, [*dict.fromkeys(run.task for run in given.runs)])
    except InputError as error:
        raise InputError(f"label: {error.reason}", place=File(str(path))) from None
    profile = with_theory(given, theory)
    place = directory / f"{_stem(profile)}.json"
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{directory}: cannot be created: {error.strerror}", place=Field("board")) from None
    replaced = place.exists()
    write_atomically(place, lines_of(profile).encode())
    other = tuple(task for task, said in theory.items() if given.theory.get(task) != said)
    return Added(profile, place, replaced, other)


def _stem(profile: Profile) -> str:
    """A name that says what it is, and differs where the model does."""
    names = {"label": profile.label, "model": profile.model, "options": profile.model_options}
    words = re.sub(r"[^a-z0-9]+", "-", f"{profile.label}-{profile.part}".lower()).strip("-")
    return f"{words[:60]}-{job_key(names)[:6]}{'-quick' if profile.quick else ''}"


def board_needs(profiles: Sequence[Profile]) -> list[str]:
    """The needs that some profile has, in the order of the suite."""
    known = [need.need for need in suite().needs]
    there = {each.need for profile in profiles for each in profile.needs}
    return [name for name in known if name in there]


def by_form(profiles: Sequence[Profile]) -> dict[str, tuple[Profile, ...]]:
    """The full profiles, the quick ones, and others: no two forms are compared with each other.

    >>> by_form([])
    {}
    """
    found: dict[str, tuple[Profile, ...]] = {
        "All of the suite": tuple(each for each in profiles if each.whole),
        "Quick: one task of each need, one seed": tuple(each for each in profiles if each.quick),
        "Parts of the suite": tuple(each for each in profiles if not (each.whole or each.quick)),
    }
    return {form: each for form, each in found.items() if each}


def board_tables(profiles: Sequence[Profile], *, theory: bool = False) -> list[Table]:
    """The table of each form: a line for each profile, a column for each need with its effective length.

    With `theory` what theory expects stands behind it in brackets.

    >>> board_tables([])
    []
    """
    return [_table(form, found, theory) for form, found in by_form(profiles).items()]


def _table(form: str, profiles: Sequence[Profile], theory: bool) -> Table:
    needs = board_needs(profiles)
    columns = [
        Column("model", right=False), Column("part", rank=1, right=False), Column("parameters", rank=3),
        *(Column(name) for name in needs), Column("time", rank=2),
    ]  # fmt: skip
    lines = []
    for profile in profiles:
        known = {each.need: each for each in profile.needs}
        reached = [_reached(known[name], theory) if name in known else None for name in needs]
        line = [profile.title, profile.part, f"{profile.parameters:,}", *reached]
        lines.append([*line, duration(profile.seconds)])
    return Table(columns, lines, title=form)


def _reached(need: NeedProfile, theory: bool) -> Any:
    reached = need.effective if need.fitted else "–"
    return f"{reached} ({need.expected.replace('not known', '?')})" if theory and need.by_theory else reached


_COLUMNS = (
    "label",
    "title",
    "model",
    "encoding",
    "part",
    "quick",
    "parameters",
    "state_size",
    "seconds",
    "code",
)
_OF_NEED = ("need", "runs", "fitted", "trained_to", "effective", "sure")


def board_csv(profiles: Sequence[Profile]) -> str:
    """One line for each profile and need.

    >>> board_csv([]).startswith("label,title,model,")
    True
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_COLUMNS, *_OF_NEED, "low", "high"])
    for profile in profiles:
        fixed = [getattr(profile, name) for name in _COLUMNS]
        for need in profile.needs:
            interval = need.interval if len(need.tasks) > 1 else ("", "")
            writer.writerow([*fixed, *(getattr(need, name) for name in _OF_NEED), *interval])
    return text.getvalue()


def board_document(profiles: Sequence[Profile]) -> dict[str, Any]:
    """As `longreach board --json` prints it: profiles without their single runs."""
    return {
        "suite": suite().suite,
        "hash": suite().hash,
        "profiles": [
            each.model_dump(mode="json", exclude={"runs", "tried"}) | {"run_count": len(each.runs)}
            for each in profiles
        ],
    }
