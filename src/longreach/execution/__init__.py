"""Running many jobs: a list of jobs in, results as they finish.

Import what you need from the modules: `jobs` (the shape that all engines share), `local` (worker processes on
this machine), `record` (run what is missing in a results directory), `plan` (what a run would do).
"""
