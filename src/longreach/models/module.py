"""Any `torch.nn.Module` as a `Network`: architectures of the table, a user's own, models of Transformers.

A factory `make(*, vocabulary, positions, **options)` returns the module. Its `forward` takes ids (batch,
time), and by name `position_ids` and `lengths` where it has such parameters, and returns logits (batch, time,
vocabulary) or an object with `.logits`. Optional on the module: `state_size(length)`, `stackable`, `theory`.

Training, padding, prefixes and decoding rely on what `_check` tests once per model.
"""

from __future__ import annotations

import copy
import hashlib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn
from torch.nn.parameter import UninitializedParameter
from torch.utils._python_dispatch import TorchDispatchMode

from longreach.config.architectures import ARCHITECTURES, HUGGING_FACE, SESSION, THEORY, architecture_row
from longreach.config.model import ModuleConfig
from longreach.errors import OWN_FAILURES, Field, InputError, failure_line, near_names
from longreach.models.network import TIME, Inputs, Network, Outputs, later_tokens, tried_ids
from longreach.models.parameters import Parameters
from longreach.tasks.outside import attribute_value

Factory: TypeAlias = Callable[..., nn.Module]
SHORT, GROWTH = 16, 1.5
"""Whether a module is sequential is seen at this length and twice that: operations grow by this factor."""
MOST_TRIED = 2048
"""A module is tried on the longest input that will be tested, up to so many tokens."""
BY_NAME = ("position_ids", "lengths")
NOT_A_FACTORY = "expected a function that makes the model, not a model: every seed starts from a new one"

_factories: dict[str, Factory] = {}


def name_of_factory(make: object) -> str:
    """The name by which a factory is found: `module:attribute`, or one of this session.

    >>> name_of_factory(nn.LSTM)
    'torch.nn.modules.rnn:LSTM'
    """
    if isinstance(make, nn.Module):
        raise _refused(NOT_A_FACTORY)
    if not callable(make):
        raise _refused(f"expected a name or a function that makes a model, not {make!r:.60}")
    module, path = getattr(make, "__module__", None), getattr(make, "__qualname__", type(make).__qualname__)
    name = f"{module}:{path}"
    if module not in (None, "__main__", "builtins") and "<" not in path:
        try:
            if attribute_value(name) is make:
                return name
        except InputError:
            pass
    # With a digest of its code, so that a changed function is not taken for the one that was trained.
    name = f"{SESSION}{getattr(make, '__name__', type(make).__name__)}@{_code_digest(make)}"
    while name in _factories and _factories[name] is not make:
        name += "'"
    _factories[name] = make
    return name


def _code_digest(make: object) -> str:
    try:
        text = inspect.getsource(make)  # type: ignore[arg-type]
    except (OSError, TypeError):
        code = getattr(make, "__code__", None)
        text = "" if code is None else f"{code.co_code!r} {code.co_names} {code.co_varnames}"
    return hashlib.sha256(text.encode()).hexdigest()[:6]


def module_network(shape: ModuleConfig) -> Network:
    """The network of the module that a factory makes, after it has been tried on a small batch."""
    made = _Made(shape)
    tried = made.module(0)
    _check(made, tried)
    states = getattr(tried, "state_size", None)
    if states is not None:
        _states(shape.model, partial(states, 1))  # what is wrong with it is said before training
    return Network(
        shape=shape,
        table={name: tuple(value.shape) for name, value in _trainable(tried).items()},
        initial=made.initial,
        outputs=_Outputs(made, tried),
        stackable=bool(getattr(tried, "stackable", "stacked" in architecture_row(shape.model).can)),
        ignores_offsets="position_ids" not in takes(tried),
        is_random=_draws_in_training(made, tried),
        is_sequential=_is_sequential(made, tried),
        state_size=None if states is None else lambda length: _states(shape.model, partial(states, length)),
    )


def _states(name: str, count: Callable[[], Any]) -> int | None:
    found = _own(name, count)
    if found is None:
        return None
    number = _own(name, lambda: int(found))
    if number < 0:
        raise _refused(f"{name}: its state_size is {found!r:.60}, not a number of at least 0")
    return int(number)


