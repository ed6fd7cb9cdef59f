r"""Programs read on words that are written as blocks of one length: inverse images and padded words.

>>> even = parse('#alphabet a\nP = i % 2 == 0').core
>>> inverse_image(even, {"x": "aaa"}).class_name, inverse_image(even, {"x": "aa"}).class_name
('C-RASP[periodic]', 'C-RASP[∅]')
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from longreach.errors import InputError
from longreach.theory.crasp import core as c
from longreach.theory.crasp.core import Core, CoreBuilder
from longreach.theory.crasp.evaluate import at_empty_word
from longreach.theory.crasp.lower import simplify
from longreach.theory.crasp.transform import acceptance, finish, total
from longreach.theory.crasp.words import Encoder

Relation: TypeAlias = Literal["periodic", "local"]
BOTH: tuple[Relation, ...] = ("periodic", "local")


class _Blocks:
    """Rebuilds a program for words whose positions are the blocks of the original's words.

    Each operation becomes one per offset in a block (offsets count from 1); the new program at position i
    has the values of the original in the i-th block. `letter` builds the test of a token at an offset.
    With `carry` no local relation is used: positions before a block are read from that block, as offsets
    0, −1, … down to what nested relations can reach.
    """

    def __init__(
        self, core: Core, length: int, letter: Callable[[CoreBuilder, int, str], int], carry: bool
    ) -> None:
        self.builder = CoreBuilder()
        self._length = length
        self._letter = letter
        self._carry = carry
        self._first = [1 - back if carry else 1 for back in core.looks_back]
        self.moved: list[dict[int, int]] = []
        for index, op in enumerate(core.ops):
            self.moved.append(self._at_offsets(op, range(self._first[index], length + 1)))

    def _at_offsets(self, op: c.Op, offsets: range) -> dict[int, int]:
        match op:
            case c.Token(symbol):
                return {offset: self._letter(self.builder, offset, symbol) for offset in offsets}
            case c.Periodic(modulus, residues):
                return {offset: self._residue(modulus, residues, offset) for offset in offsets}
            case c.Count(body, None):
                return self._counts(self.moved[body], offsets)
            case c.Count(body, tuple(distances)):
                window = self._carried if self._carry else self._window
                return {offset: window(self.moved[body], distances, offset) for offset in offsets}
            case _:
                below = c.operands(op)
                return {
                    offset: self.builder.add_op(c.with_operands(op, [self.moved[k][offset] for k in below]))
                    for offset in offsets
                }

    def _residue(self, modulus: int, residues: Sequence[int], offset: int) -> int:
        """(i − 1) · length + offset has one of the residues, as a test of i modulo a divisor."""
        period = modulus // math.gcd(modulus, self._length)
        kept = [i for i in range(period) if ((i - 1) * self._length + offset) % modulus in residues]
        return self.builder.periodic(period, kept)

    def _counts(self, body: dict[int, int], offsets: range) -> dict[int, int]:
        """At the end of a block, all blocks up to it; before its end, less what is still to come."""
        b = self.builder
        whole = total(b, [b.count(body[offset]) for offset in range(1, self._length + 1)])
        counts = {self._length: whole}
        for offset in reversed(offsets[:-1]):
            counts[offset] = b.add_op(c.Subtract(counts[offset + 1], b.as_count(body[offset + 1])))
        return counts

    def _window(self, body: dict[int, int], distances: Sequence[int], offset: int) -> int:
        """Each distance leads to one offset, some blocks back; distances are grouped by that offset."""
        back: dict[int, list[int]] = {}
        for distance in distances:
            blocks, place = divmod(offset - distance - 1, self._length)
            back.setdefault(place + 1, []).append(-blocks)
        b = self.builder
        return total(b, [b.count(body[place], tuple(blocks)) for place, blocks in back.items()])

    def _carried(self, body: dict[int, int], distances: Sequence[int], offset: int) -> int:
        """Distances within the block, and those into the one before, which the first block lacks."""
        b = self.builder
        places = [offset - distance for distance in distances]
        # Offsets below 1 are read only where there is an earlier block: they need no second test.
        within = [b.as_count(body[place]) for place in places if place > 0 or offset <= 0]
        before = [b.as_count(body[place]) for place in places if place <= 0 < offset]
        if not before:
            return total(b, within)
        one = b.add_op(c.One())
        first = b.leq(b.count(b.add_op(c.Top())), one)
        carried = b.conditional(first, b.integer(0), total(b, before))
        return total(b, [*within, carried])


def inverse_image(core: Core, morphism: Mapping[str, str | Sequence[str]]) -> Core:
    """h⁻¹(L): accepts w exactly when `core` accepts h(w), for h that maps each letter to n tokens.

    The alphabet of the result is the letters of h, declared. The class stays within that of `core`: a
    modulus m becomes a divisor of m, m / gcd(m, n), and a distance d becomes at most ⌈d/n⌉ blocks. The size
    grows at most by a factor n (times the distances of one relation, for local counts), plus the letters.
    See Huang et al., arXiv 2410.02140, Lemma 42; there the residue of offset c in block k should be that of
    n · k + c, and the image of a letter is tested at each offset by the letters that have it there.

    >>> core = inverse_image(parse('P = # "a" == # "b"').core, {"x": "ab", "y": "aa", "z": "bb"})
    >>> [raise_core(core).accepts(word) for word in ("ε", "xx", "yxz", "yx")]
    [True, True, True, False]
    """
    accept = acceptance(core)
    images = _images(core, morphism)
    length = len(next(iter(images.values())))
    at_empty = bool(at_empty_word(core)[accept])
    if length == 0:  # every word is mapped to the empty one
        builder = CoreBuilder()
        constant = builder.add_op(c.Top()) if at_empty else builder.false()
        return finish(builder, tuple(images), True, constant, at_empty)

    def letter(builder: CoreBuilder, offset: int, symbol: str) -> int:
        bearers = [builder.add_op(c.Token(a)) for a, image in images.items() if image[offset - 1] == symbol]
        found = bearers[0] if bearers else builder.false()
        for bearer in bearers[1:]:
            found = builder.or_(found, bearer)
        return found

    blocks = _Blocks(core, length, letter, carry=False)
    return finish(blocks.builder, tuple(images), True, blocks.moved[accept][length], at_empty)


def _images(core: Core, morphism: Mapping[str, str | Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The images as tokens, after checking that they have one length and fit the program's alphabet."""
    encoder = Encoder(core)
    images: dict[str, tuple[str, ...]] = {}
    for symbol, image in morphism.items():
        images[symbol] = tuple(encoder.split(image) if isinstance(image, str) else image)
        encoder.tokens(images[symbol])  # rejects tokens outside a declared alphabet
    lengths = sorted({len(image) for image in images.values()})
    if not lengths:
        raise InputError("a morphism maps at least one letter")
    if len(lengths) > 1:
        found = f"{lengths[0]} and {lengths[-1]}"
        raise InputError(f"the morphism's words must have one length, and there are words of {found} tokens")
    return images


