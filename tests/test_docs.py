"""The examples of the README and of docs/ run and print what they show."""

from __future__ import annotations

import doctest
import re
import shlex
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from longreach.cli.main import command_line, run
from longreach.config.run import RunConfig
from longreach.studies.catalog import every_study
from tests.helpers.extras import needs
from tools import census_page, gallery, paper_times, profile_pages, study_pages

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
OTHERS = [ROOT / f"{name}.md" for name in ("CONTRIBUTING", "RELEASING", "CHANGELOG")]
OTHERS += sorted((ROOT / "results").glob("*/*.md"))
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What stands behind such a line is a file, which is there when the examples of the page run.
FILE = re.compile(r"^File `([\w.-]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _write_files(place: str) -> None:
    page = ROOT / place.partition(":")[0]
    for found in FILE.finditer(page.read_text(encoding="utf-8")):
        Path(found[1]).write_text(found[2], encoding="utf-8")


def _blocks(language: str) -> Iterator[tuple[str, str]]:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        files = {found.end() for found in FILE.finditer(text)}
        for found in FENCE.finditer(text):
            if found[1] == language and found.end() not in files:
                yield f"{page.relative_to(ROOT)}:{found.string[: found.start()].count(chr(10)) + 1}", found[2]


def _commands() -> Iterator[tuple[str, str, str]]:
    for place, block in _blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield place, command, output


@pytest.mark.parametrize(
    ("place", "command", "output"), [pytest.param(*c, id=f"{c[0]} {c[1]}") for c in _commands()]
)
def test_console_example(
    place: str,
    command: str,
    output: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)  # where there are no runs of one's own
    _forget(monkeypatch)
    _write_files(place)
    program, *arguments = shlex.split(command)
    assert program == "longreach", place
    wanted = [line.rstrip() for line in output.splitlines()]
    if not _shows(wanted, _in_a_terminal(arguments, capsys, monkeypatch)):
        assert _shows(wanted, printed := _printed(arguments, capsys)), "\n".join(printed)


def _printed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What a command prints into a pipe: lines of any length."""
    assert run(arguments) in (0, 1)
    return [line.rstrip() for line in capsys.readouterr().out.splitlines()]


def _in_a_terminal(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """What it prints in a terminal without colours that is as wide as the code of a page."""
    with monkeypatch.context() as terminal:
        for name, value in {"TERM": "dumb", "COLUMNS": "86", "LINES": "60"}.items():
            terminal.setenv(name, value)
        terminal.setattr(sys.stdout, "isatty", lambda: True)
        return _printed(arguments, capsys)


def _shows(wanted: list[str], printed: list[str]) -> bool:
    if "..." not in wanted:
        return printed == wanted
    # It stands for lines that differ from run to run.
    return doctest.OutputChecker().check_output("\n".join(wanted), "\n".join(printed), doctest.ELLIPSIS)


def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules that the files of a page were imported as, and the directory that they were found in."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    for page in PAGES:
        for found in FILE.finditer(page.read_text(encoding="utf-8")):
            monkeypatch.delitem(sys.modules, found[1].removesuffix(".py"), raising=False)


@pytest.mark.parametrize(("place", "block"), [pytest.param(*b, id=b[0]) for b in _blocks("python")])
def test_python_example(place: str, block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _forget(monkeypatch)
    monkeypatch.syspath_prepend(str(tmp_path))
    _write_files(place)
    examples = doctest.DocTestParser().get_doctest(block, {}, place, place, 0)
    assert examples.examples, f"{place}: no example"
    failures, _ = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(examples)
    assert failures == 0


def test_the_readme_names_both_commands() -> None:
    text = PAGES[0].read_text(encoding="utf-8")
    assert "make demo" in text
    assert "make test" in text


def test_every_study_has_its_page() -> None:
    """`python tools/study_pages.py` writes what is missing or has changed."""
    nav = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    for study in every_study():
        page = ROOT / "docs" / "studies" / f"{study.name}.md"
        text = page.read_text(encoding="utf-8")
        assert study_pages.page(study, text) == text, study.name
        measured = "](../images/" in text or "**Our numbers**" in text
        assert measured != (study_pages.NO_FIGURE in text), study.name
        assert f'"studies/{page.name}"' in nav


def test_the_page_of_the_census_has_the_numbers_of_its_document_and_runs() -> None:
    """If not: `longreach study census --no-train … --json > results/census/census.json`, then
    `python tools/census_page.py`."""
    for path, text in census_page.pages().items():
        assert path.read_text(encoding="utf-8") == text, path.name


def test_the_pages_on_profiles_have_the_tasks_of_the_suite_and_the_board() -> None:
    """If not: `python -m tools.profile_pages`."""
    for path, text in profile_pages.pages().items():
        assert path.read_text(encoding="utf-8") == text, path.name


def test_the_gallery_has_every_task_with_its_verdicts_and_runs() -> None:
    """If not: `python -m tools.gallery`."""
    for path, text in gallery.pages().items():
        assert path.read_text(encoding="utf-8") == text, path.name


def test_the_page_on_papers_has_the_runs_of_the_published_sizes() -> None:
    """If not: `python -m tools.paper_times`."""
    text = paper_times.PAGE.read_text(encoding="utf-8")
    block = text.partition(f"<!-- {paper_times.NAME}: begin -->")[2].partition("<!-- ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:4]] for line in block.strip().splitlines()[2:]]
    times = {name.strip("`"): words for name, _, words in rows}
    assert tuple(times) == paper_times.STUDIES
    assert all(re.fullmatch(r"(at most )?[\d,.]+ (minutes|hours|days)", words) for words in times.values())
    assert paper_times.page(times) == text


@pytest.mark.parametrize("marks", ["", "B", "EB", "BBE"])
def test_a_page_without_its_place_is_refused(marks: str) -> None:
    text = "".join({"B": "<!-- n: begin -->", "E": "<!-- n: end -->"}[each] for each in marks)
    with pytest.raises(ValueError, match="the page needs one line"):
        census_page.with_block(text, "n", "")


@needs("griffe")
def test_the_reference_describes_every_setting_of_a_training() -> None:
    import griffe

    extensions = griffe.load_extensions(str(ROOT / "tools" / "described_fields.py"))
    module = griffe.load("longreach.config.run", search_paths=[ROOT / "src"], extensions=extensions)
    for name, field in RunConfig.model_fields.items():
        shown = module["RunConfig"].members[name]
        assert shown.docstring.value == field.description, name
        assert "Field" not in str(shown.value), name


def test_every_block_is_of_a_kind_that_is_tried_here() -> None:
    """A fence that is indented, or of another kind, would be passed over; and data stand in files."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        fences = re.findall(r"^([ >]*(?:```|~~~).*)$", text, re.MULTILINE)
        assert set(fences[1::2]) <= {"```"}, page.name
        kinds = {"console", "python", "bash", "text", "json", "math"}
        assert set(fences[::2]) <= {f"```{kind}" for kind in kinds}, page.name
    assert not list(_blocks("json"))


def test_every_page_stands_in_the_navigation_once() -> None:
    nav = re.findall(r'"([\w/-]+\.md)"', (ROOT / "zensical.toml").read_text(encoding="utf-8"))
    docs = ROOT / "docs"
    assert sorted(nav) == sorted(str(page.relative_to(docs)) for page in docs.rglob("*.md"))


def test_no_text_is_taken_for_a_formula() -> None:
    for page in PAGES:
        text = FENCE.sub("", page.read_text(encoding="utf-8"))
        text = re.sub(r"`[^`]*`", "", re.sub(r"\$`[^`]+`\$", "", text))
        assert not re.search(r"(?<!\\)\$", text), f"{page.name}: write \\$, and formulas as $`x`$"


@needs("latex2mathml")
def test_every_formula_can_be_typeset() -> None:
    from tools.mathml import formulas, mathml

    for page in PAGES:
        for latex in formulas(page.read_text(encoding="utf-8")):
            shown = mathml(latex)
            assert "\\" not in shown, f"{page.name}: {latex}"


def test_links_lead_somewhere() -> None:
    for page in [*PAGES, *OTHERS]:
        text = FENCE.sub("", page.read_text(encoding="utf-8"))  # code has brackets of its own
        for target in re.findall(r"\]\(([^):]+)\)", text):
            name, _, place = target.partition("#")
            there = page.parent / name if name else page
            assert there.exists(), f"{page.name}: {target}"
            assert not place or place in _places(there), f"{page.name}: {target}"


def _places(page: Path) -> set[str]:
    """What a link may name behind the #: the headings of a page, and anchors of its own."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", each).strip().lower()) for each in headings}
    return slugs | set(re.findall(r'id="([\w-]+)"', text))


@cache
def _options(command: tuple[str, ...]) -> set[str] | None:
    """The options of a command, or of the subcommand that the further words begin with."""
    found: Any = command_line()
    for word in command:
        if not hasattr(found, "get_command"):
            break
        below = found.get_command(None, word)
        if below is None:
            return None if word == command[0] else {"--help"}
        found = below
    return {"--help", *(each for option in found.params for each in (*option.opts, *option.secondary_opts))}


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_within_sentences_exist_with_the_options_that_they_name(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for command in re.findall(r"`longreach ([a-z][^`]*)`", text):
        words = [re.split(r"[|\[,]", word)[0] for word in command.split()]
        known = _options(tuple(words[:3]))
        assert known is not None, command
        assert set(re.findall(r"(?<![\w-])--[a-z][\w-]*", command)) <= known, command


def _untried() -> Iterator[tuple[str, list[str]]]:
    """Commands that stand in pages to be run by readers: they train, need files or a cluster."""
    for language in ("bash", "text"):
        for place, block in _blocks(language):
            for line in re.findall(r"^(?:\$ )?longreach (.+)$", block, re.MULTILINE):
                yield place, shlex.split(line, comments=True)


@pytest.mark.parametrize(
    ("place", "arguments"), [pytest.param(*c, id=f"{c[0]} {' '.join(c[1])}") for c in _untried()]
)
def test_commands_that_are_not_run_have_the_options_that_they_name(place: str, arguments: list[str]) -> None:
    assert run([*arguments, "--help"]) == 0, place  # an option that is not known is refused before
