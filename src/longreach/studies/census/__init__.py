"""The census: languages that nobody picked, drawn by a fixed rule.

`random_languages` draws, `canonical_form` tells when two are one and splits them into development and
held-out, `worthwhile` leaves out those on which a test means nothing, `strata` sorts them by verdict and
size, and `census_draw` fills the strata. `census_language_table` keeps the exact numbers of each.

`census_run` has runs and tables of them, `census_cell` what belongs together. `census_scores` judges the
verdict and its rivals, `odds_fit` makes odds and `odds_judgement` judges them, `predicted_failures` says
where a "no" ends; `census_analysis` joins all of it for `analysis_tables` and `census_figure`.
"""
