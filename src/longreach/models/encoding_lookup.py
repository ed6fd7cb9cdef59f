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


def ignores_offsets(encoding: str) -> bool:
    """Whether the same ids, all of them shifted, give the same numbers: there are none, or distances count.

    Those of RoPE are the same but for rounding, and do not count as such.

    >>> [name for name in ENCODING_MODULES if ignores_offsets(name)]
    ['nope', 'alibi', 't5', 'coupled-local']
    """
    found = type(ENCODING_MODULES[encoding])
    if found.embed is not Encoding.embed or found.turn is not Encoding.turn:
        return False
    return found.relative or found.bias is Encoding.bias
