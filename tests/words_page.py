"""Write `docs/words.md` from the table of words: `python -m tests.words_page`."""

from __future__ import annotations

from pathlib import Path

from engine.text.glossary import glossary

PAGE = Path(__file__).parents[1] / "docs" / "words.md"


def page() -> str:
    """All words as a table."""
    rows = "".join(f"| *{word.name}* | {word.of} | {word.meaning} |\n" for word in glossary())
    return f"""# Words

These words mean the same everywhere: in the studio, on the command line, in reports and on these pages. `F1` shows
them too.

| word | said of | meaning |
| --- | --- | --- |
{rows}
[Scores](scores.md) explains costs and gains, [Cases](cases.md) what labelled answers show, and
[Judges](judges.md#carried-over-verdicts) verdicts that are carried over.
"""


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
