"""Automata from models. The oracle: a model that is an automaton itself, which is to be found again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from longreach.config.decoder import DecoderConfig
from longreach.config.length_range import LengthRange
from longreach.errors import InputError
from longreach.experiments import resolve
from longreach.languages.regular.named_languages import named_automaton
from longreach.models.trainable import initial
from longreach.results.files import write_result
from longreach.synthesis.answers_to_automaton import LearnedAutomaton, NotLearned
from longreach.tasks.catalog import load_task
from longreach.tasks.language_task import RegularLanguage
from longreach.training.checkpoint import save_model
from longreach.training.model_to_automaton import TrainedModel, extract, open_run
from longreach.training.shape import model_of
from tests.helpers.result_samples import sample

MODEL = DecoderConfig(layers=1, heads=1, width=8, vocabulary=6, positions=60, encoding="nope")
TRAINED, TESTED = LengthRange(2, 12), (LengthRange(13, 24),)


@dataclass(frozen=True, eq=False)
class _Tomita5(TrainedModel):
    """A model that is right; from some length on it says the first label whatever it reads."""

    fails_from: int = 1000

    def predicted(self, tokens: tuple[str, ...]) -> list[str]:
        right = self.task.answer(tokens[1:])
        return [said if size < self.fails_from else right[0] for size, said in enumerate(right)]


def _model(fails_from: int = 1000) -> TrainedModel:
    return _Tomita5(load_task("tomita-5"), MODEL, {}, TRAINED, TESTED, fails_from=fails_from)


def test_a_model_that_is_right_is_the_language() -> None:
    found = extract(_model())
    assert isinstance(found.learned, LearnedAutomaton)
    assert len(found.learned.machine) == len(named_automaton("tomita-5"))
    assert found.partings == ()
    for each in found.agreements:
        assert (
            each.inputs == each.model_and_task == each.model_and_automaton == each.automaton_and_task == 100
        )


def test_a_model_that_fails_on_long_words_parts_from_task_and_automaton() -> None:
    found = extract(_model(fails_from=14))
    inside, beyond = found.agreements
    assert inside.model_and_task == inside.inputs
    assert beyond.model_and_task < beyond.inputs == beyond.automaton_and_task
    task = load_task("tomita-5")
    assert isinstance(task, RegularLanguage)
    assert found.partings
    for each in found.partings:
        assert len(each.word) >= 14
        assert task.answer(each.word)[-1] == each.task != each.model == task.answer(())[0]


def test_the_document() -> None:
    document = extract(_model()).document()
    assert document["learned_to"] == 12
    assert len(document["automaton"]["outputs"]) == len(document["automaton"]["transitions"])
    assert extract(_model(), seconds=0.0).document()["automaton"] is None


def _run(directory: Path, task: str = "parity", encoding: str = "ape") -> Path:
    """A run of no steps at all."""
    given = {"train_lengths": (1, 6), "test_lengths": [(7, 9)], "test_size": 10, "max_steps": 2}
    config = resolve(task, encoding, layers=1, heads=1, width=8, **given)
    save_model(directory / config.key, initial(model_of(config), 0), model_of(config))
    write_result(directory, sample().model_copy(update={"key": config.key, "config": config.document()}))
    return directory / config.key


def test_a_run(tmp_path: Path) -> None:
    """Nothing was learned, and what the model says is compared all the same."""
    directory = _run(tmp_path)
    found = extract(open_run(directory), seconds=20.0)
    assert not isinstance(found.learned, NotLearned) or "states" in found.learned.reason
    assert [each.lengths.name for each in found.agreements] == ["1-6", "7-9"]
    assert 0 < len(found.partings) <= 5
    with pytest.raises(InputError, match="other tokens"):
        open_run(directory, "sort")


@pytest.mark.parametrize("scheme", ["coupled", "randomized"])
def test_a_model_that_has_learned_other_ids_is_refused(tmp_path: Path, scheme: str) -> None:
    with pytest.raises(InputError, match=f"run: .*: trained with {scheme} ids; a word is asked about with"):
        open_run(_run(tmp_path, "copy-repeat", scheme))


def test_words_are_read_at_once_and_one_by_one_alike(tmp_path: Path) -> None:
    trained = open_run(_run(tmp_path))
    whole = trained.predicted(("SOS", "1", "0", "SEP"))
    assert whole[:2] == trained.predicted(("SOS", "1"))
    assert trained.said(("1", "0")) == whole[-1]
