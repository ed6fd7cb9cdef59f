"""A forecast → the changes to a task that theory expects to help, most certain first.

Where positions are enough, that is another encoding: a program with a window or a modulus exists. Where no
program exists, it is a form of the task whose steps depend on few tokens, near in coupled position ids
(Golowich et al., arXiv 2502.16792): a scratchpad, the reversed order, or the ids alone; or hints to read.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from longreach.answers.forecast import COUPLED, COUPLED_SOURCE, Forecast, coupled_note
from longreach.answers.judge import Finding, MeasuredCell
from longreach.answers.step_sparsity import seems_local
from longreach.answers.sweep import Threshold
from longreach.config.encodings import side_title
from longreach.config.model import CellLabel
from longreach.errors import InputError
from longreach.runs.cells import ByAccuracy, Tally, cells
from longreach.runs.index import read_index
from longreach.tasks.changes import ReversedAnswer, changed_task
from longreach.tasks.families import FamilyTask
from longreach.tasks.layouts import SequenceTask
from longreach.tasks.lengths import LengthRange, read_name
from longreach.tasks.names import FamilyName
from longreach.tasks.positions import LocalSteps, far_steps, ids_tell, local_steps
from longreach.tasks.task import Task
from longreach.theory.names import CHANGES, TaskName
from longreach.theory.verdicts.verdict import Answer
from longreach.wording import counted

# A change that may make a task work on longer inputs, and what speaks for it.


Ground: TypeAlias = Literal["program", "local steps", "open"]
"""What speaks for a remedy: a program that theory expects to be learned, steps that depend on few and near
tokens, or nothing but that it is worth a try."""


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """One change: most are a task and an encoding to train in place of the original.

    >>> from longreach.answers.forecast import forecast
    >>> remedies(forecast("parity"))[0].name
    'parity+scratchpad with coupled-local'
    """

    change: str
    """In words."""
    basis: str
    """Why it may help, in one sentence."""
    plain: str = ""
    """The same in words that need no paper, where `basis` has others."""
    measured: str | None = None
    """What runs say of it."""
    task: str = ""
    """The name of the changed task, or of the original."""
    encoding: str = ""
    """Empty where there is nothing to train instead, as for more steps."""
    predict_ids: bool = False
    """Whether the model predicts the position ids of its answer: they would tell part of it."""
    ground: Ground = "open"

    @property
    def can_be_tried(self) -> bool:
        return bool(self.encoding)

    @property
    def label(self) -> str:
        """The encoding, as results under such ids are called."""
        return CellLabel.of({"encoding": self.encoding, "predict_ids": self.predict_ids}).name

    @property
    def name(self) -> str:
        """The task and its encoding."""
        return f"{TaskName(self.task).short} with {self.label}"

    @property
    def is_coupled(self) -> bool:
        """Whether it is trained with the task's own position ids."""
        return self.encoding in COUPLED

    @property
    def command(self) -> str:
        """How to train it."""
        ids = ["--predict-ids"] if self.predict_ids else []
        return shlex.join(
            ["longreach", "train", self.task, "--encoding", self.encoding, *ids, "--seeds", "3"]
        )

    def summary(self) -> dict[str, Any]:
        """As `longreach ask --json` has it."""
        return {"change": self.change, "basis": self.basis, "measured": self.measured}

    def document(self) -> dict[str, Any]:
        """As `longreach advise --json` has it."""
        return {
            "change": self.change,
            "task": self.task,
            "encoding": self.encoding,
            "predict_ids": self.predict_ids,
            "ground": self.ground,
            "basis": self.basis,
            "command": self.command,
        }


# A forecast → the changes that theory says would turn it around, the surest first.


HINTED = "a hint names the symbol to look at, which is found by what it is and not by counting"
HINTS_SOURCE = "after Zhou et al., arXiv 2310.16028; no proof is known"
PREDICTED = "the positions of the answer tell part of it, so the model predicts them"
NOT_LOCAL = "nothing says that its steps depend on few tokens, so this is a try"
SEEMS_LOCAL = "in examples each step depends on few tokens at coupled distance 1 or less, by measurement"
COUPLED_POSITIONS = "give related symbols the same position id (coupled)"
SOME_LENGTHS = 20
"""Above the least length: where an example is looked for."""


