from __future__ import annotations

import pytest

from longreach.studies.coupling.curves import Claim, above, at_least, leads


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        (above("a", [0.9, 0.8], [0.6, 0.7], 0.1), True),
        (above("a", [0.9, 0.8], [0.6, 0.75], 0.1), False),
        (above("a", [0.9, None], [0.6], 0.1), None),
        (above("a", [], [0.6], 0.1), None),
        (leads("a", [0.9, 0.5], [0.8, 0.4], 0.1), True),
        (leads("a", [0.9, 0.5], [0.8, 0.45], 0.1), False),
        (leads("a", [0.9, None], [0.8, 0.4], 0.1), None),
        (at_least("a", [0.9, 0.8], 0.8), True),
        (at_least("a", [0.9, 0.7], 0.8), False),
        (at_least("a", [0.9, None], 0.8), None),
    ],
)
def test_claims(claim: Claim, holds: bool | None) -> None:
    assert claim.holds is holds
