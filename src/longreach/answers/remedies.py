"""A forecast → the changes to a task that theory expects to help, most certain first.

Where positions are enough, that is another encoding: a program with a window or a modulus exists. Where no
program exists, it is a form of the task whose steps depend on few tokens, near in coupled position ids
(Golowich et al., arXiv 2502.16792): a scratchpad, the reversed order, or the ids alone; or hints to read.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np

from longreach.answers.asking import Asking, OutOfTime, guarded_task
from longreach.answers.encodings import COUPLED, COUPLED_SOURCE, coupled_note
from longreach.answers.forecast import Forecast
from longreach.answers.step_sparsity import seems_local
from longreach.config.model import CellLabel
from longreach.errors import InputError
from longreach.tasks.changes import ReversedAnswer, changed_task
from longreach.tasks.families import FamilyTask
from longreach.tasks.layouts import SequenceTask
from longreach.tasks.names import FamilyName
from longreach.tasks.own import FunctionTask
from longreach.tasks.positions import LocalSteps, far_steps, ids_tell, seen_steps
from longreach.tasks.predicates import PredicateLanguage
from longreach.tasks.task import Task
from longreach.theory.names import CHANGES, TaskName
from longreach.theory.verdicts.verdict import Answer
from longreach.wording import counted, listed

if TYPE_CHECKING:
    from longreach.tasks.aligned import Aligned

Ground: TypeAlias = Literal["program", "local steps", "open"]
"""What speaks for a remedy: a program or a cascade that theory expects to be learned, steps that depend on
few and near tokens, or nothing but that it is worth a try."""


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """One change: most are a task and an encoding to train in place of the original.

    >>> from longreach.answers.forecast import forecast
    >>> remedies(forecast("parity"))[0].name
    'parity+scratchpad with coupled-local'
    """

    change: str
    basis: str
    """Why it may help, in one sentence."""
    plain: str = ""
    """The same in words that need no paper, where `basis` has others."""
    steps: str = ""
    """On how few tokens each step depends, in a clause, where that is known."""
    measured: str | None = None
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
        return f"{TaskName(self.task).short} with {self.label}"

    @property
    def is_coupled(self) -> bool:
        """Whether it is trained with the task's own position ids."""
        return self.encoding in COUPLED

    @property
    def command(self) -> str:
        ids = ["--predict-ids"] if self.predict_ids else []
        task = TaskName(self.task).argument
        return shlex.join(["longreach", "train", task, "--encoding", self.encoding, *ids, "--seeds", "3"])

    def summary(self) -> dict[str, Any]:
        """As `longreach ask --json` has it."""
        return {"change": self.change, "basis": self.basis, "measured": self.measured}

    def document(self) -> dict[str, Any]:
        """As `longreach advise --json` has it."""
        names = ("change", "task", "encoding", "predict_ids", "ground", "basis", "command")
        return {name: getattr(self, name) for name in names}


ENOUGH = "proved sufficient"
HINTED = "a hint names the symbol to look at, so it is found by content and not by counting"
HINTS_SOURCE = "after Zhou et al., arXiv 2310.16028; no proof is known"
PREDICTED = "the positions of the answer reveal part of it, so the model predicts them"
NOT_LOCAL = "nothing shows that its steps depend on few tokens, so this is only a guess"
SEEMS_LOCAL = "in examples, each step depends on few tokens at coupled distance 1 or less (measured)"
COUPLED_POSITIONS = "give related symbols the same position id (coupled)"
NOT_LOCAL_FORMS = ("change-log", "index-hints")
"""Forms whose steps are found by what they are, or counted, and not near."""
SOME_LENGTHS = 20
"""Above the least length: where an example is looked for."""

REMEDIES: Final = {
    "last matches": "longreach.answers.remedies:last_matches",
    "last matches and counts": "longreach.answers.remedies:last_matches_and_counts",
    "another encoding": "longreach.answers.remedies:other_encodings",
    "local steps": "longreach.answers.remedies:forms_with_local_steps",
    "hints": "longreach.answers.remedies:forms_with_hints",
    "tries": "longreach.answers.remedies:tries",
}
"""Functions from a forecast and the remedies of the rows above to further remedies, the surest first."""


def remedies(forecast: Forecast) -> tuple[Remedy, ...]:
    """What would help, the surest first; nothing where the task works as it is, or nothing is known.

    >>> from longreach.answers.forecast import forecast
    >>> [each.name for each in remedies(forecast("addition"))]
    ['addition+reversed with coupled-local', 'addition+reversed+index-hints with ape']
    >>> [each.change for each in remedies(forecast("aa"))][:2]
    ['last matches (reach) instead of positions', 'learned positions (APE)']
    >>> remedies(forecast("sort"))
    ()
    """
    found: list[Remedy] = []
    if forecast.sides["nope"].trained is not Answer.YES:
        _look_for_steps(forecast.task)
        for place in REMEDIES.values():
            found += resolve_name(place)(forecast, tuple(found))
    return tuple(found)


