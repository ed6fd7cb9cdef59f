"""A model → the runs of the suite that fit into the time → its profile.

Runs are ordinary runs of a results directory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from longreach.answers.profile import (
    Profile,
    ProfiledRun,
    Said,
    SpentBudget,
    headline,
    is_whole,
    need_profile,
    profiled_run,
    reach,
)
from longreach.answers.profile_question import Place, ProfileQuestion
from longreach.answers.profile_suite import PLAN, PROFILES, check_part
from longreach.config.architectures import DECODER
from longreach.config.run import RunConfig
from longreach.config.scales import Scale
from longreach.errors import Field, InputError
from longreach.execution.local import cores
from longreach.files import canonical_json, job_key, read_bytes, write_atomically
from longreach.runs.index import row_of
from longreach.runs.plan import START_SECONDS, seconds_of, together
from longreach.runs.timed import TimedTraining
from longreach.runs.train import EngineMaker, Watcher, check_runs, check_torch, train_pending, writable_runs
from longreach.training.result import code_version
from longreach.training.setup import network_of, task_of
from longreach.wording import counted, roughly

EVALUATED = 0.5
"""Testing a token takes this share of the time of training on one: forward alone, but over longer inputs."""
MARGIN = 1.1


def evaluation_steps(config: RunConfig) -> float:
    """As many training steps take about as long as the tests at the end.

    >>> question = ProfileQuestion(model="lstm", scale="smoke")
    >>> evaluation_steps(question.places(0.003)[0].config) > 0
    True
    """
    task = task_of(config)
    size = [task.input_size((each.first + each.last) // 2) for each in config.ranges]
    step = config.batch * size[0]
    passes = 4.0  # from the first position on, at random offsets, probing words, those of a certificate
    return EVALUATED * passes * config.test_size * sum(size) / step


def seconds_by_run(configs: Sequence[RunConfig]) -> dict[str, float]:
    """By key, how long each takes on one core of this machine, its tests included."""
    steps = seconds_of(configs)
    return {
        each.key: MARGIN * steps[each.key] * (1 + evaluation_steps(each) / each.max_steps) for each in configs
    }


class _Training(TimedTraining):
    """Of a profile, in which runs that failed count."""

    def known(self, config: RunConfig) -> bool:
        return self.done(config) is not None

    def train_all(self, configs: Sequence[RunConfig]) -> None:
        if all(self.known(each) for each in configs):
            return
        writable_runs(self.runs)
        self.results |= train_pending(
            configs, self.runs, engine=self.engine, progress=self.progress, deadline=self.deadline
        )
        for each in configs:
            self.done(each)

    def profiled(self, places: Sequence[Place]) -> list[ProfiledRun]:
        return [
            profiled_run(
                need, task, config.ranges, row_of(self.results[config.key]), self._parameters(config.key)
            )
            for need, task, config in places
            if config.key in self.results
        ]

    def _parameters(self, key: str) -> int | None:
        final = self.results[key].final
        found = None if final is None else final.details.get("parameters")
        return found if isinstance(found, int) else None


def profile(
    model: str | Callable[..., Any] = DECODER,
    encoding: str | None = None,
    *,
    model_options: Mapping[str, Any] | None = None,
    part: str = "development",
    needs: Sequence[str] = (),
    minutes: float | None = None,
    seeds: int | None = None,
    scale: Scale = "laptop",
    quick: bool = False,
    runs: str | Path = "runs",
    engine: EngineMaker | None = None,
    here: bool = True,
    progress: Watcher | None = None,
) -> Profile:
    """Measure what a model extends, need by need: train on a fixed suite and test on inputs 25 times as long.

    `model` is as for `train`. By default trains the whole suite, at a rate chosen on development tasks.
    `quick` trains the first task of each need once, `minutes` as much of the suite as fits, both at the usual
    learning rate. Finished runs are reused.

    >>> import tempfile
    >>> from longreach.runs.train import InProcessEngine
    >>> in_process = lambda jobs: InProcessEngine()  # by default worker processes
    >>> with tempfile.TemporaryDirectory() as runs:
    ...     found = profile("lstm", needs=["depth"], scale="smoke", runs=runs, engine=in_process)
    >>> [(each.need, each.runs, each.trained_to) for each in found.needs]
    [('depth', 1, 20)]
    """
    check_torch()
    if not isinstance(model, str):
        from longreach.models.module import name_of_factory  # loads torch

        model = name_of_factory(model)
    question = ProfileQuestion(
        model=model, encoding=encoding, options=dict(model_options or {}), part=check_part(part),
        needs=tuple(needs), minutes=minutes, seeds=seeds, scale=scale, quick=quick,
    )  # fmt: skip
    training = _Training(check_runs(runs), minutes, engine=engine, progress=progress, here=here)
    usual = question.suite.budget.usual_rate
    places = question.places(usual)
    rates: dict[float, list[ProfiledRun]] = {}
    if minutes is None and not question.takes_first:
        rates, places = _with_chosen_rate(question, training)
    if minutes is None:
        configs = [place.config for place in places]
        _announce(training, configs)
        training.train_all(configs)
    else:
        places = _within_time(question, places, training)
    return _profile(question, training, places, rates)


def _with_chosen_rate(
    question: ProfileQuestion, training: _Training
) -> tuple[dict[float, list[ProfiledRun]], list[Place]]:
    """The runs at every learning rate, and all runs of the suite with the best one."""
    tried = {rate: question.tried(rate) for rate in question.suite.budget.rates}
    configs = [place.config for each in tried.values() for place in each]
    rest = question.places(question.suite.budget.usual_rate)
    if training.here:
        wanted = {each.key: each for each in [*configs, *(place.config for place in rest)]}
        waiting = [each for each in wanted.values() if not training.known(each)]
        seconds = together(list(seconds_by_run(waiting).values()), cores()) if waiting else 0.0
        if waiting:
            writable_runs(training.runs)
            training.progress.say(
                f"all of suite {question.suite.suite}: {counted(len(waiting), 'run')} to train, about "
                f"{roughly(seconds)} on {counted(cores(), 'core')}; run the same command again to resume"
            )
    training.train_all(configs)
    rates = {rate: training.profiled(places) for rate, places in tried.items()}
    return rates, question.places(best_rate(rates))


def best_rate(tried: Mapping[float, Sequence[ProfiledRun]]) -> float:
    """The learning rate with the greatest effective lengths on development tasks, by their mean logarithm.

    Ties go to the one that fits the training range better, then to the smaller one.

    >>> best_rate({0.003: [], 0.001: []})
    0.001
    """

    def score(rate: float) -> tuple[float, float, float]:
        found = tried[rate]
        fits = [run.accuracy[0] if run.accuracy else 0.0 for run in found]
        return reach(run.effective for run in found), sum(fits), -rate

    return max(tried, key=score)


def _within_time(question: ProfileQuestion, places: Sequence[Place], training: _Training) -> list[Place]:
    """Train the first runs that fit into the minutes, then more while those before were quicker than thought.

    How many there were is kept beside the results, so that the same question has the same runs again.
    """
    asked = json.loads(canonical_json(question.document()))
    path = training.runs / PROFILES / f"{job_key(asked)}{PLAN}"
    kept = _kept_count(path, asked)
    if 0 < kept <= len(places) and all(training.known(place.config) for place in places[:kept]):
        return list(places[:kept])
    estimated, pace = seconds_by_run([place.config for place in places]), 1.0
    count = kept if 0 < kept <= len(places) else 0
    while True:
        left = training.left - START_SECONDS
        fits = _fitting(places, training, {key: pace * each for key, each in estimated.items()}, left)
        if fits <= count and training.results:
            break
        count = max(count, fits, 1)
        waiting = [place.config for place in places[:count] if not training.known(place.config)]
        _announce(training, [place.config for place in places[:count]], (estimated, pace))
        training.train_all([place.config for place in places[:count]])
        done = [each.key for each in waiting if each.key in training.results]
        if len(done) < len(waiting):
            break
        pace = _pace(training, waiting, estimated)
    found = [place for place in places[:count] if place.config.key in training.results]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps({"question": asked, "runs": len(found)}, indent=1).encode())
    return found


def _kept_count(path: Path, asked: Mapping[str, Any]) -> int:
    try:
        kept = json.loads(read_bytes(path))
        return int(kept["runs"]) if kept["question"] == asked else 0
    except (ValueError, KeyError, TypeError):
        return 0  # no plan, or a damaged one


def _fitting(places: Sequence[Place], training: _Training, seconds: Mapping[str, float], left: float) -> int:
    """How many of the first runs take no more than these seconds, those that are done counted as nothing."""
    taken: list[float] = []
    for count, place in enumerate(places):
        taken.append(0.0 if training.known(place.config) else seconds[place.config.key])
        if together(taken, cores()) > left:
            return count
    return len(places)


def _pace(training: _Training, configs: Sequence[RunConfig], estimated: Mapping[str, float]) -> float:
    """How many times as long as estimated those took that are done; 1 where none is."""
    done = [each.key for each in configs if training.known(each)]
    taken = sum(training.results[key].timings.seconds for key in done)
    return taken / sum(estimated[key] for key in done) if taken else 1.0


def _announce(
    training: _Training,
    configs: Sequence[RunConfig],
    known: tuple[Mapping[str, float], float] | None = None,
) -> None:
    """Say what will run; `known` has the seconds by key, and the pace of runs before."""
    waiting = [each for each in configs if not training.known(each)]
    if not waiting:
        return
    writable_runs(training.runs)
    done = len(configs) - len(waiting)
    text = f"{counted(len(waiting), 'run')} to train" + (f", {done} done before" if done else "")
    if training.here:
        if known is None:
            estimated = seconds_by_run(configs)
            known = estimated, _pace(training, configs, estimated)
        seconds = known[1] * together([known[0][each.key] for each in waiting], cores())
        seconds = min(seconds, max(0.0, training.left))
        text += f": about {roughly(seconds)} on {counted(cores(), 'core')}"
    training.progress.say(text)


def expected(label: str, tasks: Sequence[str]) -> dict[str, Said]:
    """By task, whether theory expects a model to extend it.

    >>> expected("lstm", ["word-problem:Z2"]), expected("nope", ["word-problem:Z2"])
    ({'word-problem:Z2': 'yes'}, {'word-problem:Z2': 'no'})
    """
    from longreach.answers.forecast import forecast  # a second or so, once

    found: dict[str, Said] = {}
    for task in tasks:
        answer = forecast(task).expected(label)
        found[task] = "not known" if answer is None or answer.value not in ("yes", "no") else answer.value  # type: ignore[assignment]
    return found


def _profile(
    question: ProfileQuestion,
    training: _Training,
    places: Sequence[Place],
    rates: Mapping[float, Sequence[ProfiledRun]],
) -> Profile:
    runs = tuple(training.profiled(places))
    if not places or not runs:
        raise InputError(
            "no run finished in this time; run the same command again to resume", place=Field("minutes")
        )
    first = places[0].config
    label = first.label
    tasks = dict.fromkeys(run.task for run in runs)
    theory = expected(label.text, list(tasks))
    needs = []
    for need in question.chosen:
        own = [run for run in runs if run.need == need.need]
        if own:
            needs.append(need_profile(need.need, own, question.suite.trained_to, theory))
    main = {run.run for run in runs}
    tried = {run.run: run for each in rates.values() for run in each if run.run not in main}
    network = network_of(first)
    keeps = network.state_size
    longest = task_of(first).input_size(question.suite.grid[-1])
    spent = [*runs, *tried.values()]
    return Profile(
        suite=question.suite.suite,
        hash=question.suite.hash,
        part=question.part,
        model=question.model,
        model_options=dict(question.options),
        encoding=first.encoding if "positions" in first.row.can else None,
        label=label.text,
        title=label.title,
        parameters=network.size,
        state_size=None if keeps is None else keeps(longest),
        budget=SpentBudget(
            steps={place.need.need: place.config.max_steps for place in places},
            batch=first.batch,
            examples=sum(first.batch * run.steps for run in spent),
            rate=first.lr,
            rates={f"{rate:g}": tuple(run.effective for run in found) for rate, found in rates.items()},
            seeds=question.seed_count,
            minutes=question.minutes,
            suite=question.scale == "laptop",
        ),
        seconds=round(sum(run.seconds for run in spent), 1),
        headline=headline(label.title, needs),
        whole=is_whole(question.part, runs) is None,
        quick=question.scale != "smoke" and is_whole(question.part, runs, quick=True) is None,
        needs=tuple(needs),
        theory=theory,
        runs=runs,
        tried=tuple(tried.values()),
        command=question.command,
        code=code_version(),
    )


def unfinished(found: Profile) -> str | None:
    """What a profile lacks of the suite, in words."""
    if found.whole:
        return None
    if found.quick:
        return "the quick form: the first task of each need, one seed"
    tasks = {(run.need, run.task) for run in found.runs}
    return f"a part of the suite: {counted(len(tasks), 'task')}, {counted(len(found.runs), 'run')}"
