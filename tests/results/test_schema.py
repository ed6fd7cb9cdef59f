"""Documents are consistent and stay JSON."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from pydantic import ValidationError

from longreach.results.schema import Evaluation, Final, Result, named, setting
from tests.helpers.result_samples import sample, sample_failure


@pytest.mark.parametrize("result", [sample(), sample_failure()], ids=["done", "failed"])
def test_documents_survive_the_way_through_a_file(result: Result) -> None:
    assert Result.model_validate_json(result.model_dump_json()) == result


def test_a_diverged_loss_stays_json_and_a_number() -> None:
    result = sample(rows=(Evaluation(step=1, loss=math.nan, other={"norm": math.inf}),))
    text = result.model_dump_json()
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    (row,) = Result.model_validate_json(text).rows
    assert row.loss is not None
    assert math.isnan(row.loss)
    assert row.other == {"norm": math.inf}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"key": "0" * 16}, "is not that of the config"),
        ({"error": "but done"}, "one that is done has none"),
        ({"status": "failed"}, "a failed job has an error"),
        ({"final": None}, "has final numbers"),
        ({"checkpoints": ("../../secret",)}, "does not lie in the job's directory"),
        ({"checkpoints": ("/etc/passwd",)}, "does not lie in the job's directory"),
        ({"checkpoints": ("",)}, "does not lie in the job's directory"),
        ({"version": 2}, "Input should be 1"),
        ({"seed": 2**63}, "Input should be less than"),
        ({"surprise": 1}, "Extra inputs are not permitted"),
    ],
)
def test_inconsistent_documents_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        sample(**changes)


def test_details_are_json() -> None:
    assert Final(steps=1, details={"matrix": [[1, 0.5]]}).details == {"matrix": [[1, 0.5]]}
    with pytest.raises(ValidationError, match=r"details\.matrix\[0\]"):
        Final(steps=1, details={"matrix": [math.nan]})


def test_settings_are_found_on_top_and_one_level_below() -> None:
    config = {"task": {"name": "parity"}, "model": {"encoding": "ape", "layers": 2}, "seed": 1}
    assert (named(config, "task"), named(config, "encoding"), named(config, "seed")) == (
        "parity",
        "ape",
        None,
    )
    assert setting(config, "layers") == 2
    assert setting(config, "absent") is None
