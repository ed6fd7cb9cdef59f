"""The seconds for asking somebody's code: every call is timed, and none begins that would not fit.

Seconds are seconds of computing, so that a busy machine changes no answer; a call that mostly waits, for a
file, a process or a sleep, counts as long as it takes. On the main thread a timer interrupts a call that does
not return; elsewhere, and inside compiled code, one such call is waited for.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import fields, replace
from functools import wraps
from typing import Any

from longreach.tasks.own import FunctionTask
from longreach.tasks.predicates import PredicateLanguage
from longreach.tasks.task import Task
from longreach.wording import counted

try:
    import resource
except ImportError:  # on Windows
    resource = None  # type: ignore[assignment]

WAITING = 20.0
"""Seconds on the wall for one of computing, where nobody knows who waits."""
WAITS = 8.0
"""A call that takes so many times its computing waits."""
SLOW = 0.001
"""Seconds of one call, from which on each is timed exactly and a word is asked about twice at most."""
SHARES = {
    "draw": 0.3, "automaton": 0.45, "fit": 0.62, "program": 0.72, "short inputs": 0.8, "part": 0.84,
    "rows": 0.93, "enumeration": 1.0, "steps": 1.0,
}  # fmt: skip
"""The share of the seconds by which each step must end."""
TITLES = {
    "automaton": "learning an automaton",
    "program": "fitting programs",
    "part": "looking for hard parts of the inputs",
    "rows": "counting communication",
    "steps": "looking for steps that its answers show",
    "enumeration": "trying small programs one by one",
}
TICK, FIRST_LINE = 0.25, 3.0
"""Seconds between looks at a call that has not returned, and before the first line of progress."""
LATE = 0.25
"""Seconds by which a call may end too late before it is interrupted."""
LATELY = 8
"""Calls by which the next is estimated."""


class OutOfTime(BaseException):
    """No further call fits. Not an `Exception`: somebody's code may catch those."""


class Asking:
    """The clock of one question.

    >>> asking = Asking(5.0)
    >>> with asking.step("automaton"):
    ...     asking.guarded(len)("abc")
    3
    >>> asking.calls, asking.left("rows") > 4
    (1, True)
    """

    def __init__(self, seconds: float, name: str = "") -> None:
        self.seconds, self.name = seconds, name
        self.calls = 0
        self._computed, self._started = time.thread_time(), time.monotonic()
        self._waited, self._slept = 0.0, _sleeps()
        self._lately: list[deque[float]] = []
        """The seconds of the last calls of each function."""
        self._inside: tuple[float, float] | None = None
        """When the present call began, on the wall and in computing."""
        self._step: str | None = None
        self._line = _Line()

    def now(self) -> float:
        """Seconds so far, the present call among them."""
        waits = self._waited
        if self._inside is not None:
            waits += _waits(time.monotonic() - self._inside[0], time.thread_time() - self._inside[1])
        computed = time.thread_time() - self._computed
        return max(computed + waits, (time.monotonic() - self._started) / WAITING)

    def left(self, step: str) -> float:
        return SHARES[step] * self.seconds - self.now()

    def until(self, step: str) -> Callable[[], float]:
        return lambda: self.left(step)

    @property
    def each(self) -> float:
        """Seconds of one call of the slowest function, by the last few."""
        return max(map(_mean, self._lately), default=0.0)

    @property
    def is_slow(self) -> bool:
        return self.each >= SLOW

    @property
    def ended(self) -> str:
        """Why slow calls ended a step, for people."""
        return f"out of time after {counted(self.calls, 'answer')}, about {self.each:.2g} s each"

    @contextmanager
    def step(self, step: str) -> Iterator[None]:
        """No call that begins in here ends much later than the step's share of the seconds."""
        self._step = step
        try:
            yield
        finally:
            self._step = None

    def guarded(self, function: Callable[..., Any], *, words: bool = False) -> Callable[..., Any]:
        """The function, timed; raises `OutOfTime` where the next call would not fit.

        With `words` it maps words to answers: a slow one is asked twice about each word, which shows whether
        its answers change, and after that what it said is kept.
        """
        known: dict[object, list[Any]] = {}
        lately: deque[float] = deque(maxlen=LATELY)
        self._lately.append(lately)

        @wraps(function)
        def call(*args: Any) -> Any:
            key = None
            if words and _mean(lately) >= SLOW:
                key = type(args[0]), tuple(args[0])
                if len(known.setdefault(key, [])) == 2:
                    return known[key][-1]
            answer = self._call(function, args, lately)
            if key is not None:
                known[key].append(answer)
            return answer

        return call

    def _call(self, function: Callable[..., Any], args: tuple[Any, ...], lately: deque[float]) -> Any:
        if self._inside is not None:  # somebody's code that asks its own task
            return function(*args)
        # What takes microseconds is not worth a look at the clock each time.
        each = _mean(lately)
        if each >= SLOW or self.calls % 16 == 0:
            if self._step is not None and self.left(self._step) < each:
                raise OutOfTime
            self._tell()
        self.calls += 1
        began, computed = self._inside = time.monotonic(), time.thread_time()
        try:
            return function(*args)
        finally:
            self._inside = None
            taken = time.monotonic() - began
            if taken >= SLOW / 4:
                computed = time.thread_time() - computed
                slept, self._slept = self._slept, _sleeps()
                # A call that others kept from computing, on a busy machine, did not wait.
                waits = _waits(taken, computed) if slept is None or slept != self._slept else 0.0
                self._waited += waits
                taken = computed + waits
            lately.append(taken)

    # Interrupting a call, and saying how it goes

    @contextmanager
    def running(self) -> Iterator[None]:
        """With a timer, where there is one and nobody else uses it."""
        mine = (
            hasattr(signal, "SIGALRM")
            and threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
            and signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        )
        try:
            if mine:
                signal.signal(signal.SIGALRM, self._tick)
                signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
            yield
        finally:
            if mine:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
            self._line.clear()

    def _tick(self, number: int, frame: object) -> None:
        del number, frame
        self._tell()
        if self._inside is not None and self._step is not None and self.left(self._step) < -LATE:
            raise OutOfTime

    def _tell(self) -> None:
        if self._step is not None and time.monotonic() - self._started >= FIRST_LINE:
            done = f"{counted(self.calls, 'answer')}, {self.now():.0f} of {self.seconds:g} s"
            self._line.write(f"{self.name}: {TITLES.get(self._step, self._step)} ({done})")


