"""The key of a configuration, which names its results: a hash of the one way to write it as JSON."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from longreach.errors import InputError

KEY = re.compile(r"[0-9a-f]{16}")
_SURROGATES = re.compile("[\ud800-\udfff]")  # how Python stands for bytes that are not text
_EXACT = 2.0**53  # up to here a float without a fraction and the integer are the same number


def canonical_json(config: Mapping[str, Any]) -> str:
    """One text for all ways to write the same configuration.

    >>> canonical_json({"width": 16.0, "task": "parity"})
    '{"task":"parity","width":16}'
    """
    return json.dumps(plain(config, "config"), sort_keys=True, separators=(",", ":"))


def job_key(config: Mapping[str, Any]) -> str:
    """The key of the job with this configuration: the beginning of the hash of its canonical JSON.

    >>> job_key({"task": "parity", "lr": 1e-3}) == job_key({"lr": 0.001, "task": "parity"})
    True
    """
    return hashlib.sha256(canonical_json(config).encode()).hexdigest()[:16]


def plain(value: Any, place: str) -> Any:
    """The value as JSON has it, each number in one way; what JSON cannot hold is refused by its place."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        if not value.isascii() and _SURROGATES.search(value):
            raise InputError(f"{place}: {value!a} is not Unicode text")
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{place}: {value} is not a JSON number")
        return int(value) if value.is_integer() and abs(value) < _EXACT else float(value)
    if isinstance(value, dict | Mapping):  # the first is much faster to tell
        for name in value:
            if not isinstance(name, str):
                raise InputError(f"{place}: the name {name!r} is not a string")
            plain(name, place)
        return {str(name): plain(entry, f"{place}.{name}") for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry, f"{place}[{number}]") for number, entry in enumerate(value)]
    raise InputError(f"{place}: {type(value).__name__} is not a JSON value")
