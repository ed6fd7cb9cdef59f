"""The results directory: one file per finished job, and an index over these files.

Import what you need from the modules: `schema` (what a result holds), `files` (write, read),
`index` (queries), `table` (CSV, Parquet), `provenance` (versions).
"""
