"""A plain attention head is sparse functional attention with k = 1.

Golowich et al. (arXiv 2502.16792), Propositions 3.2 and B.1. The paper says that the two classes are equal;
heads of embedding dimension d are a part of the functional class with values in ℝ^d, but not all of it: with
d = 1 both scores and values are multiples of one row W_e, so that scores (0, 1) never go with values (1, 0).
With as many dimensions as tokens every table of scores and values is a head, which `head_of_tables` builds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longreach.errors import Field, InputError
from longreach.sparsity.distribution_ensemble import FloatArray, IntArray
from longreach.sparsity.sparse_attention import Key, SparseAttention, Value


@dataclass(frozen=True, kw_only=True, eq=False)
class AttentionHead:
    """One head with a fixed query; tokens are columns of the embedding.

    >>> head = head_of_tables(np.array([0.0, -np.log(3)]), np.array([[1.0], [0.0]]))
    >>> np.round(head.outputs(np.array([[0, 1], [1, 1]])), 6)[:, 0].tolist()
    [0.75, 0.0]
    """

    key: FloatArray
    """K (h × d)."""
    query: FloatArray
    """Q (h × d)."""
    value: FloatArray
    """V (h × d)."""
    output: FloatArray
    """O (d × h)."""
    embedding: FloatArray
    """W_e (d × tokens)."""
    query_vector: FloatArray
    """The embedding of the query (d,)."""

    def __post_init__(self) -> None:
        inner, outer = self.key.shape
        wanted = {"query": (inner, outer), "value": (inner, outer), "output": (outer, inner)}
        for name, shape in wanted.items():
            if getattr(self, name).shape != shape:
                raise InputError(f"must have the shape {shape}", place=Field(name))
        if self.embedding.shape[:1] != (outer,) or self.query_vector.shape != (outer,):
            raise InputError(f"must have {outer} rows, as the query vector", place=Field("embedding"))

    def outputs(self, tokens: IntArray) -> FloatArray:
        """Softmax attention as transformers compute it, one sequence in each row."""
        read = self.embedding.T[tokens]
        logits = (read @ self.key.T) @ (self.query @ self.query_vector)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        found: FloatArray = np.einsum("nt,nth->nh", weights, read @ self.value.T) @ self.output.T
        return found

    def as_sparse_attention(self) -> SparseAttention:
        """The same function as an element of ℋ^attn with k = 1."""
        scores = (self.query @ self.query_vector) @ self.key @ self.embedding
        values = (self.output @ self.value @ self.embedding).T
        return SparseAttention(
            Key("head", lambda places, tokens: scores[tokens[..., 0]], position_free=True),
            Value("head", lambda tokens: values[tokens[..., 0]]),
            sparsity=1,
        )


def head_of_tables(scores: FloatArray, values: FloatArray) -> AttentionHead:
    """A head whose tokens have these finite scores and these values, with a dimension per token at least."""
    count, width = values.shape
    if scores.shape != (count,) or not np.isfinite(scores).all():
        raise InputError("a finite score for each token is needed", place=Field("scores"))
    size = max(count, width)
    key, value, output = np.zeros((size, size)), np.eye(size), np.zeros((size, size))
    key[0, :count] = scores
    output[:width, :count] = values.T
    first = np.eye(size)[0]
    return AttentionHead(
        key=key,
        query=np.eye(size),
        value=value,
        output=output,
        embedding=np.eye(size)[:, :count],
        query_vector=first,
    )
