"""From an ordinary transformer back to a limit transformer (Huang et al., arXiv 2410.02140, Lemma 52).

`finite_to_limit` translates, on the product functions of `product_functions`. No command translates; `norms`
reads the product functions, and the round trip of a compiled model tests both directions.
"""
