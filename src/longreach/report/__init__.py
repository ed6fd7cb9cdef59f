"""Plots, the HTML report and the live pages."""
