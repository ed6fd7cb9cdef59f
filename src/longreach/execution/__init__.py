"""Running many jobs on one machine, on Ray or on Slurm: jobs in, results out as they finish."""
