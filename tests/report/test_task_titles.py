from __future__ import annotations

import pytest

from longreach.languages.regular.named_languages import NAMED_LANGUAGES
from longreach.report.forecast_view import BENCHMARK
from longreach.report.task_titles import task_title


def test_a_language_named_after_its_letters_is_called_by_its_expression() -> None:
    for name, language in NAMED_LANGUAGES.items():
        if not name.startswith(("tomita-", "d-")):
            assert task_title(name) == language.expression


def test_titles_of_the_benchmark_are_different() -> None:
    assert len({task_title(name) for name in BENCHMARK}) == len(BENCHMARK)


@pytest.mark.parametrize("name", ["regex:", "", "os:system", "data:sums.jsonl", "dfa:x.json", "$(x)"])
def test_other_names_stay_what_they_are(name: str) -> None:
    assert task_title(name) == name
