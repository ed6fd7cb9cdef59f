"""Verdicts on the screen: what `longreach forecast` and `longreach language` show, and options for more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from longreach.cli.options import flag, option
from longreach.cli.output import check_file, console, note, print_json, write_bytes
from longreach.errors import InputError
from longreach.theory.names import END, TaskName
from longreach.theory.program_class import ENCODING_SIDES
from longreach.wording import counted

if TYPE_CHECKING:
    from longreach.cli.screen import Screen
    from longreach.theory.automata.automaton import Automaton
    from longreach.theory.crasp.program import Program
    from longreach.theory.decide.views import Convention
    from longreach.theory.verdicts.verdict import Answer, Verdict

CAVEAT = '"expected to fail" is a prediction, not a proof that no run can work.'


class Reading(StrEnum):
    """Where a program gives its answer, as an option."""

    LAST = "last-letter"
    EOS = "eos"

    @property
    def convention(self) -> Convention:
        from longreach.theory.decide.views import Convention

        return Convention.LAST_LETTER if self is Reading.LAST else Convention.END_OF_SEQUENCE


REGULAR = "For regular languages"


@dataclass(frozen=True)
class Wanted:
    """What to show besides the verdicts, as options."""

    why: Annotated[
        bool, flag("--why", "Also show classes, reasons, certificates and bounds in the papers' terms.")
    ] = False
    program: Annotated[bool, flag("--program", "Show the program behind a yes.")] = False
    predictor: Annotated[
        bool, flag("--predictor", "Show a program that predicts what follows.", panel=REGULAR)
    ] = False
    explain: Annotated[
        bool, flag("--explain", "Explain a no with two words that programs confuse.", panel=REGULAR)
    ] = False
    measures: Annotated[
        bool, flag("--measures", "Star-free, AC⁰, dot-depth and other measures.", panel=REGULAR)
    ] = False
    reading: Annotated[
        Reading | None,
        option(
            "Verdicts for programs that answer at the last letter, or at EOS after it.",
            None,
            "--convention",
            panel=REGULAR,
        ),
    ] = None
    draw: Annotated[
        Path | None, option("Draw the automaton, as .svg, .pdf or .png.", "FILE", panel=REGULAR)
    ] = None
    file: Annotated[
        Path | None,
        option(
            "One regular expression per line, optionally a tab and its alphabet; - is standard input.",
            "LIST",
            panel=REGULAR,
        ),
    ] = None
    verdicts: Annotated[
        bool, flag("--verdicts", "JSON without certificates: much faster.", panel=REGULAR)
    ] = False

    def refuse(self, names: Sequence[str], reason: str) -> None:
        """Refuse the options with these names."""
        for name in names:
            if getattr(self, name):
                raise InputError(f"--{name}: {reason}")

    def check(self) -> None:
        """Refuse what cannot be shown before any work is done for it."""
        if self.reading is Reading.EOS and (self.program or self.predictor):
            raise InputError("--convention: programs are written for reading at the last letter only")
        check_file(self.draw, "--draw")
        if self.draw is not None and _format(self.draw) not in ("svg", "pdf", "png"):
            raise InputError(f"--draw: {self.draw}: must end in .svg, .pdf or .png")


VERDICTS_ALONE = Wanted()


AT_LAST_LETTER = Wanted(reading=Reading.LAST)


def show(
    task: str,
    automaton: Automaton | None,
    sides: Mapping[str, Verdict],
    wanted: Wanted,
    text: Callable[[Screen], None],
    document: Callable[[], dict[str, Any]],
    *,
    as_json: bool,
) -> None:
    """An answer as text or as a document, with what else is wanted; the automaton is drawn before."""
    if wanted.predictor and automaton is not None and END in automaton.alphabet:
        raise InputError(f"--predictor: {END!r} stands for the end, but it is also a letter of the alphabet")
    if wanted.draw is not None and automaton is not None:
        from longreach.theory.automata.drawing import to_figure, to_svg

        form = _format(wanted.draw)
        content = to_svg(automaton, task).encode("utf-8", "replace") if form == "svg" else b""
        write_bytes(wanted.draw, content or to_figure(automaton, task, form))
    if as_json:
        made = document() | measures_of(automaton, wanted)
        for key, found in _predictors(sides, wanted):
            made[key]["predictor_not_written" if isinstance(found, str) else "predictor"] = _text(found)
        print_json(made)
    else:
        out = console()
        text(out)
        if wanted.explain:
            for key in ENCODING_SIDES:
                _print_explanation(out, key, sides[key])
        _print_measures(out, measures_of(automaton, wanted))
        _print_predictors(out, sides, automaton, wanted)
    if wanted.draw is not None:
        note(f"wrote {wanted.draw}")


def _text(found: Program | str) -> str:
    return found if isinstance(found, str) else found.text


def measures_of(automaton: Automaton | None, wanted: Wanted) -> dict[str, Any]:
    if not wanted.measures or automaton is None:
        return {}
    from longreach.theory.automata.monoid import measure

    return {"measures": asdict(measure(automaton))}


def _predictors(sides: Mapping[str, Verdict], wanted: Wanted) -> list[tuple[str, Program | str]]:
    """For each yes of prediction the program, or why it is not written."""
    if not wanted.predictor:
        return []
    found = ((key, side.prediction.proof.outcome) for key, side in sides.items())
    return [(key, program) for key, program in found if program is not None]


def _print_predictors(
    out: Screen, sides: Mapping[str, Verdict], automaton: Automaton | None, wanted: Wanted
) -> None:
    def about(program: Program) -> str:
        from longreach.theory.certificates.check_yes import check_predictor

        words = "on words of the language, the letters that may follow, and EOS for the end"
        if automaton is None:
            return words
        found = check_predictor(program.core, automaton)
        return f"{words}; {found.how if found.valid else f'{found.status.value}: {found.problem}'}"

    found = [
        (key, each) for key, each in _predictors(sides, wanted) if isinstance(each, str) or key != "local"
    ]
    print_programs(out, found, about, apart=False)


def print_programs(
    out: Screen,
    found: Iterable[tuple[str, Program | str | None]],
    about: Callable[[Program], str],
    *,
    apart: bool = True,
) -> None:
    """Programs, each once with what is to be said of it; or why one is not written."""
    shown: set[str] = set()
    for key, program in found:
        if program is None or _text(program) in shown:
            continue
        shown |= set() if isinstance(program, str) else {program.text}
        if apart or not isinstance(program, str):
            out.print()
        if isinstance(program, str):
            out.program(f"{out.titles[key]}: not written: {program}")
        else:
            out.program(f"{out.titles[key]}: {about(program)}", program.text)


def described(program: Program) -> str:
    """The class and size of a program."""
    return f"{program.core.class_name}, {counted(program.core.size, 'operation')}"


def _format(path: Path) -> str:
    """The format of a drawing by the end of its name; without one, SVG."""
    return path.suffix.lower()[1:] or "svg"


def about_language(automaton: Automaton) -> str:
    """What a language's words are made of.

    >>> about_language(from_expression("a*"))
    'words over a, 1 state'
    """
    return f"words over {' '.join(automaton.alphabet)}, {counted(len(automaton), 'state')}"


def finite_note(automaton: Automaton) -> str | None:
    """What is to be said of a finite language."""
    from longreach.theory.automata.automaton import longest_word

    longest = longest_word(automaton)
    if longest is None:
        return None
    if longest < 0:
        return "empty: no word is in the language, so there is nothing to learn"
    return f"finite: its longest word has {counted(longest, 'letter')}; no question of longer inputs"


def print_verdicts(
    out: Screen,
    task: str,
    about: str,
    automaton: Automaton | None,
    sides: Mapping[str, Verdict],
    others: Callable[[str], Sequence[tuple[str, Answer]]] | None = None,
) -> None:
    """What is expected without and with positions: of membership with other questions, else as trained."""
    from longreach.config.encodings import side_title

    out.heading(TaskName(task).expression, about)
    finite = None if automaton is None else finite_note(automaton)
    if finite is not None:
        out.hanging(finite)
    for key in ENCODING_SIDES:
        side = sides[key]
        answer = side.trained if others is None else side.answer
        out.side(side_title(key), answer, side.clause, side.basis, others(key) if others else ())


def _print_explanation(out: Screen, key: str, found: Verdict) -> None:
    from longreach.answers.kinds import kind_of
    from longreach.theory.verdicts.verdict import Answer

    lines = () if found.answer is Answer.YES else kind_of(found.certificate).explain(found.certificate)
    if lines:
        out.print()
        out.text(f"Why not {found.program_class} ({out.titles[key]})", "bold")
    for line in lines:
        out.text(line)


MEASURES = {
    "states": "states",
    "monoid": "monoid elements",
    "star_free": "star-free",
    "dot_depth": "dot-depth",
    "piecewise_testable": "piecewise testable",
    "r_trivial": "R-trivial",
    "two_variable": "two-variable (DA)",
    "ac0": "AC⁰",
    "length_complexity": "length complexity 2n−2",
}


def _print_measures(out: Screen, document: Mapping[str, Any]) -> None:
    if not document:
        return
    measured = document["measures"]
    said = {None: "unknown (beyond the cap)", True: "yes", False: "no"}
    out.print()
    for name, label in MEASURES.items():
        value = measured[name]
        shown = said[value] if value is None or isinstance(value, bool) else str(value)
        if name == "dot_depth" and measured["star_free"] is False:
            shown = "–"
        out.text(f"  {label:<24}{shown}")
