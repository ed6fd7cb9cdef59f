"""A decoder-only transformer of GPT-2's shape, as a function of parameters and arrays.

Pre-norm, GELU in its tanh form, biases, final layer norm, output matrix tied to the embedding by default
(Radford et al. 2019). `forward` has no control flow that depends on data: it runs under `torch.func.vmap`
over members and under `torch.compile`. Attention is causal, so padding on the right needs no mask.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from longreach.config.encodings import ENCODINGS, EncodingRow
from longreach.config.model import ModelConfig
from longreach.errors import InputError
from longreach.models.encodings import Encoding
from longreach.models.network import Cache, Inputs, Network, Outputs
from longreach.models.parameters import Initial, Parameters, check, draw, position_penalty, register

# The code of each encoding of the table, by name.


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


# A decoder-only transformer of GPT-2's shape, written once as a function of parameters and arrays.


_STD = 0.02
ID_MATRIX = "id_unembedding"
"""The output matrix whose labels are position ids."""
FEW_QUERIES = 4
# 2u of GELU's tanh form x · (1 + tanh u) / 2 = x · sigmoid(2u) (Hendrycks and Gimpel, arXiv 1606.08415).
GELU_LINEAR = 2 * math.sqrt(2 / math.pi)
GELU_CUBIC = 0.044715 * GELU_LINEAR


def parameter_table(config: ModelConfig) -> dict[str, Initial]:
    """Names, shapes and initial values of all parameters; matrices are (outputs, inputs).

    As GPT-2: normal with deviation 0.02, projections back into the residual stream divided by √(2·layers).

    >>> config = ModelConfig(layers=1, heads=1, width=16, vocabulary=5, positions=53)
    >>> parameter_table(config)["layers.0.mlp.in.weight"].shape
    (64, 16)
    """
    width, hidden = config.width, config.mlp_ratio * config.width
    back = _STD / math.sqrt(2 * config.layers)
    table = {"embedding": Initial((config.vocabulary, width), "normal", _STD)}
    for layer in range(config.layers):
        name = f"layers.{layer}"
        for part in ("query", "key", "value"):
            table |= _linear(f"{name}.attention.{part}", width, width, _STD)
        table |= _linear(f"{name}.attention.out", width, width, back)
        table |= _linear(f"{name}.mlp.in", hidden, width, _STD)
        table |= _linear(f"{name}.mlp.out", width, hidden, back)
        if config.layer_norm:
            table |= _norm(f"{name}.attention_norm", width) | _norm(f"{name}.mlp_norm", width)
    if config.layer_norm:
        table |= _norm("norm", width)
    if not config.tied:
        table["unembedding"] = Initial((config.outputs, width), "normal", _STD)
    # Last, so that members of one seed agree elsewhere under different encodings.
    table |= ENCODING_MODULES[config.encoding].table(config)
    if config.predict_ids:
        table[ID_MATRIX] = Initial((config.positions, width), "normal", _STD)
    return table


def _linear(name: str, outputs: int, inputs: int, std: float) -> dict[str, Initial]:
    return {
        f"{name}.weight": Initial((outputs, inputs), "normal", std),
        f"{name}.bias": Initial((outputs,), "constant", 0.0),
    }


def _norm(name: str, width: int) -> dict[str, Initial]:
    return {
        f"{name}.weight": Initial((width,), "constant", 1.0),
        f"{name}.bias": Initial((width,), "constant", 0.0),
    }


def initialise(
    config: ModelConfig,
    seed: int,
    *,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
) -> Parameters:
    """The initial parameters of the member with this seed.

    >>> config = ModelConfig(layers=1, heads=1, width=4, vocabulary=3, positions=8, encoding="nope")
    >>> sum(value.numel() for value in initialise(config, 0).values())
    264
    """
    return draw(parameter_table(config), seed, dtype=dtype, device=device)


def transformer(config: ModelConfig) -> Network:
    """The decoder behind the interface of all architectures."""
    table = parameter_table(config)

    def outputs(parameters: Parameters, inputs: Inputs) -> Outputs:
        lengths: Tensor | None = None
        if config.log_length:
            # Of the prefix that a place ends: how much is still to come is not known when a text is written.
            lengths = torch.arange(1, inputs.tokens.shape[1] + 1, device=inputs.tokens.device)[None]
        return unembedded(parameters, config, last_states(parameters, config, *inputs, lengths))

    def decode(parameters: Parameters, rows: int, columns: int) -> Cache:
        made: Cache = import_module("longreach.models.fast.cached").CachedDecoder(
            parameters, config, rows=rows, columns=columns
        )
        return made

    learned = ENCODINGS[config.encoding].learned_positions
    return Network(
        shape=config,
        table={name: initial.shape for name, initial in table.items()},
        initial=partial(draw, table),
        outputs=outputs,
        decode=decode,
        penalty=partial(penalty, config) if learned else None,
        predicts_ids=config.predict_ids,
        ignores_offsets=ignores_offsets(config.encoding),
        positions=config.positions if learned else None,
    )


def penalty(config: ModelConfig, parameters: Parameters) -> Tensor:
    """The penalty on attention between positions."""
    products = []
    for layer in range(config.layers):
        key, query = (
            parameters[f"layers.{layer}.attention.{part}.weight"].view(
                config.heads, config.head_width, config.width
            )
            for part in ("key", "query")
        )
        products.append(key.transpose(-1, -2) @ query)
    return position_penalty(parameters["positions"], products)


class _Reading(NamedTuple):
    """Who reads whom in a layer's attention."""

    places: Tensor | None
    """(batch, queries): the queries' places in the array; None: all of them, in order."""
    query_ids: Tensor
    key_ids: Tensor
    hidden: Tensor
    """True where a key comes after the query; (queries, keys) or (batch, 1, queries, keys)."""
    log_length: Tensor | None
    """A factor of the logits, (batch or 1, 1, queries or 1, 1)."""


