"""States and models that no run has written: said in a line, never believed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import safetensors
import safetensors.torch
import torch
from torch import Tensor

from longreach.errors import InputError
from longreach.execution.jobs import Job
from longreach.execution.local import LocalEngine
from longreach.files import write_atomically
from longreach.runs.record import run_pending
from longreach.training import checkpoint
from longreach.training.job import FUNCTION, run
from longreach.training.loop import train
from longreach.training.result import PROGRESS, RESULT
from tests.training.test_loop import same, stopped, tiny

STOP = 33
CONFIG = tiny()
Change = Callable[[dict[str, Tensor], dict[str, Any]], None]


def _forged(path: Path, change: Change) -> None:
    """Change a state, and make its checksum anew."""
    with safetensors.safe_open(path, framework="pt") as file:
        tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118
        progress = json.loads(file.metadata()["progress"])
    change(tensors, progress)
    text = json.dumps(progress)
    try:
        checksum = checkpoint._checksum(tensors, text)
    except TypeError:  # numpy has no such numbers
        checksum = "00000000"
    path.write_bytes(safetensors.torch.save(tensors, {"progress": text, "checksum": checksum}))


def _set(**fields: Any) -> Change:
    return lambda tensors, progress: progress.update(fields)


def _tensor(name: str, make: Callable[[Tensor], Tensor | None]) -> Change:
    def change(tensors: dict[str, Tensor], progress: dict[str, Any]) -> None:
        made = make(tensors.pop(name, torch.zeros(3)))
        if made is not None:
            tensors[name] = made

    return change


def _row(**fields: Any) -> Change:
    return lambda tensors, progress: progress["rows"][0].update(fields)


def _data(**fields: Any) -> Change:
    return lambda tensors, progress: progress["data"].update(fields)


def _stream(**fields: Any) -> Change:
    return lambda tensors, progress: progress["data"]["state"].update(fields)


FORGERIES: dict[str, tuple[Change, str]] = {
    "far": (_set(step=10**9), f"step {10**9} of 60"),
    "negative": (_set(step=-1), "step: "),
    "huge": (_set(step=10**400), "step: "),
    "later": (_set(step=45), "its evaluations are not those of a run at step 45"),
    "other key": (_set(key="0" * 16), "the state of another configuration"),
    "no rows": (_set(rows=[]), "its evaluations are not those"),
    "rows of another": (_row(step=10), "its evaluations are not those"),
    "accuracy above": (_row(accuracy={"1-10": 1.5}), "rows.0.accuracy.1-10: "),
    "accuracy between": (_row(accuracy={"1-10": 0.123}), "the evaluation at step 20 is not one"),
    "another range": (_row(accuracy={"1-11": 0.5}), "the evaluation at step 20 is not one"),
    "further numbers": (_row(other={"x": 1.0}), "the evaluation at step 20 is not one"),
    "did not stop": (_row(accuracy={"1-10": 1.0}), "it was right at step 20 and did not stop"),
    "losses": (_set(losses=[1.0, 3]), "it counts 3 losses"),
    "seconds": (_set(seconds={"train": -1.0}), "seconds.train: "),
    "unknown field": (_set(more=1), "more: "),
    "another generator": (_data(bit_generator="MT19937"), "not a state of the run's stream"),
    "another stream": (_stream(inc=1), "not a state of the run's stream"),
    "no number": (_stream(state="1"), "not a state of the run's stream"),
    "too large a number": (_stream(state=2**200), "not a state of the run's stream"),
    "no stream": (_set(data={}), "not a state of the run's stream"),
    "double": (_tensor("vector", lambda each: each.double()), "vector is F64"),
    "bfloat16": (_tensor("first", lambda each: each.bfloat16()), "first is BF16"),
    "integers": (_tensor("second", lambda each: each.long()), "second is I64"),
    "shape": (_tensor("vector", lambda each: each[:-1].clone()), "vector has the shape"),
    "matrix": (_tensor("vector", lambda each: each[None]), "vector has the shape"),
    "missing": (_tensor("second", lambda each: None), "not the tensors that belong there: 'second'"),
    "further": (_tensor("third", lambda each: each), "not the tensors that belong there: 'third'"),
    "not numbers": (_tensor("vector", lambda each: each * torch.nan), "vector has values that are not"),
    "negative squares": (_tensor("second", lambda each: each - 1), "second has negative values"),
}


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Any]:
    """The state of a killed run, and what the run comes to."""
    return stopped(CONFIG, tmp_path_factory.mktemp("honest"), STOP).read_bytes(), train(CONFIG)


def test_an_honest_state_is_used(tmp_path: Path, honest: tuple[bytes, Any]) -> None:
    path = tmp_path / checkpoint.STATE
    path.write_bytes(honest[0])
    _forged(path, lambda tensors, progress: None)
    again = train(CONFIG, tmp_path)
    assert (again.resumed, again.notes) == (STOP, ())
    assert same(again, honest[1])


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_state_is_named_and_not_believed(
    tmp_path: Path, honest: tuple[bytes, Any], name: str
) -> None:
    change, problem = FORGERIES[name]
    path = tmp_path / checkpoint.STATE
    path.write_bytes(honest[0])
    _forged(path, change)
    again = train(CONFIG, tmp_path)
    assert again.resumed == 0
    (remark,) = again.notes
    assert remark.startswith("began anew: ")
    assert problem in remark
    assert "\n" not in remark
    assert len(remark) < 400
    assert same(again, honest[1])


@pytest.mark.parametrize("content", [b"", b"{", b"\x80\x04K\x01.", b"\xff" * 64, b"\x00" * 8])
def test_a_file_that_is_no_state_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / checkpoint.STATE).write_bytes(content)
    config = tiny(max_steps=1)
    assert [note.partition(":")[0] for note in train(config, tmp_path).notes] == ["began anew"]


def test_a_worker_that_finds_a_state_of_another_run_begins_anew(tmp_path: Path) -> None:
    config = tiny(max_steps=40)
    (tmp_path / config.key).mkdir()
    (tmp_path / config.key / checkpoint.STATE).write_bytes(
        stopped(CONFIG, tmp_path / "other", STOP).read_bytes()
    )
    (result,) = run_pending([Job.of(FUNCTION, config.document())], tmp_path, LocalEngine(workers=1))
    assert result.final is not None
    assert result.status == "done"
    (remark,) = result.final.details["notes"]  # type: ignore[union-attr,misc]
    assert "the state of another configuration" in str(remark)
    assert result.rows == run(config.document()).rows


def test_half_written_files_go_with_the_next_start(tmp_path: Path) -> None:
    names = (checkpoint.STATE, checkpoint.MODEL, RESULT, PROGRESS)
    drafts = [tmp_path / f".{name}.0123456789abcdef.tmp" for name in names]
    mine = tmp_path / ".notes.tmp"
    other = tmp_path / "other" / f".{checkpoint.MODEL}.0123456789abcdef.tmp"
    other.parent.mkdir()
    for path in (*drafts, mine, other):
        path.write_bytes(b"half")
    seen: list[bool] = []

    def look(step: int, row: object) -> None:
        seen.append(any(path.exists() for path in drafts))

    train(tiny(max_steps=2), tmp_path, report=look)
    assert seen == [False, False]
    assert mine.exists()
    assert other.exists()


def test_the_draft_of_a_live_writer_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def tidy(*_: object) -> None:
        checkpoint.tidy(tmp_path)

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", tidy)
        write_atomically(tmp_path / checkpoint.MODEL, b"whole")
    assert (tmp_path / checkpoint.MODEL).read_bytes() == b"whole"


def _model(path: Path, **changes: Any) -> None:
    tensors, config = checkpoint.load_model(path)
    shape = {**config.model_dump(), **changes.pop("shape", {})}
    path.write_bytes(safetensors.torch.save({**tensors, **changes}, {"config": json.dumps(shape)}))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"embedding": torch.zeros(2, 2)}, "embedding has the shape"),
        ({"embedding": torch.zeros(2, 2, dtype=torch.bfloat16)}, "embedding is BF16"),
        ({"more": torch.zeros(1)}, "not the tensors that belong there: 'more'"),
        ({"shape": {"width": 32}}, "has the shape"),
        ({"shape": {"layers": 2**30}}, f"{2**30} layers in "),
        ({"shape": {"layers": "x"}}, "layers: "),
    ],
)
def test_a_model_of_another_shape_is_refused(tmp_path: Path, changes: Any, problem: str) -> None:
    run(tiny(max_steps=1).document(), tmp_path)
    path = tmp_path / checkpoint.MODEL
    _model(path, **changes)
    with pytest.raises(InputError, match=problem):
        checkpoint.load_model(path)
