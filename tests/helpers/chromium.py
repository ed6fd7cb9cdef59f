"""A page in the system's Chromium, through Playwright; nothing fetches a browser of its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 180_000.0  # milliseconds; a loaded machine starts a browser slowly
OPTIONS = (
    "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


def missing() -> str | None:
    """What a test in a browser lacks on this machine, if anything."""
    try:
        import playwright  # noqa: F401
    except ModuleNotFoundError:
        return "needs the extra 'browser'"
    return None if _program() else "needs Chromium"


def _program() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name)) is not None), None)


@contextmanager
def started() -> Iterator[Browser]:
    """The system's browser, without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=_program(), args=list(OPTIONS), timeout=PATIENCE, headless=True
        )
        try:
            yield browser
        finally:
            browser.close()


class Tab:
    """A page with the width and theme that a reader has; `complaints` and `requests` keep what it does."""

    def __init__(self, browser: Browser, width: int, *, dark: bool = False, scripts: bool = True) -> None:
        self._context = browser.new_context(
            viewport={"width": width, "height": 900},
            is_mobile=width < 500,
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
        )
        self._context.set_default_timeout(PATIENCE)
        self.page: Page = self._context.new_page()
        self.complaints: list[str] = []
        """Errors and warnings of the page, on its console or thrown."""
        self.requests: list[str] = []
        """The addresses that the page asked for."""
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            self.complaints.append(f"{message.type}: {message.text}")

    def open(self, address: str) -> None:
        """Load a page to its end."""
        self.page.goto(address)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page."""
        return self.page.evaluate(expression)

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """A picture of the window, or of the whole page."""
        self.page.screenshot(path=path, full_page=whole)

    def close(self) -> None:
        self._context.close()
