"""What longreach says about a task: forecast, odds, measurement, threshold and remedies."""
