"""How much fits into memory."""

from longreach.language_models.scorer import MEMORY, rows_at_once


def test_logits_fit_or_go_one_by_one() -> None:
    assert rows_at_once(10, 1000) * 10 * 1000 * 4 <= MEMORY
    assert rows_at_once(10**6, 10**6) == 1