def forward(
    parameters: Mapping[str, Tensor],
    config: ModelConfig,
    tokens: Tensor,
    position_ids: Tensor | None = None,
    mask_positions: Tensor | None = None,
    lengths: Tensor | None = None,
    *,
    training: bool = False,
) -> Tensor:
    """Logits (batch, time, outputs) of tokens (batch, time).

    `position_ids`, (time,) or (batch, time), default to 0, 1, …. Those of padding may be anything.

    `mask_positions`, (batch, n), are the supervised places of each row: logits are (batch, n, outputs), equal
    to the full computation there, and the last layer computes queries, MLP and outputs at these places only.
    Rows with fewer places repeat any of them; the caller leaves the copies out of the loss.

    `lengths`, (batch,) or (batch, time), are |x| for the option `log_length`: of the whole input, as in the
    paper, or of the prefix that each place ends, if the output must not see how much is still to come. By
    default |x| is `time`, so give them when there is padding.

    `training` turns dropout on; under vmap it needs a randomness mode.

    >>> config = ModelConfig(layers=2, heads=2, width=8, vocabulary=5, positions=10)
    >>> tokens, parameters = torch.tensor([[0, 3, 1], [0, 2, 2]]), initialise(config, 0)
    >>> logits = forward(parameters, config, tokens)
    >>> some = forward(parameters, config, tokens, mask_positions=torch.tensor([[2], [1]]))
    >>> logits.shape, some.shape, torch.allclose(some[1, 0], logits[1, 1], atol=1e-7)
    (torch.Size([2, 3, 5]), torch.Size([2, 1, 5]), True)
    """
    y = last_states(parameters, config, tokens, position_ids, mask_positions, lengths, training=training)
    return F.linear(y, parameters["embedding" if config.tied else "unembedding"])


