"""The report in a real browser. `make test-all` sees to it that there is one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

import pytest

from longreach.answers.ask import Block, Line
from longreach.report.pages import render_answer_page
from longreach.report.render import build
from tests.helpers.chromium import Tab, missing, started
from tests.helpers.report_samples import hostile, several

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LACKS = missing()
pytestmark = pytest.mark.skipif(LACKS is not None, reason=f"left out: {LACKS} (make test-all)")

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
def answer(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of one task, with a sweep of training lengths."""
    runs = tmp_path_factory.mktemp("answer")
    for last in (8, 12, 16, 20):
        for encoding, share in (("nope", 0.0), ("ape", 1.0)):
            several(runs, "aa", encoding, share, share / 2, train_lengths=[1, last])
    line = Line("with learned positions (APE)", "expected to work", "program, proved for all lengths")
    blocks = [Block("Will it work on inputs longer than it was trained on?", (line,) * 3)] * 3
    path = runs / "answer.html"
    page = render_answer_page("(aa)*", "even", blocks=blocks, judgement="Agrees.", task="aa", runs=runs)
    path.write_text(page, encoding="utf-8")
    return path.as_uri()


class Opener(Protocol):
    def __call__(
        self,
        width: int = DESK,
        *,
        dark: bool = False,
        page: str = "",
        scripts: bool = True,
        file: str | None = None,
    ) -> Tab: ...


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as found:
        yield found


@pytest.fixture
def opened(browser: Browser, address: str) -> Iterator[Opener]:
    """Opens the report, as a reader with such a window would."""
    tabs: list[Tab] = []

    def open_tab(
        width: int = DESK,
        *,
        dark: bool = False,
        page: str = "",
        scripts: bool = True,
        file: str | None = None,
    ) -> Tab:
        tab = Tab(browser, width, dark=dark, scripts=scripts)
        tabs.append(tab)
        tab.open((file or address) + page)
        return tab

    yield open_tab
    for tab in tabs:
        tab.close()


def go(tab: Tab, page: str) -> None:
    """Change the address within the page, and wait until the page has seen it."""
    seen = "addEventListener('hashchange', () => done(), {once: true})"
    tab.evaluate(f"new Promise(done => {{ {seen}; location.hash = {page!r}; }})")


def test_nothing_is_asked_for_but_the_file_and_nothing_complains(opened: Opener, address: str) -> None:
    tab = opened()
    for page in ("#task-aa", "#task-parity", "#disagreements", "#overview"):
        go(tab, page)
        assert tab.evaluate(WIDER) == 0
    assert tab.evaluate("typeof window.evil") == "undefined"
    assert tab.requests == [address]
    assert tab.complaints == []


def test_the_policy_lets_no_request_out(opened: Opener) -> None:
    tab = opened()
    refused = "fetch('http://127.0.0.1:9/x').then(() => 'sent', () => 'refused')"
    assert tab.evaluate(refused) == "refused"
    assert any("Content Security Policy" in complaint for complaint in tab.complaints)


def test_key_elements_are_visible(opened: Opener) -> None:
    tab = opened()
    for selector in ("#finding", ".legend", ".matrix", ".multiple svg.panel", "#damaged", "#unfinished"):
        assert tab.evaluate(f"document.querySelector({selector!r}).checkVisibility()"), selector
    assert tab.evaluate("document.querySelectorAll('.matrix tbody tr[data-task]').length") >= 25
    size = tab.evaluate("document.querySelector('.multiple svg').getBoundingClientRect().width")
    assert size > 150
    link = "document.querySelector('.matrix a[href=\"#task-aa\"]')"
    seen = "addEventListener('hashchange', () => done(), {once: true})"
    tab.evaluate(f"new Promise(done => {{ {seen}; {link}.click(); }})")
    assert tab.evaluate(SHOWN) == ["task-aa"]
    inside = "document.querySelector('#task-aa {}').checkVisibility()"
    for selector in (
        ".answer.ape",
        "svg.panel",
        ".card.ape > pre",
        "svg.automaton",
        "svg.curves",
        "table.runs",
    ):
        assert tab.evaluate(inside.replace("{}", selector)), selector


def box(tab: Tab, selector: str) -> dict[str, float]:
    """Where an element stands in the window."""
    found: dict[str, float] = tab.evaluate(
        f"document.querySelector({selector!r}).getBoundingClientRect().toJSON()"
    )
    return found


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_the_first_view_has_the_finding_the_legend_and_charts(opened: Opener, width: int) -> None:
    tab = opened(width)
    for selector in ("#finding", ".legend", ".multiple svg.panel"):
        place = box(tab, selector)
        assert place["top"] >= 0, selector
        assert place["bottom"] <= 900, selector
        assert 0 <= place["left"] < place["right"] <= width, selector


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_the_legend_stays_in_sight(opened: Opener, width: int) -> None:
    tab = opened(width)
    tab.evaluate("[...document.querySelectorAll('.figure > .multiples > *')].at(-1).scrollIntoView()")
    place = box(tab, ".legend")
    assert 0 <= place["top"] < place["bottom"] < 200


def test_the_counts_of_the_matrix_are_seen_on_a_phone_without_moving_sideways(opened: Opener) -> None:
    tab = opened(PHONE)
    found = "[...document.querySelectorAll('.matrix .found strong')]"
    sides = tab.evaluate(f"{found}.map(one => one.getBoundingClientRect()).map(r => [r.left, r.right])")
    assert len(sides) > 5
    assert all(0 <= left < right <= PHONE for left, right in sides)
    inner = "document.querySelector('.scroll.wide')"
    assert tab.evaluate(f"{inner}.scrollWidth - {inner}.clientWidth") == 0


