"""The report of a results directory as it is now, made again when something in it has changed."""

from __future__ import annotations

import base64
import hashlib
import re
import threading
from dataclasses import dataclass, field
from pathlib import Path

from longreach.report.render import TITLE, build
from longreach.results.files import RESULT

_INLINE = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)
_META = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
PLAYGROUND = '<a href="/playground">Playground</a>'


@dataclass(frozen=True)
class LivePage:
    """A page, the policy that lets its own script and style through, and what it was made of."""

    html: str
    policy: str
    stamp: str


@dataclass
class LiveReport:
    """One report at a time is made; the last one is kept.

    >>> LiveReport(None).page().html.startswith("<!doctype html>")
    True
    """

    runs: Path | None
    _page: LivePage | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def stamp(self) -> str:
        """Changes when a result comes, changes or goes."""
        if self.runs is None or not self.runs.is_dir():
            return "none"
        seen = hashlib.sha256()
        for path in sorted(self.runs.glob(f"*/{RESULT}")):
            try:
                seen.update(f"{path.parent.name} {path.stat().st_mtime_ns}\n".encode())
            except OSError:  # gone in between
                continue
        return seen.hexdigest()[:16]

    def page(self) -> LivePage:
        """The report as it is now."""
        with self._lock:
            stamp = self.stamp()
            if self._page is None or self._page.stamp != stamp:
                runs = self.runs if self.runs is not None and self.runs.is_dir() else None
                self._page = _live(build(runs, TITLE), stamp)
            return self._page


def _live(html: str, stamp: str) -> LivePage:
    """With a way to the playground, a look for news, and a policy that names its script and style by hash."""
    hashes: dict[str, list[str]] = {"script": [], "style": []}
    for kind, content in _INLINE.findall(html):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        hashes[kind].append(f"'sha256-{digest}'")
    policy = (
        f"default-src 'none'; script-src 'self' {' '.join(hashes['script'])}; "
        f"style-src 'self' {' '.join(hashes['style'])}; img-src data:; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )
    html = _META.sub("", html, count=1)
    html = html.replace("</nav>", f"{PLAYGROUND}\n</nav>", 1)
    news = f'<script src="/static/news.js" data-stamp="{stamp}" defer></script>\n</body>'
    return LivePage(html=news.join(html.rsplit("</body>", 1)), policy=policy, stamp=stamp)
