"""Training of small transformers on short inputs, and measuring them on long ones.

Import what you need from the modules: `shape` (a configuration with its task), `job` (config in, result out),
`engine`, `evaluate`, `checkpoint`.
"""
