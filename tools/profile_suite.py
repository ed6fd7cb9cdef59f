"""Writes suite 1 of `longreach profile` as its rule draws it; a test compares the file with the rule.

`python tools/profile_suite.py` writes `src/longreach/answers/suite_1.json`.
"""

from __future__ import annotations

import json

from longreach.answers.profile_suite import SUITE
from longreach.studies.census.suite import draw_suite

if __name__ == "__main__":
    SUITE.write_text(json.dumps(draw_suite(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
