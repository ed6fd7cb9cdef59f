"""The environment of worker processes, which must stand before anything heavy is imported there."""

from __future__ import annotations

import os
from collections.abc import Mapping

THREADS = (
    "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)  # fmt: skip
# By default glibc maps large buffers anew, and faults them in, at every step: 1.1 to 2.3 times slower.
MALLOC = {
    "MALLOC_MMAP_THRESHOLD_": "33554432",
    "MALLOC_TRIM_THRESHOLD_": "8589934592",
    "MALLOC_TOP_PAD_": "268435456",
}
HUGE_PAGES = "glibc.malloc.hugetlb"


def has_glibc() -> bool:
    """Whether this system's C library is glibc."""
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except (AttributeError, ValueError, OSError):
        return False


def worker_environment(
    base: Mapping[str, str], threads: int = 1, glibc: bool | None = None
) -> dict[str, str]:
    """The environment of a worker: its number of threads, and an allocator made for large buffers.

    What the user has set for the allocator stays.

    >>> made = worker_environment({"MALLOC_TOP_PAD_": "0", "OMP_NUM_THREADS": "8"}, glibc=True)
    >>> made["OMP_NUM_THREADS"], made["MALLOC_TOP_PAD_"], made["GLIBC_TUNABLES"]
    ('1', '0', 'glibc.malloc.hugetlb=1')
    """
    made = dict(base) | dict.fromkeys(THREADS, str(threads))
    made.setdefault("PYTHONHASHSEED", "0")  # the same numbers from the same job, in any worker
    if has_glibc() if glibc is None else glibc:
        made = MALLOC | made
        tunables = made.get("GLIBC_TUNABLES", "")
        if HUGE_PAGES not in tunables:
            made["GLIBC_TUNABLES"] = ":".join(filter(None, [tunables, f"{HUGE_PAGES}=1"]))
    return made


def cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
