"""What is learned: samplers, right answers, position ids, and the evidence for forecasts.

A task knows nothing of models: it hands out batches of arrays. `catalog` has all tasks by name.
"""
