"""Verdicts about tasks known only by their answers.

In this order, and the first that can say something speaks: an automaton that is learned from the answers,
which theory decides; a program that is right on examples; a part of the inputs that no program decides; the
growth of what one part of an input must tell the other; all small programs.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache

from longreach.answers.asking import Asking, OutOfTime, guarded_task
from longreach.answers.box_kinds import AnswersBox, LanguageBox
from longreach.answers.boxes import Box
from longreach.answers.oracle import SECONDS
from longreach.errors import InputError, failure_line
from longreach.tasks.predicates import PredicateLanguage
from longreach.tasks.task import Task
from longreach.theory.program_class import SIDES
from longreach.theory.verdicts.verdict import Verdict, undecided

NOT_IN_TIME = {
    "automaton": "no automaton was learned",
    "program": "no program was found",
    "part": "not all parts of its inputs were tried",
    "rows": "its communication was not measured",
    "enumeration": "not all small programs were tried",
}
"""What to say of a step that ended before its time."""
TRIED_ALL = "automata, programs, parts of the inputs and communication settle nothing"
"""Why nothing is known, in a few words."""
BUDGETS = 10
"""A budget to try next, in budgets that were not enough."""


def black_box_sides(
    task: Task, name: str, keys: Iterable[str], *, seconds: float | None = None
) -> dict[str, Verdict]:
    """The verdicts for these sides; of a regular language also "local", and "reach" where a learned automaton
    decides it.

    >>> from longreach.tasks.task import Task
    >>> ends_in_b = Task.from_predicate(lambda word: word[-1:] == ("b",), "ab", name="ends in b")
    >>> found = black_box_sides(ends_in_b, "mine", ["nope", "ape"])
    >>> found["nope"].answer.value, found["nope"].checked_to
    ('yes', 100)
    """
    allowed = SECONDS if seconds is None else seconds
    try:
        return dict(_known_sides(task, name, tuple(keys), allowed))
    except TypeError:  # a task that has no hash
        return _sides(task, name, tuple(keys), allowed)


def _sides(task: Task, name: str, wanted: tuple[str, ...], seconds: float) -> dict[str, Verdict]:
    clock = Asking(seconds, name)
    mine = guarded_task(task, clock)
    box: Box = LanguageBox(mine, clock) if isinstance(mine, PredicateLanguage) else AnswersBox(mine, clock)
    found: dict[str, Verdict] = {}
    try:
        with clock.running():
            for title, step in (
                ("automaton", box.learned), ("program", box.programmed), ("part", box.embedded),
                ("rows", box.measured), ("enumeration", box.enumerated),
            ):  # fmt: skip
                open_sides = [key for key in wanted if key not in found]
                try:
                    with clock.step(title):
                        found |= step(name, open_sides) if open_sides else {}
                except OutOfTime:
                    box.tried.append(NOT_IN_TIME[title])
                    if clock.is_slow:
                        box.tried[-1] += f": {clock.ended}"
                        more = f"--budget {BUDGETS * seconds:g} would allow more"
                        box.clause = box.clause or f"{clock.ended}: {more}"
            with suppress(OutOfTime), clock.step("enumeration"):
                box.check_again()
    except InputError as error:
        unasked = "it cannot be queried"
        why = f"{unasked}: {error.message}"
        # The word that was asked about may be long.
        said = error.message if error.__cause__ is None else failure_line(error.__cause__)
        short = f"{unasked}: {said.removeprefix(f'{task.name}: ')}"
        return {key: undecided(SIDES[key], why, clause=short) for key in wanted}
    if (reach := box.reach()) is not None:
        found["reach"] = reach
    seen = box.seen()
    if seen is not None:
        found = {key: _with_seen(verdict, seen) for key, verdict in found.items()}
        box.tried.insert(0, seen)
    rest = "; ".join(box.tried) or "nothing was tried"
    box.clause = box.clause or (
        f"{TRIED_ALL}; --budget {BUDGETS * seconds:g} tries longer" if seconds else None
    )
    open_ = {key: undecided(SIDES[key], rest, clause=box.clause) for key in wanted if key not in found}
    return {**{key: found.get(key) or open_[key] for key in wanted}, **found}


def _with_seen(verdict: Verdict, seen: str) -> Verdict:
    """The same with what was seen of the task."""
    told = verdict.with_proofs(lambda proof: replace(proof, reason=f"{proof.reason}; {seen}"))
    return replace(told, note=seen if told.note is None else f"{told.note}; {seen}")


# One forecast is asked for several times: for an answer, for its page, for a judgement of runs.
_known_sides = lru_cache(maxsize=16)(_sides)
