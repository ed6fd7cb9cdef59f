"""Will it generalize? What theory says of a task, with certificates, and what has been measured.

>>> from longreach.forecast import forecast
>>> forecast("sort").sides["nope"].answer.value
'yes'
"""

from longreach.forecast.task_forecast import Forecast, forecast, forecast_all

__all__ = ["Forecast", "forecast", "forecast_all"]
