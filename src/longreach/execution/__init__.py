"""Running many jobs: a list of jobs in, results as they finish.

`jobs` has the shape that all engines share, `engines` all of them by name: `local` (worker processes on this
machine), `ray`, `slurm`, and `stacked`, which runs jobs of another one in groups. Every job runs in a
`worker`, which its driver sees as a `process`. `record` runs what is missing in a results directory, `plan`
says what a run would do.
"""
