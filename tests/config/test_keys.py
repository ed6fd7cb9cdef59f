"""Keys name results on disk: a change of the code must not give an old configuration another one."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from longreach.config.keys import KEY, canonical_json, job_key
from longreach.config.training import TrainConfig
from longreach.errors import InputError
from longreach.experiments.resolve import resolve

RUNS = Path(__file__).parents[2] / "results" / "laptop"


def test_committed_runs_have_the_keys_of_their_directories() -> None:
    files = sorted(RUNS.glob("*/result.json"))
    assert len(files) >= 150
    for file in files:
        document = json.loads(file.read_text(encoding="utf-8"))["config"]
        config = TrainConfig.read(document)
        assert config.key == file.parent.name
        assert config.document() == document


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"task": "sort"}, "90f431fa188ff4c0"),
        ({"task": "addition", "encoding": "rope", "seed": 7}, "9b33438757afd97b"),
        ({"task": "regex:(ab)*", "encoding": "nope", "alphabet": ("a", "b")}, "e98fc9faccb126d8"),
        ({"task": "crasp:lib:tomita-1", "max_steps": 100, "penalty": 1e-4}, "a124162adbbf968f"),
        (
            {"task": "dyck-1", "train_lengths": (2, 8), "test_lengths": ((9, 12), (13, 20))},
            "dbda257ace8f4b5e",
        ),
    ],
)
def test_keys_of_published_configurations(given: dict[str, Any], key: str) -> None:
    assert resolve(**given, scale="paper").key == key


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"task": "aa", "encoding": "ape", "seed": 4}, "ef1b004f7afeb38b"),
        ({"task": "addition", "encoding": "nope", "seed": 3}, "9791c1fc2b97d4d4"),
        ({"task": "sort", "seed": 5}, "f9474c892232c36d"),
    ],
)
def test_committed_runs_are_what_is_trained_where_nothing_is_said(given: dict[str, Any], key: str) -> None:
    assert resolve(**given).key == key
    assert (RUNS / key / "result.json").is_file()


TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
CONFIGS = st.dictionaries(TEXTS, VALUES, max_size=4)


def _reversed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _reversed(value[name]) for name in reversed(value)}
    return tuple(_reversed(entry) for entry in value) if isinstance(value, list) else value


@drawn(CONFIGS)
def test_the_key_does_not_depend_on_how_the_configuration_is_written(config: dict[str, Any]) -> None:
    key = job_key(config)
    assert KEY.fullmatch(key)
    assert job_key(_reversed(config)) == key
    assert job_key(json.loads(json.dumps(config, indent=3, ensure_ascii=False))) == key
    assert json.loads(canonical_json(config)) == config


@drawn(CONFIGS, CONFIGS)
def test_different_configurations_have_different_keys(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert (job_key(one) == job_key(other)) == (canonical_json(one) == canonical_json(other))


def test_numbers_are_the_same_however_they_are_written() -> None:
    assert job_key({"width": 16}) == job_key({"width": 16.0})
    assert job_key({"width": 0}) == job_key({"width": -0.0})
    assert job_key({"width": 1}) != job_key({"width": True})
    assert job_key({"width": 16}) != job_key({"width": "16"})
    assert canonical_json({"big": 1e300}) == '{"big":1e+300}'


def test_a_known_key_stays() -> None:
    # Results on disk are found by this: it must not change between versions.
    assert job_key({"task": "parity", "seed": 0}) == "9fa078c87fdbacac"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"lr": math.nan}, "config.lr: nan is not a JSON number"),
        ({"model": {"sizes": [1, math.inf]}}, "config.model.sizes[1]: inf is not"),
        ({1: 2}, "config: the name 1 is not a string"),
        ({"regex": "\udcff"}, r"config.regex: '\udcff' is not Unicode text"),
        ({"model": {"\udcff": 1}}, r"config.model: '\udcff' is not Unicode text"),
        ({"set": {1, 2}}, "config.set: set is not a JSON value"),
    ],
)
def test_what_json_cannot_hold_has_no_key(config: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        job_key(config)
    assert caught.value.message.startswith(message)
