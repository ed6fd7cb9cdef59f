"""The report: forecasts and measurements in one HTML file that needs nothing else.

`results_to_view` makes of a results directory what is shown, the plain data of `view`: `forecast_view` and
`runs_view` a task's part, `overview` and `conclusion` what is said of all; `render` puts it into `templates`.
Charts and drawings are inline SVG (`length_chart`, `curve_chart`, `attention_svg`). `answer_page`,
`advice_page` and `inspection_page` are pages of single commands; `live` serves all of it, with a playground.
"""

from longreach.report.render import build

__all__ = ["build"]
