"""Benchmarks load, and compare the same work: a change of the engine must not leave them behind."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from benchmarks import bench_architectures, bench_regression

MODULES = sorted(path.stem for path in Path(bench_regression.__file__).parent.glob("bench_*.py"))


@pytest.mark.parametrize("name", MODULES)
def test_it_loads(name: str) -> None:
    assert callable(importlib.import_module(f"benchmarks.{name}").rows)


def test_the_plain_loop_of_numbers_has_the_outputs_of_the_engine() -> None:
    assert bench_regression._loss_difference() < 1e-5


@pytest.mark.parametrize("name", ["lstm 2×16", "an own module 2×16"])
def test_the_plain_loop_of_modules_has_the_losses_of_the_engine(name: str) -> None:
    config = bench_architectures._config(name, train_lengths=(1, 10), batch=16)
    assert bench_architectures.loss_difference(config, steps=5) < 1e-5
