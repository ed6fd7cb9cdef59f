"""What a training is, as data: read and written, checked, with one source of defaults. No torch, no tasks.

`training` (a member), `decoder` (the shape of its model), `encoding_table` (positional encodings),
`length_range`, `scales` and `hyperparameters` (what is trained where), `options` (settings as options),
`keys` (the names of results).
"""
