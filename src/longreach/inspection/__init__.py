"""What a trained model does: attention, functions of positions, failures, automata and programs."""
