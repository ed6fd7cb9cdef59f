"""The command line that makes the runs of a cell again, where the configuration tells it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from longreach.report.text import printable

# Settings that are named whatever they are: their defaults depend on the task.
_ALWAYS = ("layers", "heads", "width", "lr", "max_steps", "warmup", "test_size", "evaluate_every")
# The others are named when they are not these.
_USUAL: dict[str, Any] = {
    "batch": 64, "schedule": "linear", "offsets": "random", "dtype": "float32", "penalty": 0.0,
}  # fmt: skip
_SWITCHES = {
    ("stop_early", False): "--train-on", ("layer_norm", False): "--no-layer-norm",
    ("log_length", True): "--log-length", ("tied", False): "--untied",
    ("compile", True): "--compile", ("compile", False): "--no-compile",
}  # fmt: skip
# Settings without an option: another value can only come from Python.
_FIXED = {"weight_decay": 0.01, "clip": 1.0}
_REST = ("task", "alphabet", "encoding", "train_lengths", "test_lengths")
_KNOWN = {*_ALWAYS, *_USUAL, *_FIXED, *_REST, *(name for name, _ in _SWITCHES)}


def train_command(config: Mapping[str, Any], seeds: Sequence[int | None]) -> str | None:
    """The command for the runs with a configuration and these seeds; None if there is none.

    >>> train_command({"task": "parity"}, [0]) is None
    True
    """
    if set(config) != _KNOWN or any(config[name] != value for name, value in _FIXED.items()):
        return None
    task, alphabet = config["task"], config["alphabet"]
    numbers = sorted(seed for seed in seeds if seed is not None)
    if not numbers or not isinstance(task, str):
        return None
    words = ["longreach", "train", task, "--encoding", str(config["encoding"])]
    if alphabet is not None:
        if not isinstance(alphabet, list) or any(len(str(letter)) != 1 for letter in alphabet):
            return None
        words += ["--alphabet", "".join(alphabet)]
    for name in _ALWAYS:
        words += [_option(name), _number(config[name])]
    for name, usual in _USUAL.items():
        words += [] if config[name] == usual else [_option(name), _number(config[name])]
    words += [text for (name, value), text in _SWITCHES.items() if config[name] is value]
    try:
        words += ["--train-lengths", _range(config["train_lengths"])]
        words += ["--test-lengths", ",".join(map(_range, config["test_lengths"]))]
    except (TypeError, ValueError):
        return None
    in_order = numbers == list(range(len(numbers)))
    words += ["--seeds", str(len(numbers))] if in_order else ["--seed", str(numbers[0])]
    return command(*words)


def command(*words: str) -> str | None:
    """A command line for a shell; None where a word would not be shown as it is, or pass for an option.

    >>> command("longreach", "forecast", "regex:(a|b)*; rm -rf ~")
    "longreach forecast 'regex:(a|b)*; rm -rf ~'"
    """
    task = words[2] if len(words) > 2 else ""
    if task.startswith("-") or any(printable(word) != word or "\n" in word for word in words):
        return None
    return shlex.join(words)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _number(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)


def _range(lengths: Any) -> str:
    first, last = lengths
    return f"{first}:{last}"
