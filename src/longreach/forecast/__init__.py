"""Will it generalize? What theory says of a task, with certificates, and what has been measured.

`task_forecast` joins all of it. `evidence_to_verdicts` makes the verdicts, by the finders of
`certificate_kinds`, the one table of what is found, checked and explained: `program_to_verdict`,
`communication_to_verdict`, `reduction_to_verdict`. The modules named `…_checker` check their certificates
from a task's answers alone; `claims` reads documents, and `verification` checks what they claim.
Of a task that nobody can see into `black_box_to_verdicts` finds evidence in the answers: `drawn_inputs`
asks, `learned_to_verdicts`, `found_program` and `rows_to_verdict` say what follows; `examples_to_verdicts`
reads files. `odds_of_task` gives the odds that one run works: `language_features` has the exact numbers of a
language, `odds_features` those that odds may rest on, `odds_model` the fitted numbers, `logistic_model` the
fit.

The package itself can be called: `longreach.forecast(…)` is `longreach.forecast.forecast(…)`.

>>> from longreach.forecast import forecast
>>> forecast("sort").sides["nope"].answer.value
'yes'
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from longreach.forecast.task_forecast import Forecast, forecast, forecast_all
from longreach.tasks.task import Task

__all__ = ["Forecast", "forecast", "forecast_all"]


class _Callable(ModuleType):
    """The package, which stands in `longreach` under the name of its function."""

    def __call__(
        self,
        task: str | Task,
        alphabet: Sequence[str] | None = None,
        runs: str | Path | None = None,
        *,
        budget: float | None = None,
    ) -> Forecast:
        return forecast(task, alphabet, runs, budget=budget)


sys.modules[__name__].__class__ = _Callable
