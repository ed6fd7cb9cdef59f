"""Tasks as the authors' scripts draw them where they differ from the text of Huang et al., 2410.02140."""

from __future__ import annotations

from dataclasses import dataclass

from longreach.tasks.addition import Addition
from longreach.tasks.parity import Parity


@dataclass(frozen=True)
class AdditionWithoutLeadingZeros(Addition):
    """Addition whose operands begin with 1, unless they are a single bit.

    About three in four inputs of `addition` have an operand that begins with a zero; these are left out.

    >>> AdditionWithoutLeadingZeros().answer(list("101+10="))
    ('1', '1', '1', 'EOS')
    """

    name = "addition-no-leading-zeros"
    about = "the sum of two binary numbers without leading zeros"
    leading_zeros = False


@dataclass(frozen=True)
class ParityWithEmpty(Parity):
    """Parity that has the empty input as well, whose number of ones is even.

    >>> ParityWithEmpty().answer([])
    ('even', 'EOS')
    """

    name = "parity-with-empty"
    about = "whether the number of ones is even or odd, the empty input included"
    least_length = 0
