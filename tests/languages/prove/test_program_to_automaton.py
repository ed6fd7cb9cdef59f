from __future__ import annotations

import pytest

from longreach.crasp import parse
from longreach.crasp.library import load
from longreach.languages.prove import program_to_automaton as recognize
from longreach.languages.prove.program_to_automaton import regular_language
from longreach.languages.regular.automaton import Automaton
from longreach.languages.regular.named_languages import named_automaton
from tests.helpers.extras import needs


@needs("z3")
@pytest.mark.parametrize(
    "name", ["tomita-1", "tomita-2", "tomita-4", "tomita-7", "d-3", "aa", "abab", "aa-bb-cc-dd-ee", "ab-d-bc"]
)
def test_the_automaton_of_a_regular_language_is_found(name: str) -> None:
    assert regular_language(load(name).core) == named_automaton(name)


@pytest.mark.parametrize("name", ["dyck-1", "majority", "anbncn", "induction-all"])
def test_other_programs_have_none(name: str) -> None:
    assert regular_language(load(name).core) is None


def test_what_cannot_be_proved_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    core = parse('#alphabet a b\nL = # "a" >= 12').core  # short words are all rejected

    def never(*_: object) -> bool:
        return False

    found = regular_language(core)
    assert found is None or found.accepts("a" * 12)
    monkeypatch.setattr(recognize, "_proved", never)
    assert regular_language(load("tomita-1").core) is None


def test_a_wrong_guess_is_not_taken() -> None:
    core = parse('#alphabet a\nL = # "a" == 30').core
    found = regular_language(core)
    assert found is None or (isinstance(found, Automaton) and found.accepts("a" * 30))
