"""What the census trains: settings, runs, recipes, and what they came to.

Held-out languages may be used only once the settings file is committed, so that results cannot influence
settings.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, create_model

import longreach
from longreach.answers.odds_features import Group
from longreach.config.run import RunConfig
from longreach.config.scales import PAPER_SEEDS, CellSetting, Count, Scale
from longreach.errors import File, InputError
from longreach.files import read_document
from longreach.runs.index import Row
from longreach.studies.census.draw import FAR, RATIOS, Part, Stratum, bins
from longreach.studies.census.strata import group_of
from longreach.studies.census.tables import KINDS, CensusRun, Kind, LanguageFacts, language_table
from longreach.studies.statistics import bootstrap, interval
from longreach.training.result import RangeKind, range_number

SETTINGS = Path(__file__).with_name("settings.json")
RECIPES = Path(__file__).with_name("recipes.json")
LEARNED = 0.99
"""The accuracy from which on a run fits the training range."""
TINY = {"layers": 1, "heads": 1, "width": 8, "max_steps": 5, "evaluate_every": 5, "test_size": 10}
"""The setting of the scale `smoke`, where it differs."""


class CensusSettings(BaseModel):
    """The settings file."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    about: str
    chosen: str
    """How, on which languages."""
    encodings: tuple[str, ...]
    seeds: dict[Part, Count]
    setting: CellSetting
    """Of all runs."""
    by_encoding: dict[str, CellSetting] = {}
    """How the setting of an encoding differs."""
    far: dict[str, CellSetting] = {}
    """By training length, how the setting of runs differs that are tested at each of FAR."""
    languages: dict[str, dict[Part, Annotated[int, Field(ge=0)]]]
    """By training length: the first so many of each stratum."""
    typed: dict[str, dict[Part, Annotated[int, Field(ge=0)]]] = {}
    """By training length: so many of those that are drawn as people type them."""

    def count(self, trained_to: int, part: Part) -> int:
        """How many languages of each stratum are trained to a length.

        >>> settings().count(20, "held-out")
        14
        >>> settings().count(21, "held-out")
        Traceback (most recent call last):
        longreach.errors.InputError: the census trains to 10, 20, 50, not to 21
        """
        found = self.languages.get(str(trained_to))
        if found is None:
            raise InputError(f"the census trains to {', '.join(self.languages)}, not to {trained_to}")
        return found[part]

    def trained_on(self, trained_to: int, part: Part, kinds: Iterable[Kind] = KINDS) -> list[LanguageFacts]:
        """The languages that are trained to a length, in their order."""
        found = in_turn(part, self.count(trained_to, part)) if "drawn" in kinds else []
        if "typed" in kinds and str(trained_to) in self.typed:
            found += in_turn(part, None, "typed")[: self.typed[str(trained_to)][part]]
        return found

    @property
    def trained_to(self) -> tuple[int, ...]:
        return tuple(map(int, self.languages))

    def given(self, encoding: str, trained_to: int, *, far: bool = True) -> dict[str, Any]:
        """The fields of the runs of an encoding; nearer tests than today's where they were made earlier.

        >>> settings().given("ape", 20)["test_size"], settings().given("ape", 20, far=False)["test_size"]
        (200, 500)
        """
        parts = [self.setting, self.by_encoding.get(encoding), self.far.get(str(trained_to)) if far else None]
        return {name: value for part in parts if part for name, value in part.given.items()}

    def ratios(self, trained_to: int) -> tuple[int, ...]:
        return FAR if str(trained_to) in self.far else RATIOS

    def at_scale(self, scale: Scale) -> Self:
        """As they are for `laptop`; all languages with five seeds for `paper`, next to nothing for `smoke`.

        >>> [settings().at_scale(scale).count(10, "held-out") for scale in ("smoke", "laptop", "paper")]
        [1, 5, 14]
        """
        if scale == "laptop":
            return self
        if scale == "paper":
            most = {part: max(each[part] for each in self.languages.values()) for part in self.seeds}
            counts, seeds = dict.fromkeys(self.languages, most), dict.fromkeys(self.seeds, PAPER_SEEDS)
            return self.model_copy(update={"languages": counts, "seeds": seeds})
        one: dict[Part, int] = dict.fromkeys(self.seeds, 1)
        tiny = self.setting.model_copy(update=TINY)
        first = {next(iter(self.languages)): one}
        return self.model_copy(
            update={
                "languages": first,
                "typed": {},
                "seeds": one,
                "setting": tiny,
                "by_encoding": {},
                "far": {},
            }
        )


@cache
def settings(path: Path = SETTINGS) -> CensusSettings:
    """The settings in a file, by default those that come with this version."""
    return read_document(path, CensusSettings.model_validate_json, CensusSettings.model_fields)


