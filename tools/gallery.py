"""The gallery: a line for each built-in task, and a small picture of the committed runs, where there are any.

`python -m tools.gallery` writes `docs/gallery.md` between two marks, and `docs/images/gallery`.
"""

from __future__ import annotations

from pathlib import Path

from longreach.answers.forecast import forecast
from longreach.runs.cells import ByAccuracy, Cell, cells, known_chance
from longreach.runs.index import read_index
from longreach.tasks.catalog import TASKS
from longreach.tasks.lengths import read_name
from longreach.wording import Table
from tools.census_page import with_block

ROOT = Path(__file__).parent.parent
PAGE, PICTURES = ROOT / "docs" / "gallery.md", ROOT / "docs" / "images" / "gallery"
RUNS = ("laptop", "architectures")  # the first that has a task
COLOURS = {"nope": "#d55e00", "ape": "#0072b2"}
SIDES = {"nope": "NoPE", "ape": "APE", "reach": "reach"}
WIDTH, HEIGHT, PAD = 132, 48, 4


def found_cells() -> dict[str, dict[str, Cell]]:
    """The plain runs of each task, by encoding."""
    found: dict[str, dict[str, Cell]] = {}
    for directory in RUNS:
        with read_index(ROOT / "results" / directory) as index:
            plain = [
                row
                for name in COLOURS
                for row in index.rows(encoding=name, status="done")
                if not row.config.get("penalty")
            ]
        for task, here in _by_task(cells(plain)).items():
            found.setdefault(task, here)
    return found


def _by_task(all_cells: list[Cell]) -> dict[str, dict[str, Cell]]:
    found: dict[str, dict[str, Cell]] = {}
    for cell in all_cells:
        found.setdefault(cell.task, {})[cell.encoding] = cell
    return found


def pages() -> dict[Path, str]:
    """The page and the pictures as they should be."""
    measured = found_cells()
    files = {PICTURES / f"{task}.svg": picture(measured[task]) for task in TASKS if task in measured}
    rows = [_line(task, measured.get(task, {})) for task in TASKS]
    table = Table(["task", "accuracy by length", *SIDES.values(), "what it asks"], rows)
    text = with_block(PAGE.read_text(encoding="utf-8"), "gallery", table.markdown() + "\n")
    return {PAGE: text, **files}


def _line(task: str, here: dict[str, Cell]) -> list[str]:
    sides = forecast(task).sides
    shown = []
    for side in SIDES:
        answer = sides[side].trained.value.replace("undecided", "–")
        cell = here.get(side)
        tested = cell.tested if cell else None
        if cell and tested:
            tally = cell.count(ByAccuracy(known_chance(task)), tested)
            answer += f", {tally.work}/{tally.runs}"
        shown.append(answer)
    drawn = f"![Accuracy of {task} by length](images/gallery/{task}.svg)" if here else ""
    about = TASKS[task]().about
    about = f"`{about}`" if "*" in about else about  # an expression
    return [f"`{task}`", drawn, *shown, about]


def picture(here: dict[str, Cell]) -> str:
    """Every run a line from 0 to 100 %, the training range shaded, as SVG.

    >>> picture({}).startswith("<svg")
    True
    """
    spans = {name: read_name(name) for cell in here.values() for name in cell.ranges}
    longest = max((span.last for span in spans.values() if span), default=1)
    trained = max((cell.trained.last for cell in here.values() if cell.trained), default=0)

    def across(length: float) -> float:
        return PAD + (WIDTH - 2 * PAD) * length / longest

    def up(share: float) -> float:
        return HEIGHT - PAD - (HEIGHT - 2 * PAD) * share

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">',
        f'<rect x="{PAD}" width="{across(trained) - PAD:.1f}" height="{HEIGHT}" fill="#999" opacity="0.25"/>',
        *(f'<path d="M{PAD} {up(y):.1f}H{WIDTH - PAD}" stroke="#999" stroke-width="0.5"/>' for y in (0, 1)),
    ]
    for number, (name, colour) in enumerate(COLOURS.items()):
        for row in here[name].finished if name in here else ():
            points = sorted(
                (span.last, share)
                for each, share in row.accuracy.items()
                if (span := spans.get(each)) and share == share
            )
            line = " ".join(f"{across(last):.1f},{up(share) + number:.1f}" for last, share in points)
            dashes = ' stroke-dasharray="4 2"' if name == "nope" else ""
            parts.append(
                f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"{dashes}/>'
            )
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
