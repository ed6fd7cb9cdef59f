"""Tests of `cli.train`."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from longreach.cli.main import run
from longreach.cli.train import judged
from longreach.runs.resolve import resolve
from longreach.training.checkpoint import MODEL, load_model
from longreach.training.result import Final, Result, read_result, write_result
from tests.cli.conftest import Call
from tests.helpers.result_samples import sample

ANNOUNCED = re.compile(r"\d+ runs?, (at most )?about \d+ (seconds?|minutes?) on \d+ cores?\n")
"""How messages begin; a slow machine says more."""
SMALL = (
    "--layers", 1, "--heads", 1, "--width", 16, "--lr", 3e-3, "--max-steps", 300, "--train-lengths", "1:10",
    "--test-lengths", "11:20,21:30", "--test-size", 200,
)  # fmt: skip
FEWER = ("--max-steps", 20, "--train-lengths", "1:5", "--test-lengths", "6:9", "--test-size", 50)


def test_document_and_running_again(longreach: Call, tmp_path: Path) -> None:
    command = ("train", "binary-majority", *SMALL, "--seeds", 2, "--runs", tmp_path, "--json")
    done = longreach(*command)
    assert done.code == 0
    assert ANNOUNCED.match(done.err)
    members = done.document["runs"]
    assert [member["seed"] for member in members] == [0, 1]
    for member in members:
        assert member["status"] == "done"
        assert 0 < member["steps"] <= 300
        assert member["seconds"] > 0
        assert member["reached"] == (member["accuracy"]["1-10"] == 1.0)
        assert set(member["accuracy"]) == set(member["accuracy_random_offset"]) == {"1-10", "11-20", "21-30"}
        assert member["accuracy"]["1-10"] > 0.95
        result = read_result(tmp_path, member["key"])
        assert result.packages["torch"]
        assert result.timings.parts["train"] > 0
        assert result.checkpoints == (MODEL,)
        assert load_model(tmp_path / member["key"] / MODEL)[1].width == 16
    changed = [(tmp_path / member["key"] / "result.json").stat().st_mtime_ns for member in members]
    again = longreach(*command)
    assert again.document["runs"] == members
    assert again.err == "2 runs, done before\n"
    assert changed == [(tmp_path / member["key"] / "result.json").stat().st_mtime_ns for member in members]


def test_for_people(longreach: Call, tmp_path: Path) -> None:
    command = ("train", "sort", "--encoding", "nope", *SMALL, "--max-steps", 3, "--runs", tmp_path)
    done = longreach(*command)
    assert done.code == 0
    assert re.match(r"1 run, about \d+ seconds? on 1 core\n", done.err)
    head, row, note, probed, blank, words, *reasons, which = done.out.splitlines()
    assert probed == "probing words at 21-30 (in brackets the worst kind): 0.00 % (0.00 %); chance 0 %"
    assert which.startswith("0 of 1 sure. A forecast is about all inputs")
    assert head.split() == ["key", "seed", "status", "steps", "seconds", "1-10", "11-20", "21-30"]
    assert row.split()[1:4] == ["0", "done", "3"]
    shares = "accuracy from the first position on (in brackets at random offsets)"
    assert note == f"with nope: {shares}; chance 0 %"
    assert (blank, words.split(":")[0]) == ("", "not learned")
    assert reasons[0].endswith("train for more steps, or a larger model (--max-steps, --width, --layers)")
    assert reasons[-1] == "  one seed only: train more seeds (--seeds)"


@pytest.mark.slow
def test_accuracy_at_random_offsets_stands_beside_the_other(longreach: Call, tmp_path: Path) -> None:
    command = ("train", "aa", *SMALL, "--max-steps", 3, "--seeds", 2, "--runs", tmp_path)
    # As a run that learned the first positions only would leave it.
    both = {"accuracy": {"2-10": 1.0, "11-20": 1.0}, "accuracy_random_offset": {"2-10": 0.75, "11-20": 0.49}}
    for trained in longreach(*command, "--json").document["runs"]:
        member = read_result(tmp_path, trained["key"])
        assert member.final is not None
        write_result(tmp_path, member.model_copy(update={"final": member.final.model_copy(update=both)}))
    done = longreach(*command)
    assert done.out.count("100.00 % (49.00 %)") == 2
    assert "11-20 100.00 ± 0.00 % (49.00 %)" in done.out
    found = longreach(*command, "--json").document["summary"]
    assert found["accuracy_random_offset"]["11-20"]["mean"] == pytest.approx(0.49)


@pytest.mark.slow
def test_programs_are_known_by_their_text(longreach: Call, tmp_path: Path) -> None:
    file, runs = tmp_path / "mine.cr", tmp_path / "runs"
    file.write_text('// mine\nL = # "a" >= # "b"')
    command = ("train", f"crasp:{file}", *SMALL, "--max-steps", 3, "--runs", runs, "--json")
    done = longreach(*command)
    assert done.code == 0
    (member,) = done.document["runs"]
    assert ANNOUNCED.match(done.err)
    assert read_result(runs, member["key"]).config["task"] == 'crasp:#alphabet a b\nL = # "a" >= # "b"'
    moved = file.rename(tmp_path / "moved.cr")
    moved.write_text('L   = # "a" >= # "b"')
    command = ("train", f"crasp:{moved}", *command[2:])
    assert longreach(*command).document["runs"] == [member]
    (listed,) = longreach("results", "list", "--runs", runs).out.splitlines()[1:]
    assert listed.split()[1].startswith("crasp:")
    found = longreach("forecast", f"crasp:{moved}", "--runs", runs, "--json").document["measured"]
    assert [each["keys"] for each in found] == [[member["key"]]]
    moved.write_text('L = # "a" > # "b"')
    (other,) = longreach(*command).document["runs"]
    assert other["key"] != member["key"]


def test_a_task_of_one_s_own(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "train_mine.py").write_text("from longreach.tasks.copying import Sort\ntask = Sort(30)\n")
    command = ("train", "train_mine:task", *SMALL, "--max-steps", 3, "--runs", "runs", "--json")
    done = longreach(*command)
    assert done.code == 0
    (member,) = done.document["runs"]
    assert read_result(tmp_path / "runs", member["key"]).config["task"] == "train_mine:task"


SLOPE = """
from longreach.models.encodings import Encoding


