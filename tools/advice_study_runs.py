"""Keeps with the package what `longreach study advice --json > results/coupling/advice.json` found."""

from __future__ import annotations

import json
from pathlib import Path

from longreach.answers.suggestions import KEPT, kept_text, runs_of_study

FOUND = Path(__file__).parent.parent / "results" / "coupling" / "advice.json"

if __name__ == "__main__":
    KEPT.write_text(kept_text(runs_of_study(json.loads(FOUND.read_text(encoding="utf-8")))), encoding="utf-8")
