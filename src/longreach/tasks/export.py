"""Train and test sets of tasks as files that need none of this package.

A set is a file of JSON lines. A directory of them is plain data, a Hugging Face dataset (a card names the
files of each configuration and split), or tasks for the lm-evaluation-harness (a YAML file of templates for
each test set). None of it is code. `croissant.json` describes the fields, and `manifest.json` the sets: their
seed, their ranges and the hashes of their files.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np

from longreach import __version__
from longreach.errors import Field, File, InputError
from longreach.files import read_document, write_atomically
from longreach.tasks.lengths import LengthRange
from longreach.tasks.task import EOS, SEP, SOS, Batch, Task, draw_lengths

Format: TypeAlias = Literal["jsonl", "datasets", "lm-eval"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
Kind: TypeAlias = Literal["train", "test", "probing"]

TRAINING: Final = 10
"""A training set has so many times the examples of a test set."""
FOR_EACH_LENGTH: Final = 32
"""Probing words of a length: two of each loop."""
ANSWER_ROOM: Final = 8
"""A model may write so many tokens for each token of the longest answer."""
MANIFEST: Final = "manifest.json"
FIELDS: Final = {
    "length": ("sc:Integer", "LEN of the input: what the ranges of lengths are about"),
    "input": ("sc:Text", "what is given, tokens separated by blanks"),
    "target": ("sc:Text", "what is asked, in the order of its positions, separated by blanks"),
    "tokens": (
        "sc:Text",
        "all that a model reads with the right answers given: SOS, input, separator, answer",
    ),
    "positions": ("sc:Integer", "places in `tokens`, from 0, at which something is asked"),
    "targets": ("sc:Text", "what is right there; EOS where the answer ends"),
    "probes": ("sc:Text", "what a probing word repeats or probes; empty for random inputs"),
}
"""The fields of an example: type and description. `tokens`, `positions` and `targets` are lists."""
REPEATED: Final = ("tokens", "positions", "targets")
LICENSE: Final = "https://www.apache.org/licenses/LICENSE-2.0"


@dataclass(frozen=True, kw_only=True)
class Exported:
    """A task, and the ranges of lengths of its sets."""

    name: str
    """As the command line calls it."""
    slug: str
    """As files call it."""
    task: Task
    train: LengthRange
    tests: tuple[LengthRange, ...]
    """Beyond training; the training range is tested as well."""
    need: str | None = None
    """For what it stands in a suite."""


@dataclass(frozen=True, kw_only=True)
class _Set:
    of: Exported
    kind: Kind
    lengths: LengthRange

    @property
    def split(self) -> str:
        """As a dataset calls it."""
        return "train" if self.kind == "train" else f"{self.kind}_{self.lengths.first}_{self.lengths.last}"

    @property
    def path(self) -> str:
        return f"{self.of.slug}/{self.kind}-{self.lengths.name}.jsonl"


@dataclass(frozen=True, kw_only=True)
class ExampleSet(_Set):
    """One file of examples."""

    rows: tuple[dict[str, Any], ...]

    @property
    def content(self) -> bytes:
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in self.rows).encode()


@dataclass(frozen=True, kw_only=True)
class WrittenSet(_Set):
    """What is kept of a set when its file is written."""

    examples: int
    longest: int
    """Tokens of the longest answer."""
    size: int
    """Bytes of the file."""
    sha256: str

    @staticmethod
    def of_set(drawn: ExampleSet, content: bytes) -> WrittenSet:
        return WrittenSet(
            of=drawn.of,
            kind=drawn.kind,
            lengths=drawn.lengths,
            examples=len(drawn.rows),
            longest=max(len(row["target"].split()) for row in drawn.rows),
            size=len(content),
            sha256=_hash(content),
        )

    def document(self) -> dict[str, Any]:
        """Of the manifest."""
        return {
            "path": self.path,
            "task": self.of.name,
            **({"need": self.of.need} if self.of.need is not None else {}),
            "kind": self.kind,
            "lengths": list(self.lengths),
            "examples": self.examples,
            "sha256": self.sha256,
        }


def example_sets(exported: Exported, *, size: int, seed: int) -> Iterator[ExampleSet]:
    """The training set, then a test set and a set of probing words for each range, where there are such.

    The same task, range, size and seed give the same examples, whatever else is exported.

    >>> from longreach.tasks.counting import Parity
    >>> asked = Exported(name="parity", slug="parity", task=Parity(), train=LengthRange(1, 4), tests=())
    >>> [(each.path, len(each.rows)) for each in example_sets(asked, size=2, seed=0)]
    [('parity/train-1-4.jsonl', 20), ('parity/test-1-4.jsonl', 2), ('parity/probing-1-4.jsonl', 2)]
    """
    ranges = (exported.train, *exported.tests)
    wanted: list[tuple[Kind, LengthRange]] = [("train", exported.train)]
    wanted += [(kind, each) for each in ranges for kind in ("test", "probing")]
    for kind, lengths in wanted:
        words = f"{exported.name} {kind} {lengths.name}".encode()
        rng = np.random.default_rng([seed, int.from_bytes(hashlib.sha256(words).digest()[:8])])
        if kind == "probing":
            rows = tuple(_probing_rows(exported.task, lengths, size, rng))
        else:
            rows = tuple(_random_rows(exported.task, kind, lengths, size, rng))
        if rows:
            yield ExampleSet(of=exported, kind=kind, lengths=lengths, rows=rows)


def _random_rows(
    task: Task, kind: Kind, lengths: LengthRange, size: int, rng: np.random.Generator
) -> Iterator[dict[str, Any]]:
    drawn = draw_lengths(task, *lengths, size * TRAINING if kind == "train" else size, rng)
    batch = task.sample(drawn, rng) if kind == "train" else task.test_sample(drawn, rng)
    for row, length in enumerate(drawn.tolist()):
        yield example(task, batch, row, length)


def _probing_rows(
    task: Task, lengths: LengthRange, size: int, rng: np.random.Generator
) -> Iterator[dict[str, Any]]:
    known = task.lengths(*lengths)
    places = np.linspace(len(known) - 1, 0, min(len(known), -(-size // FOR_EACH_LENGTH)))
    chosen = known[places.round().astype(int)].tolist()  # short ones may have no probing words
    for number, length in enumerate(chosen):
        count = size * (number + 1) // len(chosen) - size * number // len(chosen)
        found = task.probing_sample(LengthRange(length, length), count, rng) if count else None
        if found is not None:
            for row, loop in enumerate(found.loops.tolist()):
                yield example(task, found.batch, row, length) | {"probes": found.names[loop]}


def example(task: Task, batch: Batch, row: int, length: int) -> dict[str, Any]:
    """One example of a batch.

    >>> from longreach.tasks.copying import Reverse
    >>> found = example(Reverse(), Reverse().sample([2], np.random.default_rng(0)), 0, 2)
    >>> found["input"], found["target"], found["positions"]
    ('b b', 'b b', [3, 4, 5])
    """
    tokens = task.decode(batch.tokens[row, : int(batch.sizes[row])].tolist())
    positions = np.flatnonzero(batch.mask[row]).tolist()
    targets = task.decode(batch.targets[row][batch.mask[row]].tolist())
    # The answer is what follows, unless something is asked at each token, or questions stand apart.
    answered = task.kind != "language" and positions[0] + len(positions) == len(tokens)
    given = tokens[: positions[0] + 1] if answered else tokens
    asked = targets[:-1] if answered and targets[-1] == EOS else targets
    return {
        "length": length,
        "input": " ".join(given[given[0] == SOS : len(given) - (answered and given[-1] == SEP)]),
        "target": " ".join(asked),
        "tokens": tokens,
        "positions": positions,
        "targets": targets,
        "probes": "",
    }


# Directories


Files: TypeAlias = dict[str, bytes]
"""By path below the directory."""
Document: TypeAlias = dict[str, Any]


def export(
    asked: Sequence[Exported],
    made: Format,
    out: Path,
    *,
    title: str,
    size: int,
    seed: int,
    advance: Callable[[int], None] = lambda count: None,
) -> Document:
    """Write a directory whole or not at all, and give its manifest.

    What an earlier export wrote is replaced, other files never.
    """
    check_directory(out)
    draft = out.parent / f".{out.name[:50]}.{secrets.token_hex(8)}.tmp"
    try:
        manifest = _fill(draft, asked, made, title=title, size=size, seed=seed, advance=advance)
        if out.exists():
            old = draft.with_suffix(".old")
            os.replace(out, old)
            os.replace(draft, out)
            shutil.rmtree(old)
        else:
            os.replace(draft, out)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", place=File(str(out))) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return manifest


def _fill(
    draft: Path,
    asked: Sequence[Exported],
    made: Format,
    *,
    title: str,
    size: int,
    seed: int,
    advance: Callable[[int], None],
) -> Document:
    """The files of an export, one by one; the manifest last."""
    hashes: dict[str, str] = {}

    def write(path: str, content: bytes) -> None:
        (draft / path).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(draft / path, content, flush=False)
        hashes[path] = _hash(content)

    sets: list[WrittenSet] = []
    for each in asked:
        for drawn in example_sets(each, size=size, seed=seed):
            content = drawn.content
            write(drawn.path, content)
            sets.append(WrittenSet.of_set(drawn, content))
        advance(1)
    more: Files = {"croissant.json": _json(_croissant(sets, title))}
    if made == "datasets":
        more["README.md"] = _card(sets, title).encode()
    if made == "lm-eval":
        more |= _harness_files(asked, sets, title)
    for path, content in more.items():
        write(path, content)
    manifest: Document = {
        "longreach": __version__, "format": made, "title": title, "seed": seed, "size": size,
        "sets": [each.document() for each in sets], "files": dict(sorted(hashes.items())),
    }  # fmt: skip
    write(MANIFEST, _json(manifest))
    return manifest


def check_directory(out: Path) -> None:
    """Refuse a directory that cannot be made, or that holds what no export wrote."""
    if not out.parent.is_dir():
        raise InputError(f"{out}: no such directory", place=Field("out"))
    if not out.exists() and not out.is_symlink():
        return
    if out.is_symlink() or not out.is_dir():
        what = "a link" if out.is_symlink() else "a file"
        raise InputError(f"{out} is {what}, not a directory", place=Field("out"))
    listed: Any = {}
    if (out / MANIFEST).is_file():
        document = read_document(out / MANIFEST, json.loads)
        listed = document.get("files") if isinstance(document, dict) else None
    known = {*listed, MANIFEST} if isinstance(listed, dict) else set()
    present = set()
    for found in out.rglob("*"):  # stops at the first other file: there may be very many
        path = found.relative_to(out).as_posix()
        if found.is_dir() and not found.is_symlink():
            continue
        if path not in known:
            reason = f"has files that no export wrote, such as {path}; name a new directory"
            raise InputError(f"{out} {reason}", place=Field("out"))
        present.add(path)
    for path in sorted(present - {MANIFEST}):
        if _hash((out / path).read_bytes()) != listed[path]:
            raise InputError(f"{out}: {path} was changed since it was exported", place=Field("out"))


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _json(document: Any) -> bytes:
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def _yaml(document: dict[str, Any]) -> str:
    """Names on lines of their own, with values as JSON, which YAML reads."""
    return "".join(f"{name}: {json.dumps(value)}\n" for name, value in document.items())


# Hugging Face datasets


def _card(sets: Sequence[WrittenSet], title: str) -> str:
    configs = []
    for exported in _tasks(sets):
        own = [each for each in sets if each.of is exported]
        splits = [{"split": each.split, "path": each.path} for each in own]
        configs.append({"config_name": exported.slug, "data_files": splits})
    tags = ["synthetic", "length-generalization"]
    front = _yaml({"pretty_name": title, "license": "apache-2.0", "tags": tags, "configs": configs})
    rows = "".join(
        f"| `{each.slug}` | `{_cell(each.name)}` | {each.need or '–'} | {_cell(each.task.about)} "
        f"| {each.train.words} | {', '.join(tested.words for tested in each.tests)} |\n"
        for each in _tasks(sets)
    )
    fields = "".join(f"| `{name}` | {about} |\n" for name, (_, about) in FIELDS.items())
    return (
        f"---\n{front}---\n\n# {title}\n\n"
        "Tasks for length generalization: train on short inputs, test on longer ones. An answer is right if "
        "all of it is right. `test_A_B` has random inputs of lengths A to B, `probing_A_B` inputs that a "
        "window or a rough count gets wrong. Short test inputs may occur in training as well.\n\n"
        "| configuration | task | need | about | train | test |\n|---|---|---|---|---|---|\n"
        f"{rows}\n| field | meaning |\n|---|---|\n{fields}\n"
        f"Drawn by longreach {__version__}; `{MANIFEST}` has the seed and the hash of each file.\n"
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _tasks(sets: Sequence[WrittenSet]) -> list[Exported]:
    return list({each.of.slug: each.of for each in sets}.values())


# lm-evaluation-harness


def _harness_files(asked: Sequence[Exported], sets: Sequence[WrittenSet], title: str) -> Files:
    files: Files = {}
    groups = []
    for exported in asked:
        own = {(each.kind, each.lengths): each for each in sets if each.of is exported}
        train, names = own["train", exported.train], []
        for each in own.values():
            if each.kind != "train":
                names.append(f"longreach_{exported.slug}_{each.split}")
                files[f"{exported.slug}/{each.split}.yaml"] = _harness_task(names[-1], each, train).encode()
        groups.append(f"longreach_{exported.slug}")
        files[f"{exported.slug}/group.yaml"] = _harness_group(groups[-1], exported.name, names).encode()
    if len(groups) > 1:
        name = "longreach_" + "".join(each if each.isalnum() else "_" for each in title.lower())
        files["group.yaml"] = _harness_group(name, title, groups).encode()
    files["README.md"] = (
        f"# {title}\n\nTasks for the lm-evaluation-harness. Data files have relative paths: run it here.\n\n"
        f"    lm_eval --include_path . --tasks {groups[0]} --model hf --model_args pretrained=MODEL\n"
    ).encode()
    return files


def _harness_task(name: str, each: WrittenSet, train: WrittenSet) -> str:
    where = ": at the start and after each symbol" if each.of.task.kind == "language" else ""
    return _yaml(
        {
            "task": name,
            "dataset_path": "json",
            "dataset_kwargs": {"data_files": {"train": train.path, "test": each.path}},
            "test_split": "test",
            "fewshot_split": "train",
            "fewshot_config": {"sampler": "first_n"},
            "output_type": "generate_until",
            "description": f"Answer: {each.of.task.about}{where}.\n\n",
            "doc_to_text": "Input: {{input}}\nOutput:",
            "doc_to_target": "{{target}}",
            "target_delimiter": " ",
            "fewshot_delimiter": "\n\n",
            "generation_kwargs": {
                "until": ["\n"], "do_sample": False, "max_gen_toks": ANSWER_ROOM * (each.longest + 1),
            },
            "filter_list": [
                {
                    "name": "strip",
                    "filter": [
                        {"function": "regex", "regex_pattern": r"^\s*(.*?)\s*$", "group_select": 0},
                        {"function": "take_first"},
                    ],
                }
            ],
            "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
            "metadata": {"version": 1, "lengths": each.lengths.name, "probing": each.kind == "probing"},
        }
    )  # fmt: skip


def _harness_group(name: str, title: str, members: Sequence[str]) -> str:
    mean = {"metric": "exact_match", "aggregation": "mean", "weight_by_size": False, "filter_list": "strip"}
    return _yaml(
        {
            "group": name,
            "group_alias": title,
            "task": list(members),
            "aggregate_metric_list": [mean],
            "metadata": {"version": 1},
        }
    )


# Croissant


CONTEXT: Final = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The names of Croissant 1.0."""