@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("page", ["", "#task-aa"])
def test_names_below_charts_stand_apart_and_are_not_tiny(opened: Opener, width: int, page: str) -> None:
    tab = opened(width, page=page)
    overlaps = """
    [...document.querySelectorAll('.page.shown svg.panel')].filter(one => one.checkVisibility()).map(one => {
      const boxes = [...one.querySelectorAll('.tick.x')].map(tick => tick.getBoundingClientRect());
      const ticks = [...one.querySelectorAll('.tick')].map(tick => tick.getBoundingClientRect());
      const height = Math.min(...ticks.map(box => box.height));
      const apart = boxes.slice(1).every((box, k) => boxes[k].right <= box.left);
      return [apart, height];
    })
    """
    found = tab.evaluate(overlaps)
    assert found
    assert all(apart for apart, _ in found)
    assert min(height for _, height in found) >= 11


def test_pages_follow_the_address(opened: Opener) -> None:
    tab = opened(page="#task-parity")
    assert tab.evaluate(SHOWN) == ["task-parity"]
    assert tab.evaluate("document.title") == "parity – longreach report"
    go(tab, "#matrix")
    assert tab.evaluate(SHOWN) == ["overview"]
    assert tab.evaluate("document.title") == "longreach report"
    go(tab, "#%zz")
    assert tab.evaluate(SHOWN) == ["overview"]
    assert tab.complaints == []


def test_without_scripts_all_pages_stand_one_below_the_other(opened: Opener) -> None:
    tab = opened(scripts=False)
    # The tools look into the page whether or not it may run scripts itself.
    assert len(tab.evaluate(SHOWN)) > 25
    assert not tab.evaluate("document.querySelector('.filter').checkVisibility()")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_button_switches_the_theme(opened: Opener, dark: bool) -> None:
    tab = opened(dark=dark)
    ground = "getComputedStyle(document.body).backgroundColor"
    label = "document.getElementById('toggle').textContent"
    before = tab.evaluate(ground)
    assert tab.evaluate(label) == ("Light" if dark else "Dark")
    tab.evaluate("document.getElementById('toggle').click()")
    assert tab.evaluate(ground) != before
    assert tab.evaluate(label) == ("Dark" if dark else "Light")
    tab.evaluate("document.getElementById('toggle').click()")
    assert tab.evaluate(ground) == before


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_stands_out_from_its_ground(opened: Opener, dark: bool) -> None:
    tab = opened(dark=dark)
    tab.evaluate("document.querySelectorAll('.page').forEach(page => page.classList.add('shown'))")
    tab.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert tab.evaluate(CONTRASTS) == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_prints_all_pages_dark_on_light(opened: Opener, dark: bool) -> None:
    tab = opened(dark=dark)
    if dark:
        tab.evaluate("document.documentElement.dataset.theme = 'dark'")
    tab.page.emulate_media(media="print")
    assert len(tab.evaluate(SHOWN)) > 25
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.evaluate(CONTRASTS) == []
    assert not tab.evaluate("document.querySelector('.filter').checkVisibility()")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_the_page_of_an_answer_holds_the_same(opened: Opener, answer: str, width: int, dark: bool) -> None:
    tab = opened(width, dark=dark, file=answer)
    assert box(tab, ".question dd strong")["bottom"] < 900
    assert len(tab.evaluate("[...document.querySelectorAll('.several svg.panel')].map(one => 0)")) == 4
    tab.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert tab.evaluate(WIDER) == 0
    assert tab.evaluate(CONTRASTS) == []
    assert tab.requests == [answer]
    assert tab.complaints == []


@pytest.mark.parametrize("page", ["", "#task-aa", "#task-parity", "#task-sort", "#task-copy-unique"])
def test_a_phone_need_not_scroll_sideways(opened: Opener, page: str) -> None:
    tab = opened(PHONE, page=page)
    tab.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert tab.evaluate(WIDER) == 0


def test_the_filter_keeps_what_is_asked_for(opened: Opener) -> None:
    tab = opened()
    found = "[...document.querySelectorAll('.matrix [data-task]')]"
    rows = f"{found}.filter(row => row.checkVisibility()).map(row => row.dataset.task)"
    tab.evaluate("filter = document.getElementById('filter'); filter.value = 'TOMITA-4'; 0")
    tab.evaluate("filter.dispatchEvent(new Event('input'))")
    assert tab.evaluate(rows) == ["tomita-4 Tomita 4"]
    tab.evaluate("filter.value = ''; which = document.getElementById('which'); which.value = 'measured'; 0")
    tab.evaluate("which.dispatchEvent(new Event('change'))")
    shown = tab.evaluate(rows)
    assert {"aa (aa)*", "parity parity", "sort sort"} <= set(shown)
    assert "tomita-4 Tomita 4" not in shown


def test_a_chart_tells_its_numbers_under_the_pointer(opened: Opener) -> None:
    tab = opened(page="#task-aa")
    tab.evaluate("dot = document.querySelector('#task-aa .target'); dot.scrollIntoView({block: 'center'})")
    # The event of the scroll, which hides the tip, comes with one of the next frames.
    frame = "requestAnimationFrame"
    tab.evaluate(f"new Promise(done => {frame}(() => {frame}(() => {frame}(() => done()))))")
    box = tab.evaluate("dot.getBoundingClientRect().toJSON()")
    seen = "addEventListener('pointerover', () => setTimeout(done), {once: true})"
    tab.evaluate(f"over = new Promise(done => {{ {seen} }}); 0")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.page.mouse.move(x, y)
    tab.evaluate("over.then(() => 0)")
    tip = "document.querySelector('.tip-box')"
    assert tab.evaluate(f"{tip}.checkVisibility()")
    assert "lengths" in tab.evaluate(f"{tip}.textContent")
