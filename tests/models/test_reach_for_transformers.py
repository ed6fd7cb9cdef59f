"""The model of Transformers: the decoder's numbers, files, generation, padding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

pytest.importorskip("transformers")
from longreach.models.decoder import forward
from longreach.nn import ReachConfig, ReachForCausalLM

SIZES: dict[str, Any] = {
    "vocab_size": 7, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "pad_token_id": 0,
    "bos_token_id": 1, "eos_token_id": None,
}  # fmt: skip


def made(**change: Any) -> Any:
    torch.manual_seed(0)
    model = ReachForCausalLM(ReachConfig(**{**SIZES, **change})).eval()
    with torch.no_grad():
        for value in model.parameters():
            value += 0.3 * torch.randn_like(value)
    return model


CHANGES: list[dict[str, Any]] = [
    {},
    {"reach_modulus": 3, "reach_counting": 1},
    {"tie_word_embeddings": False},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_it_is_the_decoder(change: dict[str, Any]) -> None:
    model, tokens = made(**change), torch.tensor([[1, 3, 2, 5, 6, 4], [1, 2, 2, 2, 3, 3]])
    named = {name.removesuffix(".weight") if "embedding" in name else name: value
             for name, value in model.named_parameters()}  # fmt: skip
    wanted = forward(named, model.shape, tokens).detach()
    found = model(tokens, labels=tokens)
    assert torch.allclose(found.logits, wanted, atol=1e-5)
    assert found.loss.item() == pytest.approx(
        float(torch.nn.functional.cross_entropy(wanted[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())),
        abs=1e-5,
    )


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_it_survives_files(change: dict[str, Any], tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM

    model, tokens = made(**change), torch.tensor([[1, 3, 2, 5]])
    model.save_pretrained(tmp_path)
    assert (tmp_path / "model.safetensors").is_file()
    for kind in (ReachForCausalLM, AutoModelForCausalLM):
        again = kind.from_pretrained(tmp_path).eval()
        assert torch.equal(again(tokens).logits, model(tokens).logits)
    assert again.config.reach_modulus == change.get("reach_modulus", "auto")


def test_generation_with_and_without_a_cache_and_with_padding() -> None:
    model, prompt = made(), torch.tensor([[1, 3, 2, 5]])
    options: dict[str, Any] = {"max_new_tokens": 8, "do_sample": False}
    cached, plain = (model.generate(prompt, use_cache=use, **options) for use in (True, False))
    assert torch.equal(cached, plain)
    assert cached.shape == (1, 12)
    two = torch.tensor([[0, 0, 1, 3, 2, 5], [1, 2, 3, 4, 5, 6]])
    mask = torch.tensor([[0, 0, 1, 1, 1, 1], [1] * 6])
    both = model.generate(two, attention_mask=mask, **options)
    assert torch.equal(both[0, 2:], cached[0])


def test_a_fresh_model_starts_as_the_decoder_does() -> None:
    model = ReachForCausalLM(ReachConfig(**SIZES))
    values = {name: value.detach() for name, value in model.named_parameters()}
    assert float(values["layers.0.reach.bias"].abs().max()) == 0
    assert float(values["norm.weight"].min()) == 1
    assert 0.01 < float(values["embedding.weight"].std()) < 0.03


def test_sizes_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="intermediate_size 10 is not a multiple of hidden_size 16"):
        ReachForCausalLM(ReachConfig(**SIZES, intermediate_size=10))
