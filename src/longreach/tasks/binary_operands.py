"""Two binary numbers with a sign between them and = behind them, read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longreach.errors import InputError


def binary_operands(name: str, x: Sequence[str], sign: str) -> tuple[str, str]:
    """The two numbers; = may be missing.

    >>> binary_operands("addition", "10+1=", "+")
    ('10', '1')
    >>> binary_operands("addition", "10+=", "+")
    Traceback (most recent call last):
    longreach.errors.InputError: addition: 1 0 + = is not two binary numbers with + between them
    """
    found = re.fullmatch(rf"([01]+){re.escape(sign)}([01]+)=?", "".join(x))
    if found is None:
        raise InputError(f"{name}: {' '.join(x)} is not two binary numbers with {sign} between them")
    return found[1], found[2]
