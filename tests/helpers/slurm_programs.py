"""A Slurm for tests: sbatch, srun, sacct and scancel in one script, which runs jobs on this machine.

It stands under the four names on the PATH; FAKE_SLURM names the directory where it keeps what it knows.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

STATE = Path(os.environ.get("FAKE_SLURM", "."))


def sbatch(script: str) -> None:
    number = str(time.monotonic_ns())  # submitit remembers numbers, whichever test they are from
    text = Path(script).read_text(encoding="utf-8")
    (STATE / f"{number}.sh").write_text(text, encoding="utf-8")
    code = f"import sys; sys.argv[0] = 'run'; sys.path[:0] = [{str(Path(__file__).parent)!r}]; "
    code += f"import {Path(__file__).stem} as it; it.run_all({number!r})"
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.Popen([sys.executable, "-c", code], start_new_session=True, **quiet)  # type: ignore[call-overload]
    print(f"Submitted batch job {number}")


def run_all(number: str) -> None:
    """Run the elements of an array, or the one job, no more at a time than the script allows."""
    script = STATE / f"{number}.sh"
    array = re.search(r"^#SBATCH --array=0-(\d+)%(\d+)$", script.read_text(encoding="utf-8"), re.MULTILINE)
    names = [number] if array is None else [f"{number}_{k}" for k in range(int(array[1]) + 1)]
    most = 1 if array is None else int(array[2])
    running: dict[str, subprocess.Popen[bytes]] = {}
    while names or running:
        while names and len(running) < most:
            name = names.pop(0)
            if not (STATE / f"{name}.state").exists():  # else it was cancelled
                running[name] = start(name, script)
                with (STATE / "most").open("a", encoding="utf-8") as stream:
                    stream.write(f"{len(running)}\n")
        for name, process in list(running.items()):
            if process.poll() is not None:
                del running[name]
                if not (STATE / f"{name}.state").exists():
                    state = "FAILED" if process.returncode else "COMPLETED"
                    (STATE / f"{name}.state").write_text(state, encoding="utf-8")
        time.sleep(0.02)


def start(name: str, script: Path) -> subprocess.Popen[bytes]:
    array, _, element = name.partition("_")
    here = {
        "SLURM_JOB_ID": name, "SLURM_NTASKS": "1", "SLURM_JOB_NUM_NODES": "1", "SLURM_NODEID": "0",
        "SLURM_PROCID": "0", "SLURM_LOCALID": "0", "FAKE_SLURM_NAME": name,
    }  # fmt: skip
    if element:
        here |= {"SLURM_ARRAY_JOB_ID": array, "SLURM_ARRAY_TASK_ID": element}
    process = subprocess.Popen(["bash", str(script)], env={**os.environ, **here}, start_new_session=True)
    (STATE / f"{name}.pid").write_text(str(process.pid), encoding="utf-8")
    return process


def srun(*arguments: str) -> None:
    first = arguments.index(next(word for word in arguments if word.endswith(Path(sys.executable).name)))
    os.execv(arguments[first], arguments[first:])


def sacct(*arguments: str) -> None:
    wanted = {arguments[k + 1] for k, word in enumerate(arguments) if word == "-j"}
    print("JobID|State|NodeList")
    for pid in STATE.glob("*.pid"):
        if pid.stem.partition("_")[0] in wanted:
            state = pid.with_suffix(".state")
            print(f"{pid.stem}|{state.read_text(encoding='utf-8') if state.exists() else 'RUNNING'}|here")


def scancel(name: str) -> None:
    (STATE / f"{name}.state").write_text("CANCELLED by 0", encoding="utf-8")
    try:
        os.killpg(int((STATE / f"{name}.pid").read_text(encoding="utf-8")), signal.SIGKILL)
    except (FileNotFoundError, ProcessLookupError):
        return


if __name__ == "__main__":
    globals()[Path(sys.argv[0]).name](*sys.argv[1:])
