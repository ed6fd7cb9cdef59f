"""Limit transformers: what transformers become when their context grows without bound.

`model` has the objects. `compile` compiles: a program becomes a limit transformer (`program_to_limit`).
`run` runs: evaluators, the ordinary transformers T_n (`limit_to_finite`), files and drawings.
`translate` goes back: a transformer becomes a limit transformer (`finite_to_limit`).
`measure` measures: margins, norms, certificates of compiled models, communication.
"""
