"""`longreach study census`: train the languages of the census, keep all runs in a table, judge forecasts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from longreach.cli.fitted_table import Column, print_fitted
from longreach.cli.output import console, note, print_json, write_bytes
from longreach.cli.progress import Bars, going_on
from longreach.cli.study_asked import PartName, StudyAsked, end, listed_names
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.config.training import TrainConfig
    from longreach.results.schema import Result
    from longreach.studies.census.canonical_form import Part
    from longreach.studies.census.census_collection import Collected
    from longreach.studies.census.census_run import CensusRun
    from longreach.studies.census.census_study import CensusStudy
    from longreach.studies.census.recipes import RecipeScore

FOR_LESS = "--scale smoke, --part development, one --train-to, fewer --seeds"
BOTH: tuple[Part, ...] = ("development", "held-out")


def census(study: CensusStudy, asked: StudyAsked) -> None:
    """Train the runs that are missing, keep them in the table, and say what they are worth."""
    asked.refuse(study.name, "draws its languages; --part and --train-to choose among them", "--tasks")
    if asked.recipes:
        _recipes(study, asked)
        return
    from longreach.studies.census.census_collection import check_parts, collect
    from longreach.studies.census.census_members import language_table, members
    from longreach.studies.census.census_settings import fingerprint, settings

    chosen = settings().at_scale(asked.scale)
    parts = BOTH if asked.part is PartName.all else tuple(part for part in BOTH if part == asked.part.value)
    commit = check_parts(parts) if asked.scale != "smoke" else None
    known = _known(asked)
    wanted = members(
        language_table().values(), chosen,
        parts=parts, trained_to=_lengths(asked.train_to, chosen.trained_to),
        encodings=listed_names("--encodings", asked.encodings), seeds=asked.seeds,
    )  # fmt: skip
    waiting = _waiting(wanted.values(), known)
    if asked.dry_run:
        asked.show_plan(study.name, waiting, less=FOR_LESS)
        return
    failed = _train(asked, waiting)
    named = [(member, config, None) for member, config in wanted.items()]
    collected = collect(named, asked.runs, fingerprint(), known)
    _keep(asked, known, collected.runs)
    if asked.fit:
        _fit(collected.runs)
    _judge(study, asked, parts, collected, known, commit)
    end(failed)


def _lengths(text: str | None, known: tuple[int, ...]) -> tuple[int, ...]:
    """The training lengths that are named; all of them where none is."""
    names = listed_names("--train-to", text)
    if names is None:
        return known
    for each in names:
        if each not in map(str, known):
            said = ", ".join(map(str, known))
            raise InputError(f"--train-to: {each!r} is not a training length of the census; it has {said}")
    return tuple(map(int, names))


def _known(asked: StudyAsked) -> tuple[CensusRun, ...]:
    from longreach.studies.census.census_run import read_runs

    if asked.table is None:
        return ()
    if not asked.table.exists() and (asked.train or asked.runs.is_dir()):
        return ()  # it will be made from the results
    return read_runs(asked.table)


def _waiting(wanted: Iterable[TrainConfig], known: Sequence[CensusRun]) -> list[TrainConfig]:
    """What is in no table; failed runs are tried again."""
    done = {each.run for each in known if not each.failed}
    return [each for each in wanted if each.key not in done]


def _train(asked: StudyAsked, waiting: Sequence[TrainConfig]) -> list[Result]:
    """Train what is not done; the runs that failed."""
    if not asked.train:
        return []
    from longreach.experiments.running import check_runs, train_pending

    check_runs(asked.runs)
    asked.announce(waiting, less=FOR_LESS)
    with going_on():
        found = train_pending(
            waiting, asked.runs, engine=asked.make(), progress=Bars(overall=True, remarks=False)
        )
    return [result for result in found.values() if result.status == "failed"]


def _keep(asked: StudyAsked, known: Sequence[CensusRun], found: Sequence[CensusRun]) -> None:
    """Write the table with what was in it and what is new."""
    from longreach.studies.census.census_run import runs_to_text

    if asked.table is None:
        return
    whole = {each.run: each for each in (*known, *found)}
    if len(whole) > len(known) or set(known) != set(whole.values()):
        write_bytes(asked.table, runs_to_text(whole.values()).encode())
        note(f"wrote {asked.table}: {len(whole)} runs")


def _fit(runs: Sequence[CensusRun]) -> None:
    from longreach.forecast.odds_model import FITTED, fitted_odds
    from longreach.studies.census.census_study import fit

    write_bytes(FITTED, fit(runs).text().encode())
    fitted_odds.cache_clear()
    note(f"wrote {FITTED}")


def _judge(
    study: CensusStudy,
    asked: StudyAsked,
    parts: Sequence[Part],
    collected: Collected,
    known: Sequence[CensusRun],
    commit: str | None,
) -> None:
    """Say what the runs are worth, part by part; the figure is of the last part that has any.

    Predictors become probabilities by development runs, which may stand in the table alone.
    """
    from longreach.studies.census.analysis_tables import analysis_tables, counted
    from longreach.studies.census.census_figure import census_content
    from longreach.studies.census.census_members import language_table
    from longreach.studies.census.census_settings import fingerprint
    from longreach.studies.census.census_study import judge

    table = language_table()
    by_part: dict[Part, list[CensusRun]] = {part: [] for part in BOTH}
    for run in collected.runs:
        by_part[table[run.language].part].append(run)
    if "development" not in parts:
        by_part["development"] = [
            run for run in known if run.recipe is None and table[run.language].part == "development"
        ]
    found = [
        judge(part, by_part[part], by_part["development"])
        for part in parts
        if any(not run.failed for run in by_part[part])
    ]
    path = asked.figure_path(study.name, study.formats[0]) if found else None
    if path is not None:
        write_bytes(path, census_content(found[-1], path.suffix.lower()))
    if asked.as_json:
        asked.print_document(
            study,
            path,
            {
                "settings": fingerprint(),
                "settings_commit": commit,
                "missing": collected.missing,
                "parts": [each.document() for each in found],
            },
        )
        return
    out = console()
    for each in found:
        document = each.document()
        out.print(counted(document), markup=False, highlight=False)
        for shown in analysis_tables(document):
            out.print()
            out.print(shown.title, markup=False, highlight=False)
            print_fitted([Column(title, right=bool(n)) for n, title in enumerate(shown.columns)], shown.rows)
        out.print()
    if asked.scale == "smoke":
        out.print("smoke scale: tiny models, no claim")
    if collected.missing:
        note(f"{collected.missing} runs are missing")
    if path is not None:
        note(f"wrote {path}")


def _recipes(study: CensusStudy, asked: StudyAsked) -> None:
    """What makes a yes come true: each recipe on the same development languages."""
    from longreach.studies.census.census_collection import collect
    from longreach.studies.census.census_members import language_table
    from longreach.studies.census.census_settings import fingerprint
    from longreach.studies.census.recipes import RECIPES, recipe_members, recipe_scores, recipes

    reason = "tries recipes on languages, lengths and encodings of its own"
    asked.refuse(f"{study.name} --recipes", reason, "--encodings", "--part", "--train-to", "--fit")
    tried = recipes().at_scale(asked.scale)
    wanted = recipe_members(tried, language_table(), asked.seeds)
    known = _known(asked)
    waiting = _waiting(wanted.values(), known)
    if asked.dry_run:
        asked.show_plan(study.name, waiting, less="--scale smoke")
        return
    failed = _train(asked, waiting)
    named = [(member, config, name) for (name, member), config in wanted.items()]
    collected = collect(named, asked.runs, fingerprint(RECIPES), known)
    _keep(asked, known, collected.runs)
    scores = recipe_scores(collected.runs, tried, language_table())
    if asked.as_json:
        print_json(
            {
                "study": study.name,
                "scale": asked.scale,
                "settings": fingerprint(RECIPES),
                "missing": collected.missing,
                "recipes": [each.document() for each in scores],
            }
        )
    else:
        _print_recipes(scores)
        if collected.missing:
            note(f"{collected.missing} runs are missing")
    end(failed)


def _print_recipes(scores: Sequence[RecipeScore]) -> None:
    from longreach.studies.census.recipe_tables import recipe_table

    table = recipe_table(scores)
    ranks = {"learned": 2, "accuracy at 3N": 1, "gain": 3}
    columns = [Column(head, rank=ranks.get(head, 0), right=head != "recipe") for head in table.columns]
    print_fitted(columns, [list(row) for row in table.rows])
