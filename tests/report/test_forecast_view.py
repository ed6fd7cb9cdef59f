""""""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from longreach.report.forecast_view import head_views
from longreach.theory.crasp.library import load
from longreach.theory.limit.compiler import compile_program
from longreach.theory.limit.run import attention


def test_attention_is_drawn_square_by_square() -> None:
    word = list("(()())")
    core = load("dyck-1").core
    heads, number = head_views(core, word, "dyck-1")
    model = compile_program(core)
    assert number == len(heads) == 2
    for layer, head in enumerate(heads):
        assert "6 ) looks most at " in (ElementTree.fromstring(head.svg).findtext("desc") or "")
        positive = (attention(model, word, layer, 0) > 0).sum()
        squares = [
            one for one in ElementTree.fromstring(head.svg).iter("path") if one.get("class") == "weight"
        ]
        assert sum((one.get("d") or "").count("M") for one in squares) == positive
