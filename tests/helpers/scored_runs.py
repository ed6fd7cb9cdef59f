"""Made-up runs of which it is known what their numbers are worth."""

from __future__ import annotations

from longreach.studies.run_scores import FEATURES, ScoredRun


def scored_run(
    number: int, works: bool, margin: float, *, steady: bool = False, **changes: object
) -> ScoredRun:
    """A run whose offset variance gives its outcome away, unless it is steady; ten languages take turns."""
    hint = 0.0 if steady else float(works)
    features = {**dict.fromkeys(FEATURES, 0.0), "margin": margin, "offset variance": hint}
    made: dict[str, object] = {
        "run": str(number), "language": f"l{number % 10}", "encoding": "ape" if number % 2 else "nope",
        "trained_to": 10, "seed": 0, "reached": float(works), "works": works, "learned": True,
        "features": features, "beside": {},
    }  # fmt: skip
    return ScoredRun(**{**made, **changes})  # type: ignore[arg-type]
