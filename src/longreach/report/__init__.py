"""The report: forecasts and measurements in one HTML file that needs nothing else."""

from longreach.report.render import build

__all__ = ["build"]
