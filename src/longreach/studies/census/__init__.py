"""The census: languages that nobody picked, drawn by a fixed rule.

`random_languages` draws, `canonical_form` tells when two are one and splits them into development and
held-out, `worthwhile` leaves out those on which a test means nothing, `strata` sorts them by verdict and
size, and `census_draw` fills the strata.
"""
