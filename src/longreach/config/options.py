"""How settings are spelled as options, for `longreach train` and for commands that reports show."""

from __future__ import annotations

from longreach.config.training import TrainConfig

SWITCHES: dict[str, tuple[str | None, str | None]] = {
    "stop_early": ("--stop-early", "--train-on"),
    "layer_norm": ("--layer-norm", "--no-layer-norm"),
    "log_length": ("--log-length", "--no-log-length"),
    "tied": ("--tied", "--untied"),
    "compile": ("--compile", "--no-compile"),
    "predict_ids": ("--predict-ids", None),
}
"""Settings that are true or false: the option for each, if there is one."""
FROM_PYTHON_ONLY = ("weight_decay", "clip")
"""Settings without an option."""


def option_name(field: str) -> str:
    """The option that a setting is known by.

    >>> option_name("train_lengths"), option_name("stop_early")
    ('--train-lengths', '--stop-early')
    """
    on, off = SWITCHES.get(field, (None, None))
    return on or off or f"--{field.replace('_', '-')}"


def usual(field: str) -> object:
    """The value of a setting that is not given, the same for all tasks.

    >>> usual("batch"), usual("offsets")
    (64, 'random')
    """
    return TrainConfig.model_fields[field].default
