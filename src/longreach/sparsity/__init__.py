"""Sparsity and length generalization: the model of Golowich et al. (arXiv 2502.16792), as code that runs.

`planted_ensemble` draws sequences whose label depends on k planted tokens, `position_law` says where these
stand and `coverage` how evenly. `sparse_attention` is attention over sets of k tokens, `key_properties`
checks whether it is local and relative. `population_risk` and `length_generalization` train on short lengths,
exactly where that is possible, keep all minimizers and judge the worst of them; `defeating_ensemble` breaks a
wrong one. `planted_comparison` puts the bound of Theorem 4.3 beside what is measured, `counter_examples` has
an example for each assumption that is dropped, and `position_coupling` makes far tokens near.
"""
