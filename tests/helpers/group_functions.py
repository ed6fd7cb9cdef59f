"""What the groups of the tests do in worker processes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from longreach.training.result import write_result
from tests.helpers.job_functions import die
from tests.helpers.result_samples import sample


def train_many(config: dict[str, Any], runs: Path) -> Any:
    """Results of all members; a member may kill the process, or make the answer wrong."""
    made = []
    for member in config["members"]:
        with (runs / "calls").open("a") as stream:
            stream.write(f"{member['seed']}\n")
        if member.get("die"):
            die(member)
        if member.get("raise"):
            raise ValueError(f"member {member['seed']} is bad")
        result = sample(member["seed"], config=member)
        if config.get("early"):
            write_result(runs, result)
        made.append(json.loads(result.model_dump_json()))
    return made[: config.get("most", len(made))]
