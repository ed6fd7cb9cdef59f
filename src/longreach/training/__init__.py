"""Training of small transformers on short inputs, and measuring them on long ones.

Import what you need from the modules: `config` (what is trained), `job` (config in, result out), `engine`,
`evaluate`, `checkpoint`.
"""
