"""From which training length on: bounds as numbers, with what they assume."""
