"""The cells of the study of `reach`."""

from __future__ import annotations

from longreach.answers.agreement import Place, published_accuracy
from longreach.studies.advice import tried
from longreach.studies.cells import outcomes
from longreach.studies.encodings import draw_encodings
from longreach.studies.reach import ADVISED, FIGURE_1, STUDY, TIMES, config_of, forms
from longreach.studies.study import StudyOptions


def test_every_form_is_a_change_of_the_study_of_advice() -> None:
    changed = {form.partition("+")[0] for form in forms()}
    known = {*FIGURE_1, *ADVISED}
    assert changed <= known
    assert all(any(change.task == form for change in tried(form.partition("+")[0])) for form in forms()[:3])


def test_runs_are_tested_to_ten_times_the_training_length() -> None:
    for task, last in (("aa", 200), ("parity+scratchpad", 120), ("copy-unique", 100)):
        config = config_of(Place(task, "reach"), "laptop")
        assert config.test_lengths[-1].last == last, task
        assert config.encoding == "reach"
        assert len(config.test_lengths) <= len(TIMES)


def test_other_encodings_have_the_same_setting() -> None:
    documents = []
    for encoding in ("reach", "ape", "nope"):
        found = config_of(Place("tomita-3", encoding), "laptop").document()
        documents.append({name: value for name, value in found.items() if name != "encoding"})
    assert documents[0] == documents[1] == documents[2]


def test_seeds_are_those_that_are_asked_for() -> None:
    members = STUDY.members(StudyOptions(scale="laptop", tasks=("aa",), encodings=("reach",), seeds=2))
    assert [config.seed for configs in members.values() for config in configs] == [0, 1]


def test_published_numbers_stand_beside_runs() -> None:
    places = [Place(task, encoding) for encoding in ("reach", "ape", "nope") for task in ("aa", "l-bb")]
    members = {place: [config_of(place, "laptop")] for place in places}
    axis = draw_encodings(outcomes(members, []), "t", published=True).axes[0]
    names = [label.get_text() for label in axis.get_xticklabels()]
    assert names[-2:] == ["ape, paper", "nope, paper"]
    values = {said for said in (text.get_text() for text in axis.texts) if said[0].isdigit()}
    found = {place.encoding: published_accuracy(place) for place in places if place.task == "aa"}
    assert found["reach"] is None
    assert values == {f"{100 * found['ape'][-1]:.0f} ✓", f"{100 * found['nope'][-1]:.0f} ✗"}
    assert published_accuracy(Place("l-bb", "ape")) is None
