"""Sections of a mapping that cannot be read, found by its lines alone: its keys, and the list items under a key."""

from __future__ import annotations

import re

from engine.text import Span

_KEY = r"^[A-Za-z_$][^\s:#'\"]*[ \t]*:"
_KEY_LINE = re.compile(rf"{_KEY}(?=[ \t\r\n]|\Z)", re.MULTILINE)
_LIST = re.compile(rf"{_KEY}(?:[ \t]*(?:#[^\n]*)?\r?\n)+(?P<item>(?P<indent> *)-[ \t\r\n])", re.MULTILINE)


def sections(text: str, piece: Span) -> list[Span]:
    """`piece` split at each key that begins a line; the first section reaches to the second key."""
    starts = [found.start() for found in _KEY_LINE.finditer(text, piece.start, piece.end)][1:]
    return list(map(Span, [piece.start, *starts], [*starts, piece.end]))


def list_items(text: str, section: Span) -> list[Span]:
    """The part before the list, and each item, of a section that is a key with a list below it; else nothing."""
    found = _LIST.search(text, section.start, section.end)
    if found is None:
        return []
    item = re.compile(rf"^{found['indent']}-(?=[ \t\r\n])", re.MULTILINE)
    starts = [each.start() for each in item.finditer(text, found.start("item"), section.end)]
    return list(map(Span, [section.start, *starts], [*starts, section.end]))
