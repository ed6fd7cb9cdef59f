"""Natural language: two models on real text, Table 1, and the tokens that matter."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longreach.errors import InputError
from longreach.figures import BLUE, GREY, ORANGE
from longreach.files import read_bytes, write_atomically
from longreach.runs.index import Row
from longreach.runs.train import check_torch
from longreach.studies.drawing import titled
from longreach.studies.study import Study, StudyOptions, StudyReport, table_of
from longreach.wording import Table, roughly

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from longreach.inspection.perplexity import AtLength, ThreeLosses
    from longreach.studies.language_network import LanguageSettings
    from longreach.studies.language_training import LanguageRun


def plan(options: StudyOptions) -> tuple[dict[str, Any], str]:
    """Both trainings, and how long they take."""
    from longreach.studies.language_training import NAMES, estimated_seconds

    check_torch()
    settings = _settings(options)
    shape = settings.shape(settings.vocabulary or 257)
    seconds = estimated_seconds(settings)
    trainings = {name: settings.training(name) for name in NAMES}
    lines = []
    for name, each in trainings.items():
        pose = f", the last {each.pose_steps} with PoSE to {each.longest}" if each.pose_steps else ""
        lines.append(f"h_{name}: {each.steps} steps of {each.batch} × {each.context} tokens{pose}")
    million = f"{shape.parameters / 1e6:.1f} M"
    lines.append(f"{million} parameters; about {roughly(seconds)} on one core of this machine")
    document = {
        "parameters": shape.parameters,
        "trainings": {name: each.model_dump() for name, each in trainings.items()},
        "seconds": round(seconds, 1),
    }
    return document, "\n".join(lines)


def _settings(options: StudyOptions) -> LanguageSettings:
    from longreach.inspection.texts import has_byte_pairs
    from longreach.studies.language_network import SETTINGS

    settings = SETTINGS[options.scale]
    if settings.tokenizer == "bpe" and not has_byte_pairs():
        options.note("tokens are bytes: byte pairs need the extra 'text': pip install 'longreach[text]'")
        return settings.model_copy(update={"tokenizer": "bytes", "vocabulary": 0})
    return settings


def report(options: StudyOptions, rows: Sequence[Row]) -> StudyReport | None:
    """Train both models and measure them; findings are kept, and are not made again."""
    from longreach.inspection.texts import default_corpus, from_files

    check_torch()
    from longreach.studies.language_training import LanguageRun

    corpus = from_files(options.text) if options.text else default_corpus()
    run = LanguageRun(_settings(options), corpus, options.runs)
    document = _kept(run)
    if document is None and not options.train:
        raise InputError("--no-train: nothing has been measured yet in this setting")
    document = document or _measured(run, options)
    if document is None:
        return None
    found = document
    tables = [perplexity_table(found), influence_table(found)]
    return StudyReport(
        document=found,
        tables=tables,
        remarks=[f"text: {found['corpus']}"],
        figure=lambda title: language_figure(found, title),
    )


def _kept(run: LanguageRun) -> dict[str, Any] | None:
    """The findings of an earlier call, whole."""
    if not run.findings_file.exists():
        return None
    try:
        found: dict[str, Any] = json.loads(read_bytes(run.findings_file))
        return found
    except InputError:
        raise
    except ValueError:
        raise InputError(f"{run.findings_file}: is damaged; remove it to measure again") from None


def _measured(run: LanguageRun, options: StudyOptions) -> dict[str, Any] | None:
    """The document, made by all workers together; None: another process has it."""
    from longreach.inspection.texts import read_tokenizer
    from longreach.studies.language_training import NAMES, join_workers, leave_workers
    from longreach.training.devices import find_device

    device = find_device(options.device)
    workers = join_workers(device)
    try:
        with options.stages(not workers.first) as stage:
            if workers.first:
                run.prepare(stage)
            workers.wait()
            size = read_tokenizer(run.directory / "tokenizer.json").size
            networks = {
                name: run.train(name, size, device=device, workers=workers, stage=stage) for name in NAMES
            }
            if not workers.first:
                return None
            found = findings_document(*run.measure(networks, stage))
    finally:
        leave_workers()
    document = {
        "corpus": run.corpus.source,
        "settings": run.settings.model_dump(),
        "directory": str(run.directory),
        **found,
    }
    write_atomically(run.findings_file, json.dumps(document).encode())
    return document


STUDY = Study(
    name="natural-language",
    title="Sparsity and length generalization in natural language",
    source="Golowich et al., arXiv 2502.16792, Table 1, Figures 4 and 6",
    about="perplexity beyond the trained context with PoSE, and how few far tokens a prediction rests on",
    time="laptop: 2 runs and their analysis, 49 minutes of one core that was shared",
    options=frozenset({"--text"}),
    plan=plan,
    report=report,
)


# The findings as a document and as tables.


PANELS = {
    ("short", "short"): "Figure 4",
    ("long", "long"): "Figure 6a",
    ("long", "short"): "Figure 6b",
    ("short", "long"): "Figure 6c",
}
"""By the model that predicts and the one that chose the tokens."""


def findings_document(
    perplexity: Mapping[str, Mapping[int, AtLength]], losses: Mapping[tuple[str, str], ThreeLosses]
) -> dict[str, Any]:
    """As JSON has it."""
    return {
        "perplexity": [
            {"model": name, **measured.document()}
            for name, by_length in perplexity.items()
            for measured in by_length.values()
        ],
        "influence": [
            {"panel": panel, "model": model, "chosen_by": chooser, **losses[model, chooser].document()}
            for (model, chooser), panel in PANELS.items()
        ],
    }


def perplexity_table(document: Mapping[str, Any]) -> Table:
    """Table 1: a row per model.

    >>> found = perplexity_table({"perplexity": [{"model": "short", "length": 64, "perplexity": 20.123}]})
    >>> found.titles, found.rows
    (['model', 'at 64'], [['h_short', '20.12']])
    """
    lengths = sorted({entry["length"] for entry in document["perplexity"]})
    rows = []
    for name in dict.fromkeys(entry["model"] for entry in document["perplexity"]):
        found = {e["length"]: e["perplexity"] for e in document["perplexity"] if e["model"] == name}
        rows.append([f"h_{name}", *(f"{found[length]:.2f}" for length in lengths)])
    return table_of(columns=("model", *(f"at {length}" for length in lengths)), rows=rows)


def influence_table(document: Mapping[str, Any]) -> Table:
    """What few far tokens gain beside all of them, a row per panel."""
    rows = []
    for entry in document["influence"]:
        correlation = entry["correlation"]
        losses = [f"{entry[key]:.3f}" for key in ("loss_short", "loss_long", "loss_short_sparse")]
        shown = "–" if correlation is None else f"{correlation:.2f}"
        rows.append([entry["panel"], f"h_{entry['model']}", f"h_{entry['chosen_by']}", *losses, shown])
    columns = ("panel", "loss of", "chosen by", "near", "all", "near and few", "correlation")
    return table_of(columns=columns, rows=rows)


# The figure: loss by position, and what a few distant tokens gain compared with all of them.


COLOURS = {"short": ORANGE, "long": BLUE}
LINES = {"short": "-", "long": "--"}


def language_figure(document: Mapping[str, Any], title: str) -> Figure:
    """Five panels: losses by position, then Figure 4 and the three variants of Figure 6."""
    figure = titled(title, (13, 3.0), fontsize=9)
    first, *others = figure.subplots(1, 1 + len(document["influence"]))
    longest = max(entry["length"] for entry in document["perplexity"])
    for entry in document["perplexity"]:
        if entry["length"] == longest:
            losses = entry["loss_by_position"]
            name = entry["model"]
            look: dict[str, Any] = {"color": COLOURS[name], "linestyle": LINES[name], "linewidth": 1.1}
            first.plot(range(1, len(losses) + 1), losses, label=f"h_{name}", **look)
    shortest = min(entry["length"] for entry in document["perplexity"])
    first.axvline(shortest, color=GREY, linewidth=0.7, linestyle=":")
    first.set_xlabel("tokens before", fontsize=7)
    first.set_ylabel("loss", fontsize=7)
    first.set_title("loss by position", fontsize=7.5)
    first.legend(fontsize=6.5, frameon=False)
    for axis, entry in zip(others, document["influence"], strict=True):
        _scatter(axis, entry)
    for axis in (first, *others):
        axis.tick_params(labelsize=6.5)
    return figure


def _scatter(axis: Any, entry: Mapping[str, Any]) -> None:
    across = [point[0] for point in entry["points"]]
    up = [point[1] for point in entry["points"]]
    axis.scatter(across, up, s=6, alpha=0.5, color=COLOURS[entry["model"]], linewidths=0)
    low, high = min(across + up), max(across + up)
    axis.plot([low, high], [low, high], color=GREY, linewidth=0.7, linestyle="--")
    correlation = entry["correlation"]
    shown = "" if correlation is None else f", r = {correlation:.2f}"
    axis.set_title(f"h_{entry['model']}, chosen by h_{entry['chosen_by']}{shown}", fontsize=7.5)
    axis.set_xlabel("gain by all far tokens", fontsize=7)
    axis.set_ylabel("gain by the influential ones", fontsize=7)


# Any language model: loss by position, and the mean at each length.


def perplexity_figure(found: Sequence[AtLength], name: str) -> Figure:
    """A line for the longest inputs, a point per length."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 3.4), layout="constrained")
    axis = figure.subplots()
    longest = max(found, key=lambda each: each.length)
    places = range(1, longest.length + 1)
    axis.plot(
        places, longest.by_position, color=BLUE, linewidth=1, label=f"by position, inputs of {longest.length}"
    )
    axis.plot([each.length for each in found], [each.loss for each in found], color=ORANGE, marker="o",
              linestyle="--", linewidth=1, markersize=4, label="mean at each length")  # fmt: skip
    axis.set_xscale("log", base=2)
    axis.set_xlabel("tokens before, or length of the input", fontsize=8)
    axis.set_ylabel("loss (log perplexity)", fontsize=8)
    axis.set_title(name, fontsize=9)
    axis.grid(color=GREY, alpha=0.2, linewidth=0.5)
    axis.legend(fontsize=7, frameon=False)
    axis.tick_params(labelsize=7)
    return figure
