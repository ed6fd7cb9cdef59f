"""The study stands in the list."""

from __future__ import annotations

from longreach.studies.all_studies import load_study
from longreach.studies.natural_language.language_study import STUDY


def test_it_is_found_by_name() -> None:
    assert load_study("natural-language") is STUDY
    assert "2502.16792" in STUDY.source