def _mean(seconds: deque[float]) -> float:
    return sum(seconds) / len(seconds) if seconds else 0.0


def _waits(taken: float, computed: float) -> float:
    """Of a call, the seconds in which it waited."""
    return taken - computed if taken > WAITS * computed else 0.0


def _sleeps() -> int | None:
    """How often this thread gave up the processor by itself; None where that is not known."""
    if resource is None or not hasattr(resource, "RUSAGE_THREAD"):
        return None
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


class _Line:
    """One line on a terminal that is written over; nothing in pipes and files."""

    def __init__(self) -> None:
        self._shown, self._at = False, 0.0

    def write(self, text: str) -> None:
        if time.monotonic() - self._at < TICK or not sys.stderr.isatty():
            return
        self._at, self._shown = time.monotonic(), True
        sys.stderr.write(f"\r\x1b[2K{text[:100]}")
        sys.stderr.flush()

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


def guarded_task(task: Task, asking: Asking) -> Task:
    """The same task, whose own functions are timed.

    >>> from longreach.tasks.task import Task
    >>> even, asking = Task.from_predicate(lambda word: len(word) % 2 == 0, "ab"), Asking(1.0)
    >>> guarded_task(even, asking).contains("ab"), asking.calls >= 1
    (True, True)
    """
    found: FunctionTask | PredicateLanguage
    if isinstance(task, FunctionTask):
        found = replace(
            task,
            drawer=asking.guarded(task.drawer),
            answerer=asking.guarded(task.answerer, words=True),
        )
    elif isinstance(task, PredicateLanguage):
        found = replace(
            task,
            predicate=asking.guarded(task.predicate, words=True),
            drawer=None if task.drawer is None else asking.guarded(task.drawer),
            completer=None if task.completer is None else asking.guarded(task.completer, words=True),
        )
    else:
        other = copy(task)
        try:
            for name in ("answer", "draw"):
                object.__setattr__(other, name, asking.guarded(getattr(task, name)))
        except AttributeError:  # a class with slots: its calls are not timed
            return task
        return other
    # What is known of the task already costs no further calls.
    own = {field.name for field in fields(found)}
    vars(found).update({name: value for name, value in vars(task).items() if name not in own})
    return found
