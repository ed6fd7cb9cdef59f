"""Positional encodings as data: what each is, how ids are drawn for it, and where its code is.

A new encoding is a file in `longreach.models` with its code, and a row here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from longreach.config.architectures import ARCHITECTURES
from longreach.config.reach import REACH, is_reach
from longreach.errors import near_names
from longreach.theory.names import TaskName

IdSource: TypeAlias = Literal["offset", "randomized", "given"]


@dataclass(frozen=True, kw_only=True)
class EncodingRow:
    """One positional encoding.

    >>> ENCODINGS["rope"].title, ENCODINGS["rope"].refusal(width=6, heads=2)
    ('RoPE', 'rope needs an even width per head, not 3')
    """

    name: str
    title: str
    """As people write it."""
    about: str
    source: str
    code: str
    """The class, as in `module:Class` with a module of `longreach.models`; a string, since it needs torch."""
    ids: IdSource = "offset"
    """How training draws ids: consecutive from a random offset, a random increasing choice, or the task's."""
    absolute: bool = False
    """Whether the model sees ids themselves; others see differences of ids, or none."""
    learned_positions: bool = False
    """Whether there is a learned vector per id, which can be penalized."""
    biased: bool = False
    """Whether it adds a bias to the attention logits."""
    log_length: bool = False
    """Whether it always scales attention, with its own biases, by the logarithm of the prefix length."""
    plain: str = ""
    """In plain words, name included; by default the title stands before "positions"."""
    even: Literal["width", "width per head"] | None = None
    """What must be even; other shapes are refused."""

    @property
    def words(self) -> str:
        """What a model has, in plain words, with the name that people write.

        >>> ENCODINGS["nope"].words, ENCODINGS["sinusoidal"].words
        ('without positions (NoPE)', 'with sinusoidal positions')
        """
        return self.plain or f"with {self.title} positions"

    def refusal(self, *, width: int, heads: int) -> str | None:
        """Why the encoding does not fit a shape, or None."""
        if self.even is None:
            return None
        size = width if self.even == "width" else width // heads
        return f"{self.name} needs an even {self.even}, not {size}" if size % 2 else None


ENCODINGS: dict[str, EncodingRow] = {
    row.name: row
    for row in [
        EncodingRow(
            name="nope", title="NoPE", code="encodings:Encoding",
            plain="without positions (NoPE)",
            about="No positional encoding: order reaches the model through the causal mask alone.",
            source="Kazemnejad et al., arXiv 2305.19466",
        ),
        EncodingRow(
            name="ape", title="APE", code="encodings:LearnedAbsolute", absolute=True,
            learned_positions=True,
            plain="with learned positions (APE)",
            about="A learned vector per position, added to the embedding.",
            source="Radford et al. 2019 (GPT-2)",
        ),
        EncodingRow(
            name="sinusoidal", title="sinusoidal", code="encodings:Sinusoidal", absolute=True,
            even="width",
            about="Fixed sines and cosines of the position, added to the embedding.",
            source="Vaswani et al., arXiv 1706.03762",
        ),
        EncodingRow(
            name="rope", title="RoPE", code="encodings:Rotary", even="width per head",
            plain="with rotary positions (RoPE)",
            about="Queries and keys turn by angles that grow with the position.",
            source="Su et al., arXiv 2104.09864",
        ),
        EncodingRow(
            name="alibi", title="ALiBi", code="encodings:LinearBias", biased=True,
            plain="with a bias by distance (ALiBi)",
            about="Attention falls with the distance, at a fixed slope per head.",
            source="Press et al., arXiv 2108.12409",
        ),
        EncodingRow(
            name="t5", title="T5", code="encodings:RelativeBuckets", biased=True,
            plain="with learned biases by distance (T5)",
            about="A learned bias per bucket of distances.",
            source="Raffel et al., arXiv 1910.10683",
        ),
        EncodingRow(
            name="fire", title="FIRE", code="encodings:FunctionalInterpolation", biased=True,
            plain="with a learned function of distance (FIRE)",
            about="A learned function of the distance as a share of the length.",
            source="Li et al., arXiv 2310.04418",
        ),
        EncodingRow(
            name="randomized", title="randomized", code="encodings:LearnedAbsolute", ids="randomized",
            absolute=True, learned_positions=True,
            about="Learned vectors under a random increasing choice of positions.",
            source="Ruoss et al., arXiv 2305.16843",
        ),
        EncodingRow(
            name="coupled", title="coupled", code="encodings:LearnedAbsolute", ids="given",
            absolute=True, learned_positions=True,
            plain="with the task's own positions (coupled)",
            about="Learned vectors under the task's own position ids.",
            source="Cho et al., arXiv 2405.20671",
        ),
        EncodingRow(
            name="coupled-local", title="coupled-local", code="encodings:LocalCoupling", ids="given",
            plain="with the task's own positions, seen nearby (coupled-local)",
            about="A learned bias per distance in the task's own ids; only the nearest and marks are seen.",
            source="Golowich et al., arXiv 2502.16792, Assumption 3.3",
        ),
        EncodingRow(
            name="window", title="window", code="attention:Window", even="width per head",
            plain="with windows and rotary positions in every other layer (window)",
            about="RoPE within a window of 8 in every other layer, no positions in the rest.",
            source="Puvvada et al., arXiv 2504.08719 (SWAN-GPT)",
        ),
        EncodingRow(
            name="fox", title="FoX", code="attention:Forgetting", biased=True,
            plain="with forget gates (FoX)",
            about="Attention falls by a gate of each token in between.",
            source="Lin et al., arXiv 2503.02130",
        ),
        EncodingRow(
            name="stick-breaking", title="stick-breaking", code="attention:StickBreaking",
            plain="with stick-breaking attention (stick-breaking)",
            about="From the last token back, each that matches takes its share of what is left.",
            source="Tan et al., arXiv 2410.17980",
        ),
        EncodingRow(
            name="reach", title="reach", code="reach:Reach", even="width per head", log_length=True,
            plain="with last matches (reach)",
            about="The last token that matches is read, with its distance modulo a number.",
            source="after Tan et al., arXiv 2410.17980",
        ),
        EncodingRow(
            name="cope", title="CoPE", code="attention:ContextualCounts", biased=True,
            plain="with positions that count by content (CoPE)",
            about="Positions are counts of the tokens that the query chooses.",
            source="Golovneva et al., arXiv 2405.18719",
        ),
    ]
}  # fmt: skip


