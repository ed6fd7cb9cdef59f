"""The seam between models and training: every architecture is a `Network`.

A network is pure functions of a dictionary of parameters. Training keeps all parameters of a run as one
vector, so that an update is a handful of operations; `vector` and `named` lead from one to the other.

A new architecture is a factory of modules, which `longreach.models.module` wraps, and a row of
`longreach.config.architectures`. Those that are written as functions of parameters stand in `NETWORKS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from longreach.config.model import BaselineConfig, Model, ModelConfig, ModuleConfig, Shape
from longreach.errors import OWN_FAILURES
from longreach.models.parameters import Parameters, views

NETWORKS: dict[str, str] = {
    "ModelConfig": "decoder:transformer",
    "BaselineConfig": "token_mlp:token_mlp",
    "RegressionShape": "counting:counting",
    "ModuleConfig": "module:module_network",
}
"""The function that makes a network of each kind of shape, as in `module:function`."""


class Inputs(NamedTuple):
    """A batch of tokens (batch, time), padded on the right."""

    tokens: Tensor
    position_ids: Tensor | None = None
    """(time,) or (batch, time); by default 0, 1, …."""
    places: Tensor | None = None
    """(batch, n): the only places whose outputs are wanted."""


class Outputs(NamedTuple):
    """Logits of the next token (batch, time or n, vocabulary), and of its position id if predicted."""

    tokens: Tensor
    ids: Tensor | None = None


class Cache(Protocol):
    """A network that reads rows token by token."""

    def read(self, tokens: Tensor, ids: Tensor, counts: Tensor) -> Outputs:
        """The outputs (rows, …) at the last of `counts` new tokens (rows, n), padded on the right."""
        ...

    def keep(self, rows: Tensor) -> None:
        """Drop all other rows."""
        ...


@dataclass(frozen=True, eq=False)
class Network:
    """What training, evaluation and generation need to know about a model.

    >>> from longreach.config.model import ModelConfig
    >>> made = network(ModelConfig(layers=1, heads=1, width=2, vocabulary=3, positions=4))
    >>> made.named(made.vector(made.initial(0)))["embedding"].shape
    torch.Size([3, 2])
    """

    shape: Shape
    table: Mapping[str, tuple[int, ...]]
    """The shape of each parameter, in the order of the vector."""
    initial: Callable[[int], Parameters]
    """The parameters of a seed before the first step."""
    outputs: Callable[[Parameters, Any], Outputs]
    """A function of parameters and `Inputs`, or of the batch that the architecture asks for."""
    decode: Callable[[Parameters, int, int], Cache] | None = None
    """A cache for so many rows of so many columns; None: prefixes are read again."""
    penalty: Callable[[Parameters], Tensor] | None = None
    """The penalty on attention between positions, where there are learned ones."""
    rates: Callable[[float], Tensor] | None = None
    """The learning rate of each entry of the vector; None: the same for all."""
    stackable: bool = True
    """Whether `outputs` runs under `torch.func.vmap` over runs side by side."""
    predicts_ids: bool = False
    ignores_offsets: bool = False
    """Whether shifting all position ids changes no number."""
    positions: int | None = None
    """Position ids must be below this; None: any will do."""
    is_random: bool = False
    """Whether a step draws random numbers of its own, as dropout does."""
    is_sequential: bool = False
    """Whether longer inputs take more operations, as a recurrence does that reads token by token."""
    state_size: Callable[[int], int | None] | None = None
    """How many numbers the model keeps of a prefix of this length, where it says so."""

    @property
    def size(self) -> int:
        return sum(map(math.prod, self.table.values()))

    def vector(self, parameters: Mapping[str, Tensor]) -> Tensor:
        return torch.cat([parameters[name].reshape(-1) for name in self.table])

    def named(self, vectors: Tensor) -> Parameters:
        """The parameters as views of vectors, whose leading axes they keep."""
        return views(self.table, vectors)


@lru_cache(maxsize=256)
def network(shape: Shape) -> Network:
    module, _, name = NETWORKS[type(shape).__name__].partition(":")
    made = getattr(import_module(f"longreach.models.{module}"), name)(shape)
    assert isinstance(made, Network), shape.architecture
    return made


def read_model(document: dict[str, object]) -> Model:
    """The shape in the header of a file of parameters, or an error of one line.

    >>> read_model({"width": 8, "vocabulary": 5, "outputs": 5, "mlp_ratio": 4}).hidden
    32
    """
    kind = ModuleConfig if "model" in document else ModelConfig if "layers" in document else BaselineConfig
    return kind.read(document)


class Rereading:
    """A `Cache` for networks that have none: every token is read again with all before it."""

    def __init__(self, network: Network, parameters: Parameters, rows: int, columns: int) -> None:
        self._network, self._parameters = network, parameters
        device = next(iter(parameters.values())).device
        self._tokens, self._ids = (
            torch.zeros((rows, columns), dtype=torch.long, device=device) for _ in "ti"
        )
        self._sizes = torch.zeros(rows, dtype=torch.long, device=device)

    def read(self, tokens: Tensor, ids: Tensor, counts: Tensor) -> Outputs:
        columns = torch.arange(tokens.shape[1], device=tokens.device)
        new = columns < counts[:, None]
        rows, places = new.nonzero()[:, 0], (self._sizes[:, None] + columns)[new]
        self._tokens[rows, places], self._ids[rows, places] = tokens[new], ids[new]
        self._sizes = self._sizes + counts
        width = int(self._sizes.max())
        inputs = Inputs(self._tokens[:, :width], self._ids[:, :width], (self._sizes - 1)[:, None])
        found = self._network.outputs(self._parameters, inputs)
        return Outputs(found.tokens[:, 0], None if found.ids is None else found.ids[:, 0])

    def keep(self, rows: Tensor) -> None:
        self._tokens, self._ids, self._sizes = self._tokens[rows], self._ids[rows], self._sizes[rows]


@contextmanager
def own_randomness(seed: int, step: int) -> Iterator[None]:
    """The random numbers of one step: the same however often a run was resumed."""
    devices = range(torch.cuda.device_count()) if torch.cuda.is_available() else []
    with torch.random.fork_rng(devices=devices):
        torch.manual_seed((seed * 1_000_003 + step) % 2**63)
        yield


# Whether a model sees later tokens.

TOLERANCE = 1e-4
STIRRED = 0.1
"""Standard deviation of the noise with which causality is looked at once more."""
ROWS, TIME = 3, 9
"""Of the batch on which a module is tried."""


def later_tokens(
    call: Callable[[Parameters, Inputs], Tensor], parameters: Parameters, ids: Tensor, vocabulary: int
) -> str | None:
    """What keeps a model from being causal; None: nothing. Logits are those of a function of parameters.

    A layer that starts at zero hides what it reads, so parameters with some noise are tried as well.
    """
    generator = torch.Generator().manual_seed(0)
    stirred = {
        name: value + STIRRED * torch.randn(value.shape, generator=generator)
        for name, value in parameters.items()
    }
    found = _moved(call, parameters, ids, vocabulary, TOLERANCE)
    with suppress(*OWN_FAILURES):  # these parameters may be none that the model is made for
        size = float(call(stirred, Inputs(ids)).abs().max())
        if found is None and math.isfinite(size):
            found = _moved(call, stirred, ids, vocabulary, TOLERANCE * max(1.0, size))
    return found


def _moved(
    call: Callable[[Parameters, Inputs], Tensor],
    parameters: Parameters,
    ids: Tensor,
    vocabulary: int,
    tolerance: float,
) -> str | None:
    first, time = call(parameters, Inputs(ids)), ids.shape[1]
    for place in {time - 1, time // 2} - {0}:
        changed = ids.clone()
        changed[:, place] = 1 + ids[:, place] % max(1, vocabulary - 1)
        moved = float((call(parameters, Inputs(changed)) - first)[:, :place].abs().max())
        if not moved <= tolerance:
            reason = f"changing token {place} moves earlier logits by {moved:.2g}"
            return f"is not causal: {reason}; padding and prefixes need causal models"
    return None


def tried_ids(vocabulary: int, positions: int) -> Tensor:
    """A small batch without padding, which is token 0."""
    generator = torch.Generator().manual_seed(0)
    return torch.randint(1, max(2, vocabulary), (ROWS, min(TIME, positions)), generator=generator)
