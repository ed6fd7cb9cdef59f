from __future__ import annotations

import pytest

from longreach.config.scales import SCALES
from longreach.errors import InputError
from longreach.results.index import Row
from longreach.studies.all_studies import LOSS_STUDIES, load_study

MEMBERS = {"simple-task": (4, 120, 864), "modp-task": (4, 60, 392), "in-context-kgram": (4, 72, 576)}


@pytest.mark.parametrize("name", LOSS_STUDIES)
def test_members(name: str) -> None:
    study = LOSS_STUDIES[name]
    assert load_study(name) is study
    assert tuple(len(study.members(scale)) for scale in SCALES) == MEMBERS[name]
    for scale in SCALES:
        longest = set()
        for cell, configs in study.members_by_cell(scale).items():
            first = configs[0]
            assert first.train_lengths.last == cell.train_to
            assert all(lengths.first >= cell.train_to for lengths in first.test_lengths)
            assert [config.seed for config in configs] == list(range(study.grid(scale).seeds))
            longest.add(first.test_lengths[-1].first)
        assert len(longest) == 1
    paper = study.members("paper", seeds=1)[0]
    assert (paper.batch, paper.width, paper.hidden, paper.lr, paper.target_loss) == (
        1024,
        16,
        256,
        0.01,
        1e-5,
    )
    assert study.grid("paper").seeds == 8


def test_unknown_tasks() -> None:
    with pytest.raises(
        InputError, match="tasks: modp-task has no 'modp-task:p=7,k=0' at this scale; it has modp"
    ):
        LOSS_STUDIES["modp-task"].members("laptop", tasks=["modp-task:p=7,k=0"])


@pytest.mark.slow
@pytest.mark.parametrize("name", LOSS_STUDIES)
def test_figures_with_and_without_results(name: str) -> None:
    study, rows = LOSS_STUDIES[name], []
    for config in study.members("smoke"):
        other = {f"loss {each.name}": 0.5 / config.train_lengths.last**2 for each in config.ranges}
        other["L"] = 2.0
        if name == "modp-task":
            other |= {"attention right": 0.1, "attention right deviation": 0.01}
        rows.append(
            Row(
                key=config.key, status="done", task=config.task, encoding=config.encoding, seed=config.seed,
                reached=True, other=other,
            )
        )  # fmt: skip
    for found in ([], rows):
        report = study.report(found, "smoke")
        content = study.content(report, "smoke", ".svg")
        assert content == study.content(report, "smoke", ".svg")
        assert b"bound / measured" in content
    assert study.heading("smoke").endswith("no claim)")
