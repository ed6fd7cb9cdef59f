"""What a trained model does: the functions of positions that its attention computes, and where it fails.

`inspected_model` opens runs, checkpoints and Hugging Face directories; `traced_forward` is the decoder with
everything in sight. `folded_norms` makes layer norms linear, `position_products` reads the product functions,
`offset_variance` and `periodic_fit` measure them, `attention_hardness` and `program_attention` the weights.
`trained_to_limit` writes the approximate limit transformer, `limit_runs` runs it, `failure_analysis` says
where and how a member goes wrong. `model_inspection` joins all of it, `inspection_figures` draws it.
`run_features` and `score_judgement` ask whether all this predicts success at longer lengths.
`positional_training` fits products to functions of positions.
"""
