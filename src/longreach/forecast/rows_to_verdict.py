"""Bits that were measured to grow linearly, to a length → the verdict "no", marked so."""

from __future__ import annotations

from dataclasses import replace

from longreach.forecast.black_box_certificates import MeasuredRowsCertificate
from longreach.languages.program_class import SIDES
from longreach.limit.measure.answers_to_rows import MeasuredRows
from longreach.verdicts.verdict import Answer, Proof, Verdict, same_answers


def measured_verdict(measured: MeasuredRows, *, name: str, key: str) -> Verdict:
    """A no, for as long as the growth goes on.

    >>> from longreach.limit.measure.answers_to_rows import rows_of_function
    >>> measured_verdict(rows_of_function(lambda word: word[::-1], "ab"), name="reverse", key="ape").reason
    'measured up to length 12: the bits that a part of the input must pass on grow linearly, 1 per symbol'
    """
    longest = measured.lengths[-1]
    bits = measured.bits
    each = (bits[-1] - bits[0]) / (longest - measured.lengths[0])
    proof = Proof(
        reason=(
            f"measured up to length {longest}: the bits that a part of the input must pass on grow linearly, "
            f"{each:.2g} per symbol"
        ),
        certify=lambda: MeasuredRowsCertificate(
            program_class=SIDES[key],
            task=name,
            alice=measured.cut.alice,
            bob=measured.cut.bob,
            bob_size=measured.cut.size,
            lengths=measured.lengths,
            rows=measured.rows,
            bits=bits,
            exhaustive=measured.exhaustive,
        ),
        say=lambda: f"a part of the input must pass on {_bits(each)} per symbol, more than attention can",
        weigh=lambda: f"measured to length {longest}",
    )
    return replace(same_answers(SIDES[key], Answer.NO, proof), checked_to=longest)


def _bits(count: float) -> str:
    return f"{count:.2g} bit{'' if f'{count:.2g}' == '1' else 's'}"
