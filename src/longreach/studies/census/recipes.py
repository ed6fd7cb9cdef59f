"""What makes a yes come true: recipes that change one thing, tried on development languages alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from longreach.comparison.calibration import bootstrap, interval
from longreach.config.decoder import first_error
from longreach.config.scales import CellSetting, Count, Scale
from longreach.config.training import TrainConfig
from longreach.errors import File, InputError
from longreach.studies.census.census_language_table import LanguageFacts
from longreach.studies.census.census_members import Member
from longreach.studies.census.census_run import RATIOS, CensusRun
from longreach.studies.census.worthwhile import ranges_tested

RECIPES = Path(__file__).with_name("recipes.json")
LEARNED = 0.99

if TYPE_CHECKING:
    Change = CellSetting
else:
    Change = create_model("Change", __base__=CellSetting, encoding=(str, "ape"))


class Recipes(BaseModel):
    """The whole file."""

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
        tiny = {"layers": 1, "heads": 1, "width": 8, "max_steps": 5, "evaluate_every": 5, "test_size": 10}
        few = {name: self.recipes[name] for name in (next(iter(self.recipes)), "log-length")}
        return self.model_copy(
            update={
                "base": self.base.model_copy(update=tiny),
                "languages": self.languages[:2],
                "recipes": few,
            }
        )

    def config(self, name: str, task: str, seed: int) -> TrainConfig:
        """The run of a recipe on a task."""
        first, *others = ranges_tested(self.trained_to)
        change = self.recipes[name]
        return TrainConfig.read(
            {
                "task": task,
                **self.base.given,
                **change.given,
                "train_lengths": first,
                "test_lengths": others,
                "seed": seed,
            }
        )


@dataclass(frozen=True, kw_only=True)
class RecipeScore:
    """What a recipe came to, over languages."""

    recipe: str
    runs: int
    learned: int
    """Right on at least 99 of 100 words of the training range."""
    work: tuple[int, ...]
    """At each of RATIOS, half way from chance to 1."""
    mean: tuple[float, ...]
    """Mean accuracy at each of them."""
    compared: int
    """Runs whose language and seed the first recipe has too."""
    gain: float | None
    """At three times the training length, mean accuracy above that of the first recipe on the same runs."""
    interval: tuple[float, float] | None
    """Of the gain, by drawing languages anew."""

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def read_recipes(path: Path = RECIPES) -> Recipes:
    """The recipes in a file, or an error of one line."""
    try:
        return Recipes.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", place=File(str(path))) from None
    except ValidationError as error:
        raise InputError(str(first_error(error, Recipes)), place=File(str(path))) from None


@cache
def recipes() -> Recipes:
    """Those that come with this version."""
    return read_recipes()


def recipe_members(
    tried: Recipes, languages: Mapping[str, LanguageFacts], seeds: int | None = None
) -> dict[tuple[str, Member], TrainConfig]:
    """The configuration of each run by recipe and member, language after language."""
    found: dict[tuple[str, Member], TrainConfig] = {}
    for seed in range(tried.seeds if seeds is None else seeds):
        for language in tried.languages:
            for name in tried.recipes:
                config = tried.config(name, languages[language].task, seed)
                found[name, Member(language, config.encoding, tried.trained_to, seed)] = config
    return found


def recipe_scores(
    runs: Sequence[CensusRun], tried: Recipes, languages: Mapping[str, LanguageFacts]
) -> list[RecipeScore]:
    """How each recipe did, those without a run left out; the first is what the others are compared with."""
    by_recipe: dict[str, dict[tuple[str, int], CensusRun]] = {}
    for run in runs:
        by_recipe.setdefault(run.recipe or "", {})[run.language, run.seed] = run
    first = by_recipe.get(next(iter(tried.recipes)), {})
    return [_score(name, by_recipe[name], first, languages) for name in tried.recipes if name in by_recipe]


def _score(
    name: str,
    runs: Mapping[tuple[str, int], CensusRun],
    first: Mapping[tuple[str, int], CensusRun],
    languages: Mapping[str, LanguageFacts],
) -> RecipeScore:
    done = [runs[key] for key in sorted(runs) if not runs[key].failed]
    values = np.array([run.accuracy for run in done]).reshape(-1, len(RATIOS))
    floor = np.array(
        [[languages[run.language].chance(run.trained_to, ratio) for ratio in RATIOS] for run in done]
    ).reshape(-1, len(RATIOS))
    others = [first.get((run.language, run.seed)) for run in done]
    pairs = [
        (run, other)
        for run, other in zip(done, others, strict=True)
        if other is not None and not other.failed
    ]
    gains = np.array([run.at(3) - other.at(3) for run, other in pairs])
    drawn = (
        bootstrap([run.language for run, _ in pairs], lambda rows: float(gains[rows].mean()))
        if pairs
        else None
    )
    return RecipeScore(
        recipe=name,
        runs=len(runs),
        learned=int((values[:, 0] >= LEARNED).sum()),
        work=tuple((values >= (1 + floor) / 2).sum(axis=0).tolist()),
        mean=tuple(values.mean(axis=0).tolist()) if done else (),
        compared=len(pairs),
        gain=float(gains.mean()) if pairs else None,
        interval=None if drawn is None else interval(drawn),
    )
