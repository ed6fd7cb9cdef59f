"""From an automaton to decisions about program classes, exactly and within a budget."""
