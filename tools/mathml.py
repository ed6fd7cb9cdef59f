"""Formulas of the documentation as MathML, so that pages load no script and no font.

A formula is written as GitHub reads it: inline between $` and `$, displayed in a fence of the kind `math`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from latex2mathml.converter import convert
from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

DISPLAYED = re.compile(r"^( *)```math\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"\$`([^`]+)`\$")
# The converter takes these for variables, which have no space around them.
RELATIONS = {
    "&#x0007E;": "∼",
    **{sign: sign for sign in ("&#x027F9;", "&#x021D2;", "&#x021D4;", "&#x027FA;", "&#x02192;", "&#x021A6;")},
}


def formulas(text: str) -> Iterator[str]:
    """The formulas of a page, as LaTeX."""
    for each in DISPLAYED.finditer(text):
        yield each[2].strip()
    for each in INLINE.finditer(DISPLAYED.sub("", text)):
        yield each[1]


def mathml(latex: str, *, displayed: bool = False) -> str:
    """One formula."""
    found = convert(latex, display="block" if displayed else "inline")
    for sign, shown in RELATIONS.items():
        found = found.replace(f"<mi>{sign}</mi>", f"<mo>{shown}</mo>")
    # A formula that is wider than a phone scrolls by itself.
    return f'<div style="overflow-x: auto">{found}</div>' if displayed else found


class _Formulas(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        def kept(latex: str, *, displayed: bool) -> str:
            assert self.md is not None
            return self.md.htmlStash.store(mathml(latex, displayed=displayed))

        text = DISPLAYED.sub(lambda each: each[1] + kept(each[2], displayed=True), "\n".join(lines))
        return INLINE.sub(lambda each: kept(each[1], displayed=False), text).split("\n")


class MathML(Extension):
    """Typesets formulas before code is looked for."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Comes between the normalization of white space and the fences of code."""
        md.preprocessors.register(_Formulas(md), "mathml", 27)


def makeExtension(**settings: object) -> MathML:
    """What Python-Markdown calls."""
    return MathML(**settings)
