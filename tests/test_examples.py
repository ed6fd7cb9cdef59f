"""The scripts and notebooks of examples/ run as they stand."""

from __future__ import annotations

import ast
import json
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
import pytest

from longreach.answers.profile_runs import profile
from longreach.answers.trained import TrainedRuns
from longreach.runs.train import InProcessEngine
from longreach.theory.limit.files import load

EXAMPLES = Path(__file__).parent.parent / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


@pytest.fixture(autouse=True)
def _in_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    before = matplotlib.get_backend()
    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")
    matplotlib.use(before)


def _cells(notebook: Path, kind: str) -> list[str]:
    document = json.loads(notebook.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == kind]


def _run(notebook: Path) -> tuple[dict[str, Any], list[str]]:
    """The names that a notebook leaves, and what it shows: the last expression of each cell."""
    names: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for number, source in enumerate(_cells(notebook, "code"), 1):
        tree = ast.parse(source, f"cell {number}")
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"cell {number}", "exec"), names)
        if last is not None:
            assert isinstance(last, ast.Expr)
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
            shown.append(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
    return names, shown


@pytest.mark.slow
def test_from_a_regular_expression_to_a_trained_model(capsys: pytest.CaptureFixture[str]) -> None:
    names, shown = _run(EXAMPLES / "from-a-regex-to-a-trained-model.ipynb")
    assert "i % 2 == 0" in capsys.readouterr().out
    assert "expected to fail" in shown[0]
    assert "expected to work" in shown[0]
    assert "(('a',), ('a', 'EOS'))" in shown
    assert any("[True, False]" in each for each in shown)
    trained: TrainedRuns = names["with_positions"]
    assert trained.tally.learned > 0
    assert names["without_positions"].tally.work == 0
    assert len(names["runs"]) == 4
    assert "Axes" in shown[-1]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_are_kept_without_outputs(notebook: Path) -> None:
    document = json.loads(notebook.read_text(encoding="utf-8"))
    for cell in document["cells"]:
        assert cell.get("outputs", []) == []
        assert cell.get("execution_count") is None
    assert document["nbformat"] == 4
    assert len(_cells(notebook, "markdown")) >= 3


def test_a_program_of_one_s_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    runpy.run_path(str(EXAMPLES / "program_to_transformer.py"))
    printed = capsys.readouterr().out
    assert "agree: True" in printed
    assert load(tmp_path / "majority").context == 32


def test_a_task_of_one_s_own(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "your_own_task.py"))
    printed = capsys.readouterr().out
    assert printed.startswith("first-symbol: The symbol that came first")
    assert "expected to work" in printed
    assert "first-symbol without positions (NoPE), trained on lengths 1–8" in printed
    assert "1 run: first-symbol@" in printed


def test_models_of_one_s_own(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLES / "models.py"), run_name="__main__")
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[0] for line in lines] == ["gru_attention", "causal_convolution"]


def test_every_script_is_run_here() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert all(path.name in text for path in EXAMPLES.glob("*.py"))


@pytest.mark.parametrize("make", ["gru_attention", "causal_convolution"])
def test_models_of_one_s_own_are_profiled(make: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are checked first: shape of the output, causality, the same parameters for a seed."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    found = profile(
        f"models:{make}", needs=["depth"], scale="smoke", runs=tmp_path, engine=lambda jobs: InProcessEngine()
    )
    assert [run.error for run in found.runs] == [None]
    assert (found.state_size is None) is (make == "gru_attention")
