"""Sparse planted correlations and position coupling (Golowich et al., arXiv 2502.16792)."""
