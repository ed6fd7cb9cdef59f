"""A page of the report, taken apart and checked for what has to hold of every one."""

from __future__ import annotations

import re
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "hr", "img"}
SHAPES = {"path", "circle", "rect"}


class Page(HTMLParser):
    """The elements of a document; complains about tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == [], f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"{tag}: an attribute twice: {attrs}"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in SHAPES, f"{tag} closes itself"
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> out of order"

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)

    def with_attribute(self, name: str) -> list[str]:
        return [value for _, attrs in self.elements if (value := attrs.get(name)) is not None]

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.text).split())


def check(text: str) -> Page:
    """All that has to hold of every report."""
    page = Page(text)
    ids = page.with_attribute("id")
    assert len(ids) == len(set(ids))
    named = set(ids)
    for tag, attrs in page.elements:
        target = attrs.get("href")
        if target is not None and tag != "link":
            assert tag == "a", f"<{tag}> loads {target}"
            inside = target.startswith("#") and target[1:] in named
            assert inside or target.startswith("https://arxiv.org/abs/"), target
        # A picture is part of the page, or it is none.
        source = attrs.get("src")
        assert source is None or (
            tag == "img" and source.startswith("data:image/svg+xml;base64,") and attrs["alt"]
        )
        assert not any(name.startswith("on") for name in attrs), f"{tag}: {attrs}"
        style = attrs.get("style") or ""
        assert re.fullmatch(r"(width:\d+\.\d%)?", style), style
        for name in ("aria-labelledby",):
            assert attrs.get(name) is None or attrs[name] in named
        if tag == "svg" and attrs.get("aria-hidden") is None:
            assert attrs.get("aria-label"), "a drawing without a name"
        if tag == "meta" and attrs.get("http-equiv") == "Content-Security-Policy":
            assert (attrs["content"] or "").startswith("default-src 'none'; style-src 'unsafe-inline'; ")
    assert [attrs["href"] for tag, attrs in page.elements if tag == "link"] == ["data:,"]
    assert sum(tag == "script" for tag, _ in page.elements) == 1
    assert text.count("url(") == len(re.findall(r"url\(#tip-[a-z0-9-]+\)", text))
    assert "@import" not in text
    assert "nan" not in re.findall(r'\bd="[^"]*nan|cx="nan', text)
    assert all(attrs.get("scope") for tag, attrs in page.elements if tag == "th")
    tables = sum(tag == "table" for tag, _ in page.elements)
    assert sum(tag == "caption" for tag, _ in page.elements) == tables
    return page
