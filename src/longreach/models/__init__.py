"""Transformers in PyTorch (extra `train`).

`transformer` is the decoder as a function of its parameters, `encoding_modules` its positional encodings.
`decoder_gradient` is its loss and gradient written out for a CPU: `packed_rows` has batches without padding,
`attention_by_hand` its attention, `packed_biases` what an encoding adds to that. `cached_decoder` reads token
by token, `huggingface` goes from and to checkpoints of GPT-2, `compiled_transformer` makes modules of
compiled models. `regression_shape`, `count_transformer` and `kgram_transformer` are the small models that
learn numbers.
"""
