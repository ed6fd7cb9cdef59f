"""Product functions of trained transformers: Figures 7 to 11 of Huang et al. (arXiv 2410.02140, G.6.2).

Five small models are trained, and every head is read. Beside them stand the same models before training and a
GPT-2 configuration with initial weights: they show what these numbers are where nothing was learned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from longreach.answers.agreement import Place
from longreach.config.run import RunConfig
from longreach.config.scales import Scale, first_seed_of
from longreach.figures import BLUE, GREY
from longreach.runs.index import Row
from longreach.runs.train import check_torch
from longreach.studies.cells import config_of, selected
from longreach.studies.study import Claim, Study, StudyOptions, StudyReport, rows_by_cell, table_of
from longreach.wording import counted, listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from longreach.inspection.models import Subject
    from longreach.inspection.report import HeadReport

NAME = "product-functions"
INTERLEAVED = "binary-majority-interleave"
"""The task with a periodic head in the paper (Figure 8 b)."""
PLACES = tuple(
    Place(task, "ape") for task in ("binary-majority", INTERLEAVED, "majority", "sort", "copy-unique")
)
GPT2_SIZES: dict[Scale, dict[str, int]] = {
    "smoke": {"n_layer": 2, "n_head": 2, "n_embd": 32, "n_positions": 64, "vocab_size": 50},
    "laptop": {},
    "paper": {},
}
"""How a configuration differs from that of GPT-2 small."""
TRAINED, BEFORE, GPT2 = "trained", "before training", "GPT-2, initial weights"
DependsOn: TypeAlias = Literal["nothing", "distance", "both positions"]
LOW, HIGH = 0.1, 1.0
"""Offset variances: about that of Figure 8 (b), and well below that of Figure 9."""
STEADY = 0.1
"""A mean total variation distance between windows below which they attend alike."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ReadHead:
    """A head, and whose it is."""

    kind: str
    model: str
    """The task, with the seed where there are several; or that of GPT-2."""
    head: HeadReport

    @property
    def name(self) -> str:
        return f"{self.model} {self.head.name}"

    @property
    def depends_on(self) -> DependsOn:
        """What the product is a function of, but for a quarter of its variance."""
        from longreach.inspection.positions import ENOUGH

        if self.head.fit.shape == "constant":
            return "nothing"
        return "distance" if self.head.fit.by_offsets <= ENOUGH else "both positions"

    def document(self) -> dict[str, Any]:
        head, fit = self.head, self.head.fit.document()
        return {
            "kind": self.kind,
            "model": self.model,
            "head": head.name,
            "offset_variance": head.offset_variance,
            "total_variance": head.total_variance,
            **{key: fit[key] for key in ("shape", "tau", "delta", "residual", "unexplained", "by_offsets")},
            "depends_on": self.depends_on,
            "windows": asdict(head.shift),
        }


def members(options: StudyOptions) -> dict[Place, tuple[RunConfig, ...]]:
    """Runs of Figure 1: the first seed of each task, unless more are asked for."""
    seeds = range(first_seed_of(options.scale), first_seed_of(options.scale) + (options.seeds or 1))
    firsts = {each: config_of(each, options.scale) for each in selected(NAME, PLACES, options.tasks, None)}
    return {place: tuple(first.with_seed(seed) for seed in seeds) for place, first in firsts.items()}


def report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport:
    """Read every head of the models that are there."""
    check_torch()
    wanted = members(options)
    known = rows_by_cell(wanted, rows)
    heads: list[ReadHead] = []
    read: list[Row] = []
    with options.stages(False) as stage:
        advance = stage("reading the heads of the trained models", sum(map(len, wanted.values())))
        for place, configs in wanted.items():
            several = len(configs) > 1
            for row in known[place]:
                model = f"{place.task}, seed {row.seed}" if several else place.task
                found = _read_run(options.runs / row.key, model)
                heads += found
                read += [row] if found else []
                advance(1)
        stage("reading the heads of GPT-2's configuration", 0)
        heads += _read(untrained_gpt2(options.scale), GPT2, GPT2)
    total = sum(map(len, wanted.values()))
    kinds = [TRAINED, BEFORE, GPT2]
    remarks = [_kind_words(heads, kind) for kind in kinds if any(each.kind == kind for each in heads)]
    if missing := total - len(read):
        remarks.insert(0, f"{missing} of {counted(total, 'model')} not in {options.runs}")
    judged = () if options.scale == "smoke" else claims(heads)
    return StudyReport(
        document={
            "runs": [
                {
                    "key": row.key, "task": row.task, "seed": row.seed, "steps": row.steps,
                    "accuracy": row.accuracy, "code": row.code,
                }
                for row in read
            ],
            "missing": missing,
            "kinds": {kind: summary(heads, kind) for kind in kinds},
            "heads": [each.document() for each in heads if each.kind != GPT2],
            "claims": [claim.document() for claim in judged],
        },
        tables=[
            table_of(
                columns=COLUMNS,
                rows=[_line(each) for each in _ranked(heads) if each.kind == TRAINED],
                title="Heads of the trained models",
                spare=("windows differ", "within distances"),
            )
        ],
        remarks=["\n\n".join(remarks)],
        claims=judged,
        figure=lambda title: draw(heads, title),
    )  # fmt: skip