def last_states(
    parameters: Mapping[str, Tensor],
    config: ModelConfig,
    tokens: Tensor,
    position_ids: Tensor | None = None,
    mask_positions: Tensor | None = None,
    lengths: Tensor | None = None,
    *,
    training: bool = False,
) -> Tensor:
    """What the output matrices read, (batch, time, width): the arguments are those of `forward`."""
    parameters = dict(parameters)
    encoding = ENCODING_MODULES[config.encoding]
    dropout = config.dropout if training else 0.0
    reading = _everything(config, tokens, position_ids, lengths)
    y = encoding.embed(parameters, config, F.embedding(tokens, parameters["embedding"]), reading.key_ids)
    y = _drop(y, dropout)
    bias: Tensor | None = None
    for layer in range(config.layers):
        chosen = mask_positions is not None and layer == config.layers - 1
        if mask_positions is not None and chosen:
            reading = _at(reading, mask_positions)
        if layer == 0 or chosen or encoding.bias_per_layer:
            bias = encoding.bias(parameters, config, layer, reading.query_ids, reading.key_ids)
        y = _attend(parameters, config, layer, y, reading, bias, dropout)
        y = feed(parameters, config, layer, y, dropout)
    return normalise(parameters, config, "norm", y)


def unembedded(parameters: Mapping[str, Tensor], config: ModelConfig, states: Tensor) -> Outputs:
    """The logits of the output matrices."""
    tokens = F.linear(states, parameters["embedding" if config.tied else "unembedding"])
    return Outputs(tokens, F.linear(states, parameters[ID_MATRIX]) if config.predict_ids else None)


def _everything(
    config: ModelConfig, tokens: Tensor, position_ids: Tensor | None, lengths: Tensor | None
) -> _Reading:
    """Every place reads itself and all before it."""
    time = tokens.shape[-1]
    places = torch.arange(time, device=tokens.device)
    ids = places if position_ids is None else position_ids
    factor: Tensor | None = None
    if config.log_length:
        length = torch.full((1, 1), time, device=tokens.device) if lengths is None else lengths
        length = length.unsqueeze(-1) if length.ndim == 1 else length
        factor = length.float().log()[:, None, :, None]
    return _Reading(None, ids, ids, places[:, None] < places[None, :], factor)


def _at(reading: _Reading, places: Tensor) -> _Reading:
    """The same, for queries at the given places (batch, n) only."""
    time = reading.key_ids.shape[-1]
    ids = reading.key_ids.expand(places.shape[0], time).gather(1, places)
    later = torch.arange(time, device=places.device) > places[:, None, :, None]
    factor = reading.log_length
    if factor is not None and factor.shape[2] > 1:
        factor = factor.expand(places.shape[0], 1, time, 1).gather(2, places[:, None, :, None])
    return reading._replace(places=places, query_ids=ids, hidden=later, log_length=factor)


def _attend(
    parameters: Parameters,
    config: ModelConfig,
    layer: int,
    y: Tensor,
    reading: _Reading,
    bias: Tensor | None,
    dropout: float,
) -> Tensor:
    """The residual stream at the queries after attention."""
    name, encoding = f"layers.{layer}.attention", ENCODING_MODULES[config.encoding]

    def projected(parts: tuple[str, ...], vectors: Tensor) -> list[Tensor]:
        matrices = [parameters[f"{name}.{part}.weight"] for part in parts]
        biases = [parameters[f"{name}.{part}.bias"] for part in parts]
        if _is_traced():  # then contiguous results are worth more than fewer products
            made = [F.linear(vectors, *each) for each in zip(matrices, biases, strict=True)]
        else:
            made = list(F.linear(vectors, torch.cat(matrices), torch.cat(biases)).chunk(len(parts), dim=-1))
        return [part.view(*part.shape[:-1], config.heads, config.head_width).transpose(1, 2) for part in made]

    inputs = normalise(parameters, config, f"layers.{layer}.attention_norm", y)
    if reading.places is None:
        query, key, value = projected(("query", "key", "value"), inputs)
    else:
        (query,) = projected(("query",), _take(inputs, reading.places))
        key, value = projected(("key", "value"), inputs)
    query = encoding.turn(config, query, reading.query_ids)
    key = encoding.turn(config, key, reading.key_ids)
    # Factors enter the queries, which are fewer numbers than the logits.
    query = query * config.head_width**-0.5
    if reading.log_length is not None:
        query = query * reading.log_length.to(query.dtype)
        bias = None if bias is None else bias * reading.log_length.to(bias.dtype)
    few = query.shape[-2] <= FEW_QUERIES and _is_traced()
    # Compiled, products with few queries are faster as sums that are fused with what is around them.
    logits = (query.unsqueeze(3) * key.unsqueeze(2)).sum(-1) if few else query @ key.transpose(-1, -2)
    if bias is not None:
        logits = logits + bias
    weights = _drop(logits.masked_fill(reading.hidden, -math.inf).softmax(dim=-1), dropout)
    mixed = (weights.unsqueeze(-1) * value.unsqueeze(2)).sum(-2) if few else weights @ value
    mixed = mixed.transpose(1, 2).flatten(-2)
    out = F.linear(mixed, parameters[f"{name}.out.weight"], parameters[f"{name}.out.bias"])
    return _take(y, reading.places) + _drop(out, dropout)


