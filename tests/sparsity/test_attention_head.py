from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from longreach.errors import InputError
from longreach.sparsity.attention_head import AttentionHead, head_of_tables


def _literal(head: AttentionHead, tokens: tuple[int, ...]) -> np.ndarray:
    """Keys, query and values token by token."""
    read = [head.embedding[:, token] for token in tokens]
    query = head.query @ head.query_vector
    weights = np.exp([query @ (head.key @ each) for each in read])
    weights /= weights.sum()
    return head.output @ sum(weight * (head.value @ each) for weight, each in zip(weights, read, strict=True))


@pytest.mark.parametrize("seed", range(4))
def test_a_head_is_sparse_attention_with_one_token(seed: int) -> None:
    rng = np.random.default_rng(seed)
    inner, outer, count = 3, 2, 3
    head = AttentionHead(
        key=rng.normal(size=(inner, outer)), query=rng.normal(size=(inner, outer)),
        value=rng.normal(size=(inner, outer)), output=rng.normal(size=(outer, inner)),
        embedding=rng.normal(size=(outer, count)), query_vector=rng.normal(size=outer),
    )  # fmt: skip
    for length in (1, 2, 4):
        rows = np.array(list(product(range(count), repeat=length)))
        wanted = np.array([_literal(head, tuple(row)) for row in rows.tolist()])
        np.testing.assert_allclose(head.outputs(rows), wanted, atol=1e-12)
        np.testing.assert_allclose(head.as_sparse_attention().quotient(rows).values, wanted, atol=1e-12)


def test_any_tables_are_a_head_with_a_dimension_per_token() -> None:
    rng = np.random.default_rng(0)
    scores, values = rng.normal(size=4), rng.normal(size=(4, 2))
    found = head_of_tables(scores, values).as_sparse_attention()
    tokens = np.arange(4)[:, None]
    np.testing.assert_allclose(found.key.score(tokens + 1, tokens), scores)
    np.testing.assert_allclose(found.value.value(tokens)[:, :2], values)


def test_one_dimension_is_not_enough() -> None:
    """Scores and values are multiples of one row, whatever the matrices: (0, 1) and (1, 0) are not."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        parts = {name: rng.normal(size=(3, 1)) for name in ("key", "query", "value")}
        head = AttentionHead(
            **parts,
            output=rng.normal(size=(1, 3)),
            embedding=rng.normal(size=(1, 2)),
            query_vector=rng.normal(size=1),
        ).as_sparse_attention()
        tokens = np.arange(2)[:, None]
        both = np.stack([head.key.score(tokens, tokens), head.value.value(tokens)[:, 0]])
        assert abs(np.linalg.det(both)) < 1e-9


def test_shapes_are_checked() -> None:
    with pytest.raises(InputError, match="scores: a finite score for each token"):
        head_of_tables(np.array([0.0, -np.inf]), np.zeros((2, 1)))
    with pytest.raises(InputError, match=r"value: must have the shape \(2, 2\)"):
        AttentionHead(
            key=np.eye(2), query=np.eye(2), value=np.zeros((1, 2)), output=np.eye(2),
            embedding=np.eye(2), query_vector=np.zeros(2),
        )  # fmt: skip
