"""What the jobs of the tests do in worker processes, which start fast because little is imported here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

Config = dict[str, Any]


def square(config: Config) -> int:
    return int(config["n"]) ** 2


def die(config: Config) -> None:
    sys.stderr.write("about to die\n")
    os.kill(os.getpid(), getattr(signal, config.get("signal", "SIGKILL")))


def square_or_die(config: Config) -> int:
    if config.get("die"):
        die(config)
    return square(config)


def die_once(config: Config) -> str:
    marker = Path(config["marker"])
    if not marker.exists():
        marker.touch()
        die(config)
    return "alive"


def leave(config: Config) -> None:
    os._exit(config["code"])


def call_exit(config: Config) -> None:
    sys.exit(3)


def fail(config: Config) -> None:
    raise ValueError(config["text"])


def wait(config: Config) -> str:
    Path(config["pids"], str(os.getpid())).touch()
    time.sleep(config["seconds"])
    return "waited"


def kill_the_parent(config: Config) -> str:
    """Kills the process that a cluster has started to look after this one."""
    marker = Path(config["marker"])
    if config["always"] or not marker.exists():
        marker.touch()
        Path(config["pids"], str(os.getpid())).touch()
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)
    return "alive"


def end_as(config: Config) -> None:
    """As if Slurm had ended the job."""
    Path(os.environ["FAKE_SLURM"], f"{os.environ['FAKE_SLURM_NAME']}.state").write_text(config["state"])
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)


def with_child(config: Config) -> None:
    """Starts a process that outlives this one, if nobody ends it."""
    code = f"import os, time; open(os.path.join({config['pids']!r}, str(os.getpid())), 'w'); time.sleep(60)"
    subprocess.Popen([sys.executable, "-c", code])
    while not os.listdir(config["pids"]):
        time.sleep(0.01)
    if config["then"] == "die":
        die(config)
    time.sleep(60)


def with_fork(config: Config) -> str:
    """A forked process must not keep the pipes of its parent."""
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    return die_once(config)


def where(config: Config, directory: Path) -> list[object]:
    (directory / "seen").touch()
    return [str(directory), os.getpid()]


def settings(config: Config) -> dict[str, str]:
    names = ("OMP_NUM_THREADS", "MALLOC_TOP_PAD_", "GLIBC_TUNABLES", "EXTRA")
    return {name: os.environ.get(name, "") for name in names}


def modules(config: Config) -> list[str]:
    return sorted(sys.modules)


def talk(config: Config) -> str:
    """Prints and reads where the worker itself speaks with its driver."""
    print('{"key": "no", "result": "such"}', flush=True)
    os.write(1, b"noise\n" * config["lines"])
    return sys.stdin.read()


def unspeakable(config: Config) -> Any:
    return {"set": {1}, "nan": float("nan")}[config["kind"]]


def large(config: Config) -> str:
    return "x" * config["size"] + config.get("tail", "")[-3:]


def threads(config: Config) -> int:
    import numpy  # noqa: F401

    return len(os.listdir("/proc/self/task"))


def train(config: Config, directory: Path) -> Any:
    """Like a training job: leaves a checkpoint and returns a result."""
    from tests.helpers.result_samples import sample

    if config.get("die"):
        die(config)
    with (directory / "calls").open("a") as stream:
        stream.write(f"{os.getpid()}\n")
    time.sleep(config.get("seconds", 0))
    result = sample(config["seed"], config=config)
    return result if config.get("honest", True) else {"key": "no"}


def hang_once(config: Config, directory: Path) -> Any:
    """The first call never ends; later ones are like `train`."""
    if not (directory / "calls").exists():
        (directory / "calls").write_text(f"{os.getpid()}\n", encoding="utf-8")
        time.sleep(60)
    return train(config, directory)


def overtaken(config: Config, directory: Path) -> None:
    """Dies after somebody else has finished the same job."""
    from longreach.training.result import write_into
    from tests.helpers.result_samples import sample

    write_into(directory, sample(config["seed"], config=config))
    die(config)
