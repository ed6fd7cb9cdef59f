"""Architectures as data: what each is, what it can do, and where its code is.

A new architecture is a file in `longreach.models` with a factory
`make(*, vocabulary, positions, **options) -> torch.nn.Module`, and a row here. A user's own factory has the
same interface and is named `module:make`; a model of Transformers is `hf:CONFIG.json` or `hf:DIRECTORY`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from longreach import errors
from longreach.errors import InputError, near_names
from longreach.files import canonical_json

DECODER = "decoder"
LOOPED = "looped"
BASELINE = "mlp"
"""The baseline of Figure 1, an MLP that sees the current token only; documents name it as an encoding."""
COUNTING = "counting"
"""The small transformers of Izzo, Nichani and Lee (arXiv 2510.27015), computed from counts of tokens."""
HUGGING_FACE = "hf:"
SESSION = "session:"
"""How a factory is named that no other process can import, such as one of a notebook."""
THEORY = "theory"
"""The option that names the architecture whose theory applies to an own model; `make` need not take it."""
BY_TASK = ("vocabulary", "positions")
"""What every `make` is called with."""
CARRIED = ("config", "weights")
"""Options that stand for the files of a model of Transformers; its name says enough of them in a label."""

Size: TypeAlias = Literal["layers", "heads", "width"]
Capability: TypeAlias = Literal["positions", "inspected", "stacked", "compiled", "exported"]

_LACKS: dict[Capability, str] = {
    "positions": "has no positional encoding",
    "inspected": "has no attention to inspect",
    "stacked": "cannot train side by side",
    "compiled": "has no compiled step",
    "exported": "cannot be exported",
}


MOST_LOOPS = 1000
"""A document from elsewhere may ask for any number."""
_EXPECTED: dict[type, str] = {
    bool: "true or false", int: "a whole number of at least 1", float: "a number", str: "a name",
}  # fmt: skip
"""What an option must be, by the type of its default."""


class Options(dict[str, Any]):
    """Options of a model as JSON has them; hashable, since they are part of a frozen configuration."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(canonical_json(self))

    @property
    def words(self) -> str:
        """As a call writes them.

        >>> Options(width=32, gate="tanh", config={}).words
        'gate="tanh", width=32'
        """
        shown = {name: value for name, value in sorted(self.items()) if name not in CARRIED}
        return ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in shown.items())

    @staticmethod
    def read(words: str) -> Options:
        """Read options as a call writes them.

        >>> Options.read('gate="a, b", width=32') == Options(gate="a, b", width=32)
        True
        >>> Options.read("signed=tru")
        Traceback (most recent call last):
        longreach.errors.InputError: model_options: 'signed=tru' is not KEY=VALUE with a JSON value
        """
        found, decoder = Options(), json.JSONDecoder()
        while words:
            name, _, rest = words.partition("=")
            try:
                found[name.strip(", ")], end = decoder.raw_decode(rest)
            except (ValueError, RecursionError):
                raise _refused(f"{words!r} is not KEY=VALUE with a JSON value") from None
            words = rest[end:]
        return found


@dataclass(frozen=True, kw_only=True)
class ArchitectureRow:
    """One architecture.

    >>> ARCHITECTURES["lstm"].title, ARCHITECTURES["lstm"].lacks("positions")
    ('LSTM', 'lstm has no positional encoding')
    """

    name: str
    title: str
    """As people write it."""
    about: str
    source: str
    code: str
    """The factory, as in `module:function` with a module of `longreach.models`; it needs torch."""
    sizes: tuple[Size, ...] = ("layers", "width")
    """The settings of a run that reach the factory."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of its own and their defaults."""
    can: frozenset[Capability] = frozenset()
    article: str = "a"

    @property
    def words(self) -> str:
        """What runs have, in plain words."""
        return f"with {self.article} {self.title}".replace("  ", " ")

    def lacks(self, capability: Capability) -> str | None:
        """Why the architecture cannot do something; None if it can."""
        return None if capability in self.can else f"{self.name} {_LACKS[capability]}"

    @property
    def is_own(self) -> bool:
        """Whether its code is the user's, or is described by files of the user's."""
        return ":" in self.name

    @property
    def is_of_session(self) -> bool:
        """Whether only this process has its code."""
        return self.name.startswith(SESSION)

    def check(self, options: Mapping[str, Any]) -> None:
        """Refuse options that the architecture does not have, in one line.

        >>> ARCHITECTURES["deltanet"].check({"signd": True})
        Traceback (most recent call last):
        longreach.errors.InputError: model_options: deltanet has no option 'signd'; did you mean 'signed'?
        >>> ARCHITECTURES["ssm"].check({"mlp_ratio": 0})
        Traceback (most recent call last):
        longreach.errors.InputError: model_options: ssm: mlp_ratio must be a whole number of at least 1, not 0
        """
        if self.is_own:
            for name in BY_TASK:
                if name in options:
                    raise _refused(f"{name} is not an option, the task decides it")
            return
        for name, value in options.items():
            if name not in self.options:
                known = ", ".join(self.options)
                hint = near_names(name, self.options) or (f"; it has {known}" if known else "")
                raise _refused(f"{self.name} has no option {name!r}{hint}")
            usual = self.options[name]
            kinds: tuple[type, ...] = (int, float) if isinstance(usual, float) else (type(usual),)
            if isinstance(value, bool) and bool not in kinds:
                kinds = ()
            most = MOST_LOOPS if name == "loops" else None
            counts = type(usual) is int and isinstance(value, int)
            outside = counts and (value < 1 or (most is not None and value > most))
            if (outside or not isinstance(value, kinds)) and not (most is not None and value == "log"):
                wanted = (
                    _EXPECTED[type(usual)] if most is None else f'a whole number from 1 to {most} or "log"'
                )
                raise _refused(f"{self.name}: {name} must be {wanted}, not {json.dumps(value)}")


