"""Exported sets: right answers, the same ones for the same seed, and files that other libraries read."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.tasks.catalog import TASKS, load_task
from longreach.tasks.export import (
    FIELDS,
    FORMATS,
    MANIFEST,
    TRAINING,
    Exported,
    example_sets,
    export,
)
from longreach.tasks.lengths import LengthRange

TRAIN, TEST = LengthRange(3, 9), LengthRange(10, 15)
SIZE = 6


def asked(name: str, *, slug: str | None = None) -> Exported:
    task = load_task(name)
    first = max(TRAIN.first, task.least_length)
    return Exported(
        name=name,
        slug=slug or re.sub("[^a-z0-9]+", "-", name),
        task=task,
        train=LengthRange(first, first + 6),
        tests=(LengthRange(first + 7, first + 12),),
    )


def written(tmp_path: Path, made: Any, *names: str, seed: int = 0) -> Path:
    tmp_path.mkdir(exist_ok=True)
    out = tmp_path / f"{made}-{seed}"
    chosen = [asked(each) for each in names]
    manifest = export(chosen, made, out, title="some tasks", size=SIZE, seed=seed)
    assert manifest == json.loads((out / MANIFEST).read_text())
    return out


def files_of(out: Path) -> dict[str, bytes]:
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def fields_of(yaml: str) -> dict[str, Any]:
    """Of the YAML that is written: a name and a JSON value on each line."""
    return {name: json.loads(value) for name, value in (line.split(": ", 1) for line in yaml.splitlines())}


@pytest.mark.parametrize("name", [*TASKS, "states:(a|b)*ab", "word-problem:group=S3"])
def test_answers_are_those_of_the_task(name: str) -> None:
    exported = asked(name)
    task = exported.task
    probed = False
    for each in example_sets(exported, size=SIZE, seed=1):
        assert len(each.rows) == (TRAINING * SIZE if each.kind == "train" else SIZE)
        for row in each.rows:
            assert row.keys() == FIELDS.keys()
            assert each.lengths.first <= row["length"] <= each.lengths.last
            assert tuple(row["targets"]) == task.answer(row["tokens"][1 : 1 + row["length"]])
            assert len(row["positions"]) == len(row["targets"])
            assert row["target"].split() == [*row["targets"]][: len(row["target"].split())]
            assert bool(row["probes"]) == (each.kind == "probing")
            assert row["input"].split() == row["tokens"][1 : 1 + len(row["input"].split())]
        probed |= each.kind == "probing"
    known = task.probing_sample(exported.tests[0], 3, np.random.default_rng(0))
    assert probed == (known is not None)


def test_what_is_given_and_what_is_asked() -> None:
    (copying, *_), (language, *_) = (
        list(example_sets(asked(name), size=1, seed=0)) for name in ("copy-unique", "aa")
    )
    for row in copying.rows:
        assert row["target"] == row["input"]  # without separator and EOS
        assert row["targets"][-1] == "EOS"
    for row in language.rows:
        assert set(row["input"].split()) == {"a"}
        answers = row["target"].split()
        assert answers == ["{a}" if place % 2 else "{a,EOS}" for place in range(len(answers))]
        assert len(answers) == row["length"] + 1


def test_a_seed_gives_the_same_examples_whatever_else_is_exported(tmp_path: Path) -> None:
    alone = {each.path: each.content for each in example_sets(asked("parity"), size=SIZE, seed=3)}
    files = files_of(written(tmp_path / "first", "jsonl", "sort", "parity", seed=3))
    assert all(files[path] == content for path, content in alone.items())
    assert files == files_of(written(tmp_path / "second", "jsonl", "sort", "parity", seed=3))
    other = {each.path: each.content for each in example_sets(asked("parity"), size=SIZE, seed=4)}
    assert all(other[path] != content for path, content in alone.items())
    contents = list(alone.values())
    assert len(set(contents)) == len(contents)  # no set is drawn twice


@pytest.mark.parametrize("made", FORMATS)
def test_manifest_and_croissant(made: Any, tmp_path: Path) -> None:
    out = written(tmp_path, made, "parity", "copy-unique")
    manifest = json.loads((out / MANIFEST).read_text())
    present = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert present == {*manifest["files"], MANIFEST}
    for path, digest in manifest["files"].items():
        assert hashlib.sha256((out / path).read_bytes()).hexdigest() == digest
    for each in manifest["sets"]:
        assert each["examples"] == len(rows(out / each["path"]))
        assert each["sha256"] == manifest["files"][each["path"]]
    croissant = json.loads((out / "croissant.json").read_text())
    files = {each["@id"]: each for each in croissant["distribution"]}
    assert files.keys() == {each["path"] for each in manifest["sets"]}
    for each in files.values():
        assert each["sha256"] == manifest["files"][each["contentUrl"]]
    for record in croissant["recordSet"]:
        columns = [field["source"]["extract"]["column"] for field in record["field"]]
        assert columns == list(FIELDS)
        (path,) = {field["source"]["fileObject"]["@id"] for field in record["field"]}
        row = rows(out / path)[0]
        for field, column in zip(record["field"], columns, strict=True):
            assert isinstance(row[column], list) == field.get("repeated", False)


def test_a_card_names_all_files(tmp_path: Path) -> None:
    out = written(tmp_path, "datasets", "parity", "regex:(a|b)*b")
    _, front, text = (out / "README.md").read_text().split("---\n", 2)
    configs = fields_of(front)["configs"]
    assert [each["config_name"] for each in configs] == ["parity", "regex-a-b-b"]
    named = {each["path"] for config in configs for each in config["data_files"]}
    assert named == {each["path"] for each in json.loads((out / MANIFEST).read_text())["sets"]}
    for config in configs:
        splits = [each["split"] for each in config["data_files"]]
        assert splits[0] == "train"
        assert len(set(splits)) == len(splits)
        assert all(re.fullmatch(r"\w+", split) for split in splits)
    assert r"regex:(a\|b)*b" in text


def test_harness_tasks_are_templates(tmp_path: Path) -> None:
    out = written(tmp_path, "lm-eval", "parity", "copy-unique")
    found = {path.relative_to(out).as_posix(): fields_of(path.read_text()) for path in out.rglob("*.yaml")}
    tasks = {each["task"]: each for path, each in found.items() if "group" not in each}
    groups = {each["group"]: each for each in found.values() if "group" in each}
    assert len(groups) == 3
    assert groups["longreach_some_tasks"]["task"] == ["longreach_parity", "longreach_copy-unique"]
    members = [name for group in groups.values() for name in group["task"]]
    assert sorted(members) == sorted([*tasks, "longreach_parity", "longreach_copy-unique"])
    for task in tasks.values():
        assert not {"process_docs", "process_results", "custom_dataset"} & task.keys()
        assert "!function" not in json.dumps(task)
        for path in task["dataset_kwargs"]["data_files"].values():
            assert rows(out / path)
        test = rows(out / task["dataset_kwargs"]["data_files"]["test"])
        room = task["generation_kwargs"]["max_gen_toks"]
        assert all(len(row["target"].split()) < room for row in test)


# Directories


def test_an_earlier_export_is_replaced(tmp_path: Path) -> None:
    out = written(tmp_path, "jsonl", "parity", "sort")
    before = files_of(out)
    written(tmp_path, "jsonl", "parity", "sort")
    assert files_of(out) == before
    fewer = export([asked("parity")], "datasets", out, title="one", size=SIZE, seed=0)
    assert files_of(out).keys() == {*fewer["files"], MANIFEST}
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def test_an_empty_directory_is_used(tmp_path: Path) -> None:
    (tmp_path / "jsonl-0").mkdir()
    assert files_of(written(tmp_path, "jsonl", "parity"))


def test_other_files_are_never_overwritten(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "notes.txt").write_text("mine")
    changed = written(tmp_path, "jsonl", "parity")
    data = changed / "parity" / "train-3-9.jsonl"
    data.write_text(data.read_text() + "\n")
    added = written(tmp_path, "jsonl", "parity", seed=1)
    (added / "parity" / "mine.jsonl").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(mine)
    for name, reason in (
        ("mine", "out: .* has files that no export wrote, such as notes.txt; name a new directory"),
        (changed.name, "out: .*: parity/train-3-9.jsonl was changed since it was exported"),
        (added.name, "out: .* has files that no export wrote, such as parity/mine.jsonl"),
        ("file", "out: .* is a file, not a directory"),
        ("link", "out: .* is a link, not a directory"),
        ("no/such", "out: .*no/such: no such directory"),
    ):
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        with pytest.raises(InputError, match=reason):
            export([asked("parity")], "jsonl", tmp_path / name, title="one", size=SIZE, seed=0)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_nothing_is_left_of_an_export_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: Any, **more: Any) -> None:
        raise OSError(28, "No space left on device")

    earlier = written(tmp_path, "jsonl", "parity")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    monkeypatch.setattr("longreach.tasks.export.write_atomically", full)
    with pytest.raises(InputError, match="cannot be written: No space left on device"):
        export([asked("sort")], "jsonl", earlier, title="one", size=SIZE, seed=0)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


# The libraries themselves, where they are installed

OFFLINE = """
import os, sys
os.environ.update(HF_HOME=sys.argv[2], HF_DATASETS_OFFLINE="1", HF_HUB_OFFLINE="1")
os.chdir(sys.argv[1])
"""
LOADED = """
import datasets, json
found = {}
for name in datasets.get_dataset_config_names(sys.argv[1]):
    for split, rows in datasets.load_dataset(sys.argv[1], name).items():
        found[f"{name} {split}"] = [rows[0]["input"], rows[0]["targets"], len(rows)]
