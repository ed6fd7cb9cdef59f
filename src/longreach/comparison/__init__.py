"""Forecast and measurement side by side, cell by cell.

`places` has the cells and the tasks of the benchmark, `cell_forecast` what the theory says of a cell,
`paper` what was published about it; `agreement` judges, and `outcome` puts all of it together.
`tally` counts runs, `measured_cell` those of one training length. `calibration` says how good probabilities
are.
"""
