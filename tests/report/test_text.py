from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from longreach.config.encoding_table import ENCODINGS
from longreach.report.text import encoding_note, encoding_title, percent, sentence_case, slugs


@given(st.lists(st.text(max_size=60), unique=True, max_size=8))
def test_links_are_plain_and_different(names: list[str]) -> None:
    found = slugs(names)
    assert len(set(found.values())) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]+", slug) for slug in found.values())


@given(st.floats(0, 1))
def test_only_all_is_a_hundred_per_cent(share: float) -> None:
    assert (percent(share) == "100\u00a0%") == (share == 1)
    assert (percent(share) == "0\u00a0%") == (share == 0)
    assert not percent(share).startswith(("100.0", "0.0"))


def test_every_encoding_has_words() -> None:
    for name in ENCODINGS:
        assert encoding_title(name) != name
        assert encoding_note(name) in encoding_title(name)
    assert encoding_note("mine") == ""


@given(st.text())
def test_a_sentence_keeps_all_but_its_first_letter(text: str) -> None:
    assert sentence_case(text).endswith(text[1:])
