"""From a C-RASP program to a limit transformer (Huang et al., arXiv 2410.02140, Theorem 9).

`program_to_limit` is the compiler: `schedule` says which layer computes what, `gated_sums` what one MLP
can compute, `units_to_mlp` makes its matrices, over the coordinates of `linear_forms`; `near` looks back
by a distance. `hand_built` has transformers that no program was compiled to.
"""
