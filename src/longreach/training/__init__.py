"""Training of small transformers on short inputs, and measuring them on long ones.

`job` is what engines run: a configuration in, a result out. `shape` is a configuration with its task,
`member` what belongs to one run: its `batches`, at the ids of `placing`, its tests (`accuracy`) and its
`checkpoint`. `engine` trains a member alone, by `step` or by `compiled_step`, `ensemble` several side by
side. `generation` lets a model write, `model_to_automaton` and `model_to_program` say what it does. The
modules named `regression_…` are the same for tasks with numbers as answers.
"""