def feed(parameters: Parameters, config: ModelConfig, layer: int, y: Tensor, dropout: float = 0.0) -> Tensor:
    """The residual stream after the MLP."""
    name = f"layers.{layer}.mlp"
    inputs = normalise(parameters, config, f"layers.{layer}.mlp_norm", y)
    units = F.linear(inputs, parameters[f"{name}.in.weight"], parameters[f"{name}.in.bias"])
    active = _gelu(units)
    return y + _drop(
        F.linear(active, parameters[f"{name}.out.weight"], parameters[f"{name}.out.bias"]), dropout
    )


def _gelu(units: Tensor) -> Tensor:
    """GELU in its tanh form; where nothing differentiates it, as x · sigmoid(2u), which a CPU does faster."""
    plain = units.dtype == torch.float32 and units.device.type == "cpu"
    if not plain or torch.is_grad_enabled() or _is_traced():
        return F.gelu(units, approximate="tanh")
    double = (units * units).mul_(GELU_CUBIC).add_(GELU_LINEAR).mul_(units)
    return double.sigmoid_().mul_(units)


def _is_traced() -> bool:
    """Whether a graph is made of what runs, to be compiled: by `torch.compile`, or by `make_fx`."""
    if torch.compiler.is_compiling():
        return True
    proxies = sys.modules.get("torch.fx.experimental.proxy_tensor")  # slow to import
    return proxies is not None and proxies.get_proxy_mode() is not None


def normalise(parameters: Parameters, config: ModelConfig, name: str, y: Tensor) -> Tensor:
    """A layer norm by its name, where the model has them."""
    if not config.layer_norm:
        return y
    weight, bias = parameters[f"{name}.weight"], parameters[f"{name}.bias"]
    return F.layer_norm(y, (config.width,), weight, bias, config.norm_epsilon)


def _take(vectors: Tensor, places: Tensor | None) -> Tensor:
    """Vectors (batch, time, width) at places (batch, n), or all of them."""
    if places is None:
        return vectors
    return vectors.gather(1, places.unsqueeze(-1).expand(-1, -1, vectors.shape[-1]))


def _drop(values: Tensor, dropout: float) -> Tensor:
    return F.dropout(values, dropout) if dropout else values


class Decoder(nn.Module):
    """The transformer as an ordinary module; its state dictionary is the dictionary of `forward`.

    >>> model = Decoder(ModelConfig(layers=1, heads=1, width=16, vocabulary=5, positions=53), seed=0)
    >>> model(torch.tensor([[0, 3, 1]])).shape
    torch.Size([1, 3, 5])
    """

    def __init__(
        self, config: ModelConfig, *, seed: int = 0, parameters: Mapping[str, Tensor] | None = None
    ) -> None:
        """Fresh parameters of a seed, or copies of those given."""
        super().__init__()
        self.config = config
        if parameters is not None:
            check(parameter_table(config), parameters)
        register(self, initialise(config, seed) if parameters is None else parameters)

    def forward(
        self,
        tokens: Tensor,
        position_ids: Tensor | None = None,
        mask_positions: Tensor | None = None,
        lengths: Tensor | None = None,
    ) -> Tensor:
        """`forward` above, with dropout when the module is in training mode."""
        if position_ids is None and tokens.shape[-1] > self.config.positions:
            raise InputError(
                f"{tokens.shape[-1]} tokens exceed the {self.config.positions} positions of the model"
            )
        own = dict(self.named_parameters())
        return forward(
            own, self.config, tokens, position_ids, mask_positions, lengths, training=self.training
        )
