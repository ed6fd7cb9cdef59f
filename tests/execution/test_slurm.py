"""Jobs through submitit, on its local executor and on a Slurm that stands in for a real one."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from longreach.errors import InputError, MissingExtra
from longreach.execution import slurm as module
from longreach.execution.jobs import ExecutionError
from longreach.execution.local import LocalEngine
from longreach.execution.slurm import SlurmEngine
from longreach.runs.record import run_pending
from tests.execution.test_local import comparable, gone, job_of, until
from tests.helpers import slurm_programs
from tests.helpers.extras import needs
from tests.runs.test_record import _jobs

SUBMITIT = needs("submitit")


@pytest.fixture(params=["local", "slurm"])
def cluster(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "slurm":
        use_programs(tmp_path, monkeypatch)
    return str(request.param)


def use_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the programs of a Slurm on the PATH."""
    from submitit.core import core  # type: ignore[import-not-found,unused-ignore]

    programs, state = tmp_path / "programs", tmp_path / "state"
    programs.mkdir()
    state.mkdir()
    code = Path(slurm_programs.__file__).read_text(encoding="utf-8")
    (programs / "slurm_programs.py").write_text(code, encoding="utf-8")
    for name in ("sbatch", "srun", "sacct", "scancel"):
        run = f"import sys; sys.argv[0] = {name!r}; sys.path[:0] = [{str(programs)!r}]; "
        run += f"import slurm_programs; slurm_programs.{name}(*sys.argv[1:])"
        (programs / name).write_text(f"#!{sys.executable}\n{run}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_SLURM", str(state))
    monkeypatch.setattr(module, "POLL", 0.05)
    monkeypatch.setattr(module, "ASK", 0.2)
    monkeypatch.setattr(core.Job, "_results_timeout_s", 0.2)
    return state


def _engine(tmp_path: Path, cluster: str = "slurm", **settings: Any) -> SlurmEngine:
    settings = {"folder": tmp_path / "logs", "time_limit": 60, "workers": 2, "cluster": cluster, **settings}
    return SlurmEngine(**settings)


@SUBMITIT
def test_the_same_answers_as_in_local_processes(tmp_path: Path, cluster: str) -> None:
    jobs = [
        *(job_of("square_or_die", n=n, die=n == 1) for n in range(3)),
        job_of("fail", text="two\nlines"),
        job_of("settings"),
    ]
    expected = dict(LocalEngine(workers=2).run(jobs))
    answers = dict(_engine(tmp_path, cluster).run(jobs))
    assert {key: comparable(answer) for key, answer in answers.items()} == {
        key: comparable(answer) for key, answer in expected.items()
    }
    assert not list((tmp_path / "logs").glob("*.pkl"))  # only logs stay
    assert cluster == "slurm" or list((tmp_path / "logs").glob("*.out"))


@SUBMITIT
def test_a_job_past_its_time_is_ended(tmp_path: Path, cluster: str) -> None:
    (tmp_path / "pids").mkdir()
    job = job_of("wait", pids=str(tmp_path / "pids"), seconds=60)
    ((_, failure),) = _engine(tmp_path, cluster, time_limit=1).run([job])
    assert comparable(failure) == ("timeout", "ended after its time limit of 1 seconds")
    assert all(gone(int(pid)) for pid in os.listdir(tmp_path / "pids"))


@SUBMITIT
def test_closing_cancels(tmp_path: Path, cluster: str) -> None:
    (tmp_path / "pids").mkdir()
    jobs = [job_of("wait", pids=str(tmp_path / "pids"), seconds=60), job_of("square", n=3)]
    run = _engine(tmp_path, cluster).run(jobs)
    assert next(run)[1] == 9
    until(lambda: bool(os.listdir(tmp_path / "pids")))
    run.close()
    assert all(gone(int(pid), 30) for pid in os.listdir(tmp_path / "pids"))


@SUBMITIT
def test_results_are_written(tmp_path: Path, cluster: str) -> None:
    jobs = _jobs(2)
    results = list(run_pending(jobs, tmp_path / "runs", _engine(tmp_path, cluster)))
    assert sorted(result.key for result in results) == sorted(job.key for job in jobs)
    assert {result.status for result in results} == {"done"}
    assert list(run_pending(jobs, tmp_path / "runs", _engine(tmp_path, cluster))) == []


@SUBMITIT
def test_an_array_no_more_at_a_time_than_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = use_programs(tmp_path, monkeypatch)
    monkeypatch.setattr(module, "ARRAY", 4)
    engine = _engine(tmp_path, partition="long", gpus=2, time_limit=90)
    answers = dict(engine.run(job_of("square", n=n) for n in range(6)))
    assert sorted(answers.values()) == [0, 1, 4, 9, 16, 25]
    assert max(map(int, (state / "most").read_text().split())) == 2
    scripts = [path.read_text() for path in sorted(state.glob("*.sh"))]
    assert ["--array=0-3%2" in scripts[0], "--array=0-1%2" in scripts[1], len(scripts)] == [True, True, 2]
    for option in ("partition=long", "gpus-per-node=2", "cpus-per-task=1", "time=7"):
        assert f"#SBATCH --{option}\n" in scripts[0]


@SUBMITIT
def test_jobs_that_slurm_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_programs(tmp_path, monkeypatch)
    jobs = [job_of("end_as", state=state) for state in ("TIMEOUT", "OUT_OF_MEMORY")]
    jobs.append(job_of("square", n=3))
    answers = dict(_engine(tmp_path).run(jobs))
    timeout, memory, answer = (answers[job.key] for job in jobs)
    assert (timeout.kind, memory.kind, answer) == ("timeout", "crash", 9)
    assert timeout.message.startswith("its Slurm job ")
    assert timeout.message.endswith(" ended as TIMEOUT")
    assert memory.message.endswith(" ended as OUT_OF_MEMORY, in 2 attempts")


@SUBMITIT
def test_workers_that_do_not_start_on_the_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_programs(tmp_path, monkeypatch)
    engine = _engine(tmp_path, environment={"PYTHONHOME": str(tmp_path / "nowhere")})
    with pytest.raises(ExecutionError, match=r"jobs do not start on the nodes: .*processes do not start"):
        list(engine.run([job_of("square", n=1)]))


@SUBMITIT
def test_without_slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ExecutionError, match=r'Slurm cannot be used: .*"srun"'):
        list(_engine(tmp_path).run([job_of("square", n=1)]))
    (tmp_path / "sbatch").write_text("#!/bin/sh\necho 'sbatch: error: invalid partition' >&2\nexit 1\n")
    (tmp_path / "srun").write_text("#!/bin/sh\n")
    for name in ("sbatch", "srun"):
        (tmp_path / name).chmod(0o755)
    with pytest.raises(ExecutionError, match=r"Slurm does not take the jobs: .*invalid partition"):
        list(_engine(tmp_path).run([job_of("square", n=1)]))


def test_no_jobs_no_slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "submitit", None)
    assert list(_engine(tmp_path).run([])) == []
    with pytest.raises(MissingExtra, match="--engine slurm needs the extra 'slurm': pip install"):
        list(_engine(tmp_path).run([job_of("square", n=1)]))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"workers": 0}, "workers: must be at least 1, not 0"),
        ({"gpus": 0.5}, "gpus: 0.5 is not a whole number of GPUs"),
        ({"time_limit": 0}, "time_limit: must be more than 0 seconds, not 0"),
    ],
)
def test_bad_input(settings: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        _engine(tmp_path, **settings)
    assert caught.value.message.startswith(message)
