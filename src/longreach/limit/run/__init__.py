"""Running transformers: in floating point, exactly, at a finite context, from files.

`float_evaluator` (on `causal_attention`) is fast, `exact_evaluator` is rational, `rounding` has few digits,
`softmax_weights` has the models of precision. `limit_to_finite` makes T_n; `model_files` saves and loads;
`sizes` refuses what does not fit; `attention_drawing` draws.
"""