def _refused(reason: str) -> InputError:
    return InputError(reason, place=errors.Field("model_options"))


_TRANSFORMER: frozenset[Capability] = frozenset({"positions", "stacked", "compiled"})
_STACKED: frozenset[Capability] = frozenset({"stacked"})
_STATE_PASSING = {"state_passing": 0.0}
_BLOCKS = {"mlp_ratio": 4, **_STATE_PASSING}

ARCHITECTURES: dict[str, ArchitectureRow] = {
    row.name: row
    for row in [
        ArchitectureRow(
            name=DECODER, title="decoder", code="decoder:transformer", sizes=("layers", "heads", "width"),
            can=_TRANSFORMER | {"inspected", "exported"},
            about="A decoder-only transformer of GPT-2's shape, with a positional encoding of your choice.",
            source="Radford et al. 2019 (GPT-2)",
        ),
        ArchitectureRow(
            name=LOOPED, title="looped decoder", code="decoder:transformer", can=_TRANSFORMER,
            sizes=("layers", "heads", "width"), options={"loops": 4},
            about='The layers of a decoder applied several times: a number, or "log" of the length.',
            source="Fan et al., arXiv 2409.15647",
        ),
        ArchitectureRow(
            name=BASELINE, title="baseline (MLP)", code="token_mlp:token_mlp", article="the",
            sizes=("width",), can=_STACKED,
            about="Sees the current token only: what can be guessed without context.",
            source="Huang et al., arXiv 2410.02140, appendix E.3",
        ),
        ArchitectureRow(
            name="lstm", title="LSTM", code="recurrent:lstm", article="an", options=_STATE_PASSING,
            about="Long short-term memory.",
            source="Hochreiter and Schmidhuber 1997",
        ),
        ArchitectureRow(
            name="gru", title="GRU", code="recurrent:gru", options=_STATE_PASSING,
            about="Gated recurrent units.",
            source="Cho et al., arXiv 1406.1078",
        ),
        ArchitectureRow(
            name="rnn", title="RNN", code="recurrent:rnn", article="an", options=_STATE_PASSING,
            about="A plain recurrence with tanh.",
            source="Elman 1990",
        ),
        ArchitectureRow(
            name="ssm", title="SSM", code="ssm:ssm", article="an", can=_STACKED, options=_BLOCKS,
            about="A diagonal recurrence whose gates depend on the input and lie in [0, 1], as in Mamba.",
            source="Gu and Dao, arXiv 2312.00752",
        ),
        ArchitectureRow(
            name="ssm-signed", title="signed SSM", code="ssm:ssm_signed", can=_STACKED, options=_BLOCKS,
            about="The same with eigenvalues in [−1, 1].",
            source="Grazzi et al., arXiv 2411.12537",
        ),
        ArchitectureRow(
            name="ssm-complex", title="complex SSM", code="ssm:ssm_complex", can=_STACKED, options=_BLOCKS,
            about="The same with complex eigenvalues, whose angles depend on the input.",
            source="Lahoti et al., arXiv 2603.15569 (Mamba-3)",
        ),
        ArchitectureRow(
            name="deltanet", title="DeltaNet", code="deltanet:deltanet", can=_STACKED,
            sizes=("layers", "heads", "width"),
            options={"signed": False, "reflections": 1, **_BLOCKS},
            about="A matrix state changed by the delta rule; signed: eigenvalues in [−1, 1].",
            source="Yang et al., arXiv 2406.06484; Siems et al., arXiv 2502.10297",
        ),
        ArchitectureRow(
            name="hybrid", title="hybrid", code="hybrid:hybrid", can=_STACKED,
            sizes=("layers", "heads", "width"),
            options={"window": 8, "rope": True, "recurrence": "ssm", **_BLOCKS},
            about="Window attention and a recurrence in turn.",
            source="De et al., arXiv 2402.19427 (Griffin)",
        ),
    ]
}  # fmt: skip


def architecture_row(name: str) -> ArchitectureRow:
    """The row of an architecture, or one for a model of the user's; nothing is imported.

    >>> architecture_row("mine:make").title, architecture_row("mine:make").words
    ('mine:make', 'with mine:make')
    """
    if name in ARCHITECTURES:
        return ARCHITECTURES[name]
    if name == COUNTING:
        return ArchitectureRow(name=name, title=name, code="counting:counting", about="", source="")
    about = "A causal language model of Transformers." if name.startswith(HUGGING_FACE) else "Your own model."
    return ArchitectureRow(
        name=name, title=name, code=name, about=about, source="yours", article="", sizes=()
    )


def unknown_architecture(name: str) -> str | None:
    """Why a name is no architecture, with those that it may mean; None if it is one or may be the user's.

    >>> unknown_architecture("lsmt")
    "unknown model 'lsmt'; did you mean 'lstm' or 'ssm'?"
    """
    module, colon, attribute = name.partition(":")
    if name in ARCHITECTURES or (colon and module and attribute):
        return None
    known = f"; known are {', '.join(ARCHITECTURES)}, module:make and hf:CONFIG.json"
    return f"unknown model {name!r}{near_names(name, ARCHITECTURES) or known}"
