"""Tests of `runs.resolve`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from longreach.cli.main import input_message
from longreach.config.run import RunConfig
from longreach.config.scales import SCALES, Scale
from longreach.errors import Argument, Field, InputError
from longreach.runs.plan import plan
from longreach.runs.resolve import resolve
from longreach.runs.train import engine_maker, stacked_maker, train
from longreach.studies.census.members import settings
from longreach.training.setup import decoder_of

NUMBERS = {"task": "simple-task"}
OWN = {"architecture": "mine:make"}


def test_scales() -> None:
    paper = resolve("simple-task:omega=4", scale="paper")
    assert (paper.batch, paper.max_steps, paper.train_lengths.name) == (1024, 100_000, "1-50")
    assert resolve("modp-task:p=8").train_lengths.name == "8-20"
    assert resolve("modp-task:p=64").train_lengths.name == "64-128"
    assert resolve("in-context-kgram:S=3,k=2").batch == 128
    assert resolve("simple-task", log_length=True).key != resolve("simple-task").key


@pytest.mark.parametrize("task", ["modp-task:p=5,k=2", "sort"])
def test_a_document_is_read_back(task: str) -> None:
    config = resolve(task, seed=3)
    assert RunConfig.read(config.document()) == config
    assert config.with_seed(3).key == config.key != resolve(task, seed=4).key
    with pytest.raises(InputError, match="target_los: no such option; did you mean 'target_loss'"):
        RunConfig.read({**config.document(), "target_los": 1.0})


@pytest.mark.slow
def test_both_kinds_of_members_are_planned_and_trained_together(tmp_path: Path) -> None:
    numbers = [resolve("simple-task", scale="smoke", seed=seed) for seed in range(2)]
    tokens = resolve("binary-majority", scale="smoke", max_steps=3)
    members: list[RunConfig] = [numbers[0], tokens, numbers[1]]
    make = stacked_maker(engine_maker("local", tmp_path), "cpu", 2)
    planned = plan(members, tmp_path, engine=make)
    assert planned.pending == 3
    assert planned.seconds_at_most is not None
    results = train(members, tmp_path, engine=make)
    assert [result.status for result in results] == ["done"] * 3
    assert [bool(result.final and result.final.accuracy) for result in results] == [False, True, False]
    assert all((tmp_path / member.key / "model.safetensors").exists() for member in members)
    assert plan(members, tmp_path).pending == 0


def test_published_values_are_those_of_the_paper_s_scale() -> None:
    config = resolve("copy-unique", scale="paper")
    assert (config.layers, config.heads, config.width, config.lr, config.max_steps) == (
        2,
        1,
        64,
        1e-3,
        30_000,
    )
    assert (config.batch, config.weight_decay, config.clip, config.test_size) == (64, 0.01, 1.0, 2000)
    assert decoder_of(config).positions == 302
    other = resolve("addition", scale="paper")
    assert (other.layers, other.warmup, other.train_lengths) == (12, 3000, (4, 50))
    for encoding in ("ape", "nope"):
        assert resolve("addition", encoding, scale="paper", max_steps=6000).warmup == 300


def test_a_modulus_is_said_once() -> None:
    assert resolve("aa", encoding="reach(modulus=2)", reach_modulus="task").reach_modulus == 2
    with pytest.raises(InputError, match=r"^reach_modulus: 'reach\(modulus=3\)' says 3$"):
        resolve("aa", encoding="reach(modulus=3)", reach_modulus=4)


def test_values_without_an_entry() -> None:
    config = resolve("regex:(ab)*", scale="paper", alphabet=("a", "b"))
    assert (config.layers, config.heads, config.width, config.lr) == (2, 2, 64, 1e-3)


def test_a_regular_language_has_the_setting_of_the_census() -> None:
    config = resolve("regex:(ab)*")
    census = settings().setting.given
    chosen = ("layers", "heads", "width", "lr", "batch", "max_steps", "schedule", "log_length", "penalty")
    assert [getattr(config, name) for name in chosen] == [census[name] for name in chosen]
    assert (config.train_lengths.last, config.test_lengths[-1].name) == (20, "41-60")


@pytest.mark.parametrize("task", ["dyck-1", "d-7", "crasp:lib:dyck-1", "parity-language"])
def test_a_task_outside_the_table_has_a_setting_for_this_machine(task: str) -> None:
    config = resolve(task)
    assert (config.layers, config.heads, config.width, config.max_steps) == (2, 4, 64, 3000)
    assert (config.train_lengths.last, config.test_lengths[-1].name) == (20, "41-60")
    assert (config.stop_early, config.test_size) == (False, 1000)


def test_a_task_whose_inputs_are_long_learns_from_those() -> None:
    config = resolve("regex:a{30}a*")
    assert (config.train_lengths, config.test_lengths[-1].last) == ((30, 60), 180)


@pytest.mark.parametrize(("steps", "between"), [(9, 1), (200, 20), (10**5, 500)])
def test_a_shorter_run_is_looked_at_ten_times(steps: int, between: int) -> None:
    assert resolve("aa", max_steps=steps).evaluate_every == between


@pytest.mark.parametrize("scale", SCALES)
def test_what_is_given_goes_before_the_scale(scale: Scale) -> None:
    config = resolve("sort", scale=scale, max_steps=7, warmup=0, train_lengths=(2, 9), penalty=0.5)
    assert (config.max_steps, config.penalty, config.train_lengths.name) == (7, 0.5, "2-9")
    assert [lengths.name for lengths in config.test_lengths] == ["10-18", "19-27"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"task": "sotr"}, "TASK: no task named 'sotr'; did you mean 'sort'"),
        ({"encoding": "rop"}, "--encoding: unknown encoding 'rop'; did you mean 'rope'"),
        ({"encoding": "coupled"}, "--encoding: sort has no position ids of its own"),
        ({"position_ids": "coupled"}, "--position-ids: sort has no position ids of its own"),
        ({"predict_ids": True}, "--predict-ids: sort has no position ids of its own"),
        (
            {"max_position": 20, "train_lengths": (1, 5), "test_lengths": ((6, 10),)},
            "--max-position: 20 position ids are too few for inputs of 22 tokens, at length 10",
        ),
        (
            {"task": "reverse", "encoding": "coupled", "max_position": 60, "test_lengths": ((21, 60),)},
            "--max-position: 60 position ids are too few for the task's own, 61 are needed",
        ),
        ({"width": 10, "heads": 4}, "--width: 10 is not a multiple of 4 heads"),
        ({"width": 6, "heads": 2, "encoding": "rope"}, "--encoding: rope needs an even width per head"),
        ({"lr": 0.0}, "--lr: must be more than 0, not 0.0"),
        ({"lr": float("nan")}, "--lr: "),
        ({"batch": 0}, "--batch: "),
        ({"seed": -1}, "--seed: "),
        ({"warmup": 100, "max_steps": 100}, "--warmup: 100 steps of warm-up leave none of 100"),
        ({"train_lengths": (9, 3)}, "--train-lengths: 9:3 has no length"),
        ({"train_lengths": (1, 50), "test_lengths": ((1, 50),)}, "--test-lengths: the range 1:50 appears"),
        ({"test_lengths": ((151, 200),)}, "--test-lengths: sort: no input has a length in 151:200"),
        ({"task": "dyck-1", "train_lengths": (3, 3)}, "--train-lengths: dyck-1: no input has a length"),
        ({"encoding": "randomized", "offsets": "none"}, "--offsets: 'randomized' draws its position ids"),
        ({"encoding": "nope", "penalty": 0.1}, "--penalty: 'nope' has no learned positions"),
        ({"encoding": "mlp", "layers": 3}, "--layers: 'mlp' has 2"),
        ({"encoding": "mlp", "penalty": 0.1}, "--penalty: only for a transformer, not for 'mlp'"),
        ({"no_such": 1}, "--no-such: no such option"),
        ({"task": "simple-tusk"}, "TASK: no task named 'simple-tusk'; did you mean 'simple-task'"),
        ({**NUMBERS, "penalty": 1.0}, "--penalty: cannot be used with simple-task:omega=1, whose"),
        ({**NUMBERS, "batch": 0}, "--batch: must be at least 1, not 0"),
        ({**NUMBERS, "layers": 3}, "--layers: simple-task has 1, not 3"),
        ({**NUMBERS, "train_lengths": (5, 3)}, "--train-lengths: 5:3 has no length, the first is above"),
        ({**NUMBERS, "train_lengths": (0, 3)}, "--train-lengths: 0:3: simple-task:omega=1 has sequences of"),
        ({**NUMBERS, "test_lengths": ((9, 9), (9, 9))}, "--test-lengths: the range 9:9 appears twice"),
        ({"task": "in-context-kgram", "log_length": True}, "--log-length: only for models of one layer"),
        ({**OWN, "model_options": {"gate": object()}}, "--model-option: gate: <object object"),
        ({**OWN, "model_options": {"gate": float("nan")}}, "--model-option: gate: nan is not a JSON value"),
        ({**OWN, "model_options": {"vocabulary": 3}}, "--model-option: vocabulary is not an option"),
        (
            {"architecture": "looped", "model_options": {"loops": 10**6}},
            '--model-option: looped: loops must be a whole number from 1 to 1000 or "log", not 1000000',
        ),
        (
            {"architecture": "lstm", "model_options": {"state_passing": "half"}},
            '--model-option: lstm: state_passing must be a number, not "half"',
        ),
        ({"architecture": "hf:missing.json"}, "--model: missing.json: no such file"),
        ({"architecture": "hf:missing/"}, "--model: missing/: no such file or directory; nothing"),
    ],
)  # fmt: skip
def test_bad_options_are_one_line(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        resolve(**{"task": "sort", **given})
    assert input_message(caught.value).startswith(message)  # as the command line says it
    assert "\n" not in caught.value.message


def test_default_tests_without_inputs_say_what_they_are() -> None:
    shorter = "sort: no input has a length in 161:240, the longest of shorter ones is 150"
    with pytest.raises(InputError) as caught:
        resolve("sort", train_lengths=(1, 80))
    assert caught.value.message == f"test_lengths: {shorter}; this is the default after training to 80"
    with pytest.raises(InputError) as caught:
        resolve("sort", train_lengths=(1, 80), test_lengths=((161, 240),))
    assert caught.value.message == f"test_lengths: {shorter}"


def test_from_python_errors_name_the_field() -> None:
    with pytest.raises(InputError) as caught:
        resolve("sort", train_lengths=(9, 3))
    assert caught.value.place == Field("train_lengths")
    assert str(caught.value) == "train_lengths: 9:3 has no length, the first is above the last"
    with pytest.raises(InputError, match=r"^task: no task named 'sotr'") as caught:
        resolve("sotr")
    assert caught.value.place == Argument("task")
