"""A decoder of GPT-2's shape with the attention of `reach`, as a model of Transformers (extra `hf`).

Its parameters have the names that longreach has for them, so runs trained here load there and back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import AutoConfig, AutoModelForCausalLM, DynamicCache, PretrainedConfig
from transformers.generation import GenerationMixin
from transformers.modeling_outputs import CausalLMOutputWithPast
from transformers.modeling_utils import PreTrainedModel

from longreach.config.model import ModelConfig
from longreach.models.decoder import Decoder, parameter_table
from longreach.models.parameters import Initial
from longreach.models.reach import read_last


class ReachConfig(PretrainedConfig):  # type: ignore[misc]
    """The sizes of a model, under the names that Transformers has for them."""

    model_type = "reach"

    def __init__(
        self,
        vocab_size: int = 50257,
        hidden_size: int = 768,
        num_hidden_layers: int = 12,
        num_attention_heads: int = 12,
        intermediate_size: int | None = None,
        reach_modulus: int | str = "auto",
        reach_counting: int = 0,
        layer_norm_eps: float = 1e-5,
        tie_word_embeddings: bool = True,
        use_cache: bool = True,
        **kwargs: Any,
    ) -> None:
        self.vocab_size, self.hidden_size = vocab_size, hidden_size
        self.num_hidden_layers, self.num_attention_heads = num_hidden_layers, num_attention_heads
        self.intermediate_size = 4 * hidden_size if intermediate_size is None else intermediate_size
        self.reach_modulus, self.reach_counting = reach_modulus, reach_counting
        self.layer_norm_eps, self.use_cache = layer_norm_eps, use_cache
        super().__init__(tie_word_embeddings=tie_word_embeddings, **kwargs)

    @property
    def sizes(self) -> ModelConfig:
        """The same for longreach, or an error of one line."""
        ratio, rest = divmod(self.intermediate_size, self.hidden_size)
        if rest or not ratio:
            sizes = f"{self.intermediate_size} is not a multiple of hidden_size {self.hidden_size}"
            raise ValueError(f"intermediate_size {sizes}")
        return ModelConfig.read(
            {
                "layers": self.num_hidden_layers,
                "heads": self.num_attention_heads,
                "width": self.hidden_size,
                "vocabulary": self.vocab_size,
                "positions": 1,  # there are no position vectors
                "encoding": "reach",
                "mlp_ratio": ratio,
                "norm_epsilon": self.layer_norm_eps,
                "tied": self.tie_word_embeddings,
                "reach_modulus": self.reach_modulus,
                "reach_counting": self.reach_counting,
            }
        )


class Part(nn.Module):
    """Parameters by their names below a dotted name."""

    def __init__(self) -> None:
        super().__init__()
        self.initial: dict[str, Initial] = {}

    def add(self, path: list[str], initial: Initial) -> None:
        first, *rest = path
        if not rest:
            self.initial[first] = initial
            self.register_parameter(first, nn.Parameter(torch.empty(initial.shape)))
            return
        if first not in self._modules:
            self.add_module(first, Part())
        part = self._modules[first]
        assert isinstance(part, Part)
        part.add(rest, initial)


class _Reading(Decoder):
    """A pass that reads what a cache of Transformers holds."""

    def __init__(self, parameters: Mapping[str, Tensor], config: ModelConfig, cache: Any) -> None:
        super().__init__(parameters, config)
        self._cache = cache

    def recall(
        self, slot: int, key: Tensor, value: Tensor, kept: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        if self._cache is None:
            return key, value, kept
        return (*self._cache.update(key, value, slot), kept)


class ReachForCausalLM(PreTrainedModel, GenerationMixin):  # type: ignore[misc]
    """The decoder; `forward`, `generate`, `save_pretrained` and `from_pretrained` are as anywhere.

    There is no longest input. Inputs may be padded on either side.
    """

    config_class = ReachConfig
    base_model_prefix = ""
    main_input_name = "input_ids"

    def __init__(self, config: ReachConfig) -> None:
        super().__init__(config)
        self.shape = config.sizes
        tree = Part()
        for name, initial in parameter_table(self.shape).items():
            if name not in _MATRICES:
                tree.add(name.split("."), initial)
        self.embedding = nn.Embedding(config.vocab_size, config.hidden_size)
        for name, part in tree._modules.items():
            self.add_module(name, part)
        if not self.shape.tied:
            self.unembedding = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.post_init()

    @torch.no_grad()
    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, Part):
            initials = module.initial
        elif isinstance(module, nn.Embedding | nn.Linear):
            initials = {"weight": Initial(tuple(module.weight.shape), "normal", 0.02)}
        else:
            return
        for name, initial in initials.items():
            value = getattr(module, name)
            if getattr(value, "_is_hf_initialized", False):
                continue  # it was read from a file
            if initial.distribution == "normal":
                value.normal_(0.0, initial.scale)
            else:
                value.fill_(initial.scale)

    def get_input_embeddings(self) -> nn.Module:
        return self.embedding

    def set_input_embeddings(self, value: nn.Module) -> None:
        assert isinstance(value, nn.Embedding)
        self.embedding = value

    def get_output_embeddings(self) -> nn.Module | None:
        return None if self.shape.tied else self.unembedding

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        past_key_values: Any = None,
        labels: Tensor | None = None,
        use_cache: bool | None = None,
        logits_to_keep: int = 0,
        return_dict: bool | None = None,
        **kwargs: Any,
    ) -> Any:
        """Logits (batch, time, vocabulary), the cache, and with labels the mean loss of the next tokens."""
        if past_key_values is None and (self.config.use_cache if use_cache is None else use_cache):
            past_key_values = DynamicCache()
        before = 0 if past_key_values is None else past_key_values.get_seq_length()
        time = input_ids.shape[1]
        reading = read_last(time, before + time, input_ids.device, attention_mask)
        parameters = {
            name.removesuffix(".weight") if name.removesuffix(".weight") in _MATRICES else name: value
            for name, value in self.named_parameters()
        }
        states = _Reading(parameters, self.shape, past_key_values).states(input_ids, reading)
        states = states[:, -logits_to_keep:] if logits_to_keep else states
        logits = F.linear(states, parameters["embedding" if self.shape.tied else "unembedding"])
        loss = None
        if labels is not None:
            loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())
        return CausalLMOutputWithPast(loss=loss, logits=logits, past_key_values=past_key_values)


_MATRICES = ("embedding", "unembedding")
"""Modules here, parameters in longreach."""

AutoConfig.register("reach", ReachConfig, exist_ok=True)
AutoModelForCausalLM.register(ReachConfig, ReachForCausalLM, exist_ok=True)
