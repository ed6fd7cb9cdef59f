"""From which training length on: bounds of theory as numbers, with what they assume.

`model_quantities` measures a model: norms, margins, period, locality. `bound_inputs` names the quantities
that a bound may need, and reads them from the command line. `finite_precision`, `infinite_precision`,
`planted_bound` and `length_complexity` have the formulas, one function per bound; `all_bounds` asks each of
them. `simulation` has the construction behind the bounds of one and two layers: from a long word a short one.
"""
