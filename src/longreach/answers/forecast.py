"""TASK → verdicts with certificates, other encodings, published numbers and own runs.

The verdicts come from `verdicts`, which asks the finders of `kinds`, the one table of what is found, checked
and explained. The checkers test certificates against a task's answers alone; `verify` reads documents and
checks what they claim. For a black box, `black_box` looks for evidence in the answers. `odds` has the odds
that one run works.

>>> from longreach.answers.forecast import forecast
>>> forecast("sort").sides["nope"].answer.value
'yes'
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longreach.answers.bounds import bounds_note, task_bounds
from longreach.answers.encodings import COUPLED, OTHER_ATTENTION, EncodingNote, coupled_note, notes
from longreach.answers.odds import USUAL_LENGTH, TaskOdds, task_odds
from longreach.answers.oracle import SECONDS
from longreach.answers.published import FIGURE_1_TASKS, Published, published
from longreach.answers.verdicts import known_program, predict, program_of, read_by_program, sides, tokens_of
from longreach.config.architectures import BASELINE, DECODER, Options
from longreach.config.encodings import side_title
from longreach.config.model import CellLabel
from longreach.config.reach import reach_settings
from longreach.errors import Argument, Field, InputError
from longreach.runs.cells import Cell, cells
from longreach.runs.index import Index, Row, read_index
from longreach.tasks.catalog import load_argument, load_task, name_of_task, self_contained
from longreach.tasks.layouts import base_of
from longreach.tasks.positions import local_steps
from longreach.tasks.regular import LabelledLanguage, LanguageTask
from longreach.tasks.task import PAD, Task
from longreach.theory.automata.automaton import labelled
from longreach.theory.automata.monoid import least_modulus, transition_monoid
from longreach.theory.bounds.theorems import BoundsFound
from longreach.theory.budget import DEFAULT_BUDGET
from longreach.theory.crasp.program import Program, Trace
from longreach.theory.decide.views import Convention
from longreach.theory.names import TaskName
from longreach.theory.program_class import ENCODING_SIDES
from longreach.theory.verdicts.verdict import MEANING_OF_NO, Answer, Verdict
from longreach.wording import Table

if TYPE_CHECKING:
    from longreach.answers.judge import Finding
    from longreach.runs.cells import Tally
    from longreach.theory.architectures.classes import ArchitectureVerdict
    from longreach.theory.limit.model import Transformer


def side_words(side: Verdict) -> str:
    """Why a side is expected to work or to fail, and what that rests on."""
    return side.clause if side.trained is Answer.UNDECIDED else f"{side.basis}: {side.clause}"


MEANING_BY_COMMUNICATION = (
    "no limit transformer and so no C-RASP program computes it: this predicts that length generalization "
    "fails; it does not prove that a training run cannot succeed up to some length"
)
MEANING_TO_A_LENGTH = (
    "no C-RASP program exists if the task goes on as its answers do up to a length: "
    "this predicts that length generalization fails; it proves nothing"
)
NONE_FOUND = "none found"
"""How the paper says undecided."""


@dataclass(frozen=True, eq=False, repr=False)
class Forecast:
    """What is known of a task before anything is trained, and what has been measured.

    >>> found = forecast("copy-unique")
    >>> found.nope.answer.value, found.ape.answer.value, found.agreement
    ('no', 'yes', {'nope': True, 'ape': True})
    """

    name: str
    """How the task was asked for."""
    stored: str
    """How results name it."""
    task: Task
    sides: dict[str, Verdict]
    """By "nope", "ape", "reach" and, for regular languages, "local"."""
    paper: Published | None
    measured: tuple[Cell, ...] = ()
    model: ArchitectureVerdict | None = None
    """What theory says of the architecture that was asked for."""

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The letters of a language, changed or not; of other tasks all tokens that are read and written."""
        base = base_of(self.task)
        if isinstance(base, LanguageTask):
            return tuple(base.letters)
        return tuple(token for token in self.task.tokens if token != PAD)

    @property
    def nope(self) -> Verdict:
        return self.sides["nope"]

    @property
    def ape(self) -> Verdict:
        return self.sides["ape"]

    def expected(self, label: CellLabel | str) -> Answer | None:
        """What theory expects of runs with a label; None where it has no forecast for them.

        >>> forecast("aa").expected("nope").value, forecast("aa").expected("alibi")
        ('no', None)
        >>> forecast("aa").expected("ssm").value, forecast("aa").expected("lstm").value
        ('no', 'yes')
        >>> [forecast("aa").expected(f"reach(modulus={number})").value for number in (4, 3)]
        ['yes', 'undecided']
        >>> [forecast("parity").expected(f"reach{options}").value for options in ("", "(counting=1)")]
        ['no', 'undecided']
        """
        known = CellLabel.read(label) if isinstance(label, str) else label
        if known.side is not None:
            side = self.side_of(known)
            return Answer.UNDECIDED if side is None else side.trained
        found = self.about(known)
        if found is None:
            return None
        return Answer.UNDECIDED if found.answer == "not known" else Answer(found.answer)

    def side_of(self, label: CellLabel | str) -> Verdict | None:
        """The side that speaks of runs with a label; None where none does."""
        known = CellLabel.read(label) if isinstance(label, str) else label
        side = None if known.side is None else self.sides[known.side]
        return side if side is not None and _tells(known, side) else None

    def about(self, label: CellLabel) -> ArchitectureVerdict | None:
        """What theory says of a model other than the decoder of both sides; None where it says nothing."""
        if label.ids is not None or label.predicted or label.architecture == BASELINE:
            return None
        if label.architecture == DECODER and label.encoding not in OTHER_ATTENTION:
            return None
        from longreach.answers.architecture import model_side  # most ask for none

        try:
            options = Options.read(label.options)
            if "positions" in label.row.can:
                options["encoding"] = label.encoding
            found = model_side(self.task, self.sides, label.architecture, options)
        except InputError:  # options of a document from elsewhere
            return None
        return None if found.model_class is None else found

    def judge(self, label: CellLabel | str, tally: Tally) -> Finding:
        """What runs with a label say of the forecast for them."""
        from longreach.answers.judge import judge_runs  # a forecast alone needs none of it

        known = CellLabel.read(label) if isinstance(label, str) else label
        found = None if known.side is not None else self.about(known)
        ability = found is not None and not found.is_about_programs
        return judge_runs(self.expected(known), tally, ability=ability)

    @property
    def program(self) -> Program | None:
        """Of the first side that is expected to work, NoPE before APE; None if there is none.

        >>> print(forecast("aa").program)
        #alphabet a
        L = i % 2 == 0
        """
        return program_of(self.sides)

    def trace(self, word: str | Sequence[str]) -> Trace:
        """The values of the program's statements at every position of an input.

        >>> forecast("regex:(a|b)*b").trace("ab")
                1 2
                a b
        L = "b" · ⊤
        accept
        """
        tokens = read_by_program(self.task, tokens_of(self.task, word))
        return known_program(self.sides).trace(tokens)

    def predict(self, word: str | Sequence[str]) -> tuple[str, ...]:
        """What the program answers: the tokens that may follow in a language, or else the whole answer.

        >>> forecast("aa").predict("aaa"), forecast("sort").predict("14 3 7")
        (('a',), ('3', '7', '14', 'EOS'))
        """
        return predict(self.task, self.sides, word)

    def compile(self, context: int | None = None) -> Transformer:
        """The transformer that computes the program: a limit transformer, or T_n for a context of n.

        >>> forecast("aa").compile(context=50).context
        50
        """
        from longreach.theory.limit.compiler import compile_source  # most need no transformer

        return compile_source(known_program(self.sides), context)

    @property
    def title(self) -> str:
        """What the task is called.

        >>> forecast("sort").title, forecast("regex:(ab)*").title
        ('sort', '(ab)*')
        """
        name = TaskName(self.name)
        return self.task.name if name.is_session else name.expression

    @property
    def _heading(self) -> str:
        return self.title if self.task.about == self.title else f"{self.title}: {self.task.about}"

    def __repr__(self) -> str:
        lines = [self._heading]
        for key in ENCODING_SIDES:
            side = self.sides[key]
            said, basis = side.trained.expectation, side.basis
            lines.append(
                f"  {side_title(key)}: {said}: {side.clause}" + ("" if basis == said else f" ({basis})")
            )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        sides = [(key, self.sides[key]) for key in ENCODING_SIDES]
        rows = [(side_title(key), side.trained.expectation, side.clause, side.basis) for key, side in sides]
        return Table(["", "forecast", "why", "rests on"], rows, title=self._heading).html()

    @property
    def encodings(self) -> dict[str, EncodingNote]:
        """What is known of other encodings, for what is trained."""
        ape, steps = self.sides["ape"], local_steps(self.task)
        found = notes(self.sides["nope"].trained, ape.trained, *ape.trained_needs)
        if steps is not None:
            found |= dict.fromkeys(COUPLED, coupled_note(steps))
        lengths = [side.checked_to for side in self.sides.values() if side.checked_to is not None]
        if not lengths:
            return found
        beyond = f", if the task goes on so beyond length {min(lengths)}"
        return {
            name: replace(note, statement=note.statement + beyond) if note.known else note
            for name, note in found.items()
        }

    @property
    def bounds(self) -> BoundsFound:
        """Bounds on the training length that need neither a model nor an error.

        >>> [(each.definition.name, str(each.value)) for each in forecast("tomita-4").bounds.bounds]
        [('automaton', '6')]
        """
        return task_bounds(self.task, self.sides)

    @property
    def agreement(self) -> dict[str, bool]:
        """Whether the verdicts are those of the paper, where it has the task; it speaks of membership."""
        if self.paper is None:
            return {}
        return {
            key: self.sides[key].answer.value == ("undecided" if theirs == NONE_FOUND else theirs)
            for key, theirs in self.paper.verdicts.items()
        }

    @property
    def meaning_of_no(self) -> str:
        """What a "no" means: more where it comes from communication, less for a black box."""
        if any(side.checked_to is not None for side in self.sides.values()):
            return MEANING_TO_A_LENGTH
        nos = [side for side in self.sides.values() if Answer.NO in (side.answer, side.trained)]
        return MEANING_BY_COMMUNICATION if any(side.by_communication for side in nos) else MEANING_OF_NO

    def odds(self, trained_to: int = USUAL_LENGTH) -> TaskOdds:
        """The odds that one run works on longer inputs, as in the census, or why there are none.

        >>> forecast("aa").odds().document() is None
        True
        """
        return task_odds(self.task, self.sides, trained_to=[trained_to])

    def document(self, *, certificates: bool = True) -> dict[str, Any]:
        """Everything, as `longreach forecast --json` prints it."""
        # Of a task that asks for states, those of the language, not of what is read.
        automaton = getattr(self.task, "language", None) or getattr(self.task, "automaton", None)
        # An automaton that came as a text has no file by which it could be found again.
        by_text = TaskName(self.stored).is_automaton and self.name == TaskName(self.stored).short
        document: dict[str, Any] = {
            "task": self.stored if by_text else self.name,
            "alphabet": list(self.alphabet),
            "convention": Convention.LAST_LETTER.value,
            "about": self.task.about,
        }
        if automaton is not None:
            document["states"] = len(automaton)
        if isinstance(self.task, LabelledLanguage):
            document |= {"states": len(self.task.machine), "classes": list(self.task.machine.classes)}
        document |= {key: side.document(certificates=certificates) for key, side in self.sides.items()}
        document["trained"] = {key: side.trained.value for key, side in self.sides.items()}
        if self.model is not None:
            document["model"] = self.model.document(certificates=certificates)
        paper, odds = self.paper, self.odds()
        return document | {
            "meaning_of_no": self.meaning_of_no,
            "encodings": {name: asdict(note) for name, note in self.encodings.items()},
            "bounds": [bound.document() for bound in self.bounds.bounds],
            "bounds_note": bounds_note(self.bounds),
            "odds": odds.document(),
            "odds_note": odds.reason,
            "paper": None if paper is None else {**asdict(paper), "agrees": self.agreement},
            "measured": [each.document() for each in self.measured],
        }


