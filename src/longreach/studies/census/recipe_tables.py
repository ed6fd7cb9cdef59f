"""What recipes came to as a table, for the terminal and for the page."""

from __future__ import annotations

from collections.abc import Sequence

from longreach.studies.census.analysis_tables import TextTable
from longreach.studies.census.census_run import RATIOS
from longreach.studies.census.recipes import RecipeScore

TITLE = "Each recipe on the same development languages; work: half way from chance to 1."
HEADS = (
    "recipe", "runs", "learned", *(f"work at {ratio}N" for ratio in RATIOS[1:]), "accuracy at 3N", "gain",
)  # fmt: skip


def recipe_table(scores: Sequence[RecipeScore]) -> TextTable:
    """A line for each recipe; the gain is over the first one, in points, with its interval over languages."""
    return TextTable(title=TITLE, columns=HEADS, rows=tuple(_line(each) for each in scores))


def _line(score: RecipeScore) -> tuple[str, ...]:
    gain = ""
    if score.gain is not None and score.interval is not None:
        low, high = score.interval
        gain = f"{100 * score.gain:+.0f} ({100 * low:+.0f} to {100 * high:+.0f})"
    mean = f"{100 * score.mean[2]:.0f}" if score.mean else ""
    return (score.recipe, str(score.runs), str(score.learned), *map(str, score.work[1:]), mean, gain)
