"""The command line that makes the runs of a cell again, where the configuration tells it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from longreach.config.length_range import LengthRange, write_options
from longreach.config.options import FROM_PYTHON_ONLY, SWITCHES, option_name, usual
from longreach.config.task_name import TaskName
from longreach.config.training import RESOLVED, TrainConfig
from longreach.report.text import printable

# Settings that are named whatever they are: their defaults depend on the task, or tell what was measured.
_ALWAYS = ("layers", "heads", "width", "lr", "max_steps", "warmup", "test_size", "evaluate_every")
# Settings that are written in a way of their own.
_REST = ("task", "alphabet", "encoding", "train_lengths", "test_lengths", "seed")
_KNOWN = TrainConfig.model_fields.keys() - {"seed"}
# The others are named when they are not as usual.
_SELDOM = [
    name for name in TrainConfig.model_fields if name not in (*_ALWAYS, *_REST, *SWITCHES, *FROM_PYTHON_ONLY)
]


def train_command(config: Mapping[str, Any], seeds: Sequence[int | None]) -> str | None:
    """The command for the runs with a configuration and these seeds; None if there is none.

    >>> train_command({"task": "parity"}, [0]) is None
    True
    """
    usually: dict[str, Any] = {name: usual(name) for name in TrainConfig.later}
    config = usually | dict(config)
    if config.keys() != _KNOWN or any(config[name] != usual(name) for name in FROM_PYTHON_ONLY):
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
        words += [option_name(name), _number(config[name])]
    for name in _SELDOM:
        words += [] if config[name] == usual(name) else [option_name(name), _number(config[name])]
    words += [text for name in SWITCHES if (text := _switch(name, config[name])) is not None]
    try:
        words += ["--train-lengths", LengthRange(*config["train_lengths"]).option]
        words += ["--test-lengths", write_options(LengthRange(*each) for each in config["test_lengths"])]
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
    if TaskName(task).is_session:  # which no command can find
        return None
    if task.startswith("-") or any(printable(word) != word or "\n" in word for word in words):
        return None
    return shlex.join(words)


def _number(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)


def _switch(name: str, value: Any) -> str | None:
    """The option for a setting that is true or false, where it has to be named."""
    if value == usual(name) and name not in RESOLVED:
        return None
    on, off = SWITCHES[name]
    return on if value else off
