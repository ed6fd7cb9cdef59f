"""What runs of a profile learned instead: how many of the last tokens a model's answers depend on.

The input of a run is cut: all but its last k tokens are those of another input of the same length. If the
model says the same at the end, its answer did not depend on what was cut. The least k for which that is so
nearly always is the window it has learned, whatever the architecture; a model that remembers has none. Inputs
have the first length at which the run fails.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from longreach.answers.profile import Profile, ProfiledRun
from longreach.errors import InputError
from longreach.inspection.extract import TrainedModel, open_run
from longreach.models.network import Inputs, network
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import IntArray

WINDOWS = (1, 2, 3, 4, 6, 8, 12, 16, 24)
SAME = 0.95
"""Answers that stay the same when the rest is exchanged."""
PAIRS = 100
LEAST = 5
"""Where fewer inputs than that are answered differently from most, there is nothing to explain."""


def window_of(trained: TrainedModel, length: int) -> int | None:
    """The least number of last tokens that decides what a model says, among those tried; None if none does.

    Random and probing inputs of the length are paired, and the last tokens of one replace those of the other:
    in half of the pairs the answers of the two differ, since where most inputs have one answer it stays the
    same whatever is cut. 0 if hardly any answers differ, which tells nothing.
    """
    rng = np.random.default_rng(0)
    tokens = _inputs(trained, length, rng)
    said = _said(trained, tokens)
    _, frequencies = np.unique(said, return_counts=True)
    if len(said) - frequencies.max() < LEAST:
        return 0
    drawn = rng.integers(0, len(said), (2, PAIRS))
    differing = np.argwhere(said[:, None] != said[None, :])
    one, other = np.hstack([drawn, differing[rng.integers(0, len(differing), PAIRS)].T])
    for window in WINDOWS:
        if window >= tokens.shape[1] - 1:
            break
        mixed = tokens[other]
        mixed[:, -window:] = tokens[one, -window:]
        same = _said(trained, mixed) == said[one]
        if min(same[:PAIRS].mean(), same[PAIRS:].mean()) >= SAME:
            return window
    return None


def _inputs(trained: TrainedModel, length: int, rng: np.random.Generator) -> IntArray:
    """Inputs of about this length, as far as the first place that is asked about.

    Of a language they are beginnings of words twice as long: whole words may all be followed by the same.
    """
    task = trained.task
    drawn = 2 * length if trained.whole_words else length
    last = int(task.lengths(trained.train_lengths.first, drawn)[-1])
    batches = [task.sample([last] * (2 * PAIRS), rng)]
    probes = task.probing_sample(LengthRange(last, last), 2 * PAIRS, rng)
    batches += [] if probes is None else [probes.batch]
    if trained.whole_words:
        widths = [np.full(len(batch.sizes), 1 + length * last // drawn) for batch in batches]
    else:
        widths = [batch.mask.argmax(axis=1) + 1 for batch in batches]
    width = int(np.bincount(widths[0]).argmax())  # of most random inputs
    return np.vstack([batch.tokens[own == width, :width] for batch, own in zip(batches, widths, strict=True)])


def _said(trained: TrainedModel, tokens: IntArray) -> IntArray:
    """The most likely token at the end of each row."""
    read = torch.from_numpy(np.ascontiguousarray(tokens))
    ids = torch.arange(tokens.shape[1])[None].expand(len(tokens), -1)
    with torch.inference_mode():
        found = network(trained.model).outputs(trained.parameters, Inputs(read, ids)).tokens[:, -1]
    answer: IntArray = found.argmax(dim=-1).numpy()
    return answer


def explained(profile: Profile, runs: Path) -> Profile:
    """The profile with a sentence for each need that does not extend: what a run that fits has learned."""
    needs = []
    for each in profile.needs:
        own = [run for run in profile.runs if run.need == each.need and run.fitted]
        failing = [run for run in own if run.effective < run.lengths[-1]]
        words = _words(failing, runs) if failing else None
        needs.append(each.model_copy(update={"learned": words}))
    return profile.model_copy(update={"needs": tuple(needs)})


def _words(failing: list[ProfiledRun], runs: Path) -> str | None:
    """Of the runs that fit the training range and fail on longer inputs, the first of each task."""
    first = {run.task: run for run in reversed(failing)}
    windows: list[int | None] = []
    for run in first.values():
        try:
            trained = open_run(runs / run.run)
            beyond = next(length for length in run.lengths if length > run.effective)
            windows.append(window_of(trained, beyond))
        except InputError:
            continue  # its weights are not kept, or its ids are not places
    windows = [window for window in windows if window != 0]  # which tell nothing
    if not windows:
        return None
    found = sorted(window for window in windows if window is not None)
    spans = "" if not found else f"{found[0]} to {found[-1]}" if found[0] < found[-1] else f"{found[0]}"
    only = f"only the last {spans} token{'' if spans == '1' else 's'}"
    if len(windows) == 1:
        uses = f"uses {only}" if found else f"uses more than the last {WINDOWS[-1]} tokens"
        return f"the run that fits but fails on longer inputs {uses}"
    those = f"{len(windows)} runs that fit but fail on longer inputs"
    if not found:
        return f"all of {those} use more than the last {WINDOWS[-1]} tokens"
    return f"of {those}, {len(found)} {'uses' if len(found) == 1 else 'use'} {only}"
