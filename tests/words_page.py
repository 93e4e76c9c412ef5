"""Write `docs/words.md` from the table of words: `python -m tests.words_page`."""

from __future__ import annotations

from pathlib import Path

from engine.glossary import page

PAGE = Path(__file__).parents[1] / "docs" / "words.md"

if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
