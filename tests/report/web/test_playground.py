"""Tests of `report.web.playground`."""

from __future__ import annotations

import pytest

from longreach.answers.forecast import forecast
from longreach.errors import InputError
from longreach.report.web.playground import PARTS, fooling_pair, part_of, potential_notes
from longreach.report.web.worker import answer
from longreach.theory.automata.regex import from_expression
from longreach.theory.certificates.from_proofs import flow_certificate
from longreach.theory.crasp.library import load
from longreach.theory.crasp.program import parse
from longreach.theory.decide.views import Convention
from longreach.theory.decide.without_positions import plain_analysis, refutation

# What the playground shows, held against the commands that say the same.


EXPRESSIONS = ("(aa)*", "(ab|ba)*", "(a|b)*bb(a|b)*", "(a|ba)*b?", "a*b*")


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_verdicts_are_those_of_the_forecast(expression: str) -> None:
    shown = part_of("verdicts", {"kind": "regex", "text": expression})
    known = forecast(f"regex:{expression}")
    for side in shown["sides"]:
        verdict = known.sides[side["encoding"]]
        assert (side["answer"], side["membership"]) == (verdict.trained.value, verdict.answer.value)


def test_a_trace_has_the_values_of_the_program() -> None:
    program = '#alphabet a b\nC = # "a"\nL = C >= 2'
    found = part_of("trace", {"kind": "program", "text": program, "word": "aba"})
    assert [row["values"] for row in found["rows"]] == [["1", "1", "2"], ["False", "False", "True"]]
    assert found["accepted"] is True
    empty = part_of("trace", {"kind": "program", "text": program, "word": ""})
    assert empty["tokens"] == []
    assert empty["accepted"] is False


def test_words_that_fool_differ_in_the_language_alone() -> None:
    for expression in ("(aa)*", "(b|ab*a)*", "(a|b)*(aa|bb)"):
        proof = refutation(plain_analysis(from_expression(expression)), Convention.LAST_LETTER, 100)
        if proof is None:
            continue
        pair = fooling_pair(flow_certificate(proof))
        assert pair is not None
        automaton = from_expression(expression)
        said = [automaton.run(tuple(word), 0) in automaton.accepting for word in pair["words"]]
        assert said == pair["inside"]
        assert said[0] != said[1]


def test_messages_name_places_in_what_was_typed_and_nothing_else() -> None:
    program = {"kind": "program", "text": "#alphabet a\nL = # b"}
    said = answer({"part": "verdicts", "document": program})["document"]["error"]
    assert said.startswith("line 2, column 7: unknown name 'b'")
    broken = answer({"part": "verdicts", "document": {"kind": "automaton", "text": "{"}})["document"]
    assert broken["error"].startswith("line 1, column 2: not JSON: ")
    regex = answer({"part": "verdicts", "document": {"kind": "regex", "text": "(a"}})["document"]
    assert regex["error"].startswith("column 1: ")


def test_what_cannot_be_seen_is_shown_as_an_escape() -> None:
    found = part_of("verdicts", {"kind": "regex", "text": "a\u202eb\u200b"})
    assert found["title"] == "a\\u202eb\\u200b"
    assert (
        part_of("example", {"kind": "regex", "text": "a\u202e"})["word"] == "a\u202e"
    )  # is typed, not shown


def test_a_program_starts_with_a_word_that_it_accepts() -> None:
    for name in ("dyck-1", "majority"):
        text = load(name).text
        word = part_of("example", {"kind": "program", "text": text})["word"]
        assert part_of("trace", {"kind": "program", "text": text, "word": word})["accepted"] is True
    never = '#alphabet a\nL = # "a" < 0'
    assert part_of("example", {"kind": "program", "text": never})["word"]


@pytest.mark.parametrize("expression", ["(ab|ba)*", "(a|b)*bb(a|b)*", "(b|ab*a)*"])
def test_odds_that_look_unlike_the_verdict_say_why(expression: str) -> None:
    subject = {"kind": "regex", "text": expression}
    answers = {side["encoding"]: side["answer"] for side in part_of("verdicts", subject)["sides"]}
    found = part_of("odds", subject)
    assert found["note"]
    for row in found["rows"]:
        likely, yes = row["probability"] > 0.5, answers[row["encoding"]] == "yes"
        assert ("program" in row["words"]) == (likely != yes)


def test_all_heads_are_drawn_when_asked_for() -> None:
    nested = "\n".join(f"c{k} = # (c{k - 1} >= 1)" for k in range(1, 8))
    many = f'#alphabet a b\nc0 = # "a"\n{nested}\nL = c7 >= 1'
    few = part_of("attention", {"kind": "program", "text": many, "word": "aab"})
    whole = part_of("attention", {"kind": "program", "text": many, "word": "aab", "all": True})
    assert len(few["heads"]) < few["number"]
    assert len(whole["heads"]) == whole["number"] == few["number"]


def test_the_drawing_is_also_a_table() -> None:
    table = part_of("automaton", {"kind": "regex", "text": "(aa)*"})["table"]
    assert table["letters"] == ["a"]
    assert [(row["moves"], row["accepts"], row["note"]) for row in table["rows"]] == [
        ([1], True, "≈ 1"),
        ([0], False, "≈ 0"),
    ]


def test_of_a_program_that_is_typed_the_core_is_written() -> None:
    text = load("dyck-1").text
    (found,) = part_of("program", {"kind": "program", "text": text})["programs"]
    assert found["text"] != text.strip()
    assert parse(found["text"]).core == parse(text).core


def test_verdicts_are_sentences_and_an_empty_language_is_said() -> None:
    for side in part_of("verdicts", {"kind": "regex", "text": "(a|b)*bb(a|b)*"})["sides"]:
        assert side["clause"][0].isupper()
        assert side["basis"][0].isupper()
    with pytest.raises(InputError, match=r"^no word fits: the language is empty$"):
        part_of("verdicts", {"kind": "regex", "text": "a&b"})


def test_large_things_are_named_and_not_drawn() -> None:
    found = part_of("automaton", {"kind": "regex", "text": "(a{41})*"})
    assert found["svg"] is None
    assert "41" in found["note"]


def test_unknown_parts_are_refused() -> None:
    with pytest.raises(InputError, match="no part named 'x'"):
        part_of("x", {})
    assert "verdicts" in PARTS


def test_potentials_change_by_the_letter_alone() -> None:
    """Of a component without classes known before: one number per letter."""
    automaton = from_expression("(a(ab)*b)*")
    notes = {state: int(note) for state, note in potential_notes(automaton).below.items()}
    changes: dict[int, set[int]] = {}
    for state in notes:
        for letter, target in enumerate(automaton.transitions[state]):
            if target in notes:
                changes.setdefault(letter, set()).add(notes[target] - notes[state])
    assert {letter: len(found) for letter, found in changes.items()} == {0: 1, 1: 1}


def test_a_large_class_has_a_letter_and_a_legend() -> None:
    notes = potential_notes(from_expression("(a|b)*a(a|b)(a|b)(a|b)(a|b)"))
    assert len(notes.below) == 32
    assert max(map(len, notes.below.values())) <= 6
    together = sorted(state for states in notes.classes.values() for state in states)
    lettered = sorted(state for state, note in notes.below.items() if note[-1].isalpha())
    assert together == lettered
    assert "0–31" in notes.legend
