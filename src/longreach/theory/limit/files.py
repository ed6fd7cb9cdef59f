"""Limit transformers and trained regressions in files.

`config.json`: `kind` ("limit" or "finite"), `vocabulary` (token → row of E; the start symbol is "$"),
`layers`, `heads` (the largest number in a layer), `precision` (null: no rounding), `period` ("limit", else
null), `context` ("finite", else null; counts $), `read_out` ("acceptor" or the output tokens), `program`,
`coordinates` (name → index of the residual stream), `dtype`.

Tensors, L and H counted from 0: `E` (tokens, d); `P` (period, d), row i mod period with i = 0 at $, or
(context, d), row i + offset; `layer.L.head.H.KQ` (d, d) with a_ij = y_jᵀ KQ y_i; `layer.L.head.H.V` (d, d);
`layer.L.head.H.phi` (τ + 1), the value at distance i − j ("limit" only); `layer.L.A` (m, d), `layer.L.b` (m),
`layer.L.B` (d, m), `layer.L.heaviside` (m, boolean); `U` (outputs, d). A layer may lack heads.

y_i starts as its row of E plus its row of P. In each layer Y_i = y_i + Σ_h Σ_j≤i w_ij V y_j, where w_i is the
softmax of log|x| · (a_ij + φ) and |x| the length with $; then y_i ← Y_i + B ψ(A Y_i + b), with ψ Heaviside
(1 at 0) or ReLU. The outputs are U y_i: an acceptor accepts if its output at the last position is > 0, a
predictor predicts the tokens whose output is > 0. With a precision p, logits (with φ) and exponentials are
rounded to ⌊x·2^p + ½⌋ / 2^p; if all exponentials of a query are 0 then, the head adds nothing.

A trained model of a task with numbers as answers (no layer norms, one head a layer) is a limit transformer
too: its parameters are taken as they are. The start symbol, which it does not have, gets no attention: two
more directions of the stream give its key a logit of −OFF for every query. It counts as a position, so that
the factors are log(n + 1) and log(i + 1) where the trained model has log n and log i.
"""

from __future__ import annotations

import json
import re
import shutil
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError, deserialize, safe_open

from longreach.errors import InputError, one_line
from longreach.files import open_file, read_bytes, read_json, read_tensors
from longreach.theory.limit.finite import MAX_BYTES
from longreach.theory.limit.model import START, Array, Head, Layer, Transformer, padded, regression_shapes
from longreach.theory.limit.rounding import Dtype, round_bfloat16

CONFIG, TENSORS = "config.json", "model.safetensors"
_CODES = {"float64": "F64", "float32": "F32", "bfloat16": "BF16"}
_SIZES = {"F64": 8, "F32": 4, "BF16": 2, "BOOL": 1}
_LARGEST_CONFIG = 64 << 20
_deserialize: Callable[[bytes], list[tuple[str, dict[str, Any]]]] = deserialize  # the library gives no types
_HEAD = re.compile(r"layer\.([0-9]{1,9})\.head\.([0-9]{1,9})\.(KQ|V|phi)")

MAX_PRECISION = 256
"""Fractional bits: beyond it, scaled numbers would leave the range of float64."""
Count: TypeAlias = Annotated[int, Field(ge=0)]


