"""`longreach bound`: from which training length on, by theory, with what each number assumes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from longreach.cli.options import AlphabetOption, JsonOption, alphabet_of_task, check_task, flag, option
from longreach.cli.output import console, print_json
from longreach.errors import InputError
from longreach.tasks.names import has_numbers
from longreach.theory.names import TaskName
from longreach.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from longreach.answers.bound_subject import Subject
    from longreach.cli.screen import Screen
    from longreach.theory.bounds.definition import Bound, NotApplicable
    from longreach.theory.bounds.theorems import BoundsFound


def bound(
    subject: Annotated[
        str | None,
        typer.Argument(
            metavar="MODEL|TASK",
            help="A directory with a model, hand:NAME, or a task: built-in, regex:…, crasp:FILE, dfa:FILE. "
            "Without it, the quantities of --set alone.",
        ),
    ] = None,
    error: Annotated[str | None, option("Allowed error, such as 0.1; ε in the bounds.", "ε")] = None,
    precision: Annotated[int | None, option("Fractional bits of the attention weights.", "P", min=0)] = None,
    against: Annotated[str | None, option("The second model of a pair.", "MODEL")] = None,
    settings: Annotated[
        list[str] | None, option("A quantity; --explain lists the names.", "NAME=VALUE", "--set")
    ] = None,
    alphabet: AlphabetOption = None,
    every: Annotated[bool, flag("--all", "Show all bounds, and which were not computed.")] = False,
    explain: Annotated[
        bool, flag("--explain", "Show all bounds with formulas, inputs, assumptions, constants and sources.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Bound the training length that is enough.

    Shows the bound that applies to a model, a task or given quantities; --all shows the others. Most hold
    only up to unknown constants: they say how the length grows, not what it is.

    Example: longreach theory bound "regex:(aa)*" --error 0.1
    """
    from longreach.theory.bounds.definition import read_error, read_settings
    from longreach.theory.bounds.theorems import bounds

    given = read_settings(settings or ())
    if precision is not None and "precision" in given:
        raise InputError("--precision: is given by --set as well")
    allowed = None if error is None else read_error(error)
    if subject is None and not given and precision is None:
        raise InputError("MODEL|TASK: missing; or give quantities, as in --set states=5")
    if against is not None and (subject is None or not _is_model(subject)):
        raise InputError("--against: needs a MODEL")
    found = _subject(subject, precision=precision, against=against, alphabet=alphabet)
    if allowed is not None and found.range is not None and allowed > found.range:
        raise InputError(f"--error: {error} is above the range of outputs, which is {found.range:.4g}")
    answer = bounds(found.inputs.given(given), allowed)
    if as_json:
        print_json(_document(subject, allowed, found, answer))
    else:
        _print(subject, found, answer, every=every, explain=explain)


def _subject(
    name: str | None, *, precision: int | None, against: str | None, alphabet: str | None
) -> Subject:
    from fractions import Fraction

    from longreach.answers.bound_subject import Subject, model_subject, number_task_subject
    from longreach.theory.bounds.definition import BoundInputs

    check_task(name, alphabet)
    letters = alphabet_of_task(alphabet, name)
    if name is None:
        return Subject(
            inputs=BoundInputs(values={} if precision is None else {"precision": Fraction(precision)})
        )
    if _is_model(name):
        return model_subject(name, precision=precision, against=against)
    if has_numbers(name):
        return number_task_subject(name, precision=precision)
    if "/" in name and not TaskName(name).prefix:
        raise InputError(f"MODEL|TASK: {name}: no such directory")
    from longreach.answers.bound_subject import task_subject
    from longreach.answers.forecast import forecast

    task = forecast(name, letters)
    return task_subject(task.task, task.sides, precision=precision)


def _is_model(name: str) -> bool:
    return name.startswith("hand:") or Path(name).is_dir()


def _document(
    name: str | None, error: Fraction | None, found: Subject, answer: BoundsFound
) -> dict[str, Any]:
    return {
        "subject": name,
        "error": None if error is None else float(error),
        "quantities": found.quantities,
        **answer.document(),
    }


# Text


def _print(name: str | None, found: Subject, answer: BoundsFound, *, every: bool, explain: bool) -> None:
    out = console()
    if name is not None:
        out.text(TaskName(name).short, "bold")
    if not every and not explain:
        _print_sentence(out, answer)
        return
    if found.quantities is not None:
        out.hanging(_measured(found.quantities), 2, 4, "dim")
    for each in answer.bounds:
        _print_bound(out, each, explain)
    if not answer.bounds and not any(map(_is_partial, answer.not_applicable)):
        out.hanging(f"no bound applies{_reason(answer)}", 2, 4)
    if explain:
        for other in answer.not_applicable:
            _print_missing(out, other)
    elif answer.not_applicable:
        for other in filter(_is_partial, answer.not_applicable):
            _print_partial(out, other)
        rest = [each.definition.name for each in answer.not_applicable if not _is_partial(each)]
        shown = f"not computed: {', '.join(rest)}; --explain says what is missing"
        out.hanging(shown, 2, 4, "dim")
    for remark in answer.notes:
        out.hanging(remark, 2, 4)
    if explain:
        _print_names(out)


