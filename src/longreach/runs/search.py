"""The published search for a shape (Huang et al., arXiv 2410.02140, appendix E.3).

The grid is tried in order of increasing complexity. Among the members that are right on the whole training
range, the best on the first test range is chosen, the simplest if there are several.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from longreach.config.architectures import BASELINE, DECODER, architecture_row
from longreach.config.run import OWN_SIZES, RunConfig
from longreach.config.scales import Scale
from longreach.errors import Field, InputError
from longreach.runs.resolve import resolve
from longreach.runs.train import EngineMaker, Nobody, Watcher, train
from longreach.training.result import Final, Result

GRID: dict[str, tuple[Any, ...]] = {
    "layers": (1, 2, 4),
    "heads": (1, 2, 4),
    "width": (16, 64, 256),
    "lr": (1e-3, 1e-4),
}
"""From the simplest to the most complex: layers count first, then heads, then width."""
LAST_RESORT: dict[str, Any] = {
    "layers": 12, "heads": 12, "width": 768, "lr": 1e-4, "max_steps": 60_000, "warmup": 3000,
}  # fmt: skip
MAX_STEPS = 30_000
SEED_FACTOR = 3
"""A search tries up to so many times the seeds that were asked for."""
NONE_IS_RIGHT = "no member of the search is right on the whole training range"


def grid(task: str, encoding: str | None = None, *, scale: Scale = "laptop", **given: Any) -> list[RunConfig]:
    """The members of the search, the simplest first; what is given is not searched.

    Lengths and steps are those of the scale. Sizes that the model does not have are not searched.

    >>> members = grid("sort", layers=1, lr=1e-3)
    >>> len(members), [(member.heads, member.width) for member in members[:4]]
    (9, [(1, 16), (1, 64), (1, 256), (2, 16)])
    >>> len(grid("sort", architecture="lstm", lr=1e-3))
    9
    """
    given = {name: value for name, value in given.items() if value is not None}
    row = architecture_row(str(given.get("architecture", BASELINE if encoding == BASELINE else DECODER)))
    if row.is_own:
        reason = f"the sizes of {row.name} are options of its own; pass them with --model-option"
        raise InputError(reason, place=Field("search"))
    axes = {
        name: (given[name],) if name in given else values
        for name, values in GRID.items()
        if name in given or name in row.sizes or name not in OWN_SIZES
    }
    fixed = {"warmup": 0, **({"max_steps": MAX_STEPS} if scale == "paper" else {}), **given}
    return [
        resolve(task, encoding, scale=scale, **{**fixed, **dict(zip(axes, values, strict=True))})
        for values in product(*axes.values())
    ]


def last_resort(
    task: str, encoding: str | None = None, *, scale: Scale = "laptop", **given: Any
) -> RunConfig | None:
    """What is trained when no member of the whole grid is right on the training range.

    None where a part of the grid was given, since then no other shape is wanted, and for other models. As it
    takes months on a processor, only the published scale has it.

    >>> last_resort("sort", scale="paper", max_steps=600).warmup, last_resort("sort", layers=1)
    (30, None)
    """
    given = {name: value for name, value in given.items() if value is not None}
    other = given.get("architecture", DECODER) != DECODER or encoding == BASELINE
    if scale != "paper" or other or not GRID.keys().isdisjoint(given):
        return None
    fields = {**LAST_RESORT, **given}
    if "warmup" not in given:
        fields["warmup"] = LAST_RESORT["warmup"] * fields["max_steps"] // LAST_RESORT["max_steps"]
    return resolve(task, encoding, scale=scale, **fields)


def choose(members: Iterable[RunConfig], finals: Mapping[str, Final]) -> RunConfig | None:
    """The member to go on with, from the final numbers by key; None if none is right on the training range.

    >>> members = grid("sort", layers=1, heads=1, lr=1e-3)
    >>> shares = [(0.9, 1.0), (1.0, 0.8), (1.0, 0.8)]
    >>> finals = {
    ...     member.key: Final(steps=1, reached=inside == 1, accuracy={"1-20": inside, "21-40": outside})
    ...     for member, (inside, outside) in zip(members, shares)
    ... }
    >>> choose(members, finals).width
    64
    """
    best: RunConfig | None = None
    most = -1.0
    for member in members:
        final = finals.get(member.key)
        if final is None or not final.reached:
            continue
        share = final.accuracy.get(member.test_lengths[0].name, 0.0)
        if share > most:  # a later one must be better, not as good
            best, most = member, share
    return best


@dataclass(frozen=True, kw_only=True)
class Search:
    """What a search came to."""

    tried: tuple[Result, ...]
    """The members of the grid."""
    chosen: RunConfig | None
    """The shape that was gone on with."""
    results: tuple[Result, ...]
    """Its members."""


def search(
    task: str,
    encoding: str | None = None,
    *,
    scale: Scale = "laptop",
    seeds: Sequence[int] = (0,),
    runs: str | Path = "runs",
    engine: EngineMaker | None = None,
    progress: Watcher | None = None,
    **given: Any,
) -> Search:
    """Train the grid with the first seed, choose a shape, and train that with all seeds."""
    progress = progress or Nobody()
    members = grid(task, encoding, scale=scale, **given, seed=seeds[0])
    tried = train(members, runs, engine=engine, progress=progress)
    chosen = choose(members, {each.key: each.final for each in tried if each.final is not None})
    if chosen is None:
        progress.say(NONE_IS_RIGHT)
        chosen = last_resort(task, encoding, scale=scale, **given, seed=seeds[0])
    results = [] if chosen is None else _successes(chosen, seeds, runs, engine, progress)
    return Search(tried=tuple(tried), chosen=chosen, results=tuple(results))


def _successes(
    chosen: RunConfig, seeds: Sequence[int], runs: str | Path, engine: EngineMaker | None, progress: Watcher
) -> list[Result]:
    """The results of the chosen shape: further seeds while fewer are successful than were asked for."""
    wanted, configs = len(seeds), [chosen.with_seed(seed) for seed in seeds]
    results = train(configs, runs, engine=engine, progress=progress)
    while len(seeds) > 1 and len(results) < SEED_FACTOR * wanted:
        missing = wanted - sum(bool(each.final and each.final.reached) for each in results)
        if not missing:
            break
        more = range(len(results), min(len(results) + missing, SEED_FACTOR * wanted))
        further = [chosen.with_seed(seed) for seed in more]
        results += train(further, runs, engine=engine, progress=progress)
    return results
