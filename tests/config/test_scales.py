""""""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from longreach.answers.agreement import ALGORITHMIC, ENCODINGS, REGULAR, Place
from longreach.answers.published import FIGURE_1_TASKS
from longreach.config.scales import LAPTOP, SCALES, Scale, read_table, remark_of, scale_table, seeds_of
from longreach.errors import InputError
from longreach.runs.resolve import resolve
from longreach.studies.cells import config_of
from longreach.tasks.catalog import load_task
from longreach.theory.automata.named import named_automaton
from longreach.theory.shares.determinacy import determinacy
from longreach.theory.shares.summaries import Summary
from longreach.training.setup import task_of
from tests.helpers.refusals import refusal

TASKS = (*ALGORITHMIC, *REGULAR)


def test_the_tasks_are_those_of_figure_1() -> None:
    assert sorted(TASKS) == sorted(FIGURE_1_TASKS)


def test_paper_is_as_published() -> None:
    for task in ("sort", "addition", "tomita-4"):
        for encoding in ENCODINGS:
            assert config_of(Place(task, encoding), "paper") == resolve(task, encoding, scale="paper")
    assert seeds_of("paper") == 5
    shape = config_of(Place("addition", "ape"), "paper")
    assert (shape.layers, shape.heads, shape.width) == (12, 12, 768)
    assert (shape.max_steps, shape.warmup) == (60_000, 3000)


def test_encodings_without_a_published_setting_share_one() -> None:
    for task in ("sort", "addition", "tomita-4"):
        for encoding in ("sinusoidal", "rope", "alibi", "t5", "fire", "randomized"):
            found = resolve(task, encoding, scale="paper")
            assert (found.layers, found.heads, found.width, found.lr) == (2, 2, 64, 1e-3)
            assert (found.max_steps, found.warmup) == (30_000, 0)
            assert remark_of(task, encoding, "paper").startswith("without a published setting")
    assert remark_of("sort", "mlp", "paper") == "as published"


def test_laptop_keeps_the_ratios_of_lengths() -> None:
    for task in TASKS:
        for encoding in ENCODINGS:
            config = config_of(Place(task, encoding), "laptop")
            last = config.train_lengths[1]
            assert config.train_lengths[0] == task_of(config).least_length
            assert config.test_lengths == ((last + 1, 2 * last), (2 * last + 1, 3 * last))
            assert len(remark_of(task, encoding, "laptop")) > 20
    assert seeds_of("laptop") >= 3


def test_other_encodings_and_the_penalty_have_the_setting_of_ape() -> None:
    for place in (Place("sort", "alibi"), Place("sort", "ape", 1e-3)):
        own = config_of(place, "laptop").document() | {"encoding": "ape", "penalty": 0.0}
        own.pop("scaled_bias", None)
        assert own == config_of(Place("sort", "ape"), "laptop").document()
    assert config_of(Place("sort", "ape", 1e-3), "laptop").penalty == 1e-3
    assert remark_of("sort", "alibi", "laptop") == "the setting of ape"


@pytest.mark.parametrize("scale", SCALES)
def test_the_baseline_has_the_setting_of_ape_but_its_shape_and_rate(scale: Scale) -> None:
    for task in ALGORITHMIC:
        own, ape = (config_of(Place(task, each), scale) for each in ("mlp", "ape"))
        assert (own.layers, own.heads, own.lr) == (2, 1, 1e-3)
        same = {"encoding": "ape", "layers": ape.layers, "heads": ape.heads, "lr": ape.lr}
        same |= {"log_length": ape.log_length}
        assert own.document() | same | {"compile": ape.compile} == ape.document()
    assert remark_of("sort", "mlp", "laptop") == "the setting of ape, as in the paper"


def test_named_languages_have_the_setting_of_the_census() -> None:
    asked = resolve("regex:(ab)*").document()
    fields = ("layers", "heads", "width", "lr", "max_steps", "batch", "log_length")
    census = {name: asked[name] for name in fields}
    for task in REGULAR:
        for encoding in ENCODINGS:
            config = config_of(Place(task, encoding), "laptop")
            assert census.items() <= config.document().items()
            assert config.train_lengths.last == (50 if task == "012-0-2" else 20)


def test_why_one_language_is_trained_to_50() -> None:
    def right(lengths: range, within: int) -> str:
        found = determinacy(named_automaton("012-0-2"), Summary(window=4), lengths, within=within)
        return f"{100 * found.mean:.0f} %"

    remark = remark_of("012-0-2", "ape", "laptop")
    assert f"right on {right(range(41, 61), 20)} of the words of 41–60" in remark
    assert f"on {right(range(101, 151), 50)} of those of 101–150" in remark


def test_smoke_is_small() -> None:
    config = config_of(Place("addition", "nope"), "smoke")
    assert (config.max_steps, config.train_lengths, config.test_size) == (20, (4, 6), 20)


def _changed(tmp_path: Path, **changes: Any) -> Path:
    document = json.loads(LAPTOP.read_text(encoding="utf-8"))
    cell = document["cells"]["sort"]["ape"]
    for name, value in changes.items():
        if value is None:
            cell.pop(name, None)
        else:
            cell[name] = value
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(document))
    return path


def test_an_encoding_may_have_a_setting_of_its_own(tmp_path: Path) -> None:
    document = json.loads(LAPTOP.read_text(encoding="utf-8"))
    document["cells"]["sort"]["rope"] = {"layers": 7, "remark": "deeper"}
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(document))
    table = read_table(path)
    assert table.setting("sort", "rope").given["layers"] == 7
    assert table.setting("sort", "t5") == table.setting("sort", "ape")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"widht": 3}, "mine.json: cells.sort.ape.widht: "),
        ({"layers": 0}, "mine.json: cells.sort.ape.layers: "),
        ({"lr": "fast"}, "mine.json: cells.sort.ape.lr: "),
        ({"remark": None}, "mine.json: sort, ape: has no remark"),
    ],
)
def test_bad_tables(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    assert message in refusal(read_table, _changed(tmp_path, **changes))


def test_a_table_has_every_cell(tmp_path: Path) -> None:
    document = json.loads(LAPTOP.read_text(encoding="utf-8"))
    del document["cells"]["sort"]["nope"]
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"mine\.json: no setting for sort, nope"):
        read_table(path)
    with pytest.raises(InputError, match=r"none\.json: no such file"):
        read_table(tmp_path / "none.json")


def test_the_table_of_laptop_has_every_task_of_the_studies() -> None:
    table = scale_table("laptop")
    assert table is not None
    assert set(TASKS) <= {*table.cells, *table.named_languages}
    for task in (*table.cells, *table.named_languages):
        assert load_task(task).name == task


def test_an_encoding_with_a_setting_of_its_own() -> None:
    for task in ("copy-repeat", "parity+scratchpad", "regex:(ab)*+scratchpad", "addition+reversed"):
        found = resolve(task, "coupled-local")
        assert (found.layers, found.max_steps, found.train_lengths.last) == (2, 1000, 12)
        assert "half a minute a run" in remark_of(task, "coupled-local", "laptop")
    assert resolve("copy-repeat", "coupled").max_steps == resolve("copy-repeat", "ape").max_steps


def test_the_baseline_of_a_language_attends_to_nothing() -> None:
    assert resolve("regex:(ab)*", "ape").log_length
    assert not resolve("regex:(ab)*", "mlp").log_length
