from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from longreach.languages.prove.language_certificates import AutomatonTable
from longreach.languages.regular.automaton_documents import table_automaton
from longreach.languages.regular.automaton_drawing import LEFT_OUT, in_words, to_svg
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.languages.regular.named_languages import NAMED_LANGUAGES, named_automaton

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", NAMED_LANGUAGES)
def test_every_state_and_edge_is_drawn_or_told(name: str) -> None:
    automaton = named_automaton(name)
    root = ElementTree.fromstring(to_svg(automaton, name))
    assert root.tag == f"{SVG}svg"
    circles = root.findall(f".//{SVG}circle")
    states = {int(each.text or -1) for each in root.findall(f"{SVG}g/{SVG}text")}
    told = [each.text or "" for each in root.iter(f"{SVG}text") if "said" in (each.get("class") or "")]
    left_out = set(range(len(automaton))) - states
    assert bool(left_out) == (name == "d-12")  # where its edges would run over the others
    assert told == [LEFT_OUT.format(each) for each in left_out]
    assert len(circles) == len(states) + len(automaton.accepting)
    arrows = {(q, t) for q, row in enumerate(automaton.transitions) for t in row if {q, t} <= states}
    assert len(root.findall(f"{SVG}g/{SVG}path")) == len(arrows) + 1
    inside = [float(circle.get(axis) or -1) for circle in circles for axis in ("cx", "cy")]
    assert all(0 < value < float(root.get("width") or 0) + float(root.get("height") or 0) for value in inside)


def test_arcs_pass_below_notes_and_stay_inside() -> None:
    automaton = table_automaton(
        AutomatonTable(alphabet=("a", "b"), transitions=((1, 0), (2, 1), (0, 2)), accepting=(0,))
    )
    notes = {0: "≈ 1, 2", 1: "≈ 0, 2", 2: "≈ 0, 1"}
    root = ElementTree.fromstring(to_svg(automaton, notes=notes))
    texts = {one.text: one for one in root.iter(f"{SVG}text") if "note" in (one.get("class") or "")}
    below = float(texts["≈ 0, 2"].get("y") or 0)
    back = [one for one in root.iter(f"{SVG}text") if one.text == "a" and float(one.get("y") or 0) > below]
    assert len(back) == 1  # the arc from 2 to 0, with its label, passes below the note of 1
    long = ElementTree.fromstring(to_svg(from_expression("(aaaaaaaaaaaa)*")))
    _, top, _, height = map(float, (long.get("viewBox") or "").split())
    labels = [float(one.get("y") or 0) for one in long.iter(f"{SVG}text")]
    assert top < min(labels)
    assert max(labels) < top + height
    wide = ElementTree.fromstring(to_svg(from_expression("(a|b)*a(a|b)(a|b)(a|b)")))
    assert max(float(one.get("x") or 0) for one in wide.iter(f"{SVG}text")) < float(wide.get("width") or 0)


def test_it_is_told_in_words() -> None:
    root = ElementTree.fromstring(to_svg(named_automaton("aa"), "(aa)*", part="one"))
    told = root.find(f"{SVG}desc")
    assert told is not None
    assert told.text == in_words(named_automaton("aa"))
    assert "State 1: a to 0." in (told.text or "")


def test_letters_are_escaped() -> None:
    drawing = to_svg(from_expression(r"(<|&)*".replace("&", r"\&"), "<&"), "<title>")
    assert "<title>&lt;title&gt;</title>" in drawing
    assert ElementTree.fromstring(drawing) is not None


def test_as_a_part_of_a_page_it_brings_no_style_and_its_own_ids() -> None:
    drawing = to_svg(named_automaton("aa"), "(aa)*", part="one")
    root = ElementTree.fromstring(drawing)
    assert root.get("class") == "automaton"
    assert root.find(f"{SVG}style") is None
    assert [marker.get("id") for marker in root.iter(f"{SVG}marker")] == ["tip-one"]
    assert drawing.count("url(#") == drawing.count("url(#tip-one)") == 1
