"""The code of each encoding of the table, by name."""

from __future__ import annotations

from importlib import import_module

from longreach.config.encoding_table import ENCODINGS, EncodingRow
from longreach.models.encoding_modules import Encoding


def _load(row: EncodingRow) -> Encoding:
    module, _, name = row.code.partition(":")
    made = getattr(import_module(f"longreach.models.{module}"), name)()
    assert isinstance(made, Encoding), row.code
    return made


ENCODING_MODULES: dict[str, Encoding] = {name: _load(row) for name, row in ENCODINGS.items()}
