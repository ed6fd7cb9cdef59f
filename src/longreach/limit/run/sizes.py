"""How much memory the parameters of a transformer take, counted before it is taken."""

from __future__ import annotations

from collections.abc import Sequence

from longreach.errors import InputError

MAX_BYTES = 2 << 30
"""Of one transformer: what a laptop holds beside the copy that is written."""


def parameter_bytes(
    width: int, *, rows: int, layers: Sequence[tuple[int, int]], bytes_per_number: int = 8
) -> int:
    """Bytes of E, P and U with `rows` rows together, and of layers with so many (heads, MLP units).

    >>> parameter_bytes(10, rows=3, layers=[(1, 2)])
    2176
    """
    heads = sum(heads for heads, _ in layers)
    units = sum(units for _, units in layers)
    return bytes_per_number * (rows * width + 2 * heads * width**2 + units * (2 * width + 1))


def check_bytes(needed: int, what: str, most: int = MAX_BYTES) -> None:
    """Raises where that is too much; `what` begins the message.

    >>> check_bytes(3 << 40, "a table")
    Traceback (most recent call last):
    longreach.errors.InputError: a table needs 3,072.0 GiB of memory; the limit is 2.0 GiB
    """
    if needed > most:
        raise InputError(f"{what} needs {gibibytes(needed)} of memory; the limit is {gibibytes(most)}")


def gibibytes(count: int) -> str:
    """A number of bytes for people, however large.

    >>> gibibytes(3 << 29), gibibytes(10**40)
    ('1.5 GiB', 'about 10^31 GiB')
    """
    return f"{count / 2**30:,.1f} GiB" if count < 10**20 else f"{shown(count >> 30)} GiB"


def shown(number: int) -> str:
    """A number, or its size where it has too many digits to read.

    >>> shown(1234), shown(7**40)
    ('1234', 'about 10^34')
    """
    return str(number) if number < 10**15 else f"about 10^{int(number.bit_length() * 0.30103)}"
