"""Engines by name: what goes together, and what is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from longreach.errors import InputError, MissingExtra
from longreach.execution.engines import ENGINES, OPTIONS, EngineOptions, make_engine
from longreach.execution.local import LocalEngine, cores
from longreach.execution.ray import RayEngine
from longreach.execution.slurm import SlurmEngine


@pytest.fixture(autouse=True)
def _packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if all packages were there; engines that do not run do not look into them."""
    for package in ("ray", "submitit"):
        monkeypatch.setitem(sys.modules, package, sys)


def test_engines_have_the_options() -> None:
    options = EngineOptions(workers=3, time_limit=60)
    assert make_engine("local", options, jobs=9, runs="runs") == LocalEngine(workers=3, time_limit=60)
    assert make_engine("local", EngineOptions(), jobs=1, runs="runs") == LocalEngine(workers=1)
    assert make_engine("local", EngineOptions(), jobs=0, runs="runs") == LocalEngine(workers=1)
    here = make_engine("ray", EngineOptions(), jobs=1000, runs="runs")
    assert here == RayEngine(workers=cores())
    cluster = EngineOptions(address="auto", gpus=0.5, time_limit=60)
    assert make_engine("ray", cluster, jobs=9, runs="runs") == RayEngine(
        address="auto", gpus=0.5, time_limit=60
    )
    submitted = make_engine("slurm", EngineOptions(partition="long", time_limit=60), jobs=9, runs="runs")
    assert submitted == SlurmEngine(folder=Path("runs/slurm"), time_limit=60, partition="long", workers=9)


@pytest.mark.parametrize("name", list(ENGINES))
@pytest.mark.parametrize("option", list(OPTIONS))
def test_options_of_other_engines_are_refused(name: str, option: str) -> None:
    value = {"address": "auto", "gpus": 1, "partition": "long"}[option]
    options = EngineOptions(time_limit=60, **{option: value})  # type: ignore[arg-type]
    if name in OPTIONS[option]:
        assert getattr(make_engine(name, options, jobs=1, runs="runs"), option) == value
    else:
        with pytest.raises(InputError, match=f"^{option}: only for --engine {OPTIONS[option][0]}"):
            make_engine(name, options, jobs=1, runs="runs")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("rai", EngineOptions(), "no engine named 'rai'; did you mean 'ray'"),
        ("local", EngineOptions(time_limit=0), "time_limit: must be more than 0 minutes, not 0"),
        ("slurm", EngineOptions(), "time_limit: Slurm has to know how many minutes a job may take"),
        ("slurm", EngineOptions(time_limit=9, gpus=0.5), "gpus: 0.5 is not a whole number of GPUs"),
        ("ray", EngineOptions(gpus=1.5), "gpus: 1.5 is neither a whole number nor a part of one"),
        ("ray", EngineOptions(address="here"), "address: 'here' is not one of auto, host:port and"),
    ],
)
def test_bad_options(name: str, options: EngineOptions, message: str) -> None:
    with pytest.raises(InputError) as caught:
        make_engine(name, options, jobs=1, runs="runs")
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize(("name", "package"), [("ray", "ray"), ("slurm", "submitit")])
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, name: str, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra) as caught:
        make_engine(name, EngineOptions(time_limit=60), jobs=1, runs="runs")
    assert caught.value.message == (
        f"--engine {name} needs the extra '{name}': pip install 'longreach[{name}]'"
    )
