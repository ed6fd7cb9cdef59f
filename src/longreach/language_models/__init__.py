"""Language models on real text: trained ones of our own, and any causal model in a Hugging Face directory.

`corpus` finds texts, `text_tokenizer` splits them, `token_file` holds them as numbers. `language_settings`
are the settings of a training, `language_network` is the model, whose position ids may be those of PoSE,
`language_training` the loop and `data_parallel` what several processes share. `scorer` is what the
measurements ask of a model: `network_scorer` and `huggingface_scorer` answer. `text_perplexity` measures by
position and length, `influence` finds the tokens far back that a prediction rests on (Golowich et al., arXiv
2502.16792, 5.3).
"""
