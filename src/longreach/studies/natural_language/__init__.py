"""Sparsity and length generalization in natural language (Golowich et al., arXiv 2502.16792, 5.3).

`language_study` says what it is, `language_report` reads the findings as tables, `language_figure` draws
them; `perplexity_figure` is for any one model.
"""
