"""The recurrent architectures token by token, as their formulas stand: loops, lists and float64, no torch."""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Literal:
    """Reads one token at a time; `state` is all that it keeps."""

    def __init__(self, name: str, parameters: Mapping[str, Array], *, layers: int, **options: Any) -> None:
        self.name, self.parameters, self.layers, self.options = name, parameters, layers, options
        self.state: list[Any] = [self._empty(layer) for layer in range(layers)]

    def kind(self, layer: int) -> str:
        if self.name != "hybrid":
            return self.name
        return "window" if layer % 2 == 0 else str(self.options["recurrence"])

    def floats(self) -> int:
        """How many real numbers the state has."""
        return sum(map(_count, self.state))

    def logits(self, token: int) -> Array:
        y = self.parameters["embedding.weight"][token]
        for layer in range(self.layers):
            if self.name in ("lstm", "gru", "rnn"):
                part = self._part(f"recurrence.*_l{layer}")
                y, self.state[layer] = CELLS[self.name](part, y, self.state[layer])
            else:
                part = self._part(f"blocks.{layer}.*")
                normal = _layer_norm(part, "mixer_norm", y)
                y = y + self._mix(layer, normal)
                units = _linear(part, "mlp_in", _layer_norm(part, "mlp_norm", y))
                y = y + _linear(part, "mlp_out", np.array([_gelu(unit) for unit in units]))
        if self.name not in ("lstm", "gru", "rnn"):
            y = _layer_norm(self.parameters, "norm", y)
        return _linear(self.parameters, "head", y)

    def _part(self, pattern: str) -> dict[str, Array]:
        first, last = pattern.split("*")
        return {
            name[len(first) : len(name) - len(last)]: value
            for name, value in self.parameters.items()
            if name.startswith(first) and name.endswith(last)
        }

    def _empty(self, layer: int) -> Any:
        kind, width = self.kind(layer), self.parameters["embedding.weight"].shape[1]
        if kind == "window":
            return []
        if kind == "deltanet":
            size = width // self.options["heads"]
            return [np.zeros((size, size)) for _ in range(self.options["heads"])]
        if kind == "lstm":
            return np.zeros(width), np.zeros(width)
        return [0j] * (width // 2) if kind == "ssm-complex" else np.zeros(width)

    def _mix(self, layer: int, x: Array) -> Array:
        part, kind = self._part(f"blocks.{layer}.mixer.*"), self.kind(layer)
        mix = {"deltanet": self._delta, "window": self._window}.get(kind, self._diagonal)
        answer, self.state[layer] = mix(kind, part, x, self.state[layer])
        return _linear(part, "out", answer)

    def _diagonal(self, kind: str, part: Mapping[str, Array], x: Array, h: Any) -> tuple[Array, Any]:
        width = len(x)
        raw = _linear(part, "inputs", x)
        gate, write, value, read = (raw[k * width : (k + 1) * width] for k in range(4))
        b = [_sigmoid(write[i]) * value[i] for i in range(width)]
        if kind == "ssm-complex":
            half = width // 2
            new = [
                _sigmoid(gate[i]) * cmath.exp(1j * math.pi * gate[half + i]) * h[i] + b[i] + 1j * b[half + i]
                for i in range(half)
            ]
            shown = [z.real for z in new] + [z.imag for z in new]
        else:
            a = [_sigmoid(each) if kind == "ssm" else math.tanh(3 * each) for each in gate]
            new = shown = np.array([a[i] * h[i] + b[i] for i in range(width)])
        return np.array([shown[i] * read[i] * _sigmoid(read[i]) for i in range(width)]), new

    def _delta(self, kind: str, part: Mapping[str, Array], x: Array, heads: Any) -> tuple[Array, Any]:
        count, factors = len(heads), self.options.get("reflections", 1)
        size = len(x) // count
        query = (part["query.weight"] @ x).reshape(count, size)
        key = (part["key.weight"] @ x).reshape(factors, count, size)
        value = (part["value.weight"] @ x).reshape(factors, count, size)
        rate = _linear(part, "rate", x).reshape(factors, count)
        answers, new = [], []
        for head, matrix in enumerate(heads):
            for factor in range(factors):
                k = key[factor, head] / np.linalg.norm(key[factor, head])
                beta = (2.0 if self.options.get("signed") else 1.0) * _sigmoid(rate[factor, head])
                matrix = matrix @ (np.eye(size) - beta * np.outer(k, k))
                matrix = matrix + beta * np.outer(value[factor, head], k)
            y = matrix @ (query[head] / np.linalg.norm(query[head]))
            answers.append(y / math.sqrt(sum(y * y) / size + 1e-5) * part["norm.weight"])
            new.append(matrix)
        return np.concatenate(answers), new

    def _window(self, kind: str, part: Mapping[str, Array], x: Array, seen: Any) -> tuple[Array, Any]:
        heads, size = self.options["heads"], len(x) // self.options["heads"]
        query, key, value = _linear(part, "inputs", x).reshape(3, heads, size)
        seen = [*seen, (key, value)]
        answers = []
        for head in range(heads):
            scores = [
                _product(query[head], old[head], len(seen) - 1 - place, rope=self.options["rope"])
                / math.sqrt(size)
                for place, (old, _) in enumerate(seen)
            ]
            weights = [math.exp(score - max(scores)) for score in scores]
            mixed = sum(weight * old[head] for weight, (_, old) in zip(weights, seen, strict=True))
            answers.append(mixed / sum(weights))
        oldest = max(0, len(seen) - (self.options["window"] - 1))  # what the next token still sees
        return np.concatenate(answers), seen[oldest:]


def read(model: Literal, tokens: Sequence[int]) -> Array:
    return np.array([model.logits(token) for token in tokens])


def _product(query: Array, key: Array, distance: int, *, rope: bool) -> float:
    """With RoPE, pairs of the query turn by their angle times the distance."""
    half = len(query) // 2
    if not rope:
        return float(query @ key)
    total = 0.0
    for pair in range(half):
        q, k = complex(query[pair], query[pair + half]), complex(key[pair], key[pair + half])
        total += (q * cmath.exp(1j * distance * 10_000.0 ** (-pair / half)) * k.conjugate()).real
    return total


def _lstm(part: Mapping[str, Array], x: Array, state: Any) -> tuple[Array, Any]:
    h, c = state
    raw = part["weight_ih"] @ x + part["bias_ih"] + part["weight_hh"] @ h + part["bias_hh"]
    enter, forget, cell, out = raw.reshape(4, -1)
    c = np.array([_sigmoid(f) * old for f, old in zip(forget, c, strict=True)])
    c = c + np.array([_sigmoid(i) * math.tanh(g) for i, g in zip(enter, cell, strict=True)])
    h = np.array([_sigmoid(o) * math.tanh(each) for o, each in zip(out, c, strict=True)])
    return h, (h, c)


def _gru(part: Mapping[str, Array], x: Array, h: Array) -> tuple[Array, Any]:
    from_x = (part["weight_ih"] @ x + part["bias_ih"]).reshape(3, -1)
    from_h = (part["weight_hh"] @ h + part["bias_hh"]).reshape(3, -1)
    new = []
    for i, old in enumerate(h):
        reset, keep = _sigmoid(from_x[0, i] + from_h[0, i]), _sigmoid(from_x[1, i] + from_h[1, i])
        new.append((1 - keep) * math.tanh(from_x[2, i] + reset * from_h[2, i]) + keep * old)
    return np.array(new), np.array(new)


def _rnn(part: Mapping[str, Array], x: Array, h: Array) -> tuple[Array, Any]:
    raw = part["weight_ih"] @ x + part["bias_ih"] + part["weight_hh"] @ h + part["bias_hh"]
    new = np.array([math.tanh(each) for each in raw])
    return new, new


CELLS = {"lstm": _lstm, "gru": _gru, "rnn": _rnn}


def _linear(part: Mapping[str, Array], name: str, x: Array) -> Array:
    found: Array = part[f"{name}.weight"] @ x + part[f"{name}.bias"]
    return found


def _layer_norm(part: Mapping[str, Array], name: str, x: Array) -> Array:
    mean = sum(x) / len(x)
    variance = sum((each - mean) ** 2 for each in x) / len(x)
    found: Array = (x - mean) / math.sqrt(variance + 1e-5) * part[f"{name}.weight"] + part[f"{name}.bias"]
    return found


def _gelu(x: float) -> float:
    return x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > 0 else math.exp(x) / (1 + math.exp(x))


def _count(state: Any) -> int:
    if isinstance(state, (list, tuple)):
        return sum(map(_count, state))
    return 2 if isinstance(state, complex) else int(np.asarray(state).size)