print("FOUND", json.dumps(found))
"""
EVALUATED = """
import json
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

class Oracle(LM):
    def __init__(self, wrong):
        super().__init__()
        self.wrong, self.asked = wrong, []
    def loglikelihood(self, requests):
        raise NotImplementedError
    loglikelihood_rolling = loglikelihood
    def generate_until(self, requests):
        self.asked += [request.args[0] for request in requests]
        return [" " + request.doc["target"] + ("x" if self.wrong else " ") for request in requests]

manager = TaskManager(include_path=".", include_defaults=False)
found = {}
for wrong in (False, True):
    model = Oracle(wrong)
    done = simple_evaluate(
        model, tasks=["longreach_some_tasks"], task_manager=manager, num_fewshot=1, bootstrap_iters=0
    )
    found[wrong] = {name: float(each["exact_match,strip"]) for name, each in done["results"].items()}
print("FOUND", json.dumps([found[False], found[True], model.asked[0]]))
"""
DESCRIBED = """
import json
import mlcroissant
data = mlcroissant.Dataset(jsonld="croissant.json")
found = {}
for each in data.metadata.record_sets:
    found[each.name] = len(list(data.records(each.id)))
print("FOUND", json.dumps(found))
"""


def in_library(script: str, directory: Path, home: Path) -> Any:
    """What a script finds, in a process of its own: these libraries warn, and keep caches."""
    call = [sys.executable, "-c", OFFLINE + script, str(directory), str(home)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    (line,) = [each for each in done.stdout.splitlines() if each.startswith("FOUND ")]
    return json.loads(line.removeprefix("FOUND "))


@pytest.mark.slow
@pytest.mark.skipif(find_spec("datasets") is None, reason="needs datasets")
def test_datasets_loads_them(tmp_path: Path) -> None:
    out = written(tmp_path, "datasets", "parity", "regex:(a|b)*b")
    found = in_library(LOADED, out, tmp_path / "home")
    sets = json.loads((out / MANIFEST).read_text())["sets"]
    assert len(found) == len(sets)
    for each in sets:
        name = each["path"].split("/")[0]
        split = "train" if each["kind"] == "train" else "_".join(map(str, [each["kind"], *each["lengths"]]))
        first = rows(out / each["path"])[0]
        assert found[f"{name} {split}"] == [first["input"], first["targets"], each["examples"]]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("lm_eval") is None, reason="needs lm-eval")
def test_the_harness_runs_them(tmp_path: Path) -> None:
    out = written(tmp_path, "lm-eval", "parity", "copy-unique")
    right, wrong, prompt = in_library(EVALUATED, out, tmp_path / "home")
    assert {"longreach_some_tasks", "longreach_parity", "longreach_parity_probing_10_15"} < right.keys()
    assert set(right.values()) == {1.0}
    assert set(wrong.values()) == {0.0}
    assert re.fullmatch(r"Answer: .*\.\n\nInput: .*\nOutput: \w.*\n\nInput: .*\nOutput:", prompt)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("mlcroissant") is None, reason="needs mlcroissant")
def test_croissant_reads_them(tmp_path: Path) -> None:
    out = written(tmp_path, "jsonl", "parity")
    found = in_library(DESCRIBED, out, tmp_path / "home")
    sets = json.loads((out / MANIFEST).read_text())["sets"]
    assert sorted(found.values()) == sorted(each["examples"] for each in sets)
