"""A model of odds that nobody fitted."""

from __future__ import annotations

from longreach.answers.odds import Comparable, OddsModel, StratumSkill
from longreach.answers.odds_features import CONTEXT, GROUPS

MODEL = OddsModel(
    command="made up",
    settings=("0",),
    setting="nothing was trained",
    languages=63,
    cells=100,
    runs=300,
    penalty=1.0,
    features=(*CONTEXT, "verdict yes", "states"),
    constant=1.0,
    coefficients=(0.0, 0.0, 0.0, -0.5, 3.0, -0.5),
    replicates=((0.8, 0.0, 0.0, 0.0, -0.5, 2.5, -0.6), (1.2, 0.0, 0.0, 0.0, -0.5, 3.5, -0.4)),
    verdict_alone=(0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0),
    ranges={
        "states": (2.0, 8.0),
        "letters": (2.0, 3.0),
        "training length": (10.0, 50.0),
        "chance": (0.0, 0.9),
        "entropy of answers": (0.1, 2.5),
    },
    encodings=("nope", "ape"),
    ratios=(2, 3, 5),
    trained_to=(10, 20, 50),
    comparable=tuple(
        Comparable(
            encoding=encoding,
            verdict=verdict,
            states=(2, 3),
            ratio=ratio,
            languages=10,
            cells=30,
            runs=90,
            work=45,
        )
        for encoding, verdict in (("nope", "no"), ("ape", "yes"))
        for ratio in (2, 3, 5)
    ),
    skills=tuple(
        StratumSkill(
            encoding=encoding,
            group=group,
            kind="drawn",
            languages=42,
            runs=126,
            work=0.5,
            brier=0.1,
            skill=0.6,
        )
        for encoding in ("nope", "ape")
        for group in GROUPS
    ),
)