def untrained_gpt2(scale: Scale) -> Subject:
    """A decoder of GPT-2's configuration with initial weights: those that were published are not here."""
    from longreach.inspection.models import Subject
    from longreach.models.decoder import initialise
    from longreach.models.huggingface import config_from_document

    config = config_from_document({"model_type": "gpt2", **GPT2_SIZES[scale]})
    return Subject(name=GPT2, kind="gpt2", config=config, parameters=initialise(config, 0))


def _read_run(folder: Path, model: str) -> list[ReadHead]:
    """The heads of a run and those of its initial weights; none where the result alone was kept."""
    from longreach.inspection.models import Subject, open_model
    from longreach.models.decoder import initialise
    from longreach.training.checkpoint import MODEL

    if not (folder / MODEL).is_file():
        return []
    subject = open_model(folder)
    assert isinstance(subject, Subject)
    assert subject.training is not None
    before = replace(subject, parameters=initialise(subject.config, subject.training.seed))
    return [*_read(subject, TRAINED, model), *_read(before, BEFORE, model)]


def _read(subject: Subject, kind: str, model: str) -> list[ReadHead]:
    from longreach.inspection.report import inspect_heads

    return [ReadHead(kind=kind, model=model, head=head) for head in inspect_heads(subject)]


# What is said of the heads.


COLUMNS = ("head", "function of positions", "offset variance", "within distances", "windows differ")
"""`within distances`: the share of the variance that no function of the distance explains."""


def _ranked(heads: Sequence[ReadHead]) -> list[ReadHead]:
    return sorted(heads, key=lambda each: -each.head.offset_variance)


def _line(each: ReadHead) -> tuple[str, ...]:
    head = each.head
    return (
        each.name, head.fit.words, f"{head.offset_variance:.3g}", f"{100 * head.fit.by_offsets:.0f} %",
        f"{head.shift.distance:.3f}",
    )  # fmt: skip


def summary(heads: Sequence[ReadHead], kind: str) -> dict[str, Any]:
    """The heads of a kind in numbers."""
    own = [each for each in heads if each.kind == kind]
    variances = [each.head.offset_variance for each in own]
    return {
        "heads": len(own),
        "low": sum(value < LOW for value in variances),
        "depends_on": {name: sum(each.depends_on == name for each in own) for name in get_args(DependsOn)},
        "shapes": dict(Counter(each.head.fit.shape for each in own)),
        "offset_variances": variances,
        "median": float(np.median(variances)) if own else None,
        "largest": max(variances, default=None),
        "windows_differ": max((each.head.shift.distance for each in own), default=None),
    }


def _kind_words(heads: Sequence[ReadHead], kind: str) -> str:
    found = summary(heads, kind)
    on = found["depends_on"]
    return (
        f"{kind}: {counted(found['heads'], 'head')}, {on['nothing']} constant, {on['distance']} by distance "
        f"alone, {on['both positions']} by both positions; offset variance to {found['largest']:.3g}, below "
        f"{LOW:g} in {found['low']}"
    )


