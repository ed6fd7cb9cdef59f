"""The playground in a real browser. `make test-all` sees to it that there is one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from longreach.report.web.workers import LiveLimits
from tests.helpers.chromium import Tab, missing, started
from tests.helpers.extras import needs
from tests.helpers.live_server import LiveServer, live_server
from tests.helpers.report_samples import several

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LACKS = missing()
pytestmark = [
    pytest.mark.skipif(LACKS is not None, reason=f"left out: {LACKS} (make test-all)"),
    needs("starlette"),
    needs("uvicorn"),
]
PHONE, DESK = 390, 1280
FOCUSED = "document.activeElement.id"
LETTER = "#trace thead tr:last-child th:nth-child(2):text-is('{}')"
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    with live_server(tmp_path_factory.mktemp("playground")) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as found:
        yield found


def opened(browser: Browser, server: LiveServer, fragment: str = "#kind=regex&text=(aa)*") -> Tab:
    """The playground with its first answer."""
    tab = Tab(browser, DESK)
    tab.open(f"{server.address}/playground{fragment}")
    tab.page.wait_for_selector("#verdicts .card")
    return tab


@pytest.mark.parametrize(("width", "dark"), [(DESK, False), (PHONE, True)])
def test_typing_changes_all_that_is_shown(
    browser: Browser, server: LiveServer, width: int, dark: bool
) -> None:
    tab = Tab(browser, width, dark=dark)
    tab.open(f"{server.address}/playground#kind=regex&text=(aa)*")
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
    ticks = tab.evaluate(
        "[...document.querySelectorAll('#profile .tick')].map(e => e.getBoundingClientRect())"
    )
    assert min(tick["height"] for tick in ticks) >= 11
    assert min(tick["x"] for tick in ticks) >= 0
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
    page.wait_for_selector("#said:has-text('a number from')")
    assert page.is_hidden("#training")
    page.fill("#minutes", "1")
    page.click("#train")
    page.wait_for_selector("#training-state:has-text('runs done')", timeout=120_000)
    assert page.text_content("#training h3") == "Training (ab)*"
    assert page.is_disabled("#train")
    page.reload()  # the training goes on and is found again
    page.wait_for_selector("#training-state:has-text('runs done')", timeout=120_000)
    page.focus("#cancel")
    page.keyboard.press("Enter")
    page.wait_for_selector("#training-state:has-text('cancelled')", timeout=60_000)
    assert page.is_hidden("#cancel")
    assert tab.evaluate(FOCUSED) == "train"
    bar = tab.evaluate("document.getElementById('training-bar').value")
    assert bar < tab.evaluate("document.getElementById('training-bar').max")
    said = f"{page.text_content('#training-state')} {page.text_content('#training-answer')}"
    assert "Ctrl-C" not in said
    assert "same command" not in said
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


def test_nothing_typed_is_lost(browser: Browser, server: LiveServer) -> None:
    tab = opened(browser, server)
    page = tab.page
    page.fill("#text", "(ab)*")
    page.wait_for_selector("#about:has-text('words over a b')")
    page.focus("#skip")
    page.keyboard.press("Enter")
    assert tab.evaluate(FOCUSED) == "answer"
    assert page.input_value("#text") == "(ab)*"
    assert "text=%28ab%29*" in page.url
    page.focus("input[value=regex]")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector("#about:has-text('automaton')")
    assert page.input_value("#text").startswith('{"alphabet"')
    page.keyboard.press("ArrowUp")
    assert page.input_value("#text") == "(ab)*"
    tab.close()


def test_a_word_that_does_not_fit_gives_way_and_comes_back(browser: Browser, server: LiveServer) -> None:
    tab = opened(browser, server, "#kind=regex&text=(ab)*&word=abab")
    page = tab.page
    page.wait_for_selector("#accepted:has-text('accepted')")
    page.fill("#text", "(cd)*")
    page.wait_for_selector(LETTER.format("c"))
    assert set(page.input_value("#word")) == {"c", "d"}
    assert page.is_hidden("#word-complaint")
    page.fill("#text", "(ab)*")
    page.wait_for_selector(LETTER.format("a"))
    assert page.input_value("#word") == "abab"
    page.fill("#word", "abx")  # what is wrong leaves nothing of another word behind
    page.wait_for_selector("#word-complaint:not([hidden])")
    assert page.locator("#trace table, #attention svg").count() == 0
    tab.close()


def test_an_empty_field_leaves_nothing_behind(browser: Browser, server: LiveServer) -> None:
    tab = opened(browser, server)
    page = tab.page
    page.wait_for_selector("#trace table")
    page.fill("#text", "(aab)*")
    page.fill("#text", "")
    page.wait_for_selector("#about:has-text('Type something')")
    assert page.locator(".stale, [aria-busy=true], main > section.found:not([hidden])").count() == 0
    assert page.locator("#verdicts .card").count() == 0
    assert page.is_disabled("#train")
    page.fill("#text", "(ab)*")
    page.wait_for_selector("#trace table")
    assert page.is_enabled("#train")
    tab.close()


def test_a_link_carries_the_program_and_an_emptied_word(browser: Browser, server: LiveServer) -> None:
    tab = opened(browser, server, "#kind=constructor&text=(ab)*")  # no kind of ours
    page = tab.page
    page.wait_for_selector("#trace table")
    page.select_option("#side", "ape")
    page.fill("#word", "")
    page.wait_for_selector(LETTER.format("ε"))
    link = page.url
    assert link.endswith("&word=&side=ape")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector(LETTER.format("ε"))
    assert page.input_value("#side") == "ape"
    assert page.input_value("#word") == ""
    assert tab.complaints == []
    tab.close()


def test_what_is_seen_is_also_told(browser: Browser, server: LiveServer) -> None:
    tab = opened(browser, server)
    page = tab.page
    page.wait_for_selector("#announced:has-text('NoPE expected to fail, APE expected to work')")
    page.wait_for_selector("#trace table")
    assert page.locator("[aria-live=polite], [role=alert]").count() == 0
    assert page.locator("#trace td .unseen").first.text_content() in ("true", "false")
    assert page.locator("#trace thead th:not([scope])").count() == 0
    levels = tab.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(e => Number(e.tagName[1]))")
    assert all(after <= before + 1 for before, after in pairwise(levels))
    page.click("#automaton-table summary")
    assert page.locator("#automaton-table tbody tr").count() == 2
    assert page.locator("#automaton svg desc").count() == 1
    page.wait_for_selector("#odds:has-text('not known')")
    page.fill("#text", "(ab|ba)*")
    page.wait_for_selector(".card.ape .odds:has-text('works at')")
    tab.close()


def test_the_page_knows_what_the_server_trains(browser: Browser, tmp_path: Path) -> None:
    for limits, hidden in ((LiveLimits(minutes=1.0), False), (LiveLimits(trainings=0), True)):
        with live_server(tmp_path, limits) as own:
            tab = opened(browser, own)
            tab.page.wait_for_selector("#said:has-text('does not train')" if hidden else "#minutes[max='1']")
            assert tab.page.is_hidden("#train") == hidden
            assert tab.page.input_value("#minutes") == ("2" if hidden else "1")
            tab.close()


def test_new_results_are_said_wherever_the_reader_is(browser: Browser, tmp_path: Path) -> None:
    with live_server(tmp_path) as own:
        tab = Tab(browser, DESK)
        tab.open(own.address)
        tab.evaluate("window.scrollTo(0, 1500)")
        several(tmp_path, "aa", "ape", 1.0, 0.9)
        tab.page.wait_for_selector("#news")
        place = tab.evaluate("document.getElementById('news').getBoundingClientRect()")
        assert tab.evaluate("window.scrollY") > 1000
        assert 0 <= place["y"] < 900
        tab.close()


def test_whoever_comes_first_sees_every_part(browser: Browser, server: LiveServer) -> None:
    """Before anything is typed: odds, words that fool and where they part, a program that attends."""
    tab = Tab(browser, DESK)
    tab.open(f"{server.address}/playground")
    page = tab.page
    for part in (
        ".card.ape .odds:has-text('works at')",
        "#automaton svg .note",
        "#profile svg",
        "#trace td.true",
    ):
        page.wait_for_selector(part)
    page.wait_for_selector("#attention svg")
    words = page.locator("#fooling .pair code").all_text_contents()
    unmarked = tab.evaluate(
        "[...document.querySelectorAll('#fooling .pair code')]"
        ".map(e => [...e.childNodes].map(n => n.tagName === 'B' ? '' : n.textContent).join(''))"
    )
    assert words[0] != words[1]
    assert unmarked[0] == unmarked[1]
    assert page.locator("#fooling .pair .badge").all_text_contents().count("in the language") == 1
    tab.close()


def test_an_error_stands_at_the_field_that_is_wrong(browser: Browser, server: LiveServer) -> None:
    for width in (DESK, PHONE):
        tab = Tab(browser, width)
        tab.open(f"{server.address}/playground#kind=automaton&text=[")
        tab.page.wait_for_selector("#complaint:not([hidden])")
        field, said, examples = (
            tab.evaluate(f"document.querySelector('{each}').getBoundingClientRect()")
            for each in ("#text", "#complaint", "#examples")
        )
        assert field["bottom"] <= said["top"] < field["bottom"] + 30
        assert said["bottom"] <= examples["top"]
        tab.page.click("#examples button:has-text('no b after b')")
        tab.page.wait_for_selector("#about:has-text('3 states')")
        assert tab.page.is_hidden("#complaint")
        assert tab.evaluate(WIDER) == 0
        tab.close()


def test_borders_of_what_can_be_used_stand_out(browser: Browser, server: LiveServer) -> None:
    for dark in (False, True):
        tab = Tab(browser, DESK, dark=dark)
        tab.open(f"{server.address}/playground")
        tab.page.wait_for_selector("#train:enabled")
        filled, page = (
            tab.evaluate(f"getComputedStyle(document.querySelector('{name}')).backgroundColor")
            for name in ("#train", "body")
        )
        assert contrast(filled, page) >= 3, dark
        for selector in ("#text", "#word", "#share"):
            tab.page.wait_for_selector(selector)
            edge, ground = (
                tab.evaluate(f"getComputedStyle(document.querySelector('{selector}')).{name}")
                for name in ("borderTopColor", "backgroundColor")
            )
            assert contrast(edge, ground) >= 3, (selector, dark)
        tab.close()


def contrast(one: str, other: str) -> float:
    """Of two colours, as WCAG has it."""

    def light(colour: str) -> float:
        shares = [int(each) / 255 for each in re.findall(r"\d+", colour)[:3]]
        red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in shares)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


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