def remedies(forecast: Forecast) -> tuple[Remedy, ...]:
    """What would help, the surest first; nothing where the task works as it is, or nothing is known.

    >>> from longreach.answers.forecast import forecast
    >>> [each.name for each in remedies(forecast("addition"))]
    ['addition+reversed with coupled-local', 'addition+reversed+index-hints with ape']
    >>> [each.change for each in remedies(forecast("aa"))]
    ['learned positions (APE) instead of none', 'positions with an integer period of 2']
    >>> remedies(forecast("sort"))
    ()
    """
    nope, ape = forecast.sides["nope"].trained, forecast.sides["ape"].trained
    if nope is Answer.YES:
        return ()
    return _encodings(forecast) if ape is Answer.YES else _forms(forecast)


# Another encoding


NO_INTEGER_PERIOD = (
    "the usual frequencies of RoPE and of sinusoidal positions have no integer period, and no run with them "
    "works on (aa)*, (aaaa)* and (abab)* in longreach study encodings"
)


def _encodings(forecast: Forecast) -> tuple[Remedy, ...]:
    window, modulus = forecast.sides["ape"].trained_needs
    needs = program_needs(window, modulus)
    learned = Remedy(
        change="learned positions (APE) instead of none",
        basis=needs,
        task=forecast.stored,
        encoding="ape",
        ground="program",
    )
    if window == 0 and modulus is not None:
        change = f"positions with an integer period of {modulus}"
        basis = f"should work in theory, not tested: {NO_INTEGER_PERIOD}"
        other = replace(learned, change=change, basis=basis, encoding="")
        return replace(learned, basis=f"{needs}; {NO_INTEGER_PERIOD}", plain=needs), other
    if window is not None and modulus == 1:
        change = f"positions that single out the last {window + 1} symbols, such as ALiBi"
        return learned, replace(
            learned, change=change, basis=f"{needs}; should work in theory", encoding="alibi"
        )
    return (learned,)


def program_needs(window: int | None, modulus: int | None) -> str:
    """What a program looks at, in a clause; a window counts the symbols before the present one.

    >>> program_needs(1, 2)
    'a program needs the last 2 symbols and the position modulo 2'
    """
    needs = [] if not window else [f"the last {window + 1} symbols"]
    needs += [] if modulus in (None, 1) else [f"the position modulo {modulus}"]
    return f"a program needs {' and '.join(needs)}" if needs else "a program with positions exists"


# Another form of the task


def _forms(forecast: Forecast) -> tuple[Remedy, ...]:
    """Forms with local steps and coupled ids, the fewest changes first; then the same with hints."""
    forms = _local_forms(forecast)
    found = [
        Remedy(
            task=name,
            encoding="coupled-local" if steps.everywhere else "coupled",
            change=_change_words(name, forecast.stored),
            basis=f"{coupled_note(steps).statement} ({COUPLED_SOURCE})",
            plain=f"each step then depends on {counted(steps.parents, 'token')} near by",
            ground="local steps",
        )
        for name, steps in forms
    ]
    for name, steps in forms:
        hinted = TaskName(name).changed("index-hints")
        if hinted != name and _has_form(forecast.task, forecast.stored, hinted):
            found.append(
                Remedy(
                    task=hinted,
                    encoding="ape",
                    change=_change_words(hinted, forecast.stored),
                    basis=f"{HINTED}; {steps.words.partition(' at coupled')[0]} ({HINTS_SOURCE})",
                    plain=HINTED,
                    ground="open",
                )
            )
    return tuple(found or _tries(forecast))