def _tells(label: CellLabel, side: Verdict) -> bool:
    """Whether the side speaks of a model with these options: a no of heads that all find, a yes of heads that
    can tell the distances that a cascade needs."""
    options = reach_settings(label.name)
    if side.trained is Answer.NO:
        return "reach_counting" not in options
    modulus, cascade = options.get("reach_modulus"), side.cascade
    if not isinstance(modulus, int) or cascade is None or modulus % cascade.modulus == 0:
        return True
    # A smaller clock may do with more levels.
    table = cascade.machine
    machine = labelled(table.alphabet, table.transitions, 0, table.outputs)
    monoid = transition_monoid(machine, DEFAULT_BUDGET.monoid)
    return monoid is not None and modulus % least_modulus(monoid) == 0


def forecast(
    task: str | Task,
    alphabet: Sequence[str] | None = None,
    runs: str | Path | None = None,
    *,
    budget: float | None = None,
    model: str | Callable[..., Any] | None = None,
    model_options: Mapping[str, Any] | None = None,
) -> Forecast:
    """Forecast a task, given by name or as an object; also reads the runs of a results directory.

    `budget` is the number of seconds for querying a function or searching a file of examples; 0 skips this.
    With `model`, the name of an architecture, also says what theory knows of that.

    >>> [forecast(name).ape.answer.value for name in ("aa", "addition", "regex:(a|b)*b")]
    ['yes', 'no', 'yes']
    >>> forecast(load_task("sort")).nope.answer.value
    'yes'
    >>> forecast("parity", model="ssm").model.answer
    'no'
    """
    found = _forecast(*name_of_task(task, alphabet), budget)
    if model is not None:
        from longreach.answers.architecture import asked, model_side  # most ask for none

        name, options = asked(model, model_options, len(found.task.tokens))
        found = replace(found, model=model_side(found.task, found.sides, name, options))
    elif model_options:
        raise InputError("needs a model", place=Field("model_option"))
    if runs is None:
        return found
    with read_index(runs) as index:
        return _with_runs(found, index)


