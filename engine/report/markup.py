"""HTML as values: a text becomes HTML only by escaping, so nothing that a report shows can be markup."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Literal, TypeAlias

from engine.record import Record
from engine.text import visible

Name: TypeAlias = Literal[
    "a", "article", "caption", "code", "dd", "details", "div", "dl", "dt", "footer", "h1", "h2", "h3", "header", "li",
    "main", "mark", "nav", "ol", "p", "section", "small", "span", "strong", "summary", "sup", "table", "tbody", "td",
    "th", "thead", "tr", "ul",
]  # fmt: skip
"""The elements of a report. None of them loads or runs anything."""


class Markup(Record):
    """Safe HTML. Only `element` and `joined` make it."""

    html: str


Child: TypeAlias = "Markup | str"


def element(
    name: Name,
    *children: Child,
    style: str = "",
    anchor: str = "",
    to: str = "",
    is_open: bool = False,
    is_text: bool = False,
    scope: str = "",
) -> Markup:
    """An element. Texts among `children` are escaped, and hidden characters in them made visible.

    `style` is its class, `anchor` its id, `to` the id that a link of this page leads to. `is_text`: it holds a text
    from elsewhere, which has its own direction and keeps its line breaks.
    """
    attributes = {
        "class": " ".join(part for part in (style, "text" if is_text else "") if part),
        "id": anchor,
        "href": f"#{to}" if to else "",
        "scope": scope,
        "dir": "auto" if is_text else "",
    }
    written = "".join(f' {key}="{html.escape(value)}"' for key, value in attributes.items() if value)
    flag = " open" if is_open else ""
    return Markup(f"<{name}{written}{flag}>{joined(children).html}</{name}>")


def joined(children: Iterable[Child]) -> Markup:
    """The children one after the other."""
    return Markup("".join(each.html if isinstance(each, Markup) else escaped(each) for each in children))


def escaped(text: str) -> str:
    """`text` as HTML that shows just it."""
    return html.escape(visible(text))