def _tries(forecast: Forecast) -> list[Remedy]:
    """Where no form has local steps: those that may need less than the original, and its ids alone."""
    read, found = TaskName(forecast.stored), list[Remedy]()
    for changes in (("scratchpad",), ("reversed",), ()):
        task = _form(forecast.task, changes)
        name = read.changed(*changes)
        if task is None or (changes and name == forecast.stored) or not _may_help(task, changes):
            continue
        name = _name_of(task, name)
        words = [_FORM_CHANGES[change] for change in changes]
        if has_coupled_ids(task):
            found.append(_coupled_try(name, task, words))
        elif changes:
            found.append(
                Remedy(task=name, encoding="ape", change=_and(words), basis=_not_local(task), ground="open")
            )
    return found


def _coupled_try(name: str, task: Task, words: list[str]) -> Remedy:
    told = ids_tell(task)
    near = not told and far_steps(task) is None and seems_local(task)
    basis = SEEMS_LOCAL if near else _not_local(task)
    return Remedy(
        task=name,
        encoding="coupled-local" if near else "coupled",
        change=_and([*words, COUPLED_POSITIONS]),
        basis=f"{PREDICTED}; {basis}" if told else basis,
        ground="open",
        predict_ids=told,
    )


def _not_local(task: Task) -> str:
    far = far_steps(task)
    return NOT_LOCAL if far is None else f"{far}, so this is a try"


def _may_help(task: Task, changes: tuple[str, ...]) -> bool:
    """The other order helps numbers, whose carries go from the least bit up."""
    return "reversed" not in changes or (isinstance(task, ReversedAnswer) and task.is_number)


def _local_forms(forecast: Forecast) -> list[tuple[str, LocalSteps]]:
    """Names of forms whose steps are local, those first that are so everywhere, with what is said of them."""
    read, found = TaskName(forecast.stored), list[tuple[str, LocalSteps]]()
    missing = [change for change in CHANGES if change not in (*read.changes, "index-hints")]
    for count in range(len(missing) + 1):
        for changes in combinations(missing, count):
            task = _form(forecast.task, changes)
            known = None if task is None or not has_coupled_ids(task) else local_steps(task)
            if task is not None and known is not None:
                found.append((_name_of(task, read.changed(*changes)), known))
        if any(steps.everywhere for _, steps in found):
            break  # more changes are not needed
    return sorted(found, key=lambda form: not form[1].everywhere)


def _name_of(task: Task, name: str) -> str:
    """Of a family the name itself says whether steps are written."""
    return task.name if isinstance(task, FamilyTask) else name


def _form(task: Task, changes: tuple[str, ...]) -> Task | None:
    try:
        return changed_task(task, changes)
    except InputError:
        return None


def _has_form(task: Task, stored: str, wanted: str) -> bool:
    missing = [each for each in TaskName(wanted).changes if each not in TaskName(stored).changes]
    return _form(task, tuple(missing)) is not None


def has_coupled_ids(task: Task) -> bool:
    """Whether the task says which tokens belong together.

    >>> has_coupled_ids(load_task("copy-repeat")), has_coupled_ids(load_task("sort"))
    (True, False)
    """
    if not isinstance(task, SequenceTask):
        return False
    least = task.least_length
    batch = task.sample(task.lengths(least, least + SOME_LENGTHS)[:1], np.random.default_rng(0))
    return task.coupled_ids(batch) is not None


_FORM_CHANGES = {
    "scratchpad": "write the intermediate steps before the answer (+scratchpad)",
    "reversed": "write the answer in reverse (+reversed)",
    "index-hints": "put a hint before each symbol (+index-hints)",
}


def _change_words(name: str, original: str) -> str:
    """What is done to the original, in words."""
    new = [change for change in TaskName(name).changes if change not in TaskName(original).changes]
    if FamilyName.is_one(name) and name != original:
        new = ["scratchpad", *new]
    words = [_FORM_CHANGES[change] for change in new]
    return _and(words if "index-hints" in new else [*words, COUPLED_POSITIONS])


def _and(words: list[str]) -> str:
    return " and ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} and {words[-1]}"


# What was measured of a remedy: by `longreach study advice`, which comes with the package, and in the results


ALIKE = 0.005
"""Accuracies that are shown as one."""
KEPT = Path(__file__).with_name("study_runs.json")
"""Written by `python tools/advice_study_runs.py` from the study's own document."""


