"""The full report on one model: heads, construction, limit transformer, failures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from longreach.errors import Argument, InputError
from longreach.inspection.attention import HeadMatch, Softness, compiled_construction, matches, softness
from longreach.inspection.failures import FailureAnalysis, analyse_failure
from longreach.inspection.limit import (
    LengthRow,
    LimitSize,
    LimitSummary,
    accuracy_by_length,
    cannot_be_limit,
    size_of,
    summarize,
    tried_lengths,
)
from longreach.inspection.models import (
    MOST_POSITIONS,
    RANDOM_LENGTH,
    RANDOM_ROWS,
    OutsideModel,
    Subject,
    data_for,
    load_outside,
    longest_of,
    random_tokens,
    vocabulary_of,
    weights_of,
)
from longreach.inspection.positions import (
    PeriodicFit,
    PositionProduct,
    WindowShift,
    diagonal_means,
    fit_positions,
    has_position_functions,
    logits_of_weights,
    mean_logits,
    offset_variance,
    position_products,
    total_variance,
    value_products,
    window_shift,
)
from longreach.inspection.trace import FoldedModel, Trace, trace_and_fold
from longreach.runs.cells import ByAccuracy
from longreach.theory.limit.model import Array

MOST_PROFILE = 512
"""Distances of which a document has the means."""
MOST_DRAWN = 4
"""Heads that are drawn as heat maps."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ProductReport:
    name: str
    offset_variance: float
    total_variance: float
    fit: PeriodicFit

    def document(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "offset_variance": self.offset_variance,
            "total_variance": self.total_variance,
            "shape": self.fit.shape,
            "tau": self.fit.local_to,
            "delta": self.fit.period,
            "unexplained": self.fit.unexplained,
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class HeadReport:
    """One head: the function of positions in its logits, and its weights on data."""

    layer: int
    head: int
    matrix: Array | None
    """Rows are queries; None for most heads of a large model."""
    offset_variance: float
    total_variance: float
    fit: PeriodicFit
    means: Array
    """By distance (Equation 80)."""
    shift: WindowShift
    softness: Softness

    @property
    def name(self) -> str:
        return f"{self.layer}.{self.head}"

    def document(self) -> dict[str, Any]:
        return {
            "layer": self.layer,
            "head": self.head,
            "offset_variance": self.offset_variance,
            "total_variance": self.total_variance,
            "fit": self.fit.document(),
            "mean_by_distance": [round(float(value), 6) for value in self.means[:MOST_PROFILE]],
            "windows": asdict(self.shift),
            "attention": asdict(self.softness),
        }


def report_head(
    product: PositionProduct, *, window: int, softness: Softness, trained: int | None
) -> HeadReport:
    """Analyse a head; windows are as long as a training input."""
    size = len(product.matrix)
    return HeadReport(
        layer=product.layer,
        head=product.head,
        matrix=product.matrix,
        offset_variance=offset_variance(product.matrix),
        total_variance=total_variance(product.matrix),
        fit=fit_positions(product.matrix),
        means=diagonal_means(product.matrix),
        shift=window_shift(product.matrix, min(trained or window, size)),
        softness=softness,
    )


def report_product(product: PositionProduct) -> ProductReport:
    """Analyse a product through value matrices."""
    return ProductReport(
        name=product.name,
        offset_variance=offset_variance(product.matrix),
        total_variance=total_variance(product.matrix),
        fit=fit_positions(product.matrix),
    )


def chosen_heads(heads: Sequence[HeadReport], number: int | None = None) -> tuple[HeadReport, ...]:
    """Heads spread evenly over the ranking by offset variance, both extremes included."""
    ranked = sorted(heads, key=lambda each: (-each.offset_variance, each.layer, each.head))
    places = np.unique(
        np.linspace(0, len(ranked) - 1, min(number or MOST_DRAWN, len(ranked))).round().astype(int)
    )
    return tuple(ranked[place] for place in places)


ROWS = 32
"""Inputs over which attention and variances are averaged."""
VALUE_POSITIONS = 256
VALUE_SHOWN = 12
"""Products through value matrices that are reported, those of the largest variance."""
MOST_VALUE_PRODUCTS = 2000
MOST_ENTRIES = 2**25
"""Of the matrices of all heads together; of a larger model only some are kept."""
MOST_PARAMETERS = 20_000_000
"""A larger model is not written as a limit transformer."""

Stage = Callable[[str], None]


@dataclass(frozen=True, eq=False, kw_only=True)
class Inspection:
    name: str
    kind: str
    facts: dict[str, Any]
    heads: tuple[HeadReport, ...]
    products_from: str
    """Where the matrices of the heads come from."""
    values: tuple[ProductReport, ...] = ()
    value_products: int = 0
    construction: tuple[HeadMatch, ...] = ()
    limit: LimitSize | None = None
    lengths: tuple[LengthRow, ...] = ()
    failure: FailureAnalysis | None = None
    remarks: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        return {
            "model": self.name,
            "kind": self.kind,
            **self.facts,
            "products_from": self.products_from,
            "heads": [each.document() for each in self.heads],
            "value_products": {
                "looked_at": self.value_products,
                "largest_offset_variance": [each.document() for each in self.values],
            },
            "construction": [each.document() for each in self.construction],
            "limit_transformer": None if self.limit is None else self.limit.document(),
            "accuracy_by_length": [asdict(each) for each in self.lengths],
            "failure": None if self.failure is None else self.failure.document(),
            "remarks": list(self.remarks),
        }


def inspect_subject(
    found: Subject,
    *,
    tokens: NDArray[np.int64] | None = None,
    seed: int = 0,
    rows: int = ROWS,
    inputs: int = 40,
    stage: Stage = lambda _: None,
) -> Inspection:
    """Look into a decoder; `tokens` are data where it has no task.

    `rows` are the inputs that attention is averaged over, `inputs` those of each length that is tried.
    """
    remarks = list(found.remarks)
    looked = _look(found, tokens, seed=seed, rows=rows, remarks=remarks, stage=stage)
    heads, products, seen, model = looked.heads, looked.products, looked.seen, looked.model
    size = min(_used_positions(found), MOST_POSITIONS)
    stage("reading the products through value matrices")
    passed = islice(value_products(model, size=min(size, VALUE_POSITIONS)), MOST_VALUE_PRODUCTS)
    kept = sorted(map(report_product, passed), key=lambda one: -one.offset_variance)
    summary, refusal = None, cannot_be_limit(found.config)
    if not products or _is_large(found):
        refusal = "too large to be written as one"
    if refusal is not None:
        remarks.append(f"no limit transformer: {refusal}")
    else:
        matrices, fits = [each.matrix for each in products], [each.fit for each in heads]
        summary = summarized(found, model, matrices, fits)
    inspection = Inspection(
        name=found.name,
        kind=found.kind,
        facts=_facts(found),
        heads=heads,
        products_from=looked.source,
        values=tuple(kept[:VALUE_SHOWN]),
        value_products=len(kept),
        limit=None if summary is None else size_of(summary, found, model),
        remarks=tuple(remarks),
    )
    if found.task is None or found.trained_to is None:
        return inspection
    stage("comparing attention with the task's construction")
    construction = _construction(found, looked.tokens, seen)
    stage("running the model and its limit transformer at longer lengths")
    lengths = accuracy_by_length(
        found, tried_lengths(found.task, found.trained_to), summary=summary, rows=inputs, seed=seed
    )
    stage("looking at the first errors")
    failure = analyse_failure(
        found, lengths, level=ByAccuracy(found.task.chance).level, products=products, inputs=inputs, seed=seed
    )
    return replace(inspection, construction=construction, lengths=lengths, failure=failure)


def inspect_heads(found: Subject) -> tuple[HeadReport, ...]:
    """The heads of a decoder, and nothing else of it."""
    return _look(found, None, seed=0, rows=ROWS, remarks=[], stage=lambda _: None).heads


@dataclass(frozen=True, eq=False, kw_only=True)
class _Looked:
    """The heads of a decoder, and what they were read from."""

    heads: tuple[HeadReport, ...]
    products: list[PositionProduct]
    """None of a large model."""
    source: str
    tokens: Tensor
    seen: Trace
    model: FoldedModel


def _look(
    found: Subject,
    tokens: NDArray[np.int64] | None,
    *,
    seed: int,
    rows: int,
    remarks: list[str],
    stage: Stage,
) -> _Looked:
    stage("running the model at its training length")
    length = found.trained_to or RANDOM_LENGTH
    given, mask = _data(found, length, rows, seed, tokens, remarks)
    seen, model = trace_and_fold(found.parameters, found.config, given, mask, whole=not _is_large(found))
    stage("reading the product functions of every head")
    size = min(_used_positions(found), MOST_POSITIONS)
    stream, source = _products(found, model, seen, size)
    window = min(given.shape[1], max(2, size // 2))
    whole = found.config.layers * found.config.heads * size**2 <= MOST_ENTRIES
    products, reported = [], []
    for each in stream:
        soft = softness(seen.weights[each.layer][:, each.head].double().numpy(), mask.numpy())
        head = report_head(each, window=window, softness=soft, trained=found.trained_size)
        reported.append(head if whole else replace(head, matrix=None))
        products += [each] if whole else []
    heads = tuple(reported) if whole else _with_matrices(found, model, reported, size)
    return _Looked(heads=heads, products=products, source=source, tokens=given, seen=seen, model=model)


def _is_large(found: Subject) -> bool:
    return sum(value.numel() for value in found.parameters.values()) > MOST_PARAMETERS


def limit_summary(found: Subject) -> LimitSummary:
    """The approximate limit transformer of a decoder that has one."""
    length = found.trained_to or RANDOM_LENGTH
    tokens, mask = data_for(found, length, ROWS, np.random.default_rng(0))
    seen, model = trace_and_fold(found.parameters, found.config, tokens, mask)
    size = min(_used_positions(found), MOST_POSITIONS)
    stream, _ = _products(found, model, seen, size)
    matrices = [each.matrix for each in stream]
    return summarized(found, model, matrices, [fit_positions(matrix) for matrix in matrices])


def _data(
    found: Subject,
    length: int,
    rows: int,
    seed: int,
    tokens: NDArray[np.int64] | None,
    remarks: list[str],
) -> tuple[Tensor, Tensor]:
    if tokens is not None:
        cut = torch.from_numpy(tokens[:rows, : found.config.positions])
        return cut, torch.ones(cut.shape, dtype=torch.bool)
    if found.task is None:
        rows = min(rows, 8)
        remarks.append("no task and no --tokens: averaged over uniformly random tokens")
    return data_for(found, length, rows, np.random.default_rng(seed))


def _used_positions(found: Subject) -> int:
    """Position ids that training reached: all of them if inputs had random offsets."""
    training = found.training
    if training is not None and training.offsets == "none" and found.trained_size is not None:
        return found.trained_size
    return found.config.positions


def _products(
    found: Subject, model: FoldedModel, seen: Trace, size: int
) -> tuple[Iterable[PositionProduct], str]:
    if has_position_functions(found.config):
        what = "p_jᵀ KᵀQ p_i" if model.positions is not None else "what the encoding adds to logits"
        return position_products(model, found.parameters, size=size), what
    # The first token of a task, SOS, is no other token's, and would look like a position.
    first = 0 if found.task is None else 1
    made = [
        PositionProduct(layer, head, matrix)
        for layer, logits in enumerate(mean_logits(seen, first))
        for head, matrix in enumerate(logits)
    ]
    return made, "logits averaged over inputs, as positions have no functions of their own"


def _with_matrices(
    found: Subject, model: FoldedModel, heads: Sequence[HeadReport], size: int
) -> tuple[HeadReport, ...]:
    """In a large model only the heads that are drawn get their matrices, computed again."""
    drawn = {(each.layer, each.head) for each in chosen_heads(heads)}
    matrices = {
        (each.layer, each.head): each.matrix
        for each in position_products(model, found.parameters, size=size, only=drawn)
    }
    return tuple(replace(each, matrix=matrices.get((each.layer, each.head))) for each in heads)


def summarized(
    found: Subject, model: FoldedModel, matrices: Sequence[Array], fits: Sequence[PeriodicFit]
) -> LimitSummary:
    """The approximate limit transformer from the product function of every head and its fit."""
    config = found.config
    if not has_position_functions(config):  # logits of data are no function of positions to go on with
        matrices = [np.zeros((3, 3))] * len(matrices)
        fits = [fit_positions(matrix) for matrix in matrices]
    layers = [slice(start, start + config.heads) for start in range(0, len(matrices), config.heads)]
    return summarize(
        found.parameters,
        model,
        [matrices[each] for each in layers],
        fits=[fits[each] for each in layers],
        trained_size=found.trained_size or config.positions,
    )


def _construction(found: Subject, tokens: Tensor, seen: Trace) -> tuple[HeadMatch, ...]:
    assert found.task is not None
    assert found.task_name is not None
    program = compiled_construction(found.task, found.task_name)
    if program is None:
        return ()
    few = min(len(tokens), 8)
    words = [found.task.decode(row)[1:] for row in tokens[:few].tolist()]
    weights: dict[tuple[int, int], Array] = {
        (layer, head): each[:few, head].double().numpy()
        for layer, each in enumerate(seen.weights)
        for head in range(found.config.heads)
    }
    return matches(program, words, weights)


def _facts(found: Subject) -> dict[str, Any]:
    config, result = found.config, found.result
    return {
        "task": found.task_name,
        "encoding": config.encoding,
        "layers": config.layers,
        "heads_per_layer": config.heads,
        "width": config.width,
        "positions": config.positions,
        "layer_norm": config.layer_norm,
        "log_length": config.log_length,
        "trained_to": found.trained_to,
        "seed": None if found.training is None else found.training.seed,
        "accuracy": None if result is None or result.final is None else dict(result.final.accuracy),
    }


SIZES = ("num_hidden_layers", "num_attention_heads", "num_key_value_heads", "hidden_size", "rope_theta")


def inspect_outside(
    model: OutsideModel,
    *,
    tokens: NDArray[np.int64] | None = None,
    seed: int = 0,
    stage: Stage = lambda _: None,
    module: Any = None,
) -> Inspection:
    """Inspect the attention of a Hugging Face model; `module` if it is already loaded."""
    stage(f"loading {model.path}")
    live = load_outside(model) if module is None else module
    remarks = ["positions are no vectors: logits are read from the weights, but for a constant per query"]
    longest = longest_of(live, RANDOM_LENGTH)
    if longest < 2:
        raise InputError(f"{model.path}: it reads {longest} tokens", place=Argument("model"))
    if tokens is None:
        remarks.append("no --tokens: averaged over uniformly random tokens")
        tokens = random_tokens(vocabulary_of(live), RANDOM_ROWS, longest, np.random.default_rng(seed))
    stage("reading its attention")
    heads = []
    for layer, weights in enumerate(weights_of(live, tokens[:, :longest])):
        for head, matrix in enumerate(logits_of_weights(weights)):
            heads.append(
                report_head(
                    PositionProduct(layer, head, matrix),
                    window=max(2, len(matrix) // 2),
                    softness=softness(weights[:, head]),
                    trained=None,
                )
            )
    sizes = {
        name: model.document[name] for name in SIZES if isinstance(model.document.get(name), int | float)
    }
    return Inspection(
        name=model.name,
        kind="huggingface",
        facts={"architecture": model.architecture, "task": None, "trained_to": None, **sizes},
        heads=tuple(heads),
        products_from="logits averaged over inputs, from the attention that the model returns",
        remarks=tuple(remarks),
    )