def fingerprint(path: Path = SETTINGS) -> str:
    """A short hash of the file, which every run of the census carries."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def commit_of(path: Path = SETTINGS) -> str:
    """The commit that the file stands in as it is; refused where it was changed since, or never committed.

    In an installed package, which has no history, the file is that of the release.
    """
    root = next((each for each in path.resolve().parents if (each / ".git").exists()), None)
    if root is None:
        return longreach.__version__
    commit = ""
    if not _git(root, "status", "--porcelain", "--ignored", "--", str(path)):
        commit = _git(root, "log", "-1", "--format=%H", "--", str(path))
    if not commit:
        reason = "not committed as it is: held-out languages may not be looked at; commit the settings first"
        raise InputError(reason, place=File(str(path)))
    return commit


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        raise InputError("git does not answer, and it must say whether the settings are committed") from None
    return done.stdout.strip()


def layers_variant(layers: int) -> str:
    """What runs are called that differ from the setting in their layers.

    >>> layers_variant(4), is_variant("4 layers"), is_variant("three layers")
    ('4 layers', True, False)
    """
    return f"{layers} layers"


def is_variant(recipe: str) -> bool:
    """Whether runs with this change belong to the census, and not to the trials of recipes."""
    number, _, what = recipe.partition(" ")
    return number.isdecimal() and what == "layers"


class Member(NamedTuple):
    """What is known of a run of the census before it is trained."""

    language: str
    """Its key."""
    encoding: str
    trained_to: int
    seed: int
    recipe: str | None = None


def _config(
    task: str, trained_to: int, seed: int, given: Mapping[str, Any], ratios: Sequence[int] = RATIOS
) -> RunConfig:
    first, *others = bins(trained_to, ratios).values()
    lengths = {"train_lengths": first, "test_lengths": others}
    return RunConfig.read({"task": task, **given, **lengths, "seed": seed})


def members(
    settings: CensusSettings,
    *,
    parts: Iterable[Part],
    trained_to: Iterable[int],
    encodings: Iterable[str] | None = None,
    seeds: int | None = None,
    kinds: Iterable[Kind] = KINDS,
    groups: Iterable[Group] | None = None,
    layers: int | None = None,
    far: bool = True,
) -> dict[Member, RunConfig]:
    """The configuration of each run, in the order in which they are trained.

    The first seed of all languages comes first, with strata in turn, so that a census that was stopped early
    still has a bit of everything. `layers` changes the setting. Without `far`, the runs with the nearer tests
    of earlier versions.
    """
    recipe, change = (None, {}) if layers is None else (layers_variant(layers), {"layers": layers})
    chosen = None if groups is None else frozenset(groups)
    wanted, lengths = tuple(parts), tuple(trained_to)
    names = settings.encodings if encodings is None else tuple(encodings)
    numbers = {part: settings.seeds[part] if seeds is None else seeds for part in wanted}
    found: dict[Member, RunConfig] = {}
    for seed in range(max(numbers.values(), default=0)):
        for part in wanted:
            if seed >= numbers[part]:
                continue
            for length in lengths:
                ratios = settings.ratios(length) if far else RATIOS
                for each in settings.trained_on(length, part, kinds):
                    if chosen is not None and group_of(each) not in chosen:
                        continue
                    for encoding in names:
                        given = {"encoding": encoding, **settings.given(encoding, length, far=far), **change}
                        member = Member(each.key, encoding, length, seed, recipe)
                        found[member] = _config(each.task, length, seed, given, ratios)
    return found


def in_turn(part: Part, count: int | None, kind: Kind = "drawn") -> list[LanguageFacts]:
    """The first so many languages of each stratum by their keys: one of each, then another, and so on.

    None: all of them.
    """
    ranks: dict[Stratum, int] = {}
    ranked: list[tuple[int, Stratum, LanguageFacts]] = []
    for each in sorted(language_table().values(), key=lambda language: language.key):
        if (each.part, each.kind) == (part, kind):
            rank = ranks[each.stratum] = ranks.get(each.stratum, -1) + 1
            ranked.append((rank, each.stratum, each))
    chosen = [entry for entry in ranked if count is None or entry[0] < count]
    return [each for _, _, each in sorted(chosen, key=lambda entry: entry[:2])]


def check_parts(parts: Sequence[Part]) -> str | None:
    """The commit of the settings; held-out languages are refused where they are not committed as they are."""
    return commit_of() if "held-out" in parts else None


_PROBED: tuple[RangeKind, ...] = ("probing", "worst loop")


def collect(
    members: Mapping[Member, RunConfig],
    rows: Iterable[Row],
    settings: str,
    known: Sequence[CensusRun] = (),
) -> tuple[tuple[CensusRun, ...], int]:
    """These runs, from a table and the results, and how many of them are missing."""
    table = {each.run: each for each in known}
    results = {row.key: row for row in rows if row.status in ("done", "failed")}
    found: dict[str, CensusRun] = {}
    missing = 0
    for member, config in members.items():
        run = table.get(config.key)
        if (run is None or run.failed) and config.key in results:
            run = run_of(member, results[config.key], settings)
        if run is None:
            missing += 1
        else:
            found[config.key] = run
    return tuple(found.values()), missing


def run_of(member: Member, row: Row, settings: str) -> CensusRun:
    """A result as a line of the table."""
    accuracy: tuple[float, ...] = ()
    probed: list[tuple[float | None, ...]] = []
    if row.status == "done":
        ranges = [each.name for each in bins(member.trained_to, FAR).values() if each.name in row.accuracy]
        accuracy = tuple(row.accuracy[name] for name in ranges)
        probed = [tuple(row.other.get(range_number(kind, name)) for name in ranges) for kind in _PROBED]
    known = probed if any(value is not None for values in probed for value in values) else [None, None]
    return CensusRun(
        run=row.key,
        **member._asdict(),
        accuracy=accuracy,
        probing=known[0],
        worst_loop=known[1],
        code=row.code or "",
        seconds=round(row.seconds or 0.0, 1),
        settings=settings,
        error=None if row.error is None else " ".join(row.error.split())[:200],
    )


if TYPE_CHECKING:
    Change = CellSetting
else:
    Change = create_model("Change", __base__=CellSetting, encoding=(str, "ape"))


class Recipes(BaseModel):
    """The file of recipes: one change each, tried on development languages only."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    about: str
    trained_to: Count
    languages: tuple[str, ...]
    """By their keys."""
    seeds: Count
    base: CellSetting
    recipes: dict[str, Change]
    """What each changes; the first changes nothing."""

    def at_scale(self, scale: Scale) -> Self:
        """As they are, but for `smoke`: tiny models, two languages, two recipes."""
        if scale != "smoke":
            return self
        few = {name: self.recipes[name] for name in (next(iter(self.recipes)), "log-length")}
        tiny = self.base.model_copy(update=TINY)
        return self.model_copy(update={"base": tiny, "languages": self.languages[:2], "recipes": few})

    def config(self, name: str, task: str, seed: int) -> RunConfig:
        return _config(task, self.trained_to, seed, {**self.base.given, **self.recipes[name].given})