@dataclass(frozen=True, slots=True)
class Padding:
    """Writes each letter σ as neutral^before σ neutral^after.

    >>> "".join(Padding("e", before=2, after=1).pad("ab"))
    'eeaeeebe'
    """

    neutral: str
    before: int
    after: int

    def __post_init__(self) -> None:
        if not self.neutral:
            raise InputError("a token is a non-empty string")
        if self.before < 0 or self.after < 0:
            raise InputError("a padding has at least 0 letters before and after each letter")

    @property
    def length(self) -> int:
        return self.before + 1 + self.after

    def pad(self, word: Sequence[str]) -> tuple[str, ...]:
        """The padded word; of the empty word, the empty word."""
        before, after = (self.neutral,) * self.before, (self.neutral,) * self.after
        return tuple(token for letter in word for token in (*before, letter, *after))


@dataclass(frozen=True, slots=True)
class Removal:
    """A program that treats w as the original treats padding.pad(w)."""

    core: Core
    padding: Padding


def reach(core: Core) -> int:
    """How far back nested local relations can look: the largest sum of distances, each below the last.

    >>> reach(parse('P = #[i-2] "a" >= 1\\nQ = #[i-3] P >= #[i-4] "a"').core)
    5
    """
    return max(simplify(core).looks_back, default=0)


