"""The report in a real browser. `make test-all` sees to it that there is one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from longreach.report import build
from tests.report.chromium import Chromium, find
from tests.report.samples import hostile

PROGRAM = find()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="left out: needs Chromium (make test-all)")

PHONE, DESK = 390, 1280
SHOWN = "[...document.querySelectorAll('.page')].filter(p => p.checkVisibility()).map(p => p.id)"
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# The luminances of text and ground, as WCAG has them, of all elements that hold text themselves.
CONTRASTS = """
(() => {
  const channel = v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const light = c => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
  const numbers = text => (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const ground = element => {
    for (; element; element = element.parentElement) {
      const found = numbers(getComputedStyle(element).backgroundColor);
      if (found.length === 3 || found[3] > 0) { return found; }
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.checkVisibility() || element.closest("svg, script, style, option")) { continue; }
    const one = light(numbers(getComputedStyle(element).color)), other = light(ground(element));
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5) { poor.push([element.tagName, element.className, contrast]); }
  }
  return poor.slice(0, 5);
})()
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A report of results with all that can be wrong with them."""
    runs = tmp_path_factory.mktemp("browser") / "runs"
    runs.mkdir()
    hostile(runs)
    path = runs.parent / "report.html"
    path.write_text(build(runs), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    assert PROGRAM is not None
    with Chromium(PROGRAM) as found:
        yield found


def opened(
    browser: Chromium, address: str, width: int = DESK, *, dark: bool = False, page: str = ""
) -> Chromium:
    browser.window(width, dark=dark)
    browser.open("about:blank")
    browser.open(address + page)
    return browser


def go(browser: Chromium, page: str) -> None:
    """Change the address within the page, and wait until the page has seen it."""
    seen = "addEventListener('hashchange', () => done(), {once: true})"
    browser.evaluate(f"new Promise(done => {{ {seen}; location.hash = {page!r}; }})")


def test_nothing_is_asked_for_but_the_file_and_nothing_complains(browser: Chromium, address: str) -> None:
    opened(browser, address)
    for page in ("#task-aa", "#task-parity", "#disagreements", "#overview"):
        go(browser, page)
        assert browser.evaluate(WIDER) == 0
    assert browser.evaluate("typeof window.evil") == "undefined"
    assert browser.requests == [address]
    assert browser.complaints == []


def test_the_policy_lets_no_request_out(browser: Chromium, address: str) -> None:
    opened(browser, address)
    refused = "fetch('http://127.0.0.1:9/x').then(() => 'sent', () => 'refused')"
    assert browser.evaluate(refused) == "refused"
    assert any("Content Security Policy" in complaint for complaint in browser.complaints)


def test_key_elements_are_visible(browser: Chromium, address: str) -> None:
    opened(browser, address)
    for selector in (".tiles", ".matrix", ".multiple svg.panel", "#disagreements", "#damaged", "#unfinished"):
        assert browser.evaluate(f"document.querySelector({selector!r}).checkVisibility()"), selector
    assert browser.evaluate("document.querySelectorAll('.matrix tbody tr[data-task]').length") >= 25
    size = browser.evaluate("document.querySelector('.multiple svg').getBoundingClientRect().width")
    assert size > 150
    link = "document.querySelector('.matrix a[href=\"#task-aa\"]')"
    seen = "addEventListener('hashchange', () => done(), {once: true})"
    browser.evaluate(f"new Promise(done => {{ {seen}; {link}.click(); }})")
    assert browser.evaluate(SHOWN) == ["task-aa"]
    inside = "document.querySelector('#task-aa {}').checkVisibility()"
    for selector in (".card.yes > pre", "svg.automaton", "svg.curves", "table.runs"):
        assert browser.evaluate(inside.replace("{}", selector)), selector


def test_pages_follow_the_address(browser: Chromium, address: str) -> None:
    opened(browser, address, page="#task-parity")
    assert browser.evaluate(SHOWN) == ["task-parity"]
    go(browser, "#matrix")
    assert browser.evaluate(SHOWN) == ["overview"]
    go(browser, "#%zz")
    assert browser.evaluate(SHOWN) == ["overview"]
    assert browser.complaints == []


def test_without_scripts_all_pages_stand_one_below_the_other(browser: Chromium, address: str) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        opened(browser, address)
        # The tools look into the page whether or not it may run scripts itself.
        assert len(browser.evaluate(SHOWN)) > 25
        assert not browser.evaluate("document.querySelector('.filter').checkVisibility()")
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_button_switches_the_theme(browser: Chromium, address: str, dark: bool) -> None:
    opened(browser, address, dark=dark)
    browser.evaluate("try { localStorage.clear() } catch (error) { }")
    opened(browser, address, dark=dark)
    ground = "getComputedStyle(document.body).backgroundColor"
    label = "document.getElementById('toggle').textContent"
    before = browser.evaluate(ground)
    assert browser.evaluate(label) == ("Light" if dark else "Dark")
    browser.evaluate("document.getElementById('toggle').click()")
    assert browser.evaluate(ground) != before
    assert browser.evaluate(label) == ("Dark" if dark else "Light")
    browser.evaluate("document.getElementById('toggle').click()")
    assert browser.evaluate(ground) == before


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_stands_out_from_its_ground(browser: Chromium, address: str, dark: bool) -> None:
    opened(browser, address, dark=dark)
    browser.evaluate("document.querySelectorAll('.page').forEach(page => page.classList.add('shown'))")
    browser.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert browser.evaluate(CONTRASTS) == []


@pytest.mark.parametrize("page", ["", "#task-aa", "#task-parity", "#task-sort", "#task-copy-unique"])
def test_a_phone_need_not_scroll_sideways(browser: Chromium, address: str, page: str) -> None:
    opened(browser, address, PHONE, page=page)
    browser.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert browser.evaluate(WIDER) == 0


def test_the_filter_keeps_what_is_asked_for(browser: Chromium, address: str) -> None:
    opened(browser, address)
    found = "[...document.querySelectorAll('.matrix [data-task]')]"
    rows = f"{found}.filter(row => row.checkVisibility()).map(row => row.dataset.task)"
    browser.evaluate("filter = document.getElementById('filter'); filter.value = 'TOMITA-4'; 0")
    browser.evaluate("filter.dispatchEvent(new Event('input'))")
    assert browser.evaluate(rows) == ["tomita-4"]
    browser.evaluate(
        "filter.value = ''; which = document.getElementById('which'); which.value = 'measured'; 0"
    )
    browser.evaluate("which.dispatchEvent(new Event('change'))")
    shown = browser.evaluate(rows)
    assert {"aa", "parity", "sort"} <= set(shown)
    assert "tomita-4" not in shown


def test_a_chart_tells_its_numbers_under_the_pointer(browser: Chromium, address: str) -> None:
    opened(browser, address, page="#task-aa")
    browser.evaluate(
        "dot = document.querySelector('#task-aa .hit .dot'); dot.scrollIntoView({block: 'center'})"
    )
    # The event of the scroll, which hides the tip, comes with one of the next frames.
    frame = "requestAnimationFrame"
    browser.evaluate(f"new Promise(done => {frame}(() => {frame}(() => {frame}(() => done()))))")
    box = browser.evaluate("dot.getBoundingClientRect().toJSON()")
    seen = "addEventListener('pointerover', () => setTimeout(done), {once: true})"
    browser.evaluate(f"over = new Promise(done => {{ {seen} }}); 0")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    browser.evaluate("over.then(() => 0)")
    tip = "document.querySelector('.tip-box')"
    assert browser.evaluate(f"{tip}.checkVisibility()")
    assert "lengths" in browser.evaluate(f"{tip}.textContent")
