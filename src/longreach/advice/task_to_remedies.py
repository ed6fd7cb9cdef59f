"""A forecast → the changes that theory says would turn it around, the surest first.

Where positions are enough, that is another encoding: a program with a window or a modulus exists. Where no
program exists, it is a form of the task whose steps depend on few tokens, near in coupled position ids
(Golowich et al., arXiv 2502.16792): a scratchpad, the reversed order, or the ids alone; or hints to read.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from longreach.advice.remedy import Remedy
from longreach.advice.remedy_sparsity import step_sparsity
from longreach.config.family_name import FamilyName
from longreach.config.task_name import CHANGES, TaskName
from longreach.errors import InputError
from longreach.forecast import Forecast
from longreach.forecast.other_encodings import COUPLED_SOURCE, coupled_note
from longreach.tasks.changed_task import changed_task
from longreach.tasks.family_task import FamilyTask
from longreach.tasks.id_locality import ids_tell
from longreach.tasks.layout import SequenceTask
from longreach.tasks.local_steps import LocalSteps, far_steps, local_steps
from longreach.tasks.reversed_answer import ReversedAnswer
from longreach.tasks.task import Task
from longreach.verdicts.verdict import Answer
from longreach.wording import counted

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

    >>> from longreach.forecast import forecast
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
