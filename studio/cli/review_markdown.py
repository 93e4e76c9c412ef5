"""A review as Markdown, with suggestions to paste into the review of a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from engine.report.blocks import fence_of, inline
from engine.report.review_findings import Suggestion
from engine.text.spans import visible
from studio.cli.checked_file import sentences
from studio.cli.review_page import Review
from studio.cli.review_text import sections, summary


def as_markdown(review: Review) -> str:
    """The page of one blueprint; nothing in its texts is read as Markdown."""
    return "\n\n".join(_blocks(review)) + "\n"


def _blocks(review: Review) -> Iterator[str]:
    yield f"# Review of {inline(str(review.path))}"
    yield inline(summary(review))
    for title, lines in sections(review):
        yield f"## {title}"
        yield "\n".join(f"- {inline(line)}" for line in lines)
    yield "## Suggestions"
    if not review.suggestions:
        yield "none"
    for suggestion in review.suggestions:
        yield from _suggestion(suggestion)


def _suggestion(suggestion: Suggestion) -> Iterator[str]:
    """A comment on its lines: the reason, and a block that the reviewed author can accept."""
    lines = f"Line {suggestion.first}" if suggestion.first == suggestion.last else (
        f"Lines {suggestion.first}–{suggestion.last}"
    )  # fmt: skip
    yield f"### {lines}"
    yield inline(sentences(suggestion.diagnostic))
    if suggestion.lines is not None:
        yield inline(f"{suggestion.title[:1].upper()}{suggestion.title[1:]}:")
        text = "\n".join(suggestion.lines)
        fence = fence_of(text)
        if visible(text) == text:
            yield f"{fence}suggestion\n{text}\n{fence}" if text else f"{fence}suggestion\n{fence}"
        else:
            yield "The lines hold characters that are not drawn, so no block to accept can show them."