LOOKING = 15.0
"""Seconds for finding out what the answers of somebody's own functions show."""


def _look_for_steps(task: Task) -> None:
    """Keeps with a task what its answers show, so that no function is asked longer than that."""
    if not isinstance(task, FunctionTask | PredicateLanguage) or "aligned" in vars(task):
        return
    clock, found = Asking(LOOKING, task.name), None
    guarded = guarded_task(task, clock)
    assert isinstance(guarded, FunctionTask | PredicateLanguage)
    with suppress(OutOfTime, InputError), clock.running(), clock.step("steps"):
        found = guarded.aligned
    vars(task)["aligned"] = found


# Another encoding


def last_matches(forecast: Forecast, found: Sequence[Remedy]) -> list[Remedy]:
    """Attention to the last match, where that is enough."""
    side = forecast.sides["reach"]
    if side.trained is not Answer.YES:
        return []
    return [
        Remedy(
            change="last matches (reach) instead of positions",
            basis=f"{ENOUGH}: {side.clause} ({side.basis})",
            plain=f"{ENOUGH}: {side.clause}",
            task=forecast.stored,
            encoding="reach",
            ground="program",
        )
    ]


def last_matches_and_counts(forecast: Forecast, found: Sequence[Remedy]) -> list[Remedy]:
    """Last matches with one plain head, where a program counts what stands in a window.

    >>> from longreach.answers.forecast import forecast
    >>> from longreach.tasks.plain import python_task
    >>> task = python_task('lambda w: str(w.count("ab") > w.count("ca"))', "abc")
    >>> [each.encoding for each in remedies(forecast(task))][:2]
    ['reach(counting=1)', 'ape']
    """
    side = forecast.sides["ape"]
    window, modulus = side.trained_needs
    if found or side.trained is not Answer.YES or side.certificate.kind != "found-program":
        return []
    if not window or modulus != 1:
        return []
    return [
        Remedy(
            change="last matches (reach) with one head that counts",
            basis=f"{program_needs(window, modulus)} and counts: a last match finds the symbols, and a plain "
            "head counts (tried by training, not proved)",
            plain=f"{program_needs(window, modulus)} and counts: last matches find them, one head counts",
            task=forecast.stored,
            encoding="reach(counting=1)",
            ground="program",
        )
    ]


NO_INTEGER_PERIOD = (
    "RoPE and sinusoidal positions, as usually set up, have no integer period, and none of their runs works "
    "on (aa)*, (aaaa)* or (abab)* (longreach study encodings)"
)


def other_encodings(forecast: Forecast, found: Sequence[Remedy]) -> list[Remedy]:
    """Learned positions, and others that give what the program looks at."""
    if forecast.sides["ape"].trained is not Answer.YES:
        return []
    window, modulus = forecast.sides["ape"].trained_needs
    needs = program_needs(window, modulus)
    learned = Remedy(
        change="learned positions (APE)" + ("" if found else " instead of none"),
        basis=needs,
        task=forecast.stored,
        encoding="ape",
        ground="program",
    )
    if window == 0 and modulus is not None:
        change = f"an encoding with integer period {modulus}"
        basis = f"should work in theory; not tested here. {NO_INTEGER_PERIOD}"
        other = replace(learned, change=change, basis=basis, encoding="")
        return [replace(learned, basis=f"{needs}; {NO_INTEGER_PERIOD}", plain=needs), other]
    if window is not None and modulus == 1:
        change = f"positions that single out the last {window + 1} symbols, such as ALiBi"
        basis = f"{needs}; should work in theory"
        return [learned, replace(learned, change=change, basis=basis, encoding="alibi")]
    return [learned]


def program_needs(window: int | None, modulus: int | None) -> str:
    """What a program looks at, in a clause; a window counts the symbols before the present one.

    >>> program_needs(1, 2)
    'a program needs the last 2 symbols and the position modulo 2'
    """
    needs = [] if not window else [f"the last {window + 1} symbols"]
    needs += [] if modulus in (None, 1) else [f"the position modulo {modulus}"]
    return f"a program needs {listed(needs)}" if needs else "a program with positions exists"


# Another form of the task


