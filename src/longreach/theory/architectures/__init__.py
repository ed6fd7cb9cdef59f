"""What theory says of architectures other than the decoder: decided from the groups of an automaton."""
