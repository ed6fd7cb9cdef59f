"""The published search for a shape (Huang et al., arXiv 2410.02140, appendix E.3).

The grid is tried in order of increasing complexity. Among the members that are right on the whole training
range, the best on the first test range is chosen, the simplest if there are several.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

from longreach.results.schema import Final
from longreach.training.config import TrainConfig, range_name

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


def grid(task: str, encoding: str = "ape", **given: Any) -> list[TrainConfig]:
    """The members of the search, the simplest first; what is given is not searched.

    >>> members = grid("sort", layers=1, lr=1e-3)
    >>> len(members), [(member.heads, member.width) for member in members[:4]]
    (9, [(1, 16), (1, 64), (1, 256), (2, 16)])
    """
    given = {name: value for name, value in given.items() if value is not None}
    axes = {name: (given[name],) if name in given else values for name, values in GRID.items()}
    fixed = {"max_steps": MAX_STEPS, "warmup": 0, **given}
    return [
        TrainConfig.resolve(task, encoding, **{**fixed, **dict(zip(axes, values, strict=True))})
        for values in product(*axes.values())
    ]


def last_resort(task: str, encoding: str = "ape", **given: Any) -> TrainConfig | None:
    """What is trained when no member of the whole grid is right on the training range.

    None where a part of the grid was given: then no other shape is asked for.

    >>> last_resort("sort", max_steps=600).warmup, last_resort("sort", layers=1)
    (30, None)
    """
    given = {name: value for name, value in given.items() if value is not None}
    if not GRID.keys().isdisjoint(given):
        return None
    fields = {**LAST_RESORT, **given}
    if "warmup" not in given:
        fields["warmup"] = LAST_RESORT["warmup"] * fields["max_steps"] // LAST_RESORT["max_steps"]
    return TrainConfig.resolve(task, encoding, **fields)


def choose(members: Iterable[TrainConfig], finals: Mapping[str, Final]) -> TrainConfig | None:
    """The member to go on with, from the final numbers by key; None if none is right on the training range.

    >>> members = grid("sort", layers=1, heads=1, lr=1e-3)
    >>> shares = [(0.9, 1.0), (1.0, 0.8), (1.0, 0.8)]
    >>> finals = {
    ...     member.key: Final(steps=1, reached=inside == 1, accuracy={"1-50": inside, "51-100": outside})
    ...     for member, (inside, outside) in zip(members, shares)
    ... }
    >>> choose(members, finals).width
    64
    """
    best: TrainConfig | None = None
    most = -1.0
    for member in members:
        final = finals.get(member.key)
        if final is None or not final.reached:
            continue
        share = final.accuracy.get(range_name(member.test_lengths[0]), 0.0)
        if share > most:  # a later one must be better, not as good
            best, most = member, share
    return best
