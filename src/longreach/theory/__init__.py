"""What is provable: programs, automata, decisions, certificates, bounds. NumPy only, never torch."""
