"""What is true of words of a length: exact shares and probabilities instead of verdicts for all lengths.

`word_measure` has the distribution of uniform words and their labels, `prefix_summary` what little of a
prefix is kept, `determinacy` how often that is enough, on the pairs that `summary_graph` finds;
`position_only` has what the position alone can guess, and how much there is to guess.
"""
