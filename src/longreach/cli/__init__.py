"""The command line: one module per command, thin: parse, call, print.

`commands` is the table of them, `main` runs one and turns errors into one line and an exit code. Commands
speak through `output`: one JSON document or text there, all else on standard error, where `stages`,
`counted_progress` and `progress` say how far the work is. Options that several commands have are in
`shared_options` and the modules named `…_options`; `verdict_text` and `fitted_table` are for people. The
modules named `study_…` and `own_study` are one command, by kind of study.
"""