def forecast_all(runs: str | Path | None = None) -> tuple[Forecast, ...]:
    """The forecasts for the tasks of Figure 1, in its order.

    >>> len(forecast_all())
    25
    """
    found = tuple(_forecast(name, None) for name in FIGURE_1_TASKS)
    if runs is None:
        return found
    with read_index(runs) as index:
        return tuple(_with_runs(each, index) for each in found)


def _forecast(name: str, alphabet: Sequence[str] | None, budget: float | None = None) -> Forecast:
    seconds = SECONDS if budget is None else budget
    if not math.isfinite(seconds) or seconds < 0:
        raise InputError(f"must be at least 0 seconds, not {seconds:g}", place=Field("budget"))
    task = load_argument(name, alphabet)
    stored = self_contained(name)
    try:
        trusted = not (TaskName(name).is_attribute or TaskName(name).is_session)
        found = sides(task, stored, trusted, seconds=seconds)
    except InputError as error:
        raise error if error.place is not None else error.at(Argument("task")) from None
    short = TaskName(stored if TaskName(name).is_automaton and TaskName(name).is_text else name).short
    return Forecast(short, stored, task, found, published(name))


def _with_runs(found: Forecast, index: Index) -> Forecast:
    letters = found.alphabet
    usual = letters
    if TaskName(found.name).has_alphabet:
        with contextlib.suppress(InputError):  # without letters of its own, the alphabet is always given
            usual = tuple(getattr(load_task(found.name), "letters", letters))
    rows = [row for row in index.rows(task=found.stored) if _alphabet(row, usual) == letters]
    # The best of each encoding first.
    own = sorted(cells(rows), key=lambda each: (each.encoding, not each.learned, -(each.last or 0.0)))
    return replace(found, measured=tuple(own))


def _alphabet(row: Row, usual: tuple[str, ...]) -> tuple[Any, ...]:
    given = row.config.get("alphabet")
    return tuple(given) if isinstance(given, list) and given else usual