def _croissant(sets: Sequence[WrittenSet], title: str) -> dict[str, Any]:
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": "".join(each if each.isalnum() else "-" for each in title),
        "description": "Tasks for length generalization: train on short inputs, test on longer ones.",
        "license": LICENSE,
        "version": __version__,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": each.path,
                "name": each.path,
                "contentUrl": each.path,
                "encodingFormat": "application/jsonlines",
                "contentSize": f"{each.size} B",
                "sha256": each.sha256,
            }
            for each in sets
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": _record_set(each),
                "name": _record_set(each),
                "description": f"{each.of.name}: {each.kind}, lengths {each.lengths.name}",
                "field": [_croissant_field(each, name) for name in FIELDS],
            }
            for each in sets
        ],
    }


def _record_set(each: WrittenSet) -> str:
    return f"{each.of.slug}-{each.kind}-{each.lengths.name}"


def _croissant_field(each: WrittenSet, name: str) -> dict[str, Any]:
    kind, about = FIELDS[name]
    return {
        "@type": "cr:Field",
        "@id": f"{_record_set(each)}/{name}",
        "name": f"{_record_set(each)}/{name}",
        "description": about,
        "dataType": kind,
        **({"repeated": True} if name in REPEATED else {}),
        "source": {"fileObject": {"@id": each.path}, "extract": {"column": name}},
    }
