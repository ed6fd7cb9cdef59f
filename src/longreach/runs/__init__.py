"""The results directory: what was run, what is planned, and training what is missing."""
