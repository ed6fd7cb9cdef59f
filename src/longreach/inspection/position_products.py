"""Product functions of positions of a trained decoder: p_jᵀ KᵀQ p_i of every head, and those through V.

Rows are queries i, columns keys j, as Equations 80 and 81 of Huang et al. (arXiv 2410.02140) read them. The
factor 1/√(head width) of the logits belongs to KᵀQ, log |x| does not. Where positions are no vectors, what
the encoding adds to the logits stands in the place of the product.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import torch

from longreach.config.decoder import DecoderConfig
from longreach.inspection.folded_norms import FoldedModel
from longreach.inspection.traced_forward import Trace
from longreach.limit.model import Array
from longreach.models.encoding_lookup import ENCODING_MODULES
from longreach.models.parameters import Parameters

Path = tuple[tuple[int, int], ...]
MOST_PRODUCTS = 64
"""Products through value matrices of one head that are looked at."""


@dataclass(frozen=True, eq=False)
class PositionProduct:
    """One product function: a head, and the value matrices that keys and queries passed before."""

    layer: int
    head: int
    matrix: Array
    key_path: Path = ()
    query_path: Path = ()

    @property
    def name(self) -> str:
        """As people read it.

        >>> PositionProduct(1, 0, np.zeros((1, 1)), key_path=((0, 2),)).name
        'layer 1 head 0, keys through V of layer 0 head 2'
        """
        through = [
            f"{who} through {' and '.join(f'V of layer {layer} head {head}' for layer, head in path)}"
            for who, path in (("keys", self.key_path), ("queries", self.query_path))
            if path
        ]
        return ", ".join([f"layer {self.layer} head {self.head}", *through])


def has_position_functions(config: DecoderConfig) -> bool:
    """Whether the encoding adds vectors to tokens, or numbers to logits: else there is nothing to read.

    >>> made = {"layers": 1, "heads": 1, "width": 4, "vocabulary": 3, "positions": 8}
    >>> [has_position_functions(DecoderConfig(**made, encoding=name)) for name in ("ape", "t5", "nope")]
    [True, True, False]
    """
    found = type(ENCODING_MODULES[config.encoding])
    plain = ENCODING_MODULES["nope"]
    return found.embed is not type(plain).embed or found.bias is not type(plain).bias


def position_products(
    model: FoldedModel,
    parameters: Parameters,
    *,
    size: int | None = None,
    only: Collection[tuple[int, int]] | None = None,
) -> Iterator[PositionProduct]:
    """p_jᵀ KᵀQ p_i of every head, or of some, for the first `size` positions, by layer and head."""
    config = model.config
    number = config.positions if size is None else min(size, config.positions)
    vectors = np.zeros((number, config.width)) if model.positions is None else model.positions[:number]
    for layer, folded in enumerate(model.layers):
        added = _added(parameters, config, layer, number)
        for head, each in enumerate(folded.heads):
            if only is None or (layer, head) in only:
                yield PositionProduct(layer, head, each.product(vectors, vectors) + added[head])


def value_products(model: FoldedModel, *, size: int | None = None) -> Iterator[PositionProduct]:
    """The products in which positions have passed a value matrix of a lower layer, as keys, queries or both.

    At most MOST_PRODUCTS for a head, those of the nearest layers; none where positions are no vectors.
    """
    if model.positions is None:
        return
    vectors = model.positions[: size or len(model.positions)]
    for layer, folded in enumerate(model.layers):
        below = [(low, head) for low in reversed(range(layer)) for head in range(model.config.heads)]
        passed = {
            (low, head): model.layers[low].heads[head].passed(vectors) for low, head in below[:MOST_PRODUCTS]
        }
        ways: list[tuple[Path, Array]] = [((), vectors), *(((each,), v) for each, v in passed.items())]
        pairs = [pair for pair in product(ways, ways) if pair[0][0] or pair[1][0]]
        pairs.sort(key=lambda pair: len(pair[0][0]) + len(pair[1][0]))
        for head, each in enumerate(folded.heads):
            for (key_path, keys), (query_path, queries) in pairs[:MOST_PRODUCTS]:
                yield PositionProduct(layer, head, each.product(keys, queries), key_path, query_path)


def _added(parameters: Parameters, config: DecoderConfig, layer: int, size: int) -> Array:
    """What the encoding adds to the logits of each head."""
    ids = torch.arange(size)
    found = ENCODING_MODULES[config.encoding].bias(parameters, config, layer, ids, ids)
    if found is None:
        return np.zeros((config.heads, 1, 1))
    return np.asarray(found.detach().double().numpy())


def mean_logits(found: Trace, first: int = 0) -> list[Array]:
    """By layer, (heads, queries, keys): logits averaged over rows of one length, without each query's mean.

    A softmax does not see what all keys of a query have in common. Places before `first` are left out.
    """
    return [
        _centred(layer.detach().double().mean(dim=0).numpy()[:, first:, first:]) for layer in found.logits
    ]


def logits_of_weights(weights: Array) -> Array:
    """Logits, but for a constant per query, from weights (rows, heads, queries, keys), averaged over rows.

    Weights that came out as 0 count as the least number that is not.

    >>> found = logits_of_weights(np.array([[[[1.0, 0.0], [0.2, 0.8]]]]))
    >>> bool(np.isclose(found[0, 1, 1] - found[0, 1, 0], np.log(4)))
    True
    """
    logs = np.log(np.maximum(weights, np.finfo(np.float32).tiny))
    causal = np.tri(weights.shape[-1], dtype=bool)
    # Centred before the mean over rows: constants of each row of data are as arbitrary.
    return np.asarray(_centred(np.where(causal, logs, 0.0)).mean(axis=0))


def _centred(logits: Array) -> Array:
    """Without the mean over the keys up to each query, and 0 beyond."""
    size = logits.shape[-1]
    causal = np.tri(size, dtype=bool)
    sums = np.where(causal, logits, 0.0).sum(axis=-1, keepdims=True)
    return np.where(causal, logits - sums / np.arange(1, size + 1)[:, None], 0.0)
