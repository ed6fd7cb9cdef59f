"""How many words of a length a summary decides: exact shares instead of verdicts."""
