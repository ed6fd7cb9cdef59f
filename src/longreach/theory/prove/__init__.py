"""A program equals an automaton for all lengths, or the first word on which they differ."""
