"""Will it generalize? What theory says of a task, with certificates, and what has been measured.

`task_forecast` joins all of it. `evidence_to_verdicts` makes the verdicts, by the finders of
`certificate_kinds`, the one table of what is found, checked and explained: `program_to_verdict`,
`communication_to_verdict`, `reduction_to_verdict`. The modules named `…_checker` check their certificates
from a task's answers alone; `claims` reads documents, and `verification` checks what they claim.
`language_features` has the exact numbers of a language that odds may rest on, `logistic_model` the odds.

>>> from longreach.forecast import forecast
>>> forecast("sort").sides["nope"].answer.value
'yes'
"""

from longreach.forecast.task_forecast import Forecast, forecast, forecast_all

__all__ = ["Forecast", "forecast", "forecast_all"]
