from __future__ import annotations

import io
import random
import re

import numpy as np
import pytest
from matplotlib.image import imread

from longreach.languages.regular.automaton_drawing import to_svg
from longreach.languages.regular.automaton_figure import PIXELS_PER_INCH, to_figure
from longreach.languages.regular.expression_to_automaton import from_expression
from tests.helpers.language_oracles import random_automaton

AUTOMATA = [
    from_expression("(a|b)*abb"),
    random_automaton(6, "abc", random.Random(0), sink=0.2),
    from_expression("(a|b)*a(a|b)(a|b)(a|b)"),
]


@pytest.mark.parametrize("automaton", AUTOMATA)
def test_circles_stand_where_the_svg_has_them(automaton) -> None:
    svg = to_svg(automaton)
    picture = imread(io.BytesIO(to_figure(automaton, "mine", "png")))[..., :3]
    width, height = (int(found) for found in re.findall(r'(?:width|height)="(\d+)" ', svg)[:2])
    assert abs(picture.shape[1] - 2 * width) <= 2
    assert abs(picture.shape[0] - 2 * height) <= 2
    assert PIXELS_PER_INCH == 96
    for x, y in re.findall(r'class="state" cx="([\d.]+)" cy="([\d.]+)"', svg):
        # Off the number in the middle, within the circle: its fill, of which a pale one shows less.
        spot = picture[int(2 * float(y)) + 26, int(2 * float(x))]
        assert not np.allclose(spot, 1.0, atol=0.01)
        assert spot.min() > 0.9


@pytest.mark.parametrize("form", ["pdf", "png"])
def test_letters_are_shown_as_they_are(form) -> None:
    """Not as formulas, which a pair of dollars would begin."""
    automaton = from_expression(r"(\$a|<b)*", "$ab<\\")
    assert len(to_figure(automaton, "$x$ <y>", form)) > 1000


def test_a_drawing_is_the_same_each_time() -> None:
    automaton = AUTOMATA[0]
    assert to_figure(automaton, "t", "pdf") == to_figure(automaton, "t", "pdf")
