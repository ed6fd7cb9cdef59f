"""What is true of words of a length: exact shares and probabilities instead of verdicts for all lengths.

`word_measure` has the distribution of uniform words and their labels, `prefix_summary` what little of a prefix is
kept, `determinacy` how often that is enough, `position_only` what the position alone can guess.
"""