@dataclass(frozen=True, kw_only=True)
class RecipeScore:
    """What a recipe came to, over languages."""

    recipe: str
    runs: int
    learned: int
    """Right on at least 99 of 100 words of the training range."""
    work: tuple[int, ...]
    """At each of RATIOS, halfway from chance to 1."""
    mean: tuple[float, ...]
    """Mean accuracy at each of them."""
    compared: int
    """Runs whose language and seed the first recipe has too."""
    gain: float | None
    """At three times the training length, mean accuracy above that of the first recipe on the same runs."""
    interval: tuple[float, float] | None
    """Of the gain, by drawing languages anew."""


@cache
def recipes(path: Path = RECIPES) -> Recipes:
    """The recipes in a file, by default those that come with this version."""
    return read_document(path, Recipes.model_validate_json, Recipes.model_fields)


def recipe_members(tried: Recipes, seeds: int | None = None) -> dict[Member, RunConfig]:
    """The configuration of each run, language after language."""
    found: dict[Member, RunConfig] = {}
    for seed in range(tried.seeds if seeds is None else seeds):
        for language in tried.languages:
            for name in tried.recipes:
                config = tried.config(name, language_table()[language].task, seed)
                found[Member(language, config.encoding, tried.trained_to, seed, name)] = config
    return found


def recipe_scores(runs: Sequence[CensusRun], tried: Recipes) -> list[RecipeScore]:
    """How each recipe did, those without a run left out; the first is what the others are compared with."""
    by_recipe: dict[str, dict[tuple[str, int], CensusRun]] = {}
    for run in runs:
        by_recipe.setdefault(run.recipe or "", {})[run.language, run.seed] = run
    first = by_recipe.get(next(iter(tried.recipes)), {})
    return [_score(name, by_recipe[name], first) for name in tried.recipes if name in by_recipe]


def _score(
    name: str,
    runs: Mapping[tuple[str, int], CensusRun],
    first: Mapping[tuple[str, int], CensusRun],
) -> RecipeScore:
    done = [runs[key] for key in sorted(runs) if not runs[key].failed]
    shape = (-1, len(RATIOS))
    values = np.array([run.accuracy[: len(RATIOS)] for run in done]).reshape(shape)
    facts = [language_table()[run.language].facts(run.trained_to) for run in done]
    chances = [chance or 0.0 for each in facts for chance in each.chance[: len(RATIOS)]]
    level = (1 + np.array(chances).reshape(shape)) / 2
    pairs = [
        (run, other)
        for run in done
        if (other := first.get((run.language, run.seed))) is not None and not other.failed
    ]
    gains = np.array([run.at(3) - other.at(3) for run, other in pairs])
    clusters = [run.language for run, _ in pairs]
    return RecipeScore(
        recipe=name,
        runs=len(runs),
        learned=int((values[:, 0] >= LEARNED).sum()),
        work=tuple((values >= level).sum(axis=0).tolist()),
        mean=tuple(values.mean(axis=0).tolist()) if done else (),
        compared=len(pairs),
        gain=float(gains.mean()) if pairs else None,
        interval=interval(bootstrap(clusters, lambda rows: float(gains[rows].mean()))) if pairs else None,
    )