def forms_with_local_steps(forecast: Forecast, found: Sequence[Remedy]) -> list[Remedy]:
    """Forms of a task without a program, the fewest changes first; those first that are local everywhere."""
    if forecast.sides["ape"].trained is Answer.YES:
        return []
    read, forms = TaskName(forecast.stored), list[tuple[str, LocalSteps]]()
    missing = [change for change in CHANGES if change not in (*read.changes, *NOT_LOCAL_FORMS)]
    for count in range(len(missing) + 1):
        for changes in combinations(missing, count):
            task = _form(forecast.task, changes)
            steps = None if task is None or not has_coupled_ids(task) else seen_steps(task)
            if task is not None and steps is not None:
                forms.append((_name_of(task, read.changed(*changes)), steps))
        if any(steps.everywhere for _, steps in forms):
            break  # more changes are not needed
    aligned: Aligned | None = getattr(forecast.task, "aligned", None)
    seen = "" if aligned is None or not forms else f"{aligned.about}; "
    return [
        Remedy(
            task=name,
            encoding="coupled-local" if steps.everywhere else "coupled",
            change=_change_words(name, forecast.stored),
            basis=f"{seen}{coupled_note(steps).statement} ({COUPLED_SOURCE})",
            plain=f"{seen}each step then depends on {counted(steps.parents, 'nearby token')}",
            steps=f"each step depends on {counted(steps.parents, 'token')}",
            ground="local steps",
        )
        for name, steps in sorted(forms, key=lambda form: not form[1].everywhere)
    ]


def forms_with_hints(forecast: Forecast, found: Sequence[Remedy]) -> list[Remedy]:
    """The forms with local steps, with hints in place of coupled ids."""
    hinted, own = list[Remedy](), TaskName(forecast.stored).changes
    for each in found:
        name = TaskName(each.task).changed("index-hints")
        missing = [change for change in TaskName(name).changes if change not in own]
        if each.ground != "local steps" or name == each.task or _form(forecast.task, tuple(missing)) is None:
            continue
        change = _change_words(name, forecast.stored)
        basis = f"{HINTED}; {each.steps} ({HINTS_SOURCE})"
        hinted.append(Remedy(task=name, encoding="ape", change=change, basis=basis, plain=HINTED))
    return hinted


def tries(forecast: Forecast, found: Sequence[Remedy]) -> list[Remedy]:
    """Where nothing is surer: forms that may need less than the original, and its ids alone."""
    read, tried = TaskName(forecast.stored), list[Remedy]()
    for changes in () if found else (("scratchpad",), ("reversed",), ()):
        task, name = _form(forecast.task, changes), read.changed(*changes)
        if task is None or (changes and name == forecast.stored):
            continue
        if "reversed" in changes and not (isinstance(task, ReversedAnswer) and task.is_number):
            continue  # the other order helps numbers, whose carries go from the least bit up
        name, words = _name_of(task, name), [_FORM_CHANGES[change] for change in changes]
        if has_coupled_ids(task):
            tried.append(_coupled_try(name, task, words))
        elif changes:
            tried.append(Remedy(task=name, encoding="ape", change=listed(words), basis=_not_local(task)))
    return tried


def _coupled_try(name: str, task: Task, words: list[str]) -> Remedy:
    told = ids_tell(task)
    near = not told and far_steps(task) is None and seems_local(task)
    basis = SEEMS_LOCAL if near else _not_local(task)
    return Remedy(
        task=name,
        encoding="coupled-local" if near else "coupled",
        change=listed([*words, COUPLED_POSITIONS]),
        basis=f"{PREDICTED}; {basis}" if told else basis,
        predict_ids=told,
    )


def _not_local(task: Task) -> str:
    far = far_steps(task)
    return NOT_LOCAL if far is None else f"{far}, so this is only a guess"


def _name_of(task: Task, name: str) -> str:
    """Of a family the name itself says whether steps are written."""
    return task.name if isinstance(task, FamilyTask) else name


def _form(task: Task, changes: tuple[str, ...]) -> Task | None:
    try:
        return changed_task(task, changes)
    except InputError:
        return None


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
    "scratchpad": "write intermediate steps before the answer (+scratchpad)",
    "change-log": "log only what changes at each step (+change-log)",
    "reversed": "write the answer in reverse (+reversed)",
    "index-hints": "put a hint before each symbol (+index-hints)",
}


def _change_words(name: str, original: str) -> str:
    """What is done to the original, in words."""
    new = [change for change in TaskName(name).changes if change not in TaskName(original).changes]
    if FamilyName.is_one(name) and name != original:
        new = ["scratchpad", *new]
    words = [_FORM_CHANGES[change] for change in new]
    return listed(words if "index-hints" in new else [*words, COUPLED_POSITIONS])
