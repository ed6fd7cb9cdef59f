"""Studies of sparsity and position coupling (Golowich et al., arXiv 2502.16792), as curves against length.

`curves` says what a curve is, `curve_cells` trains and collects; `curve_report` says what the runs came to,
`curve_figure` draws it; `curve_settings` has what the studies share. One module per study says its curves and
its claims.
"""
