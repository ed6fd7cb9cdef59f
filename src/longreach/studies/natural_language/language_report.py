"""The findings of the study of natural language as a document and as tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from longreach.studies.markdown_table import markdown_table

PANELS = {
    ("short", "short"): "Figure 4",
    ("long", "long"): "Figure 6a",
    ("long", "short"): "Figure 6b",
    ("short", "long"): "Figure 6c",
}
"""By the model that predicts and the one that chose the tokens."""


class _Documented(Protocol):
    def document(self) -> dict[str, Any]: ...


def findings_document(
    perplexity: Mapping[str, Mapping[int, _Documented]], losses: Mapping[tuple[str, str], _Documented]
) -> dict[str, Any]:
    """As JSON has it."""
    return {
        "perplexity": [
            {"model": name, **measured.document()}
            for name, by_length in perplexity.items()
            for measured in by_length.values()
        ],
        "influence": [
            {"panel": panel, "model": model, "chosen_by": chooser, **losses[model, chooser].document()}
            for (model, chooser), panel in PANELS.items()
        ],
    }


def perplexity_rows(document: Mapping[str, Any]) -> list[list[str]]:
    """Table 1: a row per model, after a row of titles.

    >>> found = {"perplexity": [{"model": "short", "length": 64, "perplexity": 20.123}]}
    >>> perplexity_rows(found)
    [['model', 'at 64'], ['h_short', '20.12']]
    """
    lengths = sorted({entry["length"] for entry in document["perplexity"]})
    rows = [["model", *(f"at {length}" for length in lengths)]]
    for name in dict.fromkeys(entry["model"] for entry in document["perplexity"]):
        found = {e["length"]: e["perplexity"] for e in document["perplexity"] if e["model"] == name}
        rows.append([f"h_{name}", *(f"{found[length]:.2f}" for length in lengths)])
    return rows


def influence_rows(document: Mapping[str, Any]) -> list[list[str]]:
    """What few far tokens gain beside all of them, a row per panel, after a row of titles."""
    rows = [["panel", "loss of", "chosen by", "near", "all", "near and few", "correlation"]]
    for entry in document["influence"]:
        correlation = entry["correlation"]
        losses = [f"{entry[key]:.3f}" for key in ("loss_short", "loss_long", "loss_short_sparse")]
        shown = "–" if correlation is None else f"{correlation:.2f}"
        rows.append([entry["panel"], f"h_{entry['model']}", f"h_{entry['chosen_by']}", *losses, shown])
    return rows


def markdown(document: Mapping[str, Any]) -> str:
    """Both tables, for a file."""
    lines = []
    for head, *rows in (perplexity_rows(document), influence_rows(document)):
        lines += [*markdown_table(head, rows), ""]
    return "\n".join(lines)
