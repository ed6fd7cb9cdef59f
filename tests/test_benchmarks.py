"""Benchmarks load, and compare the same work: a change of the engine must not leave them behind."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from benchmarks import bench_regression

MODULES = sorted(path.stem for path in Path(bench_regression.__file__).parent.glob("bench_*.py"))


@pytest.mark.parametrize("name", MODULES)
def test_it_loads(name: str) -> None:
    assert callable(importlib.import_module(f"benchmarks.{name}").rows)


def test_the_plain_loop_of_numbers_has_the_outputs_of_the_engine() -> None:
    assert bench_regression._loss_difference() < 1e-5
