from __future__ import annotations

from typing import Any

import pytest

from longreach.errors import InputError
from longreach.training.config import TrainConfig


def test_published_values_are_the_defaults() -> None:
    config = TrainConfig.resolve("copy-unique")
    assert (config.layers, config.heads, config.width, config.lr, config.max_steps) == (
        2,
        1,
        64,
        1e-3,
        30_000,
    )
    assert (config.batch, config.weight_decay, config.clip, config.test_size) == (64, 0.01, 1.0, 2000)
    assert config.decoder.positions == 302
    other = TrainConfig.resolve("addition")
    assert (other.layers, other.warmup, other.train_lengths) == (12, 3000, (4, 50))
    assert TrainConfig.resolve("addition", max_steps=6000).warmup == 300


def test_values_without_an_entry() -> None:
    config = TrainConfig.resolve("regex:(ab)*", alphabet=("a", "b"))
    assert (config.layers, config.heads, config.width, config.lr) == (2, 2, 64, 1e-3)


def test_the_document_reads_back_and_names_the_key() -> None:
    config = TrainConfig.resolve("sort", seed=3)
    assert TrainConfig.read(config.document()) == config
    assert config.key == TrainConfig.read(config.document()).key
    assert config.key != TrainConfig.resolve("sort", seed=4).key


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"task": "sotr"}, "TASK: no task is named 'sotr'; did you mean 'sort'"),
        ({"encoding": "rop"}, "--encoding: unknown encoding 'rop'; did you mean 'rope'"),
        ({"encoding": "coupled"}, "--encoding: sort has no position ids of its own"),
        ({"width": 10, "heads": 4}, "--width: 10 is not a multiple of 4 heads"),
        ({"width": 6, "heads": 2, "encoding": "rope"}, "--encoding: rope needs an even width per head"),
        ({"lr": 0.0}, "--lr: Input should be greater than 0"),
        ({"lr": float("nan")}, "--lr: "),
        ({"batch": 0}, "--batch: "),
        ({"seed": -1}, "--seed: "),
        ({"warmup": 100, "max_steps": 100}, "--warmup: 100 steps of warm-up leave none of 100"),
        ({"train_lengths": (9, 3)}, "--train-lengths: 9:3 has no length"),
        ({"train_lengths": (1, 50), "test_lengths": ((1, 50),)}, "--test-lengths: the range 1:50 stands"),
        ({"test_lengths": ((151, 200),)}, "--test-lengths: sort: no input has a length in 151:200"),
        ({"task": "dyck-1", "train_lengths": (3, 3)}, "--train-lengths: dyck-1: no input has a length"),
        ({"encoding": "randomized", "offsets": "none"}, "--offsets: 'randomized' draws its position ids"),
        ({"encoding": "nope", "penalty": 0.1}, "--penalty: 'nope' has no learned positions"),
        ({"encoding": "mlp", "layers": 3}, "--layers: 'mlp' has 2"),
        ({"encoding": "mlp", "penalty": 0.1}, "--penalty: goes with a transformer, not with 'mlp'"),
        ({"no_such": 1}, "no_such: no such option"),
    ],
)  # fmt: skip
def test_bad_options_are_one_line(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        TrainConfig.resolve(**{"task": "sort", **given})
    assert caught.value.message.startswith(message)
    assert "\n" not in caught.value.message
