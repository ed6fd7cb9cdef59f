"""The playground in a real browser. `make test-all` sees to it that there is one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.helpers.chromium import Tab, missing, started
from tests.helpers.extras import needs
from tests.helpers.live_server import LiveServer, live_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LACKS = missing()
pytestmark = [
    pytest.mark.skipif(LACKS is not None, reason=f"left out: {LACKS} (make test-all)"),
    needs("starlette"),
    needs("uvicorn"),
]
PHONE, DESK = 390, 1280
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    with live_server(tmp_path_factory.mktemp("playground")) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as found:
        yield found


@pytest.mark.parametrize(("width", "dark"), [(DESK, False), (PHONE, True)])
def test_typing_changes_all_that_is_shown(
    browser: Browser, server: LiveServer, width: int, dark: bool
) -> None:
    tab = Tab(browser, width, dark=dark)
    tab.open(f"{server.address}/playground")
    page = tab.page
    page.wait_for_selector("#verdicts .card")
    page.wait_for_selector("#automaton svg")
    page.fill("#text", "(a|b)*bb(a|b)*")
    page.wait_for_selector("#about:has-text('3 states')")
    page.wait_for_selector("#profile svg")
    page.wait_for_selector("#trace table")
    page.fill("#word", "abba")
    page.wait_for_selector("#trace thead tr:last-child th:nth-child(5):last-child")
    page.wait_for_selector("#attention svg, #attention-note:not(:empty)")
    assert "text=%28a%7Cb%29*bb%28a%7Cb%29*" in page.url
    assert tab.evaluate(WIDER) == 0
    assert tab.complaints == []
    assert all(address.startswith((server.address, "data:")) for address in tab.requests)
    tab.close()


def test_a_link_brings_back_what_was_typed_and_errors_are_said(browser: Browser, server: LiveServer) -> None:
    tab = Tab(browser, DESK)
    text = "L%20%3D%20%23%20%22a%22%20%3E%3D%202"
    tab.open(f"{server.address}/playground#kind=program&text={text}&word=aa")
    page = tab.page
    page.wait_for_selector("#trace table")
    assert page.input_value("#text") == 'L = # "a" >= 2'
    assert page.input_value("#word") == "aa"
    page.fill("#text", "L = (")
    page.wait_for_selector("#complaint:not([hidden])")
    assert page.get_attribute("#text", "aria-invalid") == "true"
    page.fill("#text", '#alphabet < > " \nL = # "<" >= 1')  # markup in letters stays text
    page.wait_for_selector("#complaint[hidden]", state="attached")
    assert page.evaluate("document.querySelectorAll('main script').length") == 0
    tab.close()


@pytest.mark.slow
def test_a_training_is_followed_and_can_be_cancelled(browser: Browser, server: LiveServer) -> None:
    tab = Tab(browser, PHONE)
    tab.open(f"{server.address}/playground#kind=regex&text=(ab)*")
    page = tab.page
    page.wait_for_selector("#verdicts .card")
    page.fill("#minutes", "99")
    page.click("#train")
    page.wait_for_selector("#training-state:has-text('a number from')")
    assert page.is_hidden("#cancel")
    page.fill("#minutes", "1")
    page.click("#train")
    page.wait_for_selector("#training-state:has-text('runs done')", timeout=120_000)
    page.click("#cancel")
    page.wait_for_selector("#training-state:has-text('cancelled')", timeout=60_000)
    assert page.is_hidden("#cancel")
    assert tab.evaluate(WIDER) == 0
    tab.close()


def test_a_server_that_is_gone_is_said(browser: Browser, tmp_path: Path) -> None:
    with live_server(tmp_path) as own:
        tab = Tab(browser, DESK)
        tab.open(f"{own.address}/playground")
        tab.page.wait_for_selector("#verdicts .card")
    tab.page.fill("#text", "(ab)*")
    tab.page.wait_for_selector("#complaint:has-text('the server does not answer')")
    tab.close()


def test_it_can_be_used_with_the_keyboard(browser: Browser, server: LiveServer) -> None:
    tab = Tab(browser, DESK)
    tab.open(f"{server.address}/playground")
    page = tab.page
    page.wait_for_selector("#verdicts .card")
    reached = set()
    for _ in range(24):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
    assert {"alphabet", "share", "train", "minutes"} <= reached
    named = page.evaluate(
        "[...document.querySelectorAll('input,textarea,select')].every(e => e.labels.length || e.ariaLabel)"
    )
    assert named
    tab.close()