class Slope(Encoding):
    relative = True

    def bias(self, parameters, config, layer, query_ids, key_ids):
        return -(query_ids[..., :, None] - key_ids[..., None, :]).abs().float()[..., None, :, :]


class Broken(Slope):
    def __init__(self):
        raise ValueError("no slope today")


class Steep(Slope):
    def bias(self, *given):
        return {}["slope"]


class Ahead(Encoding):
    def embed(self, parameters, config, embedded, ids):
        return embedded + embedded.roll(-1, dims=-2)


number = 3
"""


def test_a_model_of_one_s_own_is_sized_by_its_options(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = "def make(*, vocabulary, positions):\n"
    make += "    return nn.Sequential(nn.Embedding(vocabulary, 4), nn.Linear(4, vocabulary))\n"
    (tmp_path / "train_tiny.py").write_text(f"from torch import nn\n{make}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    done = longreach("train", "aa", "--model", "train_tiny:make", *FEWER)
    assert "train for more steps, or a larger model (--max-steps, --model-option)" in done.out


def test_an_encoding_of_one_s_own(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in worker processes, which import it themselves."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "train_slope.py").write_text(SLOPE)
    (tmp_path / "train_damaged.py").write_text("class Slope(:")
    command = ("train", "parity", "--train-lengths", "1:5", "--max-steps", 2, "--test-size", 10)
    own = (*command, "--encoding", "train_slope:Slope")
    done = longreach(*own, "--seeds", 2, "--workers", 2, "--json")
    assert done.code == 0
    found = [read_result(tmp_path / "runs", member["key"]) for member in done.document["runs"]]
    assert [(each.status, each.config["encoding"]) for each in found] == [("done", "train_slope:Slope")] * 2
    # The name is part of the key.
    (other,) = longreach(*command, "--encoding", "nope", "--json").document["runs"]
    assert other["key"] not in {each.key for each in found}
    shown = longreach(*own).out
    assert "with train_slope:Slope" in shown
    assert "theory has no forecast" in shown
    listed = longreach("results", "list", "--encoding", "train_slope:Slope").out
    assert listed.count("train_slope:Slope") >= 2
    key = found[0].key
    assert longreach("inspect", f"runs/{key}").code == 2
    assert longreach("inspect", f"runs/{key}", "--encoding", "train_slope:Slope").code == 0
    for name, reason in {
        "train_slope:Slop": "module 'train_slope' has no attribute 'Slop'; did you mean 'Slope'?",
        "train_slope:number": "train_slope:number: is not a subclass of longreach.models.encodings.Encoding",
        "train_slope:Broken": "train_slope:Broken: making it fails: ValueError: no slope today",
        "train_slope:Steep": "train_slope:Steep fails: KeyError: 'slope'",
        "train_slope:Ahead": "train_slope:Ahead is not causal: changing token 8 moves earlier logits by ",
        "train_nowhere:X": "no module named 'train_nowhere', installed or in the current",
        "train_damaged:Slope": "module 'train_damaged' cannot be imported: SyntaxError: invalid syntax",
    }.items():
        refused = longreach(*command, "--encoding", name)
        assert refused.code == 2
        assert refused.err.startswith(f"--encoding: {reason}")
        assert refused.err.count("\n") == 1


def test_own_functions_for_short_inputs_only(
    longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "train_short.py").write_text(
        "from longreach.tasks.task import Task\n"
        "def draw(length, rng):\n    return ['ab'[k] for k in rng.integers(0, 2, length)]\n"
        "def first(x):\n    assert 2 < len(x) <= 40, 'not for me'\n    return x[0]\n"
        "task = Task.from_function(draw, first, tokens='ab', longest_answer=1)\n"
    )
    command = ("train", "train_short:task", *SMALL, "--max-steps", 2, "--runs", "runs", "--json")
    done = longreach(*command, "--train-lengths", "3:10")
    (member,) = done.document["runs"]
    assert (done.code, member["status"], set(member["accuracy"])) == (0, "done", {"3-10", "11-20", "21-30"})
    done = longreach(*command, "--train-lengths", "3:10", "--test-lengths", "41:50")
    (member,) = done.document["runs"]
    assert (done.code, member["status"]) == (1, "failed")
    assert member["error"].endswith("fails: AssertionError: not for me")
    (tmp_path / "train_never.py").write_text(
        "from longreach.tasks.task import Task\ndef never(x, rng=None):\n    raise ValueError('never')\n"
        "task = Task.from_function(never, never, tokens='ab', longest_answer=1)\n"
    )
    finding = judged(resolve("train_never:task"), [])[1]
    assert finding.state == "cannot be judged"
    assert finding.words.endswith("never(1, rng) fails: ValueError: never")


def test_dry_run(longreach: Call, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    command = ("train", "binary-majority", *SMALL, "--runs", runs)
    done = longreach(*command, "--seeds", 3, "--dry-run", "--json")
    document = done.document
    assert (document["jobs"], document["done"], document["pending"], document["seconds"]) == (3, 0, 3, None)
    assert document["seconds_at_most"] > 0
    assert not runs.exists()
    first, second = longreach(*command, "--seeds", 3, "--dry-run").out.splitlines()
    assert first == "3 jobs: 0 done, 3 to run"
    assert second.startswith("about ")
    assert longreach(*command, "--json").code == 0
    after = longreach(*command, "--seeds", 3, "--dry-run", "--json").document
    assert (after["done"], after["pending"], after["estimated"]) == (1, 2, 2)
    assert after["seconds"] > 0
    assert after["seconds_at_most"] is None


def test_probing_words_are_shown_where_there_are_any(longreach: Call, tmp_path: Path) -> None:
    command = ("train", "tomita-4", *FEWER, "--layers", 1, "--heads", 1, "--width", 16, "--runs", tmp_path)
    (run,) = longreach(*command, "--json").document["runs"]
    spans = {"1-5", "6-9"}
    assert set(run["probing"]) == set(run["worst_loop"]) == set(run["sure"]) == spans
    for span in spans:
        assert 0 <= run["worst_loop"][span] <= run["probing"][span] <= 1
        if run["sure"][span]:
            assert min(run["accuracy"][span], run["worst_loop"][span]) >= 0.5
    assert "other" not in run
    (line,) = [each for each in longreach(*command).out.splitlines() if each.startswith("probing")]
    mean, worst = (100 * run[name]["6-9"] for name in ("probing", "worst_loop"))
    shown = f"probing words at 6-9 (in brackets the worst loop): {mean:.2f} % ({worst:.2f} %)"
    assert line == f"{shown}; words of the no without positions: {100 * run['flow']['6-9']:.2f} %"
    assert "worst loop 6-9" in longreach("results", "show", run["key"], "--runs", tmp_path).out
    kinds = ("train", "sort", *FEWER, "--layers", 1, "--heads", 1, "--width", 16, "--runs", tmp_path)
    (run,) = longreach(*kinds, "--json").document["runs"]
    assert run["probing"].keys() == run["worst_loop"].keys() == run["sure"].keys() == spans
    assert run["flow"] == {}
    out = longreach(*kinds).out
    assert "(in brackets the worst kind): " in out
    assert out.count("A forecast is about all inputs") == 1
    listed = longreach("results", "list", "--runs", tmp_path, "--json").document["runs"]
    assert {each["task"]: set(each["flow"]) for each in listed} == {"tomita-4": spans, "sort": set()}


@pytest.mark.parametrize(
    ("task", "options", "expected"),
    [
        ("aa", ("--reach-modulus", "task"), "expected to work"),
        ("parity", ("--reach-modulus", 3), "expected to fail"),
        ("parity", ("--heads", 2, "--reach-counting", 1), "the forecast is undecided"),
    ],
)
def test_options_of_reach_have_its_forecast(
    longreach: Call, tmp_path: Path, task: str, options: tuple[object, ...], expected: str
) -> None:
    command = ("train", task, "--encoding", "reach", *SMALL, *FEWER, "--max-steps", 2, *options)
    found = longreach(*command, "--runs", tmp_path, "--json").document["judgement"]
    assert expected in found["words"]


def test_ids_that_are_predicted(longreach: Call, tmp_path: Path) -> None:
    small = (*SMALL, "--max-steps", 20, "--test-lengths", "11:12", "--test-size", 20, "--max-position", 40)
    command = ("train", "parity", "--encoding", "ape", "--predict-ids", *small, "--runs", tmp_path)
    (run,) = longreach(*command, "--json").document["runs"]
    assert set(run["other"]) == {
        f"{kind} {span}" for kind in ("written right", "tokens written right") for span in ("1-10", "11-12")
    }
    assert read_result(tmp_path, run["key"]).config["predict_ids"] is True
    shares = [100 * run["other"][f"{kind} 1-10"] for kind in ("written right", "tokens written right")]
    (line,) = [line for line in longreach(*command).out.splitlines() if line.startswith("seed 0 on its own")]
    assert f"1-10 {shares[0]:.2f} % ({shares[1]:.2f} %), 11-12 " in line
    (listed,) = longreach("results", "list", "--runs", tmp_path).out.splitlines()[1:]
    assert "ape+coupled+predicted" in listed
    assert "written right 11-12" in longreach("results", "show", run["key"], "--runs", tmp_path).out


def test_a_member_that_fails_gives_exit_code_1(longreach: Call, tmp_path: Path) -> None:
    command = ("train", "parity", *SMALL, "--lr", 1e30, "--runs", tmp_path)
    done = longreach(*command, "--json")
    assert done.code == 1
    (member,) = done.document["runs"]
    assert (member["status"], member["reached"], member["accuracy"]) == ("failed", False, {})
    assert member["steps"] < 300
    assert f"at step {member['steps']}" in member["error"]
    assert "at step" in longreach(*command).err


def test_without_torch(longreach: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    done = longreach("train", "sort")
    assert (done.code, done.out) == (2, "")
    assert done.first_error == "training needs the extra 'train': pip install 'longreach[train]'"


@pytest.mark.parametrize(("engine", "package"), [("ray", "ray"), ("slurm", "submitit")])
def test_without_the_package_of_an_engine(
    longreach: Call, monkeypatch: pytest.MonkeyPatch, engine: str, package: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    done = longreach("train", "sort", "--engine", engine, "--time-limit", 5)
    assert (done.code, done.out) == (2, "")
    needed = f"--engine {engine} needs the extra '{engine}': pip install 'longreach[{engine}]'"
    assert done.first_error == needed


def test_a_member_past_its_time_has_failed(longreach: Call, tmp_path: Path) -> None:
    done = longreach("train", "sort", "--time-limit", 1e-3, "--runs", tmp_path, "--json")
    assert done.code == 1
    (member,) = done.document["runs"]
    assert member["error"] == "ended after its time limit of 0.06 seconds"


@pytest.mark.slow
def test_search(longreach: Call, tmp_path: Path) -> None:
    fixed = ("--layers", 1, "--width", 16, "--lr", 1e-2, "--max-steps", 300, "--test-size", 100)
    command = ("train", "binary-majority", "--search", *fixed, "--train-lengths", "1:5", "--runs", tmp_path)
    assert longreach(*command, "--dry-run", "--json").document["jobs"] == 3
    done = longreach(*command, "--seeds", 2, "--json")
    assert done.code == 0
    document = done.document
    assert [member["heads"] for member in document["search"]] == [1, 2, 4]
    reached = [member for member in document["search"] if member["reached"]]
    assert reached
    best = max(member["accuracy"]["6-10"] for member in reached)
    first = next(member for member in reached if member["accuracy"]["6-10"] == best)
    assert document["chosen"]["heads"] == first["heads"]
    assert document["runs"][0]["key"] == first["key"]
    assert sum(member["reached"] for member in document["runs"]) == 2 or len(document["runs"]) == 6
    assert "heads" in longreach(*command).out.splitlines()[0]


@pytest.mark.slow
def test_search_without_success(longreach: Call, tmp_path: Path) -> None:
    fixed = ("--heads", 1, "--layers", 1, "--width", 16, "--max-steps", 2, "--test-size", 50)
    done = longreach(
        "train", "sort", "--search", *fixed, "--train-lengths", "3:5", "--runs", tmp_path, "--json"
    )
    assert done.code == 0
    document = done.document
    assert (len(document["search"]), document["chosen"], document["runs"]) == (2, None, [])
    assert done.err.splitlines()[1:] == ["no member of the search is right on the whole training range"]
    assert "judgement" not in document


@pytest.mark.slow
def test_several_members_are_summed_up_beside_the_forecast(longreach: Call, tmp_path: Path) -> None:
    command = ("train", "binary-majority", *SMALL, "--max-steps", 60, "--seeds", 3, "--runs", tmp_path)
    document = longreach(*command, "--json").document
    runs, found = document["runs"], document["summary"]
    reached = [each for each in runs if each["reached"]]
    assert (found["runs"], found["finished"], found["reached"]) == (3, 3, len(reached))
    assert found["success"] == len(reached) / 3
    assert found["forecast"] == "yes"
    for name, spread in found["accuracy"].items():
        shares = [each["accuracy"][name] for each in (reached or runs)]
        assert spread["mean"] == pytest.approx(sum(shares) / len(shares))
        assert (spread["low"], spread["high"]) == (min(shares), max(shares))
    text = longreach(*command).out
    assert re.search(f"^{len(reached)} of 3 runs (is|are) right on the whole training range$", text, re.M)
    assert document["judgement"]["words"] in text


# What a training has left, as shares right on the training range, twice and three times as long.
LEFT = {
    "opposite": [(1.0, 1.0, 1.0), (1.0, 0.6, 0.0), (1.0, 0.9, 0.0)],
    "alike": [(1.0, 1.0, 1.0), (1.0, 1.0, 0.9), (1.0, 1.0, 0.8)],
    "not learned": [(0.6, 0.0, 0.0), (0.4, 0.0, 0.0), (0.9, 0.0, 0.0)],
}


@pytest.mark.parametrize(
    ("left", "encoding", "state", "work", "lines"),
    [
        ("opposite", "ape", "contradicts", 1, ["no mean at 21-30: 1 of 3 runs works"]),
        ("opposite", "nope", "agrees", 1, ["no mean at 21-30: 1 of 3 runs works"]),
        ("alike", "ape", "agrees", 3, ["mean of all: 1-10 100.00 ± 0.00 %  11-20 100.00"]),
        ("alike", "nope", "contradicts", 3, ["a short window may already be enough: test on longer inputs"]),
        ("not learned", "nope", "not learned", 0, ["0 of 3 runs are right on the whole training range"]),
        ("alike", "rope", "cannot be judged", 3, ["theory has no forecast to compare it with"]),
    ],
)
def test_it_judges_itself_by_counting_runs(
    longreach: Call, tmp_path: Path, left: str, encoding: str, state: str, work: int, lines: list[str]
) -> None:
    command = ("train", "aa", "--encoding", encoding, *SMALL, "--seeds", 3, "--runs", tmp_path)
    planned = longreach(*command, "--dry-run", "--json").document
    for member, shares in zip(planned["members"], LEFT[left], strict=True):
        config = planned["config"] | {"seed": member["seed"]}
        accuracy = dict(zip(["1-10", "11-20", "21-30"], shares, strict=True))
        final = Final(steps=3, reached=shares[0] == 1.0, accuracy=accuracy)
        fields = {"key": member["key"], "config": config, "final": final}
        write_result(tmp_path, Result(**{**sample(member["seed"]).model_dump(), **fields}))
    found = longreach(*command, "--json").document["judgement"]
    assert (found["state"], found["runs"], found["work"]) == (state, 3, work)
    assert found["learned"] == sum(shares[0] == 1.0 for shares in LEFT[left])
    text = longreach(*command).out
    assert found["words"] in text
    for line in lines:
        assert line in text
    # A mean over runs that do opposite things is shown nowhere.
    assert ("21-30 33" in text) is False


@pytest.mark.parametrize("task", ["addition", "parity"])
def test_a_plan_for_the_paper_s_scale_says_how_to_ask_for_less(
    longreach: Call, tmp_path: Path, task: str
) -> None:
    done = longreach("train", task, "--scale", "paper", "--dry-run", "--runs", tmp_path)
    first, second, third = done.out.splitlines()
    assert first == "1 job: 0 done, 1 to run"
    assert re.fullmatch(r"at most about [\d.]+ (minutes|hours|days), if no run stops early", second)
    assert third.startswith("for less: --scale laptop")


def test_without_a_scale_a_member_is_for_this_machine(longreach: Call, tmp_path: Path) -> None:
    plan = ("--dry-run", "--json", "--runs", tmp_path)
    for task in ("addition", "regex:(ab)*"):
        config = longreach("train", task, *plan).document["config"]
        assert config == resolve(task).document() == resolve(task, scale="laptop").document()
    paper = longreach("train", "addition", "--scale", "paper", *plan).document["config"]
    assert (paper["layers"], paper["max_steps"], paper["stop_early"]) == (12, 60_000, True)


@pytest.mark.parametrize("command", ["train", "study", "ask", "advise"])
def test_runs_that_cannot_be_made_are_one_line(longreach: Call, tmp_path: Path, command: str) -> None:
    (tmp_path / "file").write_text("")
    words = {
        "train": ("train", "binary-majority", *SMALL),
        "study": ("study", "figure1", "--scale", "smoke", "--tasks", "aa"),
        "ask": ("ask", "aa", "--minutes", 0.01),
        "advise": ("advise", "parity", "--minutes", 0.01),
    }[command]
    runs = tmp_path / "file" / "runs"
    done = longreach(*words, "--runs", runs, "--json")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"--runs: {runs.parent}: not a directory\n"


def _train(capsys: pytest.CaptureFixture[str], runs: Path, *words: str) -> tuple[int, str, str]:
    code = run(["train", *words, "--runs", str(runs)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.slow
def test_losses_by_length(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("modp-task:p=2", "--scale", "smoke", "--seeds", "2", "--test-lengths", "9:9,20:24")
    code, out, _ = _train(capsys, tmp_path, *words, "--json")
    assert code == 0
    (one, other) = json.loads(out)["runs"]
    assert (one["seed"], other["seed"], one["task"]) == (0, 1, "modp-task:p=2,k=0")
    assert list(one["loss"]) == ["2-6", "9-9", "20-24"]
    assert {"L", "logit margin", "attention right", "attention wrong"} <= one["measured"].keys()
    code, out, _ = _train(capsys, tmp_path, *words)  # done before
    assert code == 0
    assert "the step budget" in out
    assert "mean squared error" in out
    file = json.loads((tmp_path / one["key"] / "result.json").read_text(encoding="utf-8"))
    assert file["final"]["accuracy"] == {}
    assert file["final"]["other"]["loss 9-9"] == one["loss"]["9-9"]


@pytest.mark.slow
def test_the_same_results_side_by_side(longreach: Call, tmp_path: Path) -> None:
    command = ("train", "parity", *SMALL, *FEWER, "--seeds", 3, "--json")
    alone = longreach(*command, "--runs", tmp_path / "a").document["runs"]
    done = longreach(*command, "--runs", tmp_path / "b", "--stack", 8, "--device", "cpu", "--workers", 1)
    assert done.code == 0
    beside = done.document["runs"]
    assert [each["key"] for each in beside] == [each["key"] for each in alone]
    for mine, yours in zip(alone, beside, strict=True):
        one, other = read_result(tmp_path / "a", mine["key"]), read_result(tmp_path / "b", yours["key"])
        assert (one.config, one.device, one.checkpoints) == (other.config, other.device, other.checkpoints)
        for row, again in zip(one.rows, other.rows, strict=True):
            assert row.loss == pytest.approx(again.loss, abs=1e-4)
    # Run again, stacked or not, there is nothing to do.
    assert longreach(*command, "--runs", tmp_path / "b").document["runs"] == beside


def test_logs_of_finished_runs(longreach: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[tuple[Path, list[int]]] = []

    def logger(name: str) -> Callable[[Path, Iterable[Result]], Path]:
        def write(runs: Path, results: Iterable[Result]) -> Path:
            written.append((runs, [result.rows[-1].step for result in results]))
            return runs / name

        return write

    monkeypatch.setattr("longreach.runs.logs.logger", logger)
    command = ("train", "parity", *SMALL, *FEWER, "--runs", tmp_path, "--log", "wandb")
    for _ in range(2):  # trained, and then read
        done = longreach(*command)
        assert done.code == 0
        assert f"logs in {tmp_path / 'wandb'}" in done.err.splitlines()
    assert written == [(tmp_path, [20])] * 2
    assert all((tmp_path / key / "log.csv").is_file() for key in os.listdir(tmp_path) if len(key) == 16)
