"""A forecast → the changes to a task that theory expects to help, most certain first.

Where positions are enough, that is another encoding: a program with a window or a modulus exists. Where no
program exists, it is a form of the task whose steps depend on few tokens, near in coupled position ids
(Golowich et al., arXiv 2502.16792): a scratchpad, the reversed order, or the ids alone; or hints to read.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from longreach.answers.forecast import COUPLED, COUPLED_SOURCE, Forecast, coupled_note
from longreach.config.model import CellLabel
from longreach.errors import InputError
from longreach.runs.cells import ByAccuracy, Tally, cells
from longreach.runs.index import read_index
from longreach.tasks.catalog import load_task
from longreach.tasks.changes import ReversedAnswer, changed_task
from longreach.tasks.dependence import MeasuredParents, measured_parents
from longreach.tasks.families import FamilyTask
from longreach.tasks.layouts import SequenceTask, joined
from longreach.tasks.lengths import LengthRange, read_name
from longreach.tasks.names import FamilyName
from longreach.tasks.positions import LocalSteps, far_steps, ids_tell, local_steps
from longreach.tasks.task import Batch, BoolArray, IntArray, Task
from longreach.theory.names import CHANGES, TaskName
from longreach.theory.verdicts.verdict import Answer
from longreach.wording import counted

# A change that may make a task work on longer inputs, and what speaks for it.


Ground: TypeAlias = Literal["program", "local steps", "open"]
"""What speaks for a remedy: a program that theory expects to be learned, steps that depend on few and near
tokens, or nothing but that it is worth a try."""


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """A changed task under an encoding, to be trained in place of the original.

    >>> from longreach.answers.remedies import remedies
    >>> from longreach.answers.forecast import forecast
    >>> remedies(forecast("parity"))[0].name
    'parity+scratchpad with coupled-local'
    """

    task: str
    """The name of the changed task, or of the original."""
    encoding: str
    change: str
    """In words."""
    basis: str
    """Why it may help, in one sentence."""
    plain: str = ""
    """The same in words that need no paper, where `basis` has others."""
    ground: Ground
    predict_ids: bool = False
    """Whether the model predicts the position ids of its answer: they would tell part of it."""

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

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "change": self.change,
            "task": self.task,
            "encoding": self.encoding,
            "predict_ids": self.predict_ids,
            "ground": self.ground,
            "basis": self.basis,
            "command": self.command,
        }


# A task whose inputs stand alike: what a model that sees position ids need not find out from tokens.


DRAWN = 2000
"""Examples among which the commonest layout is looked for, and drawn at a time."""
MOST_DRAWS = 25
GUESSABLE = 0.9
"""Of the answers of a layout: where so many are one, the layout tells little of the task."""


@dataclass(frozen=True, eq=False)
class SameLayout(Task):
    """The inputs of one length whose ids and supervised places are those that most have.

    Of sums with operands of all sizes these are the sums of two sizes. A task without ids has one layout for
    each number of tokens.

    >>> from longreach.tasks.arithmetic import Addition
    >>> alike = SameLayout(Addition(), 7).sample([7] * 5, np.random.default_rng(0))
    >>> len({tuple(row == Addition().tokens.index("+")) for row in alike.tokens})
    1
    """

    base: Task
    length: int

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.base.name

    @property
    def tokens(self) -> tuple[str, ...]:
        return self.base.tokens

    @property
    def least_length(self) -> int:
        return self.base.least_length

    def has(self, lengths: IntArray) -> BoolArray:
        found: BoolArray = lengths == self.length
        return found

    def input_size(self, length: int) -> int:
        return self.base.input_size(length)

    def answer(self, x: Sequence[str]) -> tuple[str, ...]:
        return self.base.answer(x)

    def coupled_ids(self, batch: Batch) -> IntArray | None:
        return self.base.coupled_ids(batch)

    def counterfactuals(
        self, batch: Batch, row: int, others: Batch, *, count: int, rng: np.random.Generator
    ) -> Batch | None:
        """Those of the base that stand alike, too."""
        found = self.base.counterfactuals(batch, row, others, count=count, rng=rng)
        if found is None:
            return None
        rows = [place for place, each in enumerate(self._layouts(found)) if each == self._wanted]
        return _chosen(found, rows) if rows else None

    @cached_property
    def _looked_at(self) -> Batch:
        return self.base.sample([self.length] * DRAWN, np.random.default_rng(0))

    @property
    def _first(self) -> Batch:
        """What was looked at and has the layout: at least one example."""
        drawn = self._looked_at
        return _chosen(drawn, [row for row, each in enumerate(self._layouts(drawn)) if each == self._wanted])

    @cached_property
    def _wanted(self) -> bytes:
        """The commonest, unless nearly all of its answers are one, as products of one bit are 0: then the
        commonest of the longer half."""
        drawn = self._looked_at
        layouts = self._layouts(drawn)
        ((wanted, count),) = Counter(layouts).most_common(1)
        rows = [row for row, each in enumerate(layouts) if each == wanted]
        ((_, alike),) = Counter(drawn.targets[row].tobytes() for row in rows).most_common(1)
        if alike <= GUESSABLE * count:
            return wanted
        supervised = drawn.mask.sum(axis=1)
        longer = np.flatnonzero(supervised >= np.median(supervised))
        return Counter(layouts[row] for row in longer.tolist()).most_common(1)[0][0]

    def _layouts(self, batch: Batch) -> list[bytes]:
        """What tells layouts apart, row by row."""
        ids = self.base.coupled_ids(batch)
        known = np.zeros_like(batch.tokens) if ids is None else ids[:, :-1]
        used = np.arange(batch.tokens.shape[1]) < batch.sizes[:, None]
        whole = [
            (int(size), row[:size].tobytes(), mask[:size].tobytes())
            for size, row, mask in zip(batch.sizes, known * used, batch.mask, strict=True)
        ]
        return [repr(each).encode() for each in whole]

    def _sample(self, lengths: IntArray, rng: np.random.Generator) -> Batch:
        """Fewer than were asked for, where the layout hardly comes up."""
        found, there = list[Batch](), 0
        for _ in range(MOST_DRAWS):
            drawn = self.base.sample([self.length] * DRAWN, rng)
            rows = [row for row, each in enumerate(self._layouts(drawn)) if each == self._wanted]
            found.append(_chosen(drawn, rows))
            there += len(rows)
            if there >= len(lengths):
                break
        if not there:
            found.append(self._first)
        whole = reduce(joined, (part for part in found if len(part)))
        return _chosen(whole, list(range(min(len(whole), len(lengths)))))


def _chosen(batch: Batch, rows: Sequence[int]) -> Batch:
    """These examples, as wide as they need."""
    picked = np.asarray(rows, dtype=np.int64)
    width = int(batch.sizes[picked].max()) if len(picked) else 0
    return Batch(
        tokens=batch.tokens[picked, :width],
        targets=batch.targets[picked, :width],
        mask=batch.mask[picked, :width],
        position_ids=batch.position_ids[picked, :width],
        sizes=batch.sizes[picked],
    )


# On how many earlier tokens each written token depends, and how far away, measured from examples.


SPAN, FIRST, APART = 40, 5, 4
"""How far above the least length lengths are looked for, from where on, and how far apart at least."""
EXAMPLES, POOL, TRIED = 8, 2000, 6
"""Examples whose parents are looked for, sequences that may speak against them, and parents at most."""


@dataclass(frozen=True, kw_only=True)
class StepSparsity:
    """The most tokens that a written token depends on, at a short length and at a longer one."""

    task: str
    name: str
    lengths: tuple[int, int]
    parents: tuple[int | None, int | None]
    """None: more than were tried."""
    distances: tuple[int | None, int | None]
    """The farthest of them from the token that is read, in coupled ids or in positions."""
    coupled: bool
    tested: tuple[bool, bool] = (True, True)
    """Whether enough inputs could have shown that more tokens matter; else a number is a lower bound."""

    @property
    def is_sparse(self) -> bool:
        """Whether longer inputs need no more tokens, as far as that was tested."""
        short, long = self.parents
        return all(self.tested) and short is not None and long is not None and long <= short

    @property
    def is_local(self) -> bool:
        """Whether those are no farther away on longer inputs, as far as that was tested."""
        short, long = self.distances
        return all(self.tested) and short is not None and long is not None and long <= short

    @property
    def words(self) -> str:
        """One line.

        >>> said = {"task": "a", "name": "a", "lengths": (4, 6), "coupled": True}
        >>> StepSparsity(**said, parents=(2, 2), distances=(1, 1)).words
        '2 tokens, within 1 in coupled ids'
        >>> StepSparsity(**said, parents=(4, None), distances=(4, None)).words
        '4 tokens at length 4, more than 6 at 6'
        >>> StepSparsity(**said, parents=(2, 3), distances=(1, 1), tested=(True, False)).words
        '2 tokens at length 4, at least 3 at 6'
        """
        first, second = self.lengths
        short, long = map(_shown, self.parents, self.tested)
        if self.is_sparse:
            many = "1 token" if long == "1" else f"{long} tokens"
        else:
            many = f"{short} tokens at length {first}, {long} at {second}"
        near, far = self.distances
        if near is None or far is None or not all(self.tested):
            return many
        ids = "coupled ids" if self.coupled else "positions"
        if self.is_local:
            return f"{many}, within {far} in {ids}"
        return f"{many}, within {near} in {ids} at length {first}, {far} at {second}"

    def document(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "lengths": list(self.lengths),
            "parents": list(self.parents),
            "distances": list(self.distances),
            "ids": "coupled" if self.coupled else "true",
            "tested": list(self.tested),
            "sparse": self.is_sparse,
            "local": self.is_local,
        }


def measured_sparsity(
    forecast: Forecast, remedies: Sequence[Remedy], alphabet: Sequence[str] | None
) -> tuple[StepSparsity, ...]:
    """Of the original, and of each remedy's task in the ids that it is trained with.

    >>> from longreach.answers.remedies import remedies
    >>> from longreach.answers.forecast import forecast
    >>> known = forecast("parity")
    >>> [(each.parents, each.is_sparse) for each in measured_sparsity(known, remedies(known)[:1], None)]
    [((6, None), False), ((2, 2), True)]
    """
    if not remedies:
        return ()
    found = [step_sparsity(forecast.task, forecast.stored, coupled=False)]
    for remedy in remedies:
        if all((each.task, each.coupled) != (remedy.task, remedy.is_coupled) for each in found):
            task = load_task(remedy.task, alphabet)
            found.append(step_sparsity(task, remedy.task, coupled=remedy.is_coupled))
    return tuple(found)


def step_sparsity(task: Task, name: str, *, coupled: bool) -> StepSparsity:
    """Of one task, in its coupled ids or in positions."""
    lengths = _two_lengths(task)
    short, long = (_measured(task, length, coupled) for length in lengths)
    return StepSparsity(
        task=name,
        name=f"{TaskName(TaskName(name).short).expression}{', coupled' if coupled else ''}",
        lengths=lengths,
        parents=(short.most, long.most),
        distances=(short.distance, long.distance),
        coupled=coupled,
        tested=(short.most is None or short.is_tested, long.most is None or long.is_tested),
    )


def _shown(parents: int | None, tested: bool) -> str:
    if parents is None:
        return f"more than {TRIED}"
    return str(parents) if tested else f"at least {parents}"


def _measured(task: Task, length: int, coupled: bool) -> MeasuredParents:
    """Among inputs that stand alike, where ids tell how they stand; else among all of the length."""
    rng = np.random.default_rng(0)
    asked = SameLayout(task, length) if coupled else task
    batch = asked.sample([length] * EXAMPLES, rng)
    ids = asked.coupled_ids(batch) if coupled else None
    return measured_parents(
        asked, length, rng, ids=None if ids is None else ids[:, :-1], batch=batch, pool=POOL, tried=TRIED
    )


def _two_lengths(task: Task) -> tuple[int, int]:
    """Short enough that examples cover most inputs, and not the same where the task has more than one."""
    least = task.least_length
    known = task.lengths(least, least + SPAN).tolist()
    first = next((length for length in known if length >= least + FIRST), known[0])
    return first, next((length for length in known if length >= first + APART), known[-1])


# A forecast → the changes that theory says would turn it around, the surest first.


HINTED = "a hint names the symbol to look at, which is found by what it is and not by counting"
HINTS_SOURCE = "after Zhou et al., arXiv 2310.16028; no proof is known"
PREDICTED = "the positions of the answer tell part of it, so the model predicts them"
NOT_LOCAL = "nothing says that its steps depend on few tokens, so this is a try"
SEEMS_LOCAL = "in examples each step depends on few tokens at coupled distance 1 or less, by measurement"
COUPLED_POSITIONS = "one position for symbols that belong together (coupled)"
SOME_LENGTHS = 20
"""Above the least length: where an example is looked for."""


def remedies(forecast: Forecast) -> tuple[Remedy, ...]:
    """What would help, the surest first; nothing where the task works as it is, or nothing is known.

    >>> from longreach.answers.forecast import forecast
    >>> [each.name for each in remedies(forecast("addition"))]
    ['addition+reversed with coupled-local', 'addition+reversed+index-hints with ape']
    >>> [each.name for each in remedies(forecast("aa"))]
    ['aa with ape', 'aa with sinusoidal', 'aa with rope']
    >>> remedies(forecast("sort"))
    ()
    """
    nope, ape = forecast.sides["nope"].trained, forecast.sides["ape"].trained
    if nope is Answer.YES:
        return ()
    return _encodings(forecast) if ape is Answer.YES else _forms(forecast)


# Another encoding


def _encodings(forecast: Forecast) -> tuple[Remedy, ...]:
    ape, notes = forecast.sides["ape"], forecast.encodings
    window, modulus = ape.trained_needs
    needs = program_needs(window, modulus)
    found = [
        Remedy(
            task=forecast.stored,
            encoding="ape",
            change="learned positions (APE) instead of none",
            basis=needs,
            ground="program",
        )
    ]
    periodic = ("sinusoidal", "rope") if window == 0 and modulus is not None else ()
    near = ("alibi",) if window is not None and modulus == 1 else ()
    for name in (*periodic, *near):
        found.append(
            Remedy(
                task=forecast.stored,
                encoding=name,
                change=_ENCODING_CHANGES[name],
                basis=notes[name].statement,
                ground="program",
            )
        )
    return tuple(found)


_ENCODING_CHANGES = {
    "sinusoidal": "sinusoidal positions of a fitting period",
    "rope": "rotary positions (RoPE) of a fitting period",
    "alibi": "attention that falls with the distance (ALiBi)",
}


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


def seems_local(task: Task) -> bool:
    """Whether in examples each step needs few tokens, none farther away in the task's ids than the next.

    >>> from longreach.tasks.catalog import load_task
    >>> seems_local(load_task("copy-repeat")), seems_local(load_task("reverse"))
    (True, False)
    """
    found = step_sparsity(task, task.name, coupled=True)
    far = found.distances[1]
    return found.is_sparse and found.is_local and far is not None and far <= 1


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

    >>> from longreach.tasks.catalog import load_task
    >>> has_coupled_ids(load_task("copy-repeat")), has_coupled_ids(load_task("sort"))
    (True, False)
    """
    if not isinstance(task, SequenceTask):
        return False
    least = task.least_length
    batch = task.sample(task.lengths(least, least + SOME_LENGTHS)[:1], np.random.default_rng(0))
    return task.coupled_ids(batch) is not None


_FORM_CHANGES = {
    "scratchpad": "its steps written down before the answer (+scratchpad)",
    "reversed": "the answer written from its end (+reversed)",
    "index-hints": "a hint before each symbol (+index-hints)",
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


# What the results already have of a remedy: runs of any setting, counted.


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
