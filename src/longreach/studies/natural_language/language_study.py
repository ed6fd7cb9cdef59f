"""What the study of natural language is; training and measuring are in `longreach.language_models`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class LanguageStudy:
    """Two models on real text."""

    name: str
    title: str
    source: str
    about: str
    time: str
    formats: tuple[str, ...] = (".svg", ".png", ".pdf", ".md")


STUDY = LanguageStudy(
    name="natural-language",
    title="Sparsity and length generalization in natural language",
    source="Golowich et al., arXiv 2502.16792, Table 1, Figures 4 and 6",
    about="perplexity beyond the trained context with PoSE, and how few far tokens a prediction rests on",
    time="laptop: 2 runs and their analysis, 49 minutes of one core that was shared",
)