@lru_cache(maxsize=64)
def factory(name: str) -> Factory:
    """The function that makes the modules of an architecture; a user's own is imported."""
    if name in ARCHITECTURES:
        module, _, function = ARCHITECTURES[name].code.partition(":")
        found: Factory = getattr(import_module(f"longreach.models.{module}"), function)
        return found
    if name in _factories:
        return _factories[name]
    if name.startswith(SESSION):
        raise _refused(
            f"{name.removeprefix(SESSION)} is a function of another Python session; put it into a module"
        )
    if name.startswith(HUGGING_FACE):
        from longreach.models.causal import causal_model

        return causal_model(name.removeprefix(HUGGING_FACE))
    try:
        value = attribute_value(name, expected="")
    except InputError as error:
        raise error.at(Field("architecture")) from None
    if isinstance(value, nn.Module):
        raise _refused(f"{name}: {NOT_A_FACTORY}")
    if not callable(value):
        raise _refused(f"{name} is {type(value).__name__}, not a function that makes a model")
    made: Factory = value
    return made


def stated_theory(shape: ModuleConfig) -> str | None:
    """The architecture whose theory applies, where the module says so."""
    found = getattr(_Made(shape).module(0), THEORY, None)
    if found is not None and found not in ARCHITECTURES:
        hint = near_names(str(found), ARCHITECTURES)
        raise _refused(f"{shape.model}: its theory, {found!r:.60}, is not an architecture{hint}")
    return found


def _refused(reason: str) -> InputError:
    return InputError(reason, place=Field("architecture"))


def _own(name: str, call: Callable[[], Any], given: Iterable[str] = ()) -> Any:
    """What a user's code returns; a failure is one line that names the model, and what it was `given`."""
    try:
        return call()
    except InputError as error:
        place = error.place
        if isinstance(place, Field) and name in ARCHITECTURES and place.name in ARCHITECTURES[name].options:
            raise InputError(f"{place.name}: {error.reason}", place=Field("model_options")) from None
        raise error if place is not None else error.at(Field("architecture")) from None
    except OWN_FAILURES as error:
        called = f"({', '.join(f'{each}=…' for each in given)})" if given else ""
        raise _refused(f"{name}{called} fails: {failure_line(error)}") from None


@dataclass(frozen=True)
class _Made:
    """Makes modules of one shape and calls them."""

    shape: ModuleConfig

    @property
    def name(self) -> str:
        return self.shape.model

    def module(self, seed: int) -> nn.Module:
        """The module of a seed, in single precision; no other random number of the process changes."""
        make, options = factory(self.name), dict(self.shape.options)
        given = {"vocabulary": self.shape.vocabulary, "positions": self.shape.positions, **options}
        if THEORY in options and not _accepts(make, THEORY):
            del given[THEORY]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            made = _own(self.name, lambda: make(**given), given)
        if not isinstance(made, nn.Module):
            raise _refused(f"{self.name} returns {type(made).__name__}, not a torch.nn.Module")
        return made.float()

    def initial(self, seed: int) -> Parameters:
        found = _trainable(self.module(seed))
        return {name: value.detach().clone() for name, value in found.items()}

    def call(
        self,
        module: nn.Module,
        parameters: Mapping[str, Tensor] | None,
        inputs: Inputs,
        names: Sequence[str] | None = None,
        *,
        tied: bool = True,
    ) -> Tensor:
        """The logits (batch, time, vocabulary).

        `names` are those of `takes`, and `tied` says whether parameters have several names: finding out at
        each call takes a tenth of the smallest steps.
        """
        ids = inputs.tokens
        by_name: dict[str, Tensor] = {}
        for name in takes(module) if names is None else names:
            if name == "lengths":
                by_name[name] = (ids != 0).sum(dim=-1)  # PAD is token 0
            else:
                places = torch.arange(ids.shape[-1], device=ids.device)
                given = places if inputs.position_ids is None else inputs.position_ids
                by_name[name] = given.expand(ids.shape)
        if parameters is None:
            found = module(ids, **by_name)
        else:
            found = torch.func.functional_call(module, dict(parameters), (ids,), by_name, tie_weights=tied)
        found = getattr(found, "logits", found)
        if not isinstance(found, Tensor):
            raise _refused(
                f"{self.name} returns {type(found).__name__}, not a tensor or an object with .logits"
            )
        return found


def takes(module: nn.Module) -> tuple[str, ...]:
    """What `forward` gets by name besides ids."""
    known = inspect.signature(module.forward).parameters
    return tuple(name for name in BY_NAME if name in known)


def _has_ties(module: nn.Module) -> bool:
    """Whether a parameter or buffer has several names."""
    found = (list(each(remove_duplicate=False)) for each in (module.named_parameters, module.named_buffers))
    values = [id(value) for pairs in found for _, value in pairs]
    return len(set(values)) < len(values)


def _accepts(make: Factory, name: str) -> bool:
    known = inspect.signature(make).parameters
    return name in known or any(each.kind is inspect.Parameter.VAR_KEYWORD for each in known.values())


