"""A decoder-only transformer of GPT-2's shape, as a function of parameters and arrays.

Pre-norm, GELU in its tanh form, biases, final layer norm, output matrix tied to the embedding by default
(Radford et al. 2019). It has no control flow that depends on data: it runs under `torch.func.vmap` over runs
side by side and under `torch.compile`. Attention is causal, so padding on the right needs no mask.

`Decoder` is written for reading, one method per part. Whoever wants to watch or replace a part overrides its
method: `inspection.trace` keeps what attention computed, and `Memory` below keeps keys and values for text
that is written token by token. The same function written for speed is in `longreach.models.fast`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from functools import lru_cache, partial
from importlib import import_module

import torch
import torch.nn.functional as F
from torch import Tensor

from longreach.config.encodings import ENCODINGS, EncodingRow, encoding_row, is_own_encoding
from longreach.config.model import ModelConfig
from longreach.errors import OWN_FAILURES, Field, InputError, failure_line
from longreach.models.encodings import Attending, Encoding, Reading
from longreach.models.network import Inputs, Network, Outputs, later_tokens, tried_ids
from longreach.models.parameters import Initial, Parameters, draw, position_penalty

_STD = 0.02
ID_MATRIX = "id_unembedding"
"""The output matrix whose labels are position ids."""
PARTS = ("query", "key", "value")
FEW_QUERIES = 4
# 2u of GELU's tanh form x · (1 + tanh u) / 2 = x · sigmoid(2u) (Hendrycks and Gimpel, arXiv 1606.08415).
GELU_LINEAR = 2 * math.sqrt(2 / math.pi)
GELU_CUBIC = 0.044715 * GELU_LINEAR


def _load(row: EncodingRow) -> Encoding:
    module, _, name = row.code.partition(":")
    made = getattr(import_module(f"longreach.models.{module}"), name)()
    assert isinstance(made, Encoding), row.code
    return made


ENCODING_MODULES: dict[str, Encoding] = {name: _load(row) for name, row in ENCODINGS.items()}


def encoding_module(name: str) -> Encoding:
    """The code of an encoding; that of an own one is imported, so no file may name it.

    >>> encoding_module("no_such.positions:Slope")
    Traceback (most recent call last):
    longreach.errors.InputError: encoding: no module named 'no_such', installed or in the current directory
    """
    return ENCODING_MODULES[name] if name in ENCODING_MODULES else _own_encoding(name)


@lru_cache(maxsize=64)
def _own_encoding(name: str) -> Encoding:
    from longreach.tasks.outside import attribute_value  # few models need it

    try:
        found = attribute_value(name, expected="")
    except InputError as error:
        raise error.at(Field("encoding")) from None
    if not (isinstance(found, type) and issubclass(found, Encoding)):
        reason = f"{name}: is not a subclass of longreach.models.encodings.Encoding"
        raise InputError(reason, place=Field("encoding"))
    try:
        return found()
    except OWN_FAILURES as error:
        raise InputError(f"{name}: making it fails: {failure_line(error)}", place=Field("encoding")) from None


def transformer(config: ModelConfig) -> Network:
    """The decoder behind the interface of all architectures."""
    table = parameter_table(config)

    def outputs(parameters: Parameters, inputs: Inputs) -> Outputs:
        return unembedded(parameters, config, last_states(parameters, config, *inputs))

    learned = encoding_row(config.encoding).learned_positions
    made = Network(
        shape=config,
        table={name: initial.shape for name, initial in table.items()},
        initial=partial(draw, table),
        outputs=outputs,
        decode=lambda parameters, rows, columns: Memory(parameters, config, rows=rows, columns=columns),
        penalty=partial(_penalty, config) if learned else None,
        predicts_ids=config.predict_ids,
        ignores_offsets=encoding_module(config.encoding).ignores_offsets,
        positions=config.positions if learned else None,
    )
    if is_own_encoding(config.encoding):
        _check_own(config, made)
    return made


def _check_own(config: ModelConfig, made: Network) -> None:
    """Refuse an own encoding that fails, or shows later tokens, in one line."""
    parameters, ids = made.initial(0), tried_ids(config.vocabulary, config.positions)

    def logits(parameters: Parameters, inputs: Inputs) -> Tensor:
        return made.outputs(parameters, inputs).tokens

    try:
        with torch.no_grad():
            wrong = later_tokens(logits, parameters, ids, config.vocabulary)
    except OWN_FAILURES as error:
        wrong = f"fails: {failure_line(error)}"
    if wrong is not None:
        raise InputError(f"{config.encoding} {wrong}", place=Field("encoding"))


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
        for part in PARTS:
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
    # Last, so that runs of one seed agree elsewhere under different encodings.
    table |= encoding_module(config.encoding).table(config)
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


def initialise(config: ModelConfig, seed: int) -> Parameters:
    """The initial parameters of the run with this seed.

    >>> config = ModelConfig(layers=1, heads=1, width=4, vocabulary=3, positions=8, encoding="nope")
    >>> sum(value.numel() for value in initialise(config, 0).values())
    264
    """
    return draw(parameter_table(config), seed)


def _penalty(config: ModelConfig, parameters: Parameters) -> Tensor:
    shape = (config.heads, config.head_width, config.width)
    products = []
    for layer in range(config.layers):
        key, query = (
            parameters[f"layers.{layer}.attention.{part}.weight"].view(shape) for part in ("key", "query")
        )
        products.append(key.transpose(-1, -2) @ query)
    return position_penalty(parameters["positions"], products)


def forward(
    parameters: Mapping[str, Tensor],
    config: ModelConfig,
    tokens: Tensor,
    position_ids: Tensor | None = None,
    mask_positions: Tensor | None = None,
    lengths: Tensor | None = None,
) -> Tensor:
    """Logits (batch, time, outputs) of tokens (batch, time).

    `position_ids`, (time,) or (batch, time), default to 0, 1, …. Those of padding may be anything.

    `mask_positions`, (batch, n), are the supervised places of each row: logits are (batch, n, outputs), equal
    to the full computation there, and the last layer computes queries, MLP and outputs at these places only.
    Rows with fewer places repeat any of them; the caller leaves the copies out of the loss.

    `lengths`, (batch,) or (batch, time), are |x| for the option `log_length`: that of the whole input, as in
    the paper, or by default that of the prefix that each place ends. How much is still to come is not known
    when text is written.

    >>> config = ModelConfig(layers=2, heads=2, width=8, vocabulary=5, positions=10)
    >>> tokens, parameters = torch.tensor([[0, 3, 1], [0, 2, 2]]), initialise(config, 0)
    >>> logits = forward(parameters, config, tokens)
    >>> some = forward(parameters, config, tokens, mask_positions=torch.tensor([[2], [1]]))
    >>> logits.shape, some.shape, torch.allclose(some[1, 0], logits[1, 1], atol=1e-7)
    (torch.Size([2, 3, 5]), torch.Size([2, 1, 5]), True)
    """
    states = last_states(parameters, config, tokens, position_ids, mask_positions, lengths)
    return unembedded(parameters, config, states).tokens


def last_states(
    parameters: Mapping[str, Tensor],
    config: ModelConfig,
    tokens: Tensor,
    position_ids: Tensor | None = None,
    mask_positions: Tensor | None = None,
    lengths: Tensor | None = None,
) -> Tensor:
    """What the output matrices read, (batch, time, width): the arguments are those of `forward`."""
    reading = read_all(config, tokens, position_ids, lengths)
    return Decoder(parameters, config).states(tokens, reading, mask_positions)


def unembedded(parameters: Mapping[str, Tensor], config: ModelConfig, states: Tensor) -> Outputs:
    tokens = F.linear(states, parameters["embedding" if config.tied else "unembedding"])
    return Outputs(tokens, F.linear(states, parameters[ID_MATRIX]) if config.predict_ids else None)


def read_all(
    config: ModelConfig, tokens: Tensor, position_ids: Tensor | None = None, lengths: Tensor | None = None
) -> Reading:
    """Every token reads itself and all before it; the arguments are those of `forward`."""
    places = torch.arange(tokens.shape[-1], device=tokens.device)
    ids = places if position_ids is None else position_ids
    factor = None
    if config.log_length:
        lengths = (places + 1)[None] if lengths is None else lengths
        lengths = lengths.unsqueeze(-1) if lengths.ndim == 1 else lengths
        factor = lengths.float().log()[:, None, :, None]
    return Reading(ids, ids, ids, places, places[:, None] < places[None, :], factor)


class Decoder:
    """One pass over a batch; each part is a method that subclasses may watch or replace."""

    def __init__(self, parameters: Mapping[str, Tensor], config: ModelConfig) -> None:
        self.parameters, self.config = dict(parameters), config
        self.encoding = encoding_module(config.encoding)

    def states(self, tokens: Tensor, reading: Reading, places: Tensor | None = None) -> Tensor:
        """What the output matrices read, of all tokens or at the given places (batch, n).

        Each loop after the first begins with the embedding added again (Fan et al., arXiv 2409.15647).
        """
        y = ended = first = self.embed(tokens, reading.ids)
        by_place, loops = self.config.loops == "log", self.loops(tokens.shape[-1])
        # Tokens whose output is taken earlier loop on: those behind read them.
        wanted = log_loops(reading.query_places, loops).unsqueeze(-1) if by_place else None
        for loop in range(loops):
            last = loop == loops - 1 and not by_place
            y = self.once(loop, y + first if loop else y, reading, places if last else None)
            if wanted is not None:
                ended = torch.where(wanted == loop + 1, y, ended)
        return self.normalise("norm", _take(ended, places) if by_place else y)

    def loops(self, time: int) -> int:
        """How many times the layers are applied to rows of so many tokens."""
        return loops_for(self.config, time)

    def once(self, loop: int, y: Tensor, reading: Reading, places: Tensor | None) -> Tensor:
        """The residual stream after all layers, of all tokens or at the given places."""
        bias: Tensor | None = None
        for layer in range(self.config.layers):
            chosen = places is not None and layer == self.config.layers - 1
            if places is not None and chosen:
                reading = reading.at(places)
            if layer == 0 or chosen or self.encoding.bias_per_layer:
                bias = self.bias(layer, reading)
            y = self.attend(layer, y, reading, bias, slot=loop * self.config.layers + layer)
            y = self.feed(layer, y)
        return y

    def embed(self, tokens: Tensor, ids: Tensor) -> Tensor:
        embedded = F.embedding(tokens, self.parameters["embedding"])
        return self.encoding.embed(self.parameters, self.config, embedded, ids)

    def normalise(self, name: str, y: Tensor) -> Tensor:
        """A layer norm by its name, where the model has them."""
        if not self.config.layer_norm:
            return y
        weight, bias = self.parameters[f"{name}.weight"], self.parameters[f"{name}.bias"]
        return F.layer_norm(y, (self.config.width,), weight, bias, self.config.norm_epsilon)

    def bias(self, layer: int, reading: Reading) -> Tensor | None:
        return self.encoding.bias(self.parameters, self.config, layer, reading.query_ids, reading.key_ids)

    def attend(self, layer: int, y: Tensor, reading: Reading, bias: Tensor | None, *, slot: int) -> Tensor:
        """The residual stream at the queries after attention; `slot` counts the layers of all loops."""
        config, encoding = self.config, self.encoding
        inputs = self.normalise(f"layers.{layer}.attention_norm", y)
        if reading.places is None:
            query, key, value = self.project(layer, PARTS, inputs)
        else:
            (query,) = self.project(layer, PARTS[:1], _take(inputs, reading.places))
            key, value = self.project(layer, PARTS[1:], inputs)
        query = encoding.turn(config, layer, query, reading.query_ids) * config.head_width**-0.5
        key = encoding.turn(config, layer, key, reading.ids)
        kept = encoding.keep(self.parameters, config, layer, inputs)
        key, value, kept = self.recall(slot, key, value, kept)
        reading = reading._replace(hidden=encoding.hide(config, layer, reading))
        # Compiled, products with few queries are faster as sums that are fused with what is around them.
        few = query.shape[-2] <= FEW_QUERIES and _is_traced()
        attending = Attending(self.parameters, config, layer, reading, query, key, kept, few)
        mixed = encoding.mix(attending, self.weigh(attending, bias), value)
        out = self.linear(f"layers.{layer}.attention.out", mixed.transpose(1, 2).flatten(-2))
        return _take(y, reading.places) + out

    def recall(
        self, slot: int, key: Tensor, value: Tensor, kept: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """What is read, (batch, heads, keys, …), given that of the tokens themselves."""
        return key, value, kept

    def weigh(self, attending: Attending, bias: Tensor | None) -> Tensor:
        """The attention weights (batch, heads, queries, keys)."""
        query, key, factor = attending.query, attending.key, attending.reading.log_length
        if factor is not None:
            # The factor enters the queries, which are fewer numbers than the logits.
            query = query * factor.to(query.dtype)
            if bias is not None and self.config.scaled_bias:
                bias = bias * factor.to(bias.dtype)
        if attending.few:
            logits = (query.unsqueeze(3) * key.unsqueeze(2)).sum(-1)
        else:
            logits = query @ key.transpose(-1, -2)
        if bias is not None:
            logits = logits + bias
        return self.encoding.weigh(attending, logits)

    def feed(self, layer: int, y: Tensor) -> Tensor:
        """The residual stream after the MLP."""
        units = self.linear(f"layers.{layer}.mlp.in", self.normalise(f"layers.{layer}.mlp_norm", y))
        return y + self.linear(f"layers.{layer}.mlp.out", self.activate(units))

    def activate(self, units: Tensor) -> Tensor:
        """GELU in its tanh form; compiled, or undifferentiated, as x · sigmoid(2u): faster on a CPU."""
        plain = units.dtype == torch.float32 and units.device.type == "cpu"
        if plain and _is_traced():
            return units * (units * (GELU_LINEAR + GELU_CUBIC * units * units)).sigmoid()
        if not plain or torch.is_grad_enabled():
            return F.gelu(units, approximate="tanh")
        double = (units * units).mul_(GELU_CUBIC).add_(GELU_LINEAR).mul_(units)
        return double.sigmoid_().mul_(units)

    def linear(self, name: str, vectors: Tensor) -> Tensor:
        return F.linear(vectors, self.parameters[f"{name}.weight"], self.parameters[f"{name}.bias"])

    def project(self, layer: int, parts: tuple[str, ...], vectors: Tensor) -> list[Tensor]:
        """Queries, keys or values (batch, heads, time, head width)."""
        name, heads = f"layers.{layer}.attention", (self.config.heads, self.config.head_width)
        batch, time, _ = vectors.shape
        if _is_traced():  # then contiguous results are worth more than fewer products
            made = [self.linear(f"{name}.{part}", vectors) for part in parts]
            return [part.view(batch, time, *heads).transpose(1, 2) for part in made]
        joined = F.linear(vectors, *self.joined(name, parts)).view(batch, time, len(parts), *heads)
        return list(joined.permute(2, 0, 3, 1, 4).unbind())

    def joined(self, name: str, parts: tuple[str, ...]) -> tuple[Tensor, Tensor]:
        """The weights and the biases of several linear maps as one."""
        weights, biases = (
            torch.cat([self.parameters[f"{name}.{part}.{kind}"] for part in parts])
            for kind in ("weight", "bias")
        )
        return weights, biases


class Memory(Decoder):
    """The decoder token by token: keys and values of what was read are kept, so that a new token costs one.

    Rows may have read different numbers of tokens. Slots are places in a row: what a row writes goes right
    behind what it has read, and padding is overwritten.

    >>> config = ModelConfig(layers=2, heads=2, width=8, vocabulary=5, positions=10)
    >>> parameters, tokens = initialise(config, 0), torch.tensor([[0, 3, 1, 2]])
    >>> memory = Memory(parameters, config, rows=1, columns=4)
    >>> ids = torch.arange(4)[None]
    >>> _ = memory.read(tokens[:, :3], ids[:, :3], torch.tensor([3]))
    >>> logits = memory.read(tokens[:, 3:], ids[:, 3:], torch.tensor([1])).tokens
    >>> torch.allclose(logits, forward(parameters, config, tokens)[:, -1], atol=1e-6)
    True
    """

    def __init__(
        self, parameters: Mapping[str, Tensor], config: ModelConfig, *, rows: int, columns: int
    ) -> None:
        """Allocate for `rows` rows of up to `columns` tokens."""
        super().__init__(parameters, config)
        like = self.parameters["embedding"]
        self._loops = loops_for(config, columns)
        shape = (self._loops * config.layers, rows, config.heads, columns, config.head_width)
        self._keys, self._values = (like.new_zeros(shape) for _ in range(2))
        self._kept: Tensor | None = None
        self._ids = torch.zeros((rows, columns), dtype=torch.long, device=like.device)
        self._sizes = torch.zeros(rows, dtype=torch.long, device=like.device)
        self._joined: dict[str, tuple[Tensor, Tensor]] = {}

    def keep(self, rows: Tensor) -> None:
        """Drop all other rows."""
        self._keys, self._values = self._keys[:, rows], self._values[:, rows]
        self._kept = None if self._kept is None else self._kept[:, rows]
        self._ids, self._sizes = self._ids[rows], self._sizes[rows]

    def read(self, tokens: Tensor, ids: Tensor, counts: Tensor) -> Outputs:
        """The outputs at the last of the new tokens.

        Rows have `counts` new tokens, at least one; tokens and ids, (rows, n), are padded on the right.
        """
        states = self.follow(tokens, ids, counts)
        last = states[torch.arange(len(states), device=states.device), counts - 1]
        return unembedded(self.parameters, self.config, last)

    def follow(self, tokens: Tensor, ids: Tensor, counts: Tensor) -> Tensor:
        """What the output matrices read at each of the new tokens; the arguments are those of `read`."""
        places = self._sizes[:, None] + torch.arange(tokens.shape[1], device=tokens.device)
        self._places, self._width = places, int(places.max()) + 1
        if self._width > self._ids.shape[1]:
            raise InputError(f"{self._width} tokens in a memory with room for {self._ids.shape[1]}")
        self._ids.scatter_(1, places, ids)
        hidden = (torch.arange(self._width, device=tokens.device) > places[:, :, None])[:, None]
        factor = (places + 1).float().log()[:, None, :, None] if self.config.log_length else None
        reading = Reading(ids, ids, self._ids[:, : self._width], places, hidden, factor)
        states = self.states(tokens, reading)
        self._sizes = self._sizes + counts
        return states

    def recall(
        self, slot: int, key: Tensor, value: Tensor, kept: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        self._write(self._keys[slot], key)
        self._write(self._values[slot], value)
        if kept is not None:
            if self._kept is None:
                self._kept = kept.new_zeros(*self._keys.shape[:-1], kept.shape[-1])
            self._write(self._kept[slot], kept)
            kept = self._kept[slot, :, :, : self._width]
        return self._keys[slot, :, :, : self._width], self._values[slot, :, :, : self._width], kept

    def loops(self, time: int) -> int:
        return self._loops

    def _write(self, memory: Tensor, new: Tensor) -> None:
        """Put what is new behind what each row has read."""
        memory.scatter_(2, self._places[:, None, :, None].expand_as(new), new)

    def joined(self, name: str, parts: tuple[str, ...]) -> tuple[Tensor, Tensor]:
        if name not in self._joined:
            self._joined[name] = super().joined(name, parts)
        return self._joined[name]


def loops_for(config: ModelConfig, time: int) -> int:
    """How many times the layers are applied to rows of so many tokens.

    >>> config = ModelConfig(layers=1, heads=1, width=2, vocabulary=3, positions=9, loops="log")
    >>> [loops_for(config, time) for time in (1, 2, 3, 4, 7, 8)]
    [1, 2, 2, 3, 3, 4]
    """
    return int(time).bit_length() if config.loops == "log" else config.loops


def log_loops(places: Tensor, most: int) -> Tensor:
    """⌈log₂(t + 2)⌉ of each place t, counted exactly; `most` is that of the last place.

    >>> log_loops(torch.arange(8), 4).tolist()
    [1, 2, 2, 3, 3, 3, 3, 4]
    """
    powers = 1 << torch.arange(most, device=places.device)
    return (places.unsqueeze(-1) + 1 >= powers).sum(-1)


def _take(vectors: Tensor, places: Tensor | None) -> Tensor:
    """Vectors (batch, time, width) at places (batch, n), or all of them."""
    if places is None:
        return vectors
    return vectors.gather(1, places.unsqueeze(-1).expand(-1, -1, vectors.shape[-1]))


def _is_traced() -> bool:
    """Whether a graph is made of what runs, to be compiled: by `torch.compile`, or by `make_fx`."""
    if torch.compiler.is_compiling():
        return True
    proxies = sys.modules.get("torch.fx.experimental.proxy_tensor")  # slow to import
    return proxies is not None and proxies.get_proxy_mode() is not None