def _print_sentence(out: Screen, answer: BoundsFound) -> None:
    """The one number that applies, or what it would take."""
    first = answer.first
    partial = next(filter(_is_partial, answer.not_applicable), None)
    if first is not None:
        out.hanging(first.sentence, 2, 2)
        if first.definition.up_to_constants:
            out.hanging(
                "Its constants are not known, and taken as 1: it says how the length grows.", 2, 2, "dim"
            )
    elif partial is not None:
        missing = " and ".join("--precision P" if name == "precision" else name for name in partial.missing)
        size = partial.terms["resolution"]
        out.hanging(f"Once attention is hard, a length of the order of {size} is enough.", 2, 2)
        out.hanging(f"When it is hard is not known without {missing}.", 2, 2, "dim")
    else:
        out.hanging(f"No bound applies{_reason(answer)}.", 2, 2)
    for remark in answer.notes:
        out.hanging(f"{remark[0].upper()}{remark[1:]}.", 2, 2)
    out.hanging("other bounds: --all; formulas and assumptions: --explain", 2, 2, "dim")


def _print_bound(out: Screen, found: Bound, explain: bool) -> None:
    from rich.text import Text

    about = found.definition
    kind = " (an error)" if about.gives == "error" else ""
    rest = "up to constants" if about.up_to_constants else "no unknown constants"
    line = Text.assemble(f"{about.name:<22}", (f"{found.value}{kind}", "bold"), (f"  {rest}", "dim"))
    if len(found.terms) > 1:
        line.append("; " + ", ".join(f"{name} {size}" for name, size in found.terms.items()), "dim")
    out.hanging(line, 2, 4)
    if not explain:
        return
    inputs = ", ".join(f"{name} = {_shown(value)}" for name, value in found.inputs.items())
    lines = [
        ("says", about.says),
        ("formula", about.formula),
        ("inputs", inputs),
        *(("assumes", assumption) for assumption in found.assumes),
        ("constants", about.constants),
        ("source", about.source),
    ]
    _print_terms(out, lines)


def _reason(answer: BoundsFound) -> str:
    """Why the model has no bound, where one reason holds for all that is missing of it."""
    every = [each.why.get(name) for each in answer.not_applicable for name in ("L", "C_f")]
    found = {reason for reason in every if reason is not None}
    return f": {found.pop()}" if len(found) == 1 else ""


def _is_partial(other: NotApplicable) -> bool:
    """Whether the length that is needed once attention is hard is known, and not when it is hard."""
    return "resolution" in other.terms


def _print_partial(out: Screen, other: NotApplicable) -> None:
    from rich.text import Text

    missing = ["--precision P" if name == "precision" else name for name in other.missing]
    line = Text.assemble(f"{other.definition.name:<22}", (f"needs {', '.join(missing)}", "bold"))
    line.append(f"; once attention is hard {other.terms['resolution']}, up to constants", "dim")
    out.hanging(line, 2, 4)


def _print_missing(out: Screen, other: NotApplicable) -> None:
    from rich.text import Text

    about = other.definition
    line = Text.assemble(f"{about.name:<22}", ("not computed", "bold"))
    line.append(f": missing {', '.join(other.missing)}", "dim")
    out.hanging(line, 2, 4)
    lines = [("formula", about.formula)]
    lines += [("why", f"{name}: {reason}") for name, reason in _grouped(other.why)]
    lines += [("yet", f"{name} {size}") for name, size in other.terms.items()]
    _print_terms(out, lines)


def _print_terms(out: Screen, lines: Sequence[tuple[str, str]]) -> None:

    last = None
    for title, text in lines:
        shown = "" if title == last else title
        out.hanging(f"{shown:<10}{text}", 4, 14, "dim")
        last = title


def _print_names(out: Screen) -> None:

    from longreach.theory.bounds.definition import QUANTITIES

    out.text("quantities that --set takes", "bold")
    for name, quantity in QUANTITIES.items():
        out.hanging(f"{name:<14}{quantity.about}", 2, 16, "dim")


def _grouped(why: Any) -> list[tuple[str, str]]:
    """Names that share a reason, together."""
    found: dict[str, list[str]] = {}
    for name, reason in why.items():
        found.setdefault(reason, []).append(name)
    return [(", ".join(names), reason) for reason, names in found.items()]


def _measured(quantities: dict[str, Any]) -> str:
    """A model in one line."""
    kind = "trained model" if quantities["kind"] == "trained" else "limit transformer"
    parts = [f"{kind}, {counted(quantities['layers'], 'layer')}", f"L {quantities['L']:.4g}"]
    names = {"period": "Δ", "locality": "τ", "alphabet": "|Σ|"}
    parts += [f"{sign} {quantities[name]}" for name, sign in names.items() if name in quantities]
    margin = quantities["gamma"]
    parts.append("all logits equal" if margin is None else f"logit margin {margin:.4g}")
    positional = quantities.get("positional_margin")
    return " · ".join([*parts, *([] if positional is None else [f"positional margin {positional:.4g}"])])


def _shown(value: Any) -> str:
    return "∞" if isinstance(value, float) else f"{float(value):.6g}"