class Config(BaseModel):
    """`config.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kind: Literal["limit", "finite"]
    vocabulary: dict[str, Count]
    layers: Count
    heads: Count
    precision: Annotated[int, Field(ge=0, le=MAX_PRECISION)] | None
    period: Annotated[int, Field(ge=1)] | None
    context: Annotated[int, Field(ge=1)] | None
    read_out: Literal["acceptor"] | list[str]
    program: str | None
    coordinates: dict[str, Count]
    dtype: Dtype


def save(model: Transformer, directory: str | Path, dtype: Dtype = "float64") -> None:
    """Write the model, and nothing if that fails; parameters are rounded to `dtype`.

    >>> import tempfile
    >>> from longreach.theory.limit.hand_built import induction_head
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(induction_head("ab"), Path(folder) / "model")
    ...     model = load(Path(folder) / "model")
    >>> model.vocabulary, model.coordinates["next a"]
    (('$', 'a', 'b'), 5)
    """
    if dtype not in _CODES:
        raise InputError(f"dtype: {dtype!r} is not one of {', '.join(_CODES)}")
    tensors = _tensors(model)
    config = (_config(model, dtype).model_dump_json(indent=2) + "\n").encode()
    target = Path(directory)
    draft = target.parent / f".{target.name}.{uuid.uuid4().hex}.tmp"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        draft.mkdir()
        try:
            _write(draft / TENSORS, tensors, dtype)
            (draft / CONFIG).write_bytes(config)
            if target.is_dir():
                for name in (TENSORS, CONFIG):  # the configuration last
                    (draft / name).replace(target / name)
            else:
                draft.rename(target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror or error})") from None


def _config(model: Transformer, dtype: Dtype) -> Config:
    return Config(
        kind=model.kind,
        vocabulary={token: row for row, token in enumerate(model.vocabulary)},
        layers=len(model.layers),
        heads=max((len(layer.heads) for layer in model.layers), default=0),
        precision=model.precision,
        period=model.period if model.kind == "limit" else None,
        context=model.context,
        read_out="acceptor" if model.read_out == "acceptor" else list(model.read_out),
        program=model.program,
        coordinates=dict(model.coordinates),
        dtype=dtype,
    )


def _tensors(model: Transformer) -> dict[str, NDArray[Any]]:
    tensors = model.tensors()
    for layer, h, head in model.heads():
        name = f"layer.{layer}.head.{h}.phi"
        if callable(head.phi):
            raise InputError(f"{name}: not local, so it cannot be written")
        if model.kind == "limit" and (head.phi is None or not len(head.phi)):
            tensors[name] = np.zeros(1)
    return tensors


def _encoded(name: str, array: NDArray[Any], dtype: Dtype) -> NDArray[Any]:
    """A tensor as it is stored, little-endian."""
    if array.dtype == np.bool_:
        return array.astype(np.uint8)
    if dtype == "float64":
        return array.astype("<f8", copy=False)
    with np.errstate(over="ignore"):
        narrow = array.astype(np.float32)
    if dtype == "bfloat16":
        narrow = round_bfloat16(narrow)
    if not np.isfinite(narrow).all():
        raise InputError(f"{name}: a parameter is too large for {dtype}")
    if dtype == "float32":
        return narrow.astype("<f4", copy=False)
    # A bfloat16 is the upper half of a float32.
    return (narrow.view(np.uint32) >> 16).astype("<u2")


def _write(path: Path, tensors: dict[str, NDArray[Any]], dtype: Dtype) -> None:
    """The safetensors format: length of the header, header, data; one tensor at a time is encoded.

    Written here because the library's numpy interface has no bfloat16.
    """
    header: dict[str, Any] = {}
    end = 0
    # Wider types first, so that all data are aligned.
    order = sorted(tensors, key=lambda name: (tensors[name].dtype == np.bool_, name))
    for name in order:
        array = tensors[name]
        code = "BOOL" if array.dtype == np.bool_ else _CODES[dtype]
        start, end = end, end + array.size * _SIZES[code]
        header[name] = {"dtype": code, "shape": list(array.shape), "data_offsets": [start, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name in order:
            file.write(np.ascontiguousarray(_encoded(name, tensors[name], dtype)).data)


def load(directory: str | Path) -> Transformer:
    """The model that `save` wrote; errors name the field or the tensor."""
    config = _read_config(Path(directory) / CONFIG)
    path = Path(directory) / TENSORS
    content = read_bytes(path, most=MAX_BYTES + _LARGEST_CONFIG)
    try:
        found: dict[str, dict[str, Any]] = dict(_deserialize(content))
    except SafetensorError as error:
        raise InputError(f"{path}: not a safetensors file ({error})") from None
    reader = _Reader(config, found)
    layers = tuple(reader.layer(number) for number in range(config.layers))
    model = Transformer(
        kind=config.kind,
        vocabulary=tuple(sorted(config.vocabulary, key=lambda token: config.vocabulary[token])),
        embedding=reader.floats("E"),
        positions=reader.floats("P"),
        layers=layers,
        unembedding=reader.floats("U"),
        read_out="acceptor" if config.read_out == "acceptor" else tuple(config.read_out),
        precision=config.precision,
        coordinates=config.coordinates,
        program=config.program,
    )
    _consistent(config, model)
    reader.nothing_left()
    return model


def _read_config(path: Path) -> Config:
    content = read_bytes(path, most=_LARGEST_CONFIG)
    read_json(content, str(path))  # says where, if it is none
    try:
        config = Config.model_validate_json(content)
    except ValidationError as error:
        raise InputError(f"{path}: {one_line(error, Config.model_fields)}") from None
    if sorted(config.vocabulary.values()) != list(range(len(config.vocabulary))):
        raise InputError(f"{path}: vocabulary: rows must be 0, 1, …, each once")
    if START not in config.vocabulary:
        raise InputError(f"{path}: vocabulary: the start symbol {START!r} is missing")
    return config


def _consistent(config: Config, model: Transformer) -> None:
    """What the configuration says about the tensors must be so."""
    rows, name = (config.period, "period") if config.kind == "limit" else (config.context, "context")
    other = "context" if name == "period" else "period"
    if rows != len(model.positions):
        raise InputError(f"{CONFIG}: {name}: {rows}, but P has {len(model.positions)} rows")
    if getattr(config, other) is not None:
        raise InputError(f"{CONFIG}: {other}: must be null if kind is {config.kind!r}")
    for coordinate, index in config.coordinates.items():
        if index >= model.width:
            raise InputError(
                f"{CONFIG}: coordinates: {coordinate!r} is {index}, but the width is {model.width}"
            )


class _Reader:
    """Takes tensors out by name, and knows what is left."""

    def __init__(self, config: Config, found: dict[str, dict[str, Any]]) -> None:
        self.config = config
        self.found = found
        # Which heads each layer has, since a layer may lack some.
        self.heads: dict[int, set[int]] = {}
        for match in filter(None, map(_HEAD.fullmatch, found)):
            self.heads.setdefault(int(match[1]), set()).add(int(match[2]))
        highest = max((max(heads) + 1 for heads in self.heads.values()), default=0)
        if highest != config.heads:
            raise InputError(f"{CONFIG}: heads: {config.heads}, but the tensors have {highest}")

    def _take(self, name: str, code: str, dimensions: int) -> tuple[tuple[int, ...], bytes]:
        if name not in self.found:
            raise InputError(f"{name}: this tensor is missing")
        tensor = self.found.pop(name)
        if tensor["dtype"] != code:
            raise InputError(f"{name}: type {tensor['dtype']}, expected {code}")
        if len(tensor["shape"]) != dimensions:
            raise InputError(f"{name}: {len(tensor['shape'])} dimensions, expected {dimensions}")
        return tuple(tensor["shape"]), bytes(tensor["data"])

    def floats(self, name: str, dimensions: int = 2) -> Array:
        shape, data = self._take(name, _CODES[self.config.dtype], dimensions)
        if self.config.dtype == "bfloat16":
            wide = np.frombuffer(data, "<u2").astype(np.uint32) << 16
            return wide.view(np.float32).astype(np.float64).reshape(shape)
        kind = "<f8" if self.config.dtype == "float64" else "<f4"
        return np.frombuffer(data, kind).astype(np.float64).reshape(shape)

    def layer(self, number: int) -> Layer:
        name = f"layer.{number}"
        heads = sorted(self.heads.get(number, ()))
        shape, data = self._take(f"{name}.heaviside", "BOOL", 1)
        return Layer(
            heads=tuple(self._head(f"{name}.head.{h}") for h in heads),
            a=self.floats(f"{name}.A"),
            b=self.floats(f"{name}.b", 1),
            out=self.floats(f"{name}.B"),
            heaviside=np.frombuffer(data, np.uint8).astype(np.bool_).reshape(shape),
        )

    def _head(self, name: str) -> Head:
        phi = self.floats(f"{name}.phi", 1) if self.config.kind == "limit" else None
        return Head(self.floats(f"{name}.KQ"), self.floats(f"{name}.V"), phi)

    def nothing_left(self) -> None:
        for name in sorted(self.found):
            raise InputError(f"{name}: a tensor of this name does not belong to the format")


OFF, STEP = 64.0, 2.0**-6
"""$ has the logit −OFF, a small matrix times a long vector: norms of matrices stay as they are."""
METADATA = "regression"
"""The field of the file's header that has the shape."""
UNSCALED = "trained without log|x|: attention need not become hard; longreach train has --log-length"


