"""Small texts, and a tiny Hugging Face checkpoint with its tokenizer; nothing is downloaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

SENTENCE = "the cat sat on the mat and the dog sat on the log, and then the cat saw the dog. "


def text_file(folder: Path, repeats: int = 40, name: str = "text.txt") -> Path:
    path = folder / name
    path.write_text("".join(f"{k} {SENTENCE}" for k in range(repeats)), encoding="utf-8")
    return path


def tiny_checkpoint(folder: Path, kind: str = "gpt2") -> Path:
    """A model with random weights: `gpt2` with learned positions up to 48, or `llama` with rotary ones."""
    import tokenizers
    import transformers

    letters: dict[str, int] = {chr(code): place for place, code in enumerate([10, *range(32, 127)])}
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel(letters, unk_token=" "))
    inner.pre_tokenizer = tokenizers.pre_tokenizers.Split("", "isolated")
    transformers.PreTrainedTokenizerFast(tokenizer_object=inner, unk_token=" ").save_pretrained(str(folder))
    torch.manual_seed(0)
    config: Any
    if kind == "gpt2":
        config = transformers.GPT2Config(
            vocab_size=97, n_layer=2, n_head=2, n_embd=8, n_positions=48, initializer_range=0.3,
            bos_token_id=0, eos_token_id=0,
        )  # fmt: skip
    else:
        config = transformers.LlamaConfig(
            vocab_size=97, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=1, hidden_size=8,
            intermediate_size=12, max_position_embeddings=32, initializer_range=0.3,
            bos_token_id=0, eos_token_id=0,
        )  # fmt: skip
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(str(folder))
    return folder
