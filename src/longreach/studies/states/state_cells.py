"""What the study `state-tracking` trains: some of the published languages, drawn by a rule, with one setting.

Nothing here depends on what our runs give. The setting is that of the census, which was chosen on other
languages, but with the usual attention, and with fewer test words, because they have up to 500 letters.
"""

from __future__ import annotations

import hashlib
from typing import Any

from longreach.comparison.places import Place
from longreach.comparison.state_languages import StateLanguage, state_languages
from longreach.config.length_range import LengthRange
from longreach.config.scales import PAPER_SEEDS, Scale
from longreach.config.task_name import STATES, STATES_AFTER
from longreach.config.training import TrainConfig
from longreach.experiments.resolve import resolve
from longreach.languages.regular.expression_to_automaton import from_expression
from longreach.studies.states.published_verdicts import LEVEL, JudgedLanguage, judged_languages
from longreach.tasks.catalog import load_task

ENCODINGS = ("nope", "ape")
PER_KIND = 3
"""Languages of each kind: labelled yes; labelled no, though the letter tells the state; labelled no."""
TRAIN_TO = 50
TESTS = (LengthRange(51, 100), LengthRange(101, 150), LengthRange(201, 250), LengthRange(451, 500))
SETTING: dict[str, Any] = {
    "layers": 2, "heads": 4, "width": 64, "lr": 0.003, "batch": 64, "max_steps": 1000, "warmup": 0,
    "evaluate_every": 500, "stop_early": False, "test_size": 100,
}  # fmt: skip
"""At the laptop scale."""
AT_SCALE: dict[Scale, dict[str, Any]] = {
    "smoke": {
        "layers": 1, "heads": 1, "width": 8, "batch": 8, "max_steps": 5, "evaluate_every": 5, "test_size": 4,
    },
    "laptop": {},
    "paper": {"max_steps": 30_000, "evaluate_every": 1000, "test_size": 1000},
}  # fmt: skip
"""What differs: next to nothing for `smoke`, longer training for `paper`."""
SMOKE_TO, SMOKE_TESTS = 8, tuple(LengthRange(9 + 8 * k, 16 + 8 * k) for k in range(len(TESTS)))
SEEDS: dict[Scale, int] = {"smoke": 1, "laptop": 1, "paper": PAPER_SEEDS}


SAMPLE = (
    "1700", "433", "ab_k", "136", "831", "331", "616", "ab_bba", "1539", "1396", "dyck2", "ABplus_BBAA",
    "1531",
)  # fmt: skip
"""What `drawn` gives, which takes seconds: a test compares them."""
EASIER = ("136", "831", "331")
"""Those of which the letter tells the state: without positions a program exists if it is read there."""


def drawn() -> tuple[JudgedLanguage, ...]:
    """The languages to train: the first of each kind by a hash, and all that contradict the verdict.

    They are of the suite that was trained to 50, and have words in every range.
    """
    known = [each for each in judged_languages() if each.published.suite == "main" and _has_words(each)]
    ordered = sorted(known, key=lambda each: hashlib.sha256(each.published.expression.encode()).hexdigest())
    kinds: dict[tuple[bool, bool], list[JudgedLanguage]] = {}
    for each in ordered:
        if each.agrees(LEVEL):
            kinds.setdefault((each.published.c_rasp, bool(each.at_letter)), []).append(each)
    first = [each for kind in sorted(kinds, reverse=True) for each in kinds[kind][:PER_KIND]]
    return (*first, *(each for each in ordered if not each.agrees(LEVEL)))


def _has_words(language: JudgedLanguage) -> bool:
    automaton = from_expression(language.published.expression)
    reached, lengths = {0}, set()
    for length in range(TESTS[-1].last + 1):
        if reached & automaton.accepting:
            lengths.add(length)
        reached = {target for state in reached for target in automaton.transitions[state]}
    spans = (LengthRange(1, TRAIN_TO), *TESTS)
    return all(not lengths.isdisjoint(range(span.first, span.last + 1)) for span in spans)


def sample() -> dict[str, StateLanguage]:
    """The languages of `SAMPLE` by name.

    >>> len(sample()), sum(each.c_rasp for each in sample().values())
    (13, 7)
    """
    known = {each.name: each for each in state_languages() if each.suite == "main"}
    return {name: known[name] for name in SAMPLE}


def state_places() -> tuple[Place, ...]:
    """The cells: each language after letters with both encodings, and without positions at letters where that
    should be easier."""
    after = [
        Place(STATES_AFTER + each.expression, encoding)
        for each in sample().values()
        for encoding in ENCODINGS
    ]
    return (*after, *(Place(STATES + sample()[name].expression, "nope") for name in EASIER))


def state_config(place: Place, scale: Scale) -> TrainConfig:
    """The member of a cell with the seed 0.

    >>> config = state_config(state_places()[0], "laptop")
    >>> config.width, config.train_lengths.last, config.test_lengths[-1].name
    (64, 50, '451-500')
    """
    small = scale == "smoke"
    least = load_task(place.task).least_length
    return resolve(
        place.task, place.encoding, scale="laptop",
        **SETTING | AT_SCALE[scale],
        train_lengths=LengthRange(least, max(least, SMOKE_TO if small else TRAIN_TO)),
        test_lengths=SMOKE_TESTS if small else TESTS,
    )  # fmt: skip
