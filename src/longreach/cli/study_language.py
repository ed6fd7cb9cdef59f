"""`longreach study natural-language`: two models on real text, Table 1, and the tokens that matter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach.cli.counted_progress import counted_stages
from longreach.cli.fitted_table import Column, print_fitted
from longreach.cli.output import note, print_json, say, write_bytes
from longreach.cli.progress import going_on
from longreach.cli.study_asked import StudyAsked
from longreach.errors import InputError

if TYPE_CHECKING:
    from longreach.language_models.language_run import LanguageRun
    from longreach.language_models.language_settings import LanguageSettings
    from longreach.studies.natural_language.language_study import LanguageStudy


def language_study(study: LanguageStudy, asked: StudyAsked) -> None:
    """Train both models, measure them, and show the whole of it; what is done is not done again."""
    from longreach.experiments.running import check_runs, check_torch
    from longreach.language_models.corpus import default_corpus, from_files

    asked.refuse(study.name, "trains its two models on text", "--tasks", "--encodings", "--seeds")
    check_runs(asked.runs)
    check_torch()
    settings = _settings(asked)
    if asked.dry_run:
        _plan(study, settings, asked)
        return
    from longreach.language_models.data_parallel import join_workers, leave_workers
    from longreach.language_models.language_run import LanguageRun
    from longreach.training.devices import find_device

    corpus = from_files(asked.text) if asked.text else default_corpus()
    run = LanguageRun(settings, corpus, asked.runs)
    document = _kept(run)
    if document is None:
        if not asked.train:
            raise InputError("--no-train: nothing has been measured yet in this setting")
        device = find_device(asked.device)
        workers = join_workers(device)
        try:
            with going_on():
                document = _run(run, device, workers)
        finally:
            leave_workers()
        if document is None:  # another process speaks
            return
    _show(study, document, asked)


def _settings(asked: StudyAsked) -> LanguageSettings:
    from longreach.language_models.language_settings import SETTINGS
    from longreach.language_models.text_tokenizer import has_byte_pairs

    settings = SETTINGS[asked.scale]
    if settings.tokenizer == "bpe" and not has_byte_pairs():
        note("tokens are bytes: byte pairs need the extra 'text': pip install 'longreach[text]'")
        return settings.model_copy(update={"tokenizer": "bytes", "vocabulary": 0})
    return settings


def _plan(study: LanguageStudy, settings: LanguageSettings, asked: StudyAsked) -> None:
    from longreach.language_models.language_run import NAMES, estimated_seconds

    shape = settings.shape(settings.vocabulary or 257)
    seconds = estimated_seconds(settings)
    trainings = {name: settings.training(name).model_dump() for name in NAMES}
    if asked.as_json:
        print_json({"study": study.name, "scale": asked.scale, "parameters": shape.parameters,
                    "trainings": trainings, "seconds": round(seconds, 1)})  # fmt: skip
        return
    for name, training in trainings.items():
        pose = f", the last {training['pose_steps']} with PoSE to {training['longest']}" * bool(
            training["pose_steps"]
        )
        print(
            f"h_{name}: {training['steps']} steps of {training['batch']} × {training['context']} tokens{pose}"
        )
    print(
        f"{shape.parameters / 1e6:.1f} M parameters; about {_duration(seconds)} on one core of this machine"
    )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:,.0f} h"


def _kept(run: LanguageRun) -> dict[str, Any] | None:
    """The findings of an earlier call, whole."""
    try:
        found: dict[str, Any] = json.loads(run.findings_file.read_text(encoding="utf-8"))
        return found
    except OSError:
        return None
    except ValueError:
        raise InputError(f"{run.findings_file}: is damaged; remove it to measure again") from None


def _run(run: LanguageRun, device: Any, workers: Any) -> dict[str, Any] | None:
    from longreach.language_models.language_run import NAMES
    from longreach.language_models.text_tokenizer import read_tokenizer
    from longreach.studies.natural_language.language_report import findings_document

    with counted_stages(silent=not workers.first) as stage:
        if workers.first:
            run.prepare(stage)
        workers.wait()
        size = read_tokenizer(run.directory / "tokenizer.json").size
        networks = {
            name: run.train(name, size, device=device, workers=workers, stage=stage) for name in NAMES
        }
        if not workers.first:
            return None
        found = run.measure(networks, stage)
    document = {
        "corpus": run.corpus.source,
        "settings": run.settings.model_dump(),
        "directory": str(run.directory),
        **findings_document(found.perplexity, found.losses),
    }
    run.keep(document)
    return document


def _show(study: LanguageStudy, document: dict[str, Any], asked: StudyAsked) -> None:
    from longreach.results.figure_files import figure_bytes
    from longreach.studies.natural_language.language_figure import language_figure
    from longreach.studies.natural_language.language_report import markdown

    title = study.title + (" (smoke scale: no claim)" if asked.scale == "smoke" else "")
    path: Path | None = asked.figure_path(study.name, study.formats[0])
    if path is not None:
        suffix = path.suffix.lower()
        content = (
            markdown(document).encode()
            if suffix == ".md"
            else figure_bytes(lambda: language_figure(document, title), suffix, salt=study.name)
        )
        write_bytes(path, content)
    if asked.as_json:
        asked.print_document(study, path, document)
        return
    _print(document, asked.scale)
    if path is not None:
        note(f"wrote {path}")


def _print(document: dict[str, Any], scale: str) -> None:
    from longreach.studies.natural_language.language_report import influence_rows, perplexity_rows

    for rows in (perplexity_rows(document), influence_rows(document)):
        columns = [Column(title, rank=0, right=place > 2) for place, title in enumerate(rows[0])]
        print_fitted(columns, rows[1:])
        print()
    say(f"text: {document['corpus']}")
    if scale == "smoke":
        print("smoke scale: tiny models, no claim")
