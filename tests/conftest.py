"""Settings that all tests share."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

# What a shell starts in the background ignores interrupts, and so would all that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples on every machine: some in `make test`, more in `make test-all` (thorough);
# `--hypothesis-profile=search` looks for new ones.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("thorough", parent=settings.get_profile("repeatable"), max_examples=100)
settings.register_profile("search", parent=settings.get_profile("thorough"), derandomize=False)
settings.load_profile("repeatable")
