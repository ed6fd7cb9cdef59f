"""Numbers about transformers and tasks.

`length_margins` and `compiled_certificate` say up to which length a compiled model is right,
`logit_margins` how far logits are apart, `norms` what the idealized learner minimizes (`longreach limit`).
`communication` counts what one half of an input must tell the other, of the problems in
`communication_problems`, and `answers_to_rows` measures it of any function; `protocol` runs the upper bound
on a model, in Python only: no command runs it.
"""
