"""The head of each page in docs/studies: what the study is, its command, its time, as the package says them.

`python tools/study_pages.py` writes it anew where a study has changed; what stands below the line in a page
is left alone, and a study without a page gets one.
"""

from __future__ import annotations

from pathlib import Path

from longreach.studies.catalog import every_study
from longreach.studies.study import Study

PAGES = Path(__file__).parent.parent / "docs" / "studies"
LINE = "<!-- Above: tools/study_pages.py. Below: by hand. -->\n"
NO_FIGURE = "There is no figure of ours yet: the study has not been run to its end at the laptop scale.\n"


def head(study: Study) -> str:
    """The part that is not written by hand."""
    about, first = study.about, study.about.split()[0].rstrip(",")
    if first.isalpha():  # not a name such as figure1, nor a formula
        about = about[0].upper() + about[1:]
    return (
        f"# {study.title}\n\n{about}{'' if about.endswith('?') else '.'}\n\n"
        f"```bash\nlongreach study {study.name}\n```\n\n"
        f"- **Source**: {study.source}\n- **Expected time**: {study.time}\n\n{LINE}"
    )


def page(study: Study, before: str) -> str:
    """The page with a head as the study is now; `before` is the page as it was, or nothing."""
    _, _, written = before.partition(LINE)
    return head(study) + (written or f"\n{NO_FIGURE}")


if __name__ == "__main__":
    PAGES.mkdir(exist_ok=True)
    for each in every_study():
        path = PAGES / f"{each.name}.md"
        path.write_text(
            page(each, path.read_text(encoding="utf-8") if path.exists() else ""), encoding="utf-8"
        )
