"""What runs of a profile learned instead: how many of the last tokens a model's answers depend on.

The input of a run is cut: all but its last k tokens are those of another input of the same length. If the
model says the same at the end, its answer did not depend on what was cut. The least k for which that is so
nearly always is the window it has learned, whatever the architecture; a model that remembers has none.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from longreach.answers.profile import Profile, ProfiledRun
from longreach.errors import InputError
from longreach.inspection.extract import TrainedModel, open_run
from longreach.models.network import Inputs, network
from longreach.tasks.task import IntArray

WINDOWS = (1, 2, 3, 4, 6, 8, 12, 16, 24)
SAME = 0.95
"""Answers that stay the same when the rest is exchanged."""
PAIRS = 100
CERTAIN = 0.05
"""Where fewer answers differ at all, there is nothing to explain."""


def window_of(trained: TrainedModel, length: int, *, seed: int = 0) -> int | None:
    """The least number of last tokens that decides what a model says, as far as that was tried; else None.

    Two inputs of the length are drawn, and the last k tokens of one replace those of the other.
    """
    rng = np.random.default_rng(seed)
    task = trained.task
    last = int(task.lengths(trained.train_lengths.first, length)[-1])
    batch = task.sample([last] * (2 * PAIRS), rng)
    sizes = batch.sizes
    kept = np.flatnonzero(sizes == np.bincount(sizes).argmax())
    if trained.whole_words:
        tokens, width = batch.tokens[kept], int(sizes[kept[0]])
    else:  # up to the first place that is asked about, which is the same in all of them
        places = batch.mask[kept].argmax(axis=1)
        kept = kept[places == np.bincount(places).argmax()]
        width = int(batch.mask[kept[0]].argmax()) + 1
        tokens = batch.tokens[kept]
    half = len(tokens) // 2
    one, other = tokens[:half, :width], tokens[half : 2 * half, :width]
    said = _said(trained, one)
    if half == 0 or (said != _said(trained, other)).mean() < CERTAIN:
        return None
    for window in WINDOWS:
        if window >= width - 1:
            break
        mixed = other.copy()
        mixed[:, -window:] = one[:, -window:]
        if (_said(trained, mixed) == said).mean() >= SAME:
            return window
    return None


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
    if not windows:
        return None
    found = sorted(window for window in windows if window is not None)
    spans = "" if not found else f"{found[0]} to {found[-1]}" if found[0] < found[-1] else f"{found[0]}"
    only = f"only the last {spans} token{'' if spans == '1' else 's'}"
    if len(windows) == 1:
        uses = f"uses {only}" if found else "uses more than a window"
        return f"the run that fits but fails on longer inputs {uses}"
    those = f"{len(windows)} runs that fit but fail on longer inputs"
    if not found:
        return f"none of {those} uses only a window"
    return f"of {those}, {len(found)} {'uses' if len(found) == 1 else 'use'} {only}"
