"""What is refused, in one line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from longreach.errors import InputError


def refusal(call: Callable[..., object], *arguments: object, **given: object) -> str:
    """The message that a call ends with, which must be a single line."""
    with pytest.raises(InputError) as caught:
        call(*arguments, **given)
    assert "\n" not in caught.value.message
    return caught.value.message
