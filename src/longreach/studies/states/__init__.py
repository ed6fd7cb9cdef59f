"""The study `state-tracking`: another group's 175 languages beside the theory and beside runs of our own.

`published_verdicts` compares their labels and accuracies with our verdicts, `state_cells` says what is
trained and with what, `state_distance` which of our settings comes nearest to their accuracies, and
`state_summary` says it all.
"""