def claims(heads: Sequence[ReadHead]) -> list[Claim]:
    """Those of G.6.2, by our own lines between small and large."""
    own = [each for each in heads if each.kind == TRAINED]
    texts = (
        f"most heads have an offset variance below {LOW:g} (Figure 7)",
        f"heads below {LOW:g} are constant or periodic (Figure 8)",
        f"a head of {INTERLEAVED} is periodic (Figure 8 b)",
        f"one head alone is above {HIGH:g} (Figures 7 and 9)",
        "the head of the largest offset variance attends alike in all windows (Figure 9 c)",
        "and most to the preceding position (Figure 9 c)",
    )
    if not own:
        return [Claim(text=text, holds=None) for text in texts]
    low = [each for each in own if each.head.offset_variance < LOW]
    plain = [each for each in low if each.head.fit.shape == "constant" or "periodic" in each.head.fit.shape]
    turning = [
        each for each in own if each.model.startswith(INTERLEAVED) and "periodic" in each.head.fit.shape
    ]
    high = [each for each in own if each.head.offset_variance > HIGH]
    largest = _ranked(own)[0]
    shift = largest.head.shift.distance
    distance, share = most_attended(largest.head)
    found = (
        (2 * len(low) > len(own), f"{len(low)} of {len(own)}"),
        (len(plain) == len(low), f"{len(plain)} of {len(low)}"),
        (bool(turning), listed([f"{each.name} {each.head.fit.words}" for each in turning]) or "none"),
        (len(high) == 1, f"{len(high)} are"),
        (shift < STEADY, f"{largest.name}: a total variation distance of {shift:.3f}"),
        (distance == 1, f"{100 * share:.0f} % of the queries attend most to distance {distance}"),
    )
    judged = [
        Claim(text=text, holds=holds, detail=detail)
        for text, (holds, detail) in zip(texts, found, strict=True)
    ]
    reason = "the published weights are needed; `longreach inspect DIR` reads a local copy"
    return [*judged, Claim(text="GPT-2 small looks the same (Figures 10 and 11)", holds=None, detail=reason)]


def most_attended(head: HeadReport) -> tuple[int, float]:
    """The distance with the largest weight for most queries of all windows, and the share of these queries.

    The first query of a window has no choice.
    """
    from longreach.inspection.positions import window_weights

    assert head.matrix is not None
    found: Counter[int] = Counter()
    for offset in head.shift.offsets:
        weights = window_weights(head.matrix, head.shift.window, offset)[1:]
        found.update((np.arange(1, len(weights) + 1) - weights.argmax(axis=1)).tolist())
    ((distance, times),) = found.most_common(1)
    return distance, times / found.total()


# The figure: histograms over heads, then heat maps of a few.


def shown(heads: Sequence[ReadHead]) -> list[ReadHead]:
    """For Figures 8, 9, 11: the flattest head, a periodic one, the largest offset variance, and GPT-2's."""
    own = [each for each in _ranked(heads) if each.kind == TRAINED]
    turning = [each for each in own if each.head.fit.shape == "periodic"]
    turning = turning or [each for each in own if "periodic" in each.head.fit.shape]
    turning.sort(key=lambda each: each.head.fit.unexplained)
    plain = sorted(own, key=lambda each: each.head.total_variance)
    gpt2 = [each for each in _ranked(heads) if each.kind == GPT2]
    wanted = [*plain[:1], *turning[:1], *own[:1], *gpt2[:1]]
    return list({id(each): each for each in wanted}.values())


def draw(heads: Sequence[ReadHead], heading: str) -> Figure:
    """Figures 7 and 10 above, Figures 8, 9 and 11 below."""
    from matplotlib.figure import Figure

    from longreach.inspection.figures import draw_heads, heads_height

    drawn = shown(heads)
    top, bottom = 2.6, heads_height(len(drawn))
    figure = Figure(figsize=(12.0, top + bottom))
    upper, lower = figure.subfigures(2, 1, height_ratios=[top, bottom], squeeze=False)[:, 0]
    upper.suptitle(heading, fontsize=9)
    axes = upper.subplots(
        1, 3, gridspec_kw={"left": 0.04, "right": 0.97, "bottom": 0.17, "top": 0.78, "wspace": 0.2}
    )
    for axis, kind, colour in zip(axes, (TRAINED, BEFORE, GPT2), (BLUE, GREY, GREY), strict=True):
        _histogram(axis, [each.head.offset_variance for each in heads if each.kind == kind], kind, colour)
    draw_heads(lower, [(each.name, each.head) for each in drawn])
    return figure


def _histogram(axis: Axes, variances: Sequence[float], title: str, colour: str) -> None:
    from matplotlib.ticker import MaxNLocator

    if variances:
        axis.hist(variances, bins=20, color=colour, edgecolor="white", linewidth=0.5)
    axis.set_title(f"{title}: {counted(len(variances), 'head')}", fontsize=8)
    axis.set_xlabel("offset variance (Equation 81)", fontsize=7)
    axis.yaxis.set_major_locator(MaxNLocator(integer=True))
    axis.tick_params(labelsize=6.5, length=2)


STUDY = Study(
    name=NAME,
    title="Product functions of trained transformers",
    source="Huang et al., arXiv 2410.02140, Figures 7 to 11",
    about="what positions add to the logits of the heads of five models: constant, local, periodic, neither",
    time="laptop: 5 runs, those of figure1 with ape and the first seed; alone five minutes of one core",
    members=members,
    report=report,
    options=frozenset({"--tasks", "--seeds"}),
)