def lemma_padding(core: Core, neutral: str, relations: Sequence[Relation] = BOTH) -> Padding:
    """σ ↦ e^s σ e^(s−1) with the least s > 0 that removes the relations.

    s is a multiple of every modulus and exceeds the sum of nested distances: the largest single distance, as
    in Huang et al., arXiv 2410.02140, Lemma 40, is not enough where local relations are nested.

    >>> lemma_padding(parse('P = i % 2 == 0 && #[i-3] "a" >= 1').core, "b")
    Padding(neutral='b', before=4, after=3)
    """
    period, far = _needs(core, relations)
    s = period * (far // period + 1)
    return Padding(neutral, s, s - 1)


def _needs(core: Core, relations: Sequence[Relation]) -> tuple[int, int]:
    """What blocks must be a multiple of, and how many neutral letters must follow each letter."""
    return (
        simplify(core).modulus if "periodic" in relations else 1,
        reach(core) if "local" in relations else 0,
    )


def remove_relations(
    core: Core, neutral: str, relations: Sequence[Relation] = BOTH, padding: Padding | None = None
) -> Removal:
    """A program without the given kinds of relations that does on w what `core` does on padded w.

    Guarantee: with r the result, r.core accepts w exactly when `core` accepts r.padding.pad(w), for every
    word w of the program's alphabet, the empty word and words that hold the neutral letter included; and
    r.core uses none of the kinds in `relations`, nor any kind that `core` does not use. When the letter is
    neutral for the language (membership does not change when it is inserted or removed), r.core therefore
    accepts the language of `core` itself. This is what Huang et al., arXiv 2410.02140, Lemmas 34 and 40 use
    against Σ*be* and PARITY.

    The padding is `lemma_padding`'s unless given; a given one must have blocks that are a multiple of every
    modulus, and at least `reach(core)` letters after each letter. The size grows at most by a factor of the
    block's length plus the reach (times the distances of one relation, for local counts).

    >>> core = parse('#alphabet a b\\nP = i % 2 == 0 && #[i-3] "a" >= 1').core
    >>> removal = remove_relations(core, "b", padding=Padding("b", 0, 3))
    >>> removal.core.class_name, removal.core.alphabet
    ('C-RASP[∅]', ('a', 'b'))
    """
    accept = acceptance(core)
    if core.closed and neutral not in core.alphabet:
        raise InputError(f"the neutral letter {neutral!r} is not in the alphabet")
    padding = lemma_padding(core, neutral, relations) if padding is None else padding
    _check_padding(core, neutral, relations, padding)

    def letter(builder: CoreBuilder, offset: int, symbol: str) -> int:
        if offset == padding.before + 1:
            return builder.add_op(c.Token(symbol))
        return builder.add_op(c.Top()) if symbol == neutral else builder.false()

    small = simplify(core)  # what it does at position 0 is not used, and unread relations need no padding
    blocks = _Blocks(small, padding.length, letter, carry="local" in relations)
    last = blocks.moved[acceptance(small)][padding.length]
    at_empty = bool(at_empty_word(core)[accept])
    return Removal(finish(blocks.builder, core.alphabet, core.closed, last, at_empty), padding)


def _check_padding(core: Core, neutral: str, relations: Sequence[Relation], padding: Padding) -> None:
    period, far = _needs(core, relations)
    if padding.neutral != neutral:
        raise InputError(f"the padding is made of {padding.neutral!r}, not of {neutral!r}")
    if padding.length % period:
        raise InputError(f"blocks of {padding.length} positions are not a multiple of the modulus {period}")
    if padding.after < far:
        raise InputError(
            f"local relations reach {far} positions back: there must be as many neutral letters "
            f"after each letter, not {padding.after}"
        )
