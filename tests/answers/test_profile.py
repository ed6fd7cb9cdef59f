"""Profiles: effective lengths against the definition, what is derived, what is refused, what is trained."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from longreach.answers import profile_runs
from longreach.answers.board import check_suite
from longreach.answers.profile import (
    NeedProfile,
    Profile,
    ProfiledRun,
    headline,
    is_whole,
    judged,
    lines_of,
    median,
    need_profile,
)
from longreach.answers.profile_question import ProfileQuestion
from longreach.answers.profile_runs import best_rate, profile
from longreach.answers.profile_suite import grid_lengths, suite
from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.runs import timed
from longreach.runs.resolve import resolve
from longreach.runs.train import Nobody
from longreach.training.result import Final, Result, Timings, write_result
from tests.helpers.refusals import refusal

LENGTHS = (20, *grid_lengths(20))
SHARES = st.sampled_from([0.0, 0.4, 0.5, 0.74, 0.76, 0.95, 1.0])


def run(**given: Any) -> ProfiledRun:
    """A run with what follows from its numbers."""
    fields = {
        "run": "0123456789abcdef", "need": "depth", "task": "d-2", "seed": 0, "fitted": False, "effective": 0,
        "sure": 0, "lengths": LENGTHS, "accuracy": (1.0,) * len(LENGTHS), "chance": (0.0,) * len(LENGTHS),
        "steps": 1000, "seconds": 1.0, "code": "0.1.0", **given,
    }  # fmt: skip
    fitted, effective, sure = judged(ProfiledRun.model_construct(**fields))
    return ProfiledRun(**{**fields, "fitted": fitted, "effective": effective, "sure": sure})


def test_the_grid_grows_by_the_root_of_two() -> None:
    assert (20, *(round(20 * 2 ** (i / 2)) for i in range(1, 10)), 500) == LENGTHS


def works(share: float, chance: float) -> bool:
    return share - chance >= 1 - share


@given(st.data())
def test_the_effective_length_is_that_of_the_definition(data: st.DataObject) -> None:
    """The largest length such that at it and all shorter ones random and probing words work."""
    count = len(LENGTHS)
    shares = st.lists(SHARES, min_size=count, max_size=count).map(tuple)
    accuracy, probing, worst = (data.draw(shares) for _ in range(3))
    chance, guessed = (data.draw(st.sampled_from([0.0, 0.5])) for _ in range(2))
    has = data.draw(st.booleans())
    found = run(
        accuracy=accuracy, chance=(chance,) * count, probing=probing if has else (),
        worst_loop=worst if has else (), probing_chance=(guessed,) * count if has else (),
    )  # fmt: skip

    def reached(last: int, *, sure: bool) -> bool:
        return all(
            works(accuracy[k], chance)
            and (not has or (works(probing[k], guessed) and (not sure or works(worst[k], guessed))))
            for k in range(last + 1)
        )

    fits = accuracy[0] >= 0.95
    for sure, value in ((False, found.effective), (True, found.sure)):
        wanted = [LENGTHS[last] for last in range(count) if fits and reached(last, sure=sure)]
        assert value == max(wanted, default=0)
    assert found.fitted is fits


def test_a_run_that_states_more_than_its_accuracies_is_refused() -> None:
    document = run(accuracy=(1.0, 1.0, *[0.0] * 9)).model_dump(mode="json")
    assert document["effective"] == 28
    for change in ({"effective": 500}, {"sure": 40}, {"fitted": False}, {"accuracy": [1.0]}):
        with pytest.raises(ValidationError):
            ProfiledRun.model_validate_json(json.dumps(document | change))


def test_the_median_over_tasks_of_the_median_over_seeds() -> None:
    """Three tasks that reach 500, 40 and nothing: 40; one seed in three does not change a task."""
    reach = {"a": [500, 500, 0], "b": [40, 40, 500], "c": [0, 0, 500]}
    runs = [
        run(task=task, seed=seed, run=f"{task}{seed}".rjust(16, "0"), accuracy=shares(length))
        for task, lengths in reach.items()
        for seed, length in enumerate(lengths)
    ]
    found = need_profile("depth", runs, 20, {"a": "yes", "b": "no", "c": "no"})
    assert (found.effective, found.interval, found.runs, found.fitted) == (40, (0, 500), 9, 6)
    assert found.by_theory == {"yes": (1, 500), "no": (2, 40)}
    assert found.curve["20"] == pytest.approx(6 / 9, abs=1e-4)
    assert found.curve["500"] == pytest.approx(4 / 9, abs=1e-4)
    assert median([0, 0, 500, 500]) == 500  # as several runs work when half of them do


def shares(length: int) -> tuple[float, ...]:
    return tuple(float(each <= length) for each in LENGTHS)


def test_a_run_that_reaches_the_end_of_its_inputs_reaches_all_beyond() -> None:
    short = run(task="sort", run="a" * 16, lengths=(20, 28), accuracy=(1.0, 1.0), chance=(0.0, 0.0))
    found = need_profile("whole answers", [short, run(accuracy=shares(20))], 20)
    assert found.curve["28"] == 0.5
    assert found.curve["40"] == 0.5
    assert list(found.curve) == [str(length) for length in LENGTHS]


def test_the_headline_names_needs_by_length_and_what_is_not_fitted() -> None:
    def need(name: str, length: int) -> NeedProfile:
        return need_profile(name, [run(accuracy=shares(length))], 20)

    made = [need("counting", 500), need("window", 40), need("depth", 500), need("groups", 0)]
    assert headline("LSTM", made) == (
        "LSTM, trained to 20, is effective to 500 (the longest tested) on counting and depth, "
        "to 40 on window; it does not fit groups."
    )
    probing = {"probing": (0.0,) * len(LENGTHS), "probing_chance": (0.0,) * len(LENGTHS)}
    guessed = need_profile("memory", [run(**probing)], 20)
    assert (guessed.fitted, guessed.effective) == (1, 0)
    assert headline("LSTM", [guessed, need("groups", 0)]) == (
        "LSTM, trained to 20: it fits memory but fails probing words no longer than in training, "
        "and does not fit groups."
    )


# What is trained


def test_every_model_has_the_same_budget_and_the_tests_of_the_suite() -> None:
    for question in (ProfileQuestion(model="lstm"), ProfileQuestion(encoding="rope", part="held-out")):
        places = question.places(0.003)
        for need, task, config in places[:: len(places) // 12]:
            assert (config.max_steps, config.batch, config.test_size) == (need.steps, 64, 100)
            assert config.train_lengths.last == 20
            assert [each.last for each in config.test_lengths] == [each.last for each in suite().tested(task)]
            assert not config.stop_early


def test_runs_come_in_rounds_and_do_not_depend_on_the_time() -> None:
    question = ProfileQuestion(model="lstm")
    places = question.places(0.003)
    assert [place.need.need for place in places[:9]] == [need.need for need in suite().needs]
    assert {place.config.seed for place in places[: len(places) // 3]} == {0}
    assert len({place.config.key for place in places}) == len(places)


def test_options_of_a_model_that_are_sizes_come_before_those_of_the_suite() -> None:
    (place, *_) = ProfileQuestion(options={"layers": 3}).places(0.003)
    assert (place.config.layers, place.config.width) == (3, 64)


KNOWN = ", ".join(each.need for each in suite().needs)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"part": "test"}, "part: 'test' is not one of development and held-out"),
        ({"seeds": 0}, "seeds: must be at least 1, not 0"),
        (
            {"quick": True, "seeds": 1},
            "quick: has one seed and no limit of time; give neither seeds nor minutes",
        ),
        ({"minutes": 0.0}, "minutes: must be more than 0, not 0"),
        ({"scale": "paper"}, "scale: a profile has the budget of its suite: laptop, or smoke"),
        ({"needs": ["deep"]}, f"needs: suite 1 has no need 'deep'; it has {KNOWN}"),
        ({"model": "lsmt"}, "architecture: unknown model 'lsmt'; did you mean 'lstm' or 'ssm'?"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_refused_before_training(
    given: dict[str, Any], message: str, tmp_path: Path
) -> None:
    assert refusal(profile, **given, runs=tmp_path / "runs") == message
    assert not (tmp_path / "runs").exists()


class Trainer:
    """Writes results as a rule says instead of training."""

    def __init__(self, reach: Any) -> None:
        self.reach, self.asked = reach, list[list[RunConfig]]()

    def __call__(self, configs: Sequence[RunConfig], runs: Path, **_: Any) -> dict[str, Result]:
        self.asked.append(list(configs))
        return {config.key: made(runs, config, self.reach(config)) for config in configs}


def made(runs: Path, config: RunConfig, length: int | None) -> Result:
    accuracy = {each.name: float(length is not None and each.last <= length) for each in config.ranges}
    final = Final(steps=config.max_steps, reached=bool(length), accuracy=accuracy)
    result = Result(
        key=config.key, config=config.document(), seed=config.seed, code="0.1.0", packages={},
        timings=Timings.model_validate({"started": "2026-01-31T12:00:00Z", "seconds": 2.0}),
        status="failed" if length is None else "done", error="no" if length is None else None, final=final,
    )  # fmt: skip
    write_result(runs, result)
    return result


@contextmanager
def trained(monkeypatch: pytest.MonkeyPatch, reach: Any, seconds: float = 1.0) -> Iterator[Trainer]:
    trainer = Trainer(reach)
    monkeypatch.setattr(profile_runs, "train_pending", trainer)
    monkeypatch.setattr(profile_runs, "seconds_by_run", lambda all: {each.key: seconds for each in all})
    monkeypatch.setattr(profile_runs, "cores", lambda: 2)
    monkeypatch.setattr(profile_runs, "expected", lambda label, tasks: dict.fromkeys(tasks, "yes"))
    yield trainer


def reach(config: RunConfig) -> int:
    """Best at the rate 0.001; copying is not fitted, what needs a modulus ends at 40."""
    if config.task.startswith("copy"):
        return 0
    return (500 if config.lr == 0.001 else 40) if config.seed < 2 else 113


def test_all_of_the_suite(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with trained(monkeypatch, reach) as trainer:
        found = profile("lstm", runs=tmp_path)
        again = profile("lstm", runs=tmp_path)
    assert again == found
    assert len(trainer.asked) == 2  # learning rates, then the suite; the second time nothing
    assert found.budget.rate == 0.001
    assert found.whole
    assert found.headline.startswith(
        "LSTM, trained to 20, is effective to 500 (the longest tested) on counting, "
    )
    assert {run.run for run in found.tried}.isdisjoint(run.run for run in found.runs)
    check_suite(found)
    read = Profile.model_validate_json(lines_of(found))
    assert read == found
    assert len(found.csv().splitlines()) == 1 + sum(len(run.lengths) for run in found.runs)


def test_the_first_runs_correct_the_estimate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said: list[str] = []
    listener = Nobody()
    monkeypatch.setattr(listener, "say", said.append, raising=False)
    with trained(monkeypatch, reach) as trainer:  # a second each by the estimate; they took two
        profile("lstm", runs=tmp_path, needs=["counting", "window"], progress=listener)
    first, rest = (len(each) for each in trainer.asked)
    done = sum(config.lr == 0.001 for config in trainer.asked[0])
    left, whole = rest - done, first + rest - first // 3
    resume = "run the same command again to resume"
    assert said == [
        f"all of suite 1: {whole} runs to train, about {whole // 2} seconds on 2 cores; {resume}",
        f"{left} runs to train, {done} done before: about {left} seconds on 2 cores",
    ]


def test_some_minutes_take_the_first_runs_that_fit_and_the_same_ones_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(timed, "time", SimpleNamespace(monotonic=lambda: 0.0))  # on any machine
    with trained(monkeypatch, reach, seconds=60.0) as trainer:
        found = profile("lstm", minutes=10, seeds=1, runs=tmp_path)
        # 600 - 6 s on two cores, 60 s each; they took 2 s each, so that all others fit too.
        assert [len(each) for each in trainer.asked] == [19, 40]
        assert found.budget.rate == 0.003
        assert not found.whole
    with trained(monkeypatch, reach, seconds=1.0) as trainer:
        again = profile("lstm", minutes=10, seeds=1, runs=tmp_path)
    assert again == found
    assert not trainer.asked
    with pytest.raises(InputError, match="the learning rate was not chosen among "):
        check_suite(found)
    rates = {"0.001": (0,), "0.003": (40,), "0.01": (0,)}
    chosen = found.model_copy(update={"budget": found.budget.model_copy(update={"rates": rates})})
    with pytest.raises(InputError, match="not all of the suite: "):
        check_suite(chosen)


def test_the_quick_form_is_the_first_task_of_each_need_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with trained(monkeypatch, reach) as trainer:
        found = profile("lstm", quick=True, runs=tmp_path)
    (asked,) = trainer.asked
    firsts = [need.tasks["development"][0].task for need in suite().needs]
    assert [config.task for config in asked] == [run.task for run in found.runs] == firsts
    assert {(config.seed, config.lr) for config in asked} == {(0, 0.003)}
    assert (found.quick, found.whole, found.command) == (
        True, False, "longreach profile --model lstm --part development --quick"
    )  # fmt: skip
    check_suite(found)
    assert Profile.model_validate_json(lines_of(found)) == found


def test_what_has_the_runs_of_the_quick_form_is_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """However it was asked for; a need less, a seed more or another scale is not."""
    with trained(monkeypatch, reach):
        part = profile("lstm", minutes=10, seeds=1, needs=["depth", "recall"], runs=tmp_path)
        tiny = profile("lstm", quick=True, scale="smoke", runs=tmp_path)
        seeds = profile("lstm", quick=True, runs=tmp_path)
    assert not part.quick
    assert not tiny.quick
    again = [run.model_copy(update={"seed": 1, "run": f"{k:016x}"}) for k, run in enumerate(seeds.runs)]
    assert is_whole("development", [*seeds.runs, *again], quick=True) == "copy-unique: 2 runs, not 1"
    assert is_whole("development", seeds.runs[1:], quick=True) == f"{seeds.runs[0].task}: 0 of 1 seed"
    assert is_whole("held-out", seeds.runs, quick=True) is not None
    assert is_whole("development", seeds.runs, quick=True) is None


def test_failed_runs_are_told_and_count_as_not_fitted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with trained(monkeypatch, lambda config: None):
        found = profile("lstm", minutes=10, needs=["depth"], runs=tmp_path)
    assert all(run.error == "no" and not run.fitted for run in found.runs)
    assert found.headline == "LSTM, trained to 20, fits the training range of nothing."


def test_a_profile_that_states_more_than_its_runs_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with trained(monkeypatch, reach):
        found = profile("lstm", minutes=10, needs=["depth", "recall"], runs=tmp_path).document()
    Profile.model_validate_json(json.dumps(found))
    need = found["needs"][0]
    changes: list[dict[str, Any]] = [
        {"headline": "LSTM extends everything."},
        {"needs": [{**need, "effective": 320}, found["needs"][1]]},
        {"needs": [{**need, "runs": 7}, found["needs"][1]]},
        {"needs": [{**need, "by_theory": {"yes": [4, 500]}}, found["needs"][1]]},
        {"needs": [need]},
        {"runs": found["runs"][1:]},
        {"runs": [found["runs"][0], *found["runs"]]},
    ]
    for change in changes:
        with pytest.raises(ValidationError):
            Profile.model_validate_json(json.dumps(found | change))


def test_the_best_rate_reaches_farthest_then_fits_best_then_is_smallest() -> None:
    far, near = run(accuracy=shares(500)), run(accuracy=shares(20))
    almost = run(accuracy=(0.96, *[0.0] * 10))
    assert best_rate({0.001: [near, near], 0.003: [far, near], 0.01: [near, near]}) == 0.003
    assert best_rate({0.001: [almost], 0.003: [near]}) == 0.003
    assert best_rate({0.01: [near], 0.001: [near]}) == 0.001


def test_a_run_of_a_profile_is_one_that_train_makes() -> None:
    """The same key: what was trained one way is read the other."""
    (place, *_) = ProfileQuestion(model="gru").places(0.003)
    config = place.config
    given = {
        name: getattr(config, name)
        for name in ("lr", "max_steps", "test_size", "train_lengths", "test_lengths", "layers", "width")
    }
    again = resolve(
        config.task,
        architecture="gru",
        evaluate_every=config.evaluate_every,
        warmup=0,
        stop_early=False,
        **given,
    )
    assert again.key == config.key