def is_own_encoding(name: str) -> bool:
    """Whether a name is that of a class of the user's, `module:Class`, which no file may have imported.

    >>> is_own_encoding("mine:Slope"), is_own_encoding("rope")
    (True, False)
    """
    read = TaskName(name)
    return read.is_attribute and read.base == name


def encoding_row(name: str) -> EncodingRow:
    """The row of an encoding; one for `module:Class` is made, and nothing is imported.

    >>> encoding_row("rope").title, encoding_row("mine:Slope").words
    ('RoPE', 'with mine:Slope positions')
    >>> encoding_row("reach(modulus=3)").title
    'reach (modulus=3)'
    """
    if is_own_encoding(name):
        return EncodingRow(name=name, title=name, code=name, about="An encoding of your own.", source=name)
    if name not in ENCODINGS and is_reach(name):
        row = ENCODINGS[REACH]
        shown = name.replace(",", ", ").replace("(", " (")
        return replace(row, name=name, title=shown, plain=row.plain.replace("(reach)", f"({shown})"))
    return ENCODINGS[name]


def unknown_encoding(name: str) -> str | None:
    """Why a name is no encoding, with those that it may mean; None if it is one.

    >>> unknown_encoding("rop")
    "unknown encoding 'rop'; did you mean 'rope'?"
    >>> unknown_encoding("lstm")
    "unknown encoding 'lstm'; it is a model: model='lstm', or --model lstm"
    >>> unknown_encoding("nope,ape")
    "unknown encoding 'nope,ape'; give one at a time"
    """
    if name in ENCODINGS or is_reach(name) or is_own_encoding(name):
        return None
    model = f"; it is a model: model={name!r}, or --model {name}" if name in ARCHITECTURES else ""
    several = name.split(",")
    if len(several) > 1 and all(each in ENCODINGS for each in several):
        model = "; give one at a time"
    hint = model or near_names(name, ENCODINGS) or f"; known are {', '.join(ENCODINGS)}"
    return f"unknown encoding {name!r}{hint}"


def side_title(key: str) -> str:
    """A side of a forecast, or any encoding, in plain words.

    >>> side_title("nope"), side_title("rope")
    ('without positions (NoPE)', 'with rotary positions (RoPE)')
    """
    if key == "local":
        return "with nearby letters alone"
    return f"with {key}" if unknown_encoding(key) is not None else encoding_row(key).words
