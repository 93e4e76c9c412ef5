"""What there is to know of the check that is written at a place: a few lines for a hover, or its whole page."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

from studio.checking import Analysis

if TYPE_CHECKING:
    from engine.blueprint import FunctionCall
    from studio.dialogs.page import Page

_PAGE_INDENT = "    "


def call_at(analysis: Analysis, offset: int) -> FunctionCall | None:
    """The check whose first line holds `offset`."""
    prompt = analysis.prompt_at(offset)
    text = analysis.parsed.text
    for point in prompt.points() if prompt is not None else ():
        if point.function is not None and point.span.start <= offset <= point.span.end:
            return None if "\n" in text[point.span.start : offset] else point.function
    return None


def in_short(call: FunctionCall) -> str | None:
    """What the function of `call` does and takes, and what of it is worth knowing here; None where there is none."""
    from engine.functions import find
    from engine.functions.remarks import remarks

    function = find(call.name)
    if function is None:
        return None
    return "\n".join((f"${call.name}: {function.argument}", function.summary, *remarks(call)))


def page_of(call: FunctionCall) -> Page | None:
    """The page of the function of `call`, as a dialog; None where there is no such function."""
    from engine.functions import find
    from engine.functions.pages import page
    from studio.dialogs.page import Page

    function = find(call.name)
    if function is None:
        return None
    title, _, rest = page(function).partition("\n")
    return Page(title, "", indent(rest.strip("\n"), _PAGE_INDENT), "")