@dataclass(frozen=True, kw_only=True)
class StudyRuns:
    """The runs of one task under one encoding, at the longest length that was tested."""

    task: str
    encoding: str
    train_to: int
    length: int
    accuracy: tuple[float, ...]
    """Of each run the share of whole inputs that are right."""

    @property
    def words(self) -> str:
        """One clause.

        >>> StudyRuns(task="a", encoding="ape", train_to=12, length=36, accuracy=(1.0, 1.0, 0.5)).words
        'longreach study advice: right on 50.0–100.0 % at length 36, trained to 12 (3 runs)'
        """
        runs = counted(len(self.accuracy), "run")
        share = shares_words((min(self.accuracy), max(self.accuracy)))
        lengths = f"at length {self.length}, trained to {self.train_to}"
        return f"longreach study advice: right on {share} {lengths} ({runs})"

    def document(self) -> dict[str, Any]:
        """As JSON has it, beside the remedy's task and encoding."""
        return {"train_to": self.train_to, "length": self.length, "accuracy": list(self.accuracy)}


def shares_words(span: tuple[float, float] | None) -> str:
    """One accuracy where all runs do the same, else the worst and the best.

    >>> shares_words((0.5, 0.5)), shares_words((0.0, 0.987)), shares_words(None)
    ('50.0 %', '0.0–98.7 %', '')
    """
    if span is None:
        return ""
    low, high = span
    if high - low <= ALIKE:
        return f"{100 * (low + high) / 2:.1f} %"
    return f"{100 * low:.1f}–{100 * high:.1f} %"


def study_runs(task: str, encoding: str) -> StudyRuns | None:
    """What the study has of a task, by its stored name; None: it was not tried.

    >>> study_runs("sort", "nope") is None
    True
    """
    return _kept().get((task, encoding))


def runs_of_study(document: Mapping[str, Any]) -> list[StudyRuns]:
    """What is kept of the study's JSON document: the last length of each curve."""
    found = []
    for curve in document["curves"]:
        last = curve["points"][-1]["length"]
        found.append(
            StudyRuns(
                task=curve["task"],
                encoding=CellLabel.of(curve["config"]).name,
                train_to=curve["train_lengths"][1],
                length=last,
                accuracy=tuple(round(run["accuracy"][str(last)], 4) for run in curve["runs"]),
            )
        )
    return found


def kept_text(runs: list[StudyRuns]) -> str:
    """The file, a line for each."""
    lines = ",\n".join(json.dumps(asdict(each), ensure_ascii=False) for each in runs)
    return f"[\n{lines}\n]\n"


@cache
def _kept() -> dict[tuple[str, str], StudyRuns]:
    rows = json.loads(KEPT.read_text(encoding="utf-8"))
    found = [StudyRuns(**{**row, "accuracy": tuple(row["accuracy"])}) for row in rows]
    return {(each.task, each.encoding): each for each in found}


def known_runs(remedy: Remedy, runs: Path | None, chance: float) -> str | None:
    """How many runs of a remedy work on their longest inputs, of the setting that works best; None: none.

    >>> from longreach.answers.remedies import remedies
    >>> from longreach.answers.forecast import forecast
    >>> known_runs(remedies(forecast("parity"))[0], None, 0.0) is None
    True
    """
    if runs is None or not runs.is_dir():
        return None
    with read_index(runs) as index:
        found = cells(index.rows(task=remedy.task, encoding=remedy.label, status="done"))
    best: tuple[Tally, LengthRange] | None = None
    for cell in found:
        longest = read_name(cell.ranges[-1]) if cell.ranges else None
        if longest is None:
            continue
        tally = cell.count(ByAccuracy(chance), longest)
        if tally.runs and (best is None or _share(tally) > _share(best[0])):
            best = tally, longest
    return None if best is None else f"{best[0].words} at {best[1].words}"


def _share(tally: Tally) -> tuple[float, int]:
    return tally.work / tally.runs, tally.runs


# What theory and runs suggest together


