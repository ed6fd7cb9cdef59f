"""The study `census`: train, judge the forecasts, and fit the odds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, replace
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from longreach.answers.odds import FITTED, OddsModel, fitted_odds
from longreach.answers.odds_features import Group
from longreach.config.encodings import ENCODINGS
from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.figures import BLUE, GREEN, GREY, ORANGE, RED, accuracy_axis
from longreach.files import write_atomically
from longreach.runs.index import Row, row_of
from longreach.studies.census.analysis import (
    CensusAnalysis,
    Failure,
    analyse,
    analysis_markdown,
    analysis_tables,
    counted,
    recipe_table,
)
from longreach.studies.census.draw import FAR, RATIOS, Part
from longreach.studies.census.members import (
    RECIPES,
    SETTINGS,
    Member,
    check_parts,
    collect,
    fingerprint,
    is_variant,
    members,
    recipe_members,
    recipe_scores,
    recipes,
    run_of,
    settings,
)
from longreach.studies.census.odds import OddsJudgement, fit_odds, stratum_skills
from longreach.studies.census.strata import MAIN_LENGTH, OUTSIDE, StratumScore, group_of
from longreach.studies.census.tables import (
    KINDS,
    CensusCell,
    CensusRun,
    language_table,
    read_runs,
    runs_to_text,
)
from longreach.studies.drawing import empty, titled
from longreach.studies.study import Study, StudyOptions, StudyReport
from longreach.training.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SHOWN_RATIO = 3
GROUP_WORDS: dict[Group, str] = {
    "yes/yes": "yes without and\nwith positions",
    "no/yes": "no without, yes\nwith positions",
    "no/no, in AC⁰": "no for both,\nin AC⁰",
    OUTSIDE: "no for both,\noutside AC⁰",
}
COLOURS = {True: GREEN, False: RED}
ENCODING_LOOKS = {"nope": (ORANGE, "s"), "ape": (BLUE, "o"), "reach": (GREEN, "^")}
"""Where encodings stand in one panel."""
FAINT = "#DDDDDD"


def census_figure(analysis: CensusAnalysis) -> Figure:
    """By stratum how far runs work, accuracy at 3N, what came true of the odds, and where a "no" ends."""
    drawn = titled(f"The census: {counted(analysis.document()).removesuffix('.')}", (14.4, 9.6))
    parts = drawn.subfigures(2, 2, hspace=0.04, wspace=0.03, squeeze=False)
    first, left, middle, right = parts.flat
    _lasting(first, analysis.strata)
    _accuracy(left, [cell for cell in analysis.cells if cell.language.kind == "drawn"])
    _reliability(middle, analysis.odds)
    _failures(right, analysis.failures)
    return drawn


def _lasting(part: SubFigure, found: Sequence[StratumScore]) -> None:
    """A panel for each stratum: runs that work on random words, and those that are sure, by ratio."""
    part.suptitle(
        f"Trained to {MAIN_LENGTH}: runs that work, by tested length", fontsize=9, fontweight="bold"
    )
    axes = part.subplots(2, 2, sharex=True, sharey=True)
    places = {ratio: place for place, ratio in enumerate(FAR[1:])}
    for axis, (group, words) in zip(axes.flat, GROUP_WORDS.items(), strict=True):
        axis.set_title(words.replace("\n", " "), fontsize=8)
        axis.set_xticks([*places.values()], [f"{ratio}N" for ratio in places])
        axis.set_ylim(-0.03, 1.06)
        axis.set_yticks([0, 0.5, 1], ["0", "50", "100"])
        axis.tick_params(labelsize=7, length=2)
        axis.grid(axis="y", color=FAINT, linewidth=0.6)
        here = [
            each
            for each in found
            if (each.group, each.source, each.trained_to) == (group, "drawn", MAIN_LENGTH)
        ]
        for encoding, (colour, marker) in ENCODING_LOOKS.items():
            mine = [each for each in here if each.model == encoding and each.ratio > 1]
            _line(axis, [(places[each.ratio], each.works.value) for each in mine], colour, marker, "-")
            _line(axis, [(places[each.ratio], each.sure.value) for each in mine], colour, marker, ":")
    for axis in axes[:, 0]:
        axis.set_ylabel("runs, %", fontsize=8)
    _legend_of_encodings(part)


def _line(
    axis: Axes, points: Sequence[tuple[int, float | None]], colour: str, marker: str, style: str
) -> None:
    known = [(x, y) for x, y in points if y is not None]
    if known:
        axis.plot(
            [x for x, _ in known], [y for _, y in known],
            color=colour, marker=marker, linestyle=style, linewidth=1.4, markersize=4, alpha=0.9,
        )  # fmt: skip


def _legend_of_encodings(part: SubFigure) -> None:
    from matplotlib.lines import Line2D

    looks: dict[str, dict[str, Any]] = {
        ENCODINGS[name].title: {"color": colour, "marker": marker}
        for name, (colour, marker) in ENCODING_LOOKS.items()
    }
    looks |= {"random words": {"color": GREY}, "sure: every loop as well": {"color": GREY, "linestyle": ":"}}
    handles = [Line2D([], [], label=label, **look) for label, look in looks.items()]
    part.legend(handles=handles, loc="outside lower center", ncols=5, fontsize=7, frameon=False)


def _accuracy(part: SubFigure, found: Sequence[CensusCell]) -> None:
    """A column for each stratum, a row for each encoding; thin a language, thick the median of languages."""
    axes = part.subplots(len(ENCODING_LOOKS), len(GROUP_WORDS), sharex=True, sharey=True)
    part.suptitle(f"Accuracy at {SHOWN_RATIO}N by training length N", fontsize=9, fontweight="bold")
    shown = [cell for cell in found if cell.ratio == SHOWN_RATIO]
    lengths = sorted({cell.trained_to for cell in shown})
    for row, encoding in zip(axes, ENCODING_LOOKS, strict=True):
        for axis, group in zip(row, GROUP_WORDS, strict=True):
            here = [c for c in shown if c.encoding == encoding and group_of(c.language) == group]
            _languages(axis, here, lengths)
        row[0].set_ylabel(f"{ENCODINGS[encoding].title}: accuracy, %", fontsize=8)
    for axis, words in zip(axes[0], GROUP_WORDS.values(), strict=True):
        axis.set_title(words, fontsize=8)
    for axis in axes[-1]:
        axis.set_xlabel("N", fontsize=8)
    _legend_of_verdicts(part)


def _languages(axis: Axes, found: Sequence[CensusCell], lengths: Sequence[int]) -> None:
    axis.set_xticks(range(len(lengths)), [str(each) for each in lengths])
    axis.set_xlim(-0.45, len(lengths) - 0.55)
    accuracy_axis(axis)
    axis.tick_params(labelsize=7, length=2)
    axis.grid(axis="y", color=FAINT, linewidth=0.6)
    if not found:
        empty(axis, "not run", fontsize=8)
        return
    colour = COLOURS[found[0].says_yes]
    by_language: dict[str, dict[int, float]] = {}
    for cell in found:
        by_language.setdefault(cell.language.key, {})[cell.trained_to] = median(cell.accuracies)
    random = np.random.default_rng(0)
    for shares in by_language.values():
        shift = random.uniform(-0.14, 0.14)
        places = [lengths.index(length) + shift for length in sorted(shares)]
        values = [shares[length] for length in sorted(shares)]
        axis.plot(places, values, color=colour, linewidth=0.6, alpha=0.35, marker=".", markersize=3, zorder=2)
    by_length = [[each[length] for each in by_language.values() if length in each] for length in lengths]
    known = [place for place, values in enumerate(by_length) if values]
    axis.plot(
        known, [median(by_length[place]) for place in known],
        color=colour, linewidth=2.6, marker="o", markersize=6, markeredgecolor="white", zorder=4,
    )  # fmt: skip
    for place in known:
        axis.text(place, 1.03, str(len(by_length[place])), fontsize=6, ha="center", va="top", color=GREY)


def _legend_of_verdicts(part: SubFigure) -> None:
    from matplotlib.lines import Line2D

    looks: dict[str, dict[str, Any]] = {
        "expected to work": {"color": COLOURS[True], "linewidth": 2.6},
        "expected to fail": {"color": COLOURS[False], "linewidth": 2.6},
        "a language, median of seeds": {"color": GREY, "linewidth": 0.6, "marker": ".", "markersize": 3},
        "median of languages": {"color": GREY, "linewidth": 2.6, "marker": "o", "markeredgecolor": "white"},
    }
    handles = [Line2D([], [], label=label, **look) for label, look in looks.items()]
    part.legend(handles=handles, loc="outside lower center", ncols=2, fontsize=7, frameon=False)


def _reliability(part: SubFigure, odds: OddsJudgement | None) -> None:
    """What was said against what came true; below, how often it was said."""
    part.suptitle("Reliability of the odds", fontsize=9, fontweight="bold")
    upper, lower = part.subplots(2, 1, sharex=True, height_ratios=[4, 1])
    upper.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    upper.set_xlim(0, 1)
    upper.set_ylim(-0.03, 1.03)
    upper.set_ylabel("runs that worked, %", fontsize=8)
    lower.set_xlabel("odds that were given, %", fontsize=8)
    lower.set_ylabel("runs", fontsize=8)
    percent = {k / 4: str(25 * k) for k in range(5)}
    for axis in (upper, lower):
        axis.tick_params(labelsize=7, length=2)
        axis.set_xticks([*percent], [*percent.values()])
    upper.set_yticks([*percent], [*percent.values()])
    upper.grid(color=FAINT, linewidth=0.6)
    if odds is None:
        empty(upper, "no odds", fontsize=8)
        return
    bins = odds.reliability
    shares = np.array([each.found for each in bins])
    low = np.array([0.0 if each.found_low is None else each.found_low for each in bins])
    high = np.array([1.0 if each.found_high is None else each.found_high for each in bins])
    ends = np.maximum(shares - low, 0), np.maximum(high - shares, 0)
    upper.errorbar(
        [each.said for each in bins], shares, yerr=ends,
        color=BLUE, linewidth=1.6, elinewidth=0.9, capsize=2, marker="o", markersize=5, zorder=3,
    )  # fmt: skip
    lower.bar(
        [(each.low + each.high) / 2 for each in bins], [each.rows for each in bins],
        width=[0.9 * (each.high - each.low) for each in bins], color=BLUE, alpha=0.5,
    )  # fmt: skip
    whole = odds.scores[0]
    scores = {
        "Brier": whole.brier, "skill": whole.skill, "over the verdict": whole.skill_over_verdict,
        "ROC area": whole.auc,
    }  # fmt: skip
    text = "\n".join(
        f"{name} " + ("–" if each.value is None else f"{each.value:.2f}".replace("-", "−"))
        for name, each in scores.items()
    )
    upper.text(0.04, 0.96, text, transform=upper.transAxes, va="top", fontsize=7.5, linespacing=1.4)


def _failures(part: SubFigure, found: Sequence[Failure]) -> None:
    """Each "no": the length at which little memory gives out, against the range at which most runs fail."""
    from matplotlib.patches import Rectangle

    part.suptitle('Where a "no" ends', fontsize=9, fontweight="bold")
    axis = part.subplots()
    columns = [*(f"{ratio}N" for ratio in RATIOS[1:]), f"> {RATIOS[-1]}N"]
    rows = ["not\nlearned", *(f"fails\nat {ratio}N" for ratio in RATIOS[1:]), f"works\nto {RATIOS[-1]}N"]
    axis.set_xticks(range(len(columns)), columns)
    axis.set_yticks(range(len(rows)), rows)
    axis.set_xlim(-0.5, len(columns) - 0.5)
    axis.set_ylim(-0.5, len(rows) - 0.5)
    axis.tick_params(labelsize=7.5, length=0)
    axis.set_xlabel("predicted: little memory gives out by", fontsize=8)
    axis.set_ylabel("measured: most runs", fontsize=8)
    for number in range(len(columns)):
        corner = (number - 0.5, number + 0.5)
        axis.add_patch(Rectangle(corner, 1, 1, facecolor="#EFEFEF", edgecolor="none", zorder=0))
    for edge in np.arange(0.5, len(rows) - 1):
        axis.axhline(edge, color="white" if edge > 0.5 else GREY, linewidth=0.8, zorder=1)
    random = np.random.default_rng(0)
    counts: Counter[tuple[int, int]] = Counter()
    for encoding, (colour, marker) in ENCODING_LOOKS.items():
        here = [each for each in found if each.encoding == encoding]
        places = [_place(each) for each in here]
        counts.update(places)
        spread = random.uniform(-0.34, 0.34, (len(here), 2))
        axis.scatter(
            [x + dx for (x, _), (dx, _) in zip(places, spread.tolist(), strict=True)],
            [y + 0.8 * dy for (_, y), (_, dy) in zip(places, spread.tolist(), strict=True)],
            s=14, color=colour, marker=marker, alpha=0.55, linewidths=0, zorder=3,
            label=ENCODINGS[encoding].title,
        )  # fmt: skip
    for (x, y), count in counts.items():
        axis.text(x + 0.47, y + 0.45, str(count), fontsize=7, ha="right", va="top", color="#444444", zorder=4)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
    part.legend(loc="outside lower center", ncols=3, fontsize=7, frameon=False)


def _place(failure: Failure) -> tuple[int, int]:
    """Column and row; one that gives out right after training fails at the first range beyond it."""
    said, seen = failure.predicted_ratio(), failure.measured
    places = {ratio: place for place, ratio in enumerate((*RATIOS, None))}
    return max(places[said], 1) - 1, places[seen]


BOTH: tuple[Part, ...] = ("development", "held-out")
STRATUM_NAMES: dict[str, Group] = {
    "yes/yes": "yes/yes",
    "no/yes": "no/yes",
    "no/no-inside": "no/no, in AC⁰",
    "no/no-outside": OUTSIDE,
}
"""As the option has them."""


def census_members(options: StudyOptions) -> dict[Any, list[RunConfig]]:
    """The runs that are in no table; failed ones are tried again."""
    done = {each.run for each in _known(options) if not each.failed}
    return {member: [config] for member, config in _wanted(options).items() if config.key not in done}


def _wanted(options: StudyOptions, *, far: bool = True) -> dict[Member, RunConfig]:
    """All runs that are asked for; without `far`, with the nearer tests of earlier versions."""
    if options.recipes:
        taken = {"--recipes", "--seeds", "--table"}
        for option in sorted(options.given - taken):
            raise InputError(f"{option}: census --recipes tries recipes on languages and lengths of its own")
        return recipe_members(recipes().at_scale(options.scale), options.seeds)
    chosen = settings().at_scale(options.scale)
    if options.scale != "smoke":
        check_parts(_parts(options))
    return members(
        chosen, parts=_parts(options), trained_to=_lengths(options.train_to, chosen.trained_to),
        encodings=options.encodings, seeds=options.seeds, layers=options.layers, far=far,
        kinds=KINDS if options.source == "all" else (options.source,), groups=_groups(options.strata),
    )  # fmt: skip


def _groups(given: Sequence[str] | None) -> list[Group] | None:
    for each in given or ():
        if each not in STRATUM_NAMES:
            raise InputError(f"--strata: {each!r} is not a stratum; choose from {', '.join(STRATUM_NAMES)}")
    return None if given is None else [STRATUM_NAMES[each] for each in given]


def _parts(options: StudyOptions) -> tuple[Part, ...]:
    return BOTH if options.part == "all" else (options.part,)


def _lengths(given: Sequence[str] | None, known: tuple[int, ...]) -> tuple[int, ...]:
    """The training lengths that are named; all of them where none is."""
    for each in given or ():
        if each not in map(str, known):
            said = ", ".join(map(str, known))
            raise InputError(f"--train-to: {each!r} is not a training length of the census; it has {said}")
    return known if given is None else tuple(map(int, given))


def _known(options: StudyOptions) -> tuple[CensusRun, ...]:
    table = options.table
    if table is None or (not table.exists() and (options.train or options.runs.is_dir())):
        return ()  # it will be made from the results
    return read_runs(table)


def keep(options: StudyOptions) -> Callable[[Result], None]:
    """Writes each run into the table as it ends."""
    wanted = {config.key: member for member, config in _wanted(options).items()}
    stamp = fingerprint(RECIPES if options.recipes else SETTINGS)

    def told(result: Result) -> None:
        member = wanted.get(result.key)
        if options.table is not None and member is not None:
            known = read_runs(options.table) if options.table.exists() else ()
            whole = {each.run: each for each in (*known, run_of(member, row_of(result), stamp))}
            write_atomically(options.table, runs_to_text(whole.values()).encode())

    return told


def census_report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport:
    """Keep all runs in the table, and say what they are worth."""
    known = _known(options)
    stamp = fingerprint(RECIPES if options.recipes else SETTINGS)
    wanted = _wanted(options)
    runs, missing = collect(wanted, rows, stamp, known)
    nearer = 0
    if not options.recipes and missing:
        # What was trained before runs were tested to 10N stands in for what is missing.
        done = {(run.language, run.encoding, run.trained_to, run.seed, run.recipe) for run in runs}
        others = {
            member: config for member, config in _wanted(options, far=False).items() if member not in done
        }
        more, _ = collect(others, rows, stamp, known)
        runs, nearer, missing = (*runs, *more), len(more), missing - len(more)
    if options.table is not None:
        whole = {each.run: each for each in (*known, *runs)}
        if len(whole) > len(known) or set(known) != set(whole.values()):
            write_atomically(options.table, runs_to_text(whole.values()).encode())
            options.note(f"wrote {options.table}: {len(whole)} runs")
    if missing:
        options.note(f"{missing} runs are missing")
    if nearer:
        options.note(f"{nearer} runs are tested to {RATIOS[-1]}N only")
    document = {"settings": stamp, "missing": missing, "nearer": nearer}
    if options.recipes:
        scores = recipe_scores(runs, recipes().at_scale(options.scale))
        return StudyReport(
            document={**document, "recipes": [*map(asdict, scores)]}, tables=[recipe_table(scores)]
        )
    if options.fit:
        write_atomically(FITTED, fit(runs).text().encode())
        fitted_odds.cache_clear()
        options.note(f"wrote {FITTED}")
    parts = _parts(options)
    found = _judged(parts, (*runs, *(() if options.layers else of_other_layers(wanted, known))), known)
    documents = [each.document() for each in found]
    commit = None if options.scale == "smoke" else check_parts(parts)
    return StudyReport(
        document={**document, "settings_commit": commit, "parts": documents},
        tables=[table for each in documents for table in analysis_tables(each)],
        figure=(lambda title: census_figure(found[-1])) if found else None,
        file=(lambda: analysis_markdown(documents[-1])) if found else None,
    )


def of_other_layers(wanted: Collection[Member], known: Sequence[CensusRun]) -> list[CensusRun]:
    """Runs of a table that differ from those asked for in their layers only."""
    return [
        run
        for run in known
        if run.recipe is not None
        and is_variant(run.recipe)
        and Member(run.language, run.encoding, run.trained_to, run.seed) in wanted
    ]


def _judged(
    parts: Sequence[Part], runs: Sequence[CensusRun], known: Sequence[CensusRun]
) -> list[CensusAnalysis]:
    """What the runs are worth, for each part that has any.

    Predictors become probabilities by development runs, which may stand in the table alone.
    """
    table = language_table()
    by_part = {part: [run for run in runs if table[run.language].part == part] for part in BOTH}
    if "development" not in parts:
        by_part["development"] = [
            run for run in known if run.recipe is None and table[run.language].part == "development"
        ]
    return [
        analyse(part, by_part[part], development=by_part["development"], model=fitted_odds())
        for part in parts
        if any(not run.failed for run in by_part[part])
    ]


STUDY = Study(
    name="census",
    title="How right are forecasts on languages that nobody picked?",
    source="random regular languages, a third for development and the rest held out",
    about="how accurate forecasts are on randomly drawn regular languages, and the odds that a run works",
    time="laptop: about four hours on two cores",
    members=census_members,
    in_order=True,
    ended=keep,
    report=census_report,
    options=frozenset(
        {
            "--encodings",
            "--fit",
            "--layers",
            "--part",
            "--recipes",
            "--seeds",
            "--source",
            "--strata",
            "--table",
            "--train-to",
        }
    ),
)


def fit(runs: Sequence[CensusRun]) -> OddsModel:
    """Odds from the runs on development languages, with what the others say of them once they are fitted."""
    table = language_table()
    mine: dict[Part, list[CensusRun]] = {part: [] for part in BOTH}
    for run in runs:
        if run.recipe is None:
            mine[table[run.language].part].append(run)
    if not mine["development"]:
        raise InputError("there are no runs on development languages to fit odds on")
    model = fit_odds(mine["development"], setting=setting_in_words())
    check_parts(BOTH)  # held-out languages judge settings that are committed, and nothing else
    return replace(model, skills=stratum_skills(model, mine["held-out"])) if mine["held-out"] else model


def setting_in_words() -> str:
    """What the runs of the census have in common.

    >>> setting_in_words()
    '2 layers, 4 heads, width 64, 1000 steps of 64 words, log-length attention'
    """
    found = settings().setting.given
    words = f"{found['layers']} layers, {found['heads']} heads, width {found['width']}, "
    words += f"{found['max_steps']} steps of {found['batch']} words"
    return words + (", log-length attention" if found["log_length"] else "")
