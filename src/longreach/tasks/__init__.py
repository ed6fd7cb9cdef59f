"""What is learned: samplers, right answers, position ids, and the evidence for forecasts."""