class _Shape(BaseModel):
    """As training writes it into the header."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    symbols: Annotated[int, Field(ge=1, le=1024)]
    outputs: Annotated[int, Field(ge=1, le=1024)]
    layers: Annotated[int, Field(ge=1, le=2)]
    width: Annotated[int, Field(ge=1, le=4096)]
    hidden: Annotated[int, Field(ge=1, le=65536)]
    period: Annotated[int, Field(ge=1, le=1024)]
    locality: Annotated[int, Field(ge=0, le=1024)]
    log_length: bool

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Of every parameter, by name."""
        return regression_shapes(**self.model_dump(exclude={"log_length"}))


def is_regression(directory: Path) -> bool:
    """Whether a directory has a trained model of a task with numbers as answers."""
    try:
        path = directory / TENSORS
        with open_file(path), safe_open(path, framework="np") as file:
            return METADATA in (file.metadata() or {})
    except (OSError, InputError, SafetensorError):
        return False


def is_scaled(directory: Path) -> bool:
    """Whether its attention is that of a limit transformer: all logits, or φ alone, times a logarithm."""
    _, shape = _read(directory / TENSORS)
    return shape.log_length or shape.layers > 1


def regression_to_limit(directory: Path) -> Transformer:
    """The limit transformer with the parameters of a trained model."""
    tensors, shape = _read(directory / TENSORS)
    d = shape.width
    const, start = d, d + 1
    embedding = np.zeros((shape.symbols + 1, d + 2))
    embedding[1:, :d] = tensors["embedding"]
    embedding[:, const] = 1.0
    embedding[0, start] = OFF / STEP
    positions = padded(tensors.get("positions", np.zeros((1, d))), shape.period, d + 2)
    layers = []
    for number in range(shape.layers):
        part = {name.partition(".")[2]: value for name, value in tensors.items() if name[0] == str(number)}
        kq = padded(part["key"].T @ part["query"] / d, d + 2, d + 2)
        kq[start, const] = -STEP
        head = Head(kq, padded(part["value"], d + 2, d + 2), part.get("bias"))
        inner, out = padded(part["in"], shape.hidden, d + 2), padded(part["out"], d + 2, shape.hidden)
        layers.append(Layer((head,), inner, part["in_bias"], out, np.zeros(shape.hidden, dtype=np.bool_)))
    tokens = tuple(str(token) for token in range(shape.symbols))
    return Transformer(
        kind="limit",
        vocabulary=(START, *tokens),
        embedding=embedding,
        positions=positions,
        layers=tuple(layers),
        unembedding=padded(tensors["output"], shape.outputs, d + 2),
        read_out=("y",) if shape.outputs == 1 else tokens,
        coordinates={"1": const, START: start},
    )


def _read(path: Path) -> tuple[dict[str, Array], _Shape]:
    found, header = read_tensors(path, lambda header: _shape(path, header).shapes)
    return {name: tensor.astype(np.float64) for name, tensor in found.items()}, _shape(path, header)


def _shape(path: Path, metadata: Mapping[str, str]) -> _Shape:
    try:
        found: Any = json.loads(metadata[METADATA])
        return _Shape.model_validate(found)
    except (KeyError, ValueError, ValidationError, RecursionError):
        raise InputError(f"{path}: no shape of a model with numbers as answers in it") from None
