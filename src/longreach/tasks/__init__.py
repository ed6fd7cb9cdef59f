"""What is learned: samplers, right answers, position ids, and the evidence for forecasts.

A task knows nothing of models: it hands out batches of arrays. `task` is the interface, `catalog` has all
tasks by name, most of them one in a file; `regression_catalog` those with numbers as answers. `language_task`
is for formal languages, `layout` for SOS x SEP y EOS, `function_task`, `data_task` and `outside_task` for
tasks of one's own; `changed_task` changes one. `evidence` is what a forecast may rely on, `coupling` has
position ids, `local_steps` and `measured_parents` how few tokens a step depends on. `task_check` looks
whether a task keeps its word.
"""
