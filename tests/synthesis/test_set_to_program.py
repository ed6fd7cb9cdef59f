"""Sets of behaviours as programs: of the right size, and with the behaviour that they are found for."""

from __future__ import annotations

import pytest

from longreach.crasp.evaluate import accepts
from longreach.crasp.words import Encoder
from longreach.synthesis.enumeration import Enumeration
from longreach.synthesis.program_family import Family
from longreach.synthesis.set_to_program import core_of, readable
from longreach.synthesis.word_tree import WordTree


@pytest.mark.parametrize(("family", "size"), [(Family(), 6), (Family(modulus=2, distance=1), 4)], ids=str)
def test_programs_have_their_size_and_behaviour(family: Family, size: int) -> None:
    known = Enumeration(WordTree.of("ab", length=4), family)
    known.of_size(size)
    for found in known.found[::3]:
        core = core_of(found, known.behaviours)
        assert core.size == found.size
        wanted = known.tree.unpack(known.behaviours.bits[[found.behaviour]])[0]
        encoder = Encoder(core)
        assert accepts(core, [encoder.tokens(word) for word in known.tree.words]).tolist() == wanted.tolist()
        assert readable(core).core.size == core.size