TRY_MINUTES = 5.0
"""That `longreach advise` takes unless told otherwise."""


def suggestions(
    forecast: Forecast,
    cells: Sequence[MeasuredCell],
    threshold: Threshold | None,
    findings: Mapping[str, Finding],
    asked: Sequence[str],
    *,
    more_steps: Remedy | None = None,
    runs: Path | None = None,
) -> tuple[Remedy, ...]:
    """What would help, the surest first; nothing where everything works already or nothing is known.

    >>> from longreach.answers.forecast import forecast
    >>> [each.change for each in suggestions(forecast("aa"), (), None, {}, ("nope", "ape"))][0]
    'learned positions (APE) instead of none'

    Where no encoding helps, it is the surest of the changes that `longreach advise` tries; `runs` has what
    was measured of it.
    """
    return (
        *_of_theory(forecast, cells, runs),
        *_longer(threshold),
        *_seeds(forecast, cells),
        *_reasons(findings, asked, more_steps),
        *(() if more_steps is None else (more_steps,)),
    )


def _of_theory(forecast: Forecast, cells: Sequence[MeasuredCell], runs: Path | None) -> tuple[Remedy, ...]:
    """The encodings that help, with their runs; else the form of the task that was measured, or is surest."""
    found = remedies(forecast)
    if not found:
        return ()
    if forecast.expected("ape") is Answer.YES:
        tried = "; ".join(
            f"{side_title(cell.encoding)}: {cell.words}"
            for cell in cells
            if cell.tally.runs and forecast.expected(cell.encoding) is not None
        )
        learned, *others = found
        return replace(learned, basis=learned.plain or learned.basis, measured=tried or None), *others
    # Changed forms ask for many tokens, which nobody guesses.
    chances = [forecast.task.chance if remedy.task == forecast.stored else 0.0 for remedy in found]
    known = [(each, known_runs(each, runs, chance)) for each, chance in zip(found, chances, strict=True)]
    best, measured = next((pair for pair in known if pair[1] is not None), known[0])
    said = best.plain or best.basis
    if measured is not None:
        return (replace(best, basis=said, measured=f"measured: {measured}"),)
    kept = study_runs(best.task, best.label)
    said = said if kept is None else f"{said}; {kept.words}"
    if not TaskName(forecast.name).is_session:
        said += f"; longreach ask {shlex.quote(forecast.name)} --try tries it in {TRY_MINUTES:g} minutes"
    return (replace(best, basis=said),)


def _longer(threshold: Threshold | None) -> list[Remedy]:
    if threshold is None or threshold.start is None or threshold.is_open_below:
        return []  # every length that was tried works, or none
    tested = "longer inputs" if threshold.tested is None else f"inputs of {threshold.tested.words}"
    return [
        Remedy(
            change=f"training to {threshold.start} or more",
            basis=f"measured on {tested}",
            measured=threshold.counts,
        )
    ]


def _seeds(forecast: Forecast, cells: Sequence[MeasuredCell]) -> list[Remedy]:
    """Some runs work and others do not: choosing among seeds is a remedy that needs no theory."""
    return [
        Remedy(
            change=f"{side_title(cell.encoding)}: several seeds, one of which works on longer inputs",
            basis="runs with different seeds behave differently",
            measured=cell.words,
        )
        for cell in cells
        if cell.tally.is_mixed and forecast.expected(cell.encoding) is not None
    ]


def _reasons(
    findings: Mapping[str, Finding], asked: Sequence[str], more_steps: Remedy | None
) -> list[Remedy]:
    """What the runs that did not do what was expected of them suggest."""
    found: list[Remedy] = []
    for encoding in asked:
        finding = findings.get(encoding)
        if finding is None or finding.state not in ("contradicts", "not learned"):
            continue
        if finding.state == "not learned" and more_steps is not None:
            continue  # it says the same, and how
        for reason in finding.reasons[:1]:
            why, _, change = reason.partition(": ")
            found.append(Remedy(change=f"{side_title(encoding)}: {change or why}", basis=why))
    return found
