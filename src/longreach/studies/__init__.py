"""Published tables and figures, one module each: which members are trained, what is drawn, what is judged.

`all_studies` has them by name, in six kinds. Most are a `study_definition`: cells, tasks under encodings,
that `study_run` trains and `drawing` and `cell_tables` show, a table of `theory`, or `own_cells` where the
cells are something else (`coupling`, `threshold_law`, `inference_study`). A `loss_study` is about tasks with
numbers as answers, a `computed_study` trains nothing, a `standalone_study` no members of `longreach train`;
`census` and `natural_language` are one of a kind. `states` compares another group's numbers.
"""