def _trainable(module: nn.Module) -> Parameters:
    return {name: value for name, value in module.named_parameters() if value.requires_grad}


class _Outputs:
    """The outputs of a module as a function of parameters, on whichever device these are.

    A module is in training mode where gradients are wanted.
    """

    def __init__(self, made: _Made, module: nn.Module) -> None:
        self._made = made
        self._names, self._tied = takes(module), _has_ties(module)
        self._on: dict[torch.device, nn.Module] = {torch.device("cpu"): module}

    def __call__(self, parameters: Parameters, inputs: Inputs) -> Outputs:
        device = inputs.tokens.device
        if device not in self._on:
            self._on[device] = copy.deepcopy(next(iter(self._on.values()))).to(device)
        module = self._on[device]
        if module.training != torch.is_grad_enabled():
            module.train(torch.is_grad_enabled())
        found = self._made.call(module, parameters, inputs, self._names, tied=self._tied)
        if inputs.places is None:
            return Outputs(found)
        return Outputs(found.gather(1, inputs.places.unsqueeze(-1).expand(-1, -1, found.shape[-1])))


def _check(made: _Made, module: nn.Module) -> None:
    """Refuse a module that training cannot rely on, in one line."""
    shape = made.shape
    if not _trainable(module):
        raise _refused(f"{made.name} has no parameters to train")
    for name, value in _trainable(module).items():
        if isinstance(value, UninitializedParameter):
            raise _refused(f"{made.name}: the parameter {name} is lazy; give its size in the constructor")
        if value.is_complex():
            raise _refused(
                f"{made.name}: the parameter {name} is complex; use torch.view_as_complex on a real one"
            )
    again = _trainable(made.module(0))
    for name, value in _trainable(module).items():
        if name not in again or not torch.equal(value, again[name]):
            reason = "differs between two calls with the same torch seed; draw it with torch's random numbers"
            raise _refused(f"{made.name}: the parameter {name} {reason}")
    ids = tried_ids(shape.vocabulary, shape.positions)
    before = {name: value.clone() for name, value in module.named_buffers()}
    module.train()
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        found = _own(made.name, lambda: made.call(module, None, Inputs(ids)))
    for name, value in module.named_buffers():
        if name not in before or not torch.equal(value, before[name]):
            reason = "changes in a forward pass (batch norm?), so that rows of a batch would see each other"
            raise _refused(f"{made.name}: the buffer {name} {reason}")
    expected = (*ids.shape, shape.vocabulary)
    if tuple(found.shape) != expected:
        sizes = "(batch, time, vocabulary)"
        raise _refused(
            f"{made.name} returns logits of shape {tuple(found.shape)}, expected {expected}, {sizes}"
        )
    module.eval()
    with torch.no_grad():
        first = _own(made.name, lambda: made.call(module, None, Inputs(ids)))
        if not bool(torch.isfinite(first).all()):
            raise _refused(f"{made.name} returns logits that are not finite")
        call, parameters = partial(made.call, module), _trainable(module)
        leak = _own(made.name, lambda: later_tokens(call, parameters, ids, shape.vocabulary))
        if leak:
            raise _refused(f"{made.name} {leak}")
        longest = torch.ones((1, min(shape.positions, MOST_TRIED)), dtype=torch.long)
        _own(f"{made.name} on {longest.shape[1]} tokens", lambda: made.call(module, None, Inputs(longest)))


def _draws_in_training(made: _Made, module: nn.Module) -> bool:
    """Whether a forward pass in training mode draws random numbers, as dropout does."""
    ids = torch.ones((1, min(TIME, made.shape.positions)), dtype=torch.long)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        module.train()
        before = torch.get_rng_state()
        made.call(module, None, Inputs(ids))
        return not torch.equal(before, torch.get_rng_state())


class _Operations(TorchDispatchMode):
    """Counts the operations that run."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += 1
        return func(*args, **(kwargs or {}))


def _is_sequential(made: _Made, module: nn.Module) -> bool:
    """Whether twice the tokens take about twice the operations."""
    long = min(2 * SHORT, made.shape.positions)
    counts: list[int] = []
    for time in (max(1, long // 2), long):
        ids = torch.ones((1, time), dtype=torch.long)
        with torch.random.fork_rng(devices=[]), torch.no_grad(), _Operations() as operations:
            _own(made.name, partial(made.call, module, None, Inputs(ids)))
        counts.append(operations.count)
    return counts[1] > GROWTH * counts[0]
