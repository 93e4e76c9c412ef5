"""Diagnostics of a text that holds a key do not repeat it (DESIGN, law 7)."""

from __future__ import annotations

from functools import reduce

from engine.diagnostics import Diagnostic, Fix
from engine.record import replace

SECRET_IN_FILE = "secret-in-file"


def with_masked_keys(found: list[Diagnostic], text: str) -> list[Diagnostic]:
    """`found`, with stars for the keys that are reported among it, and without fixes that write one of them."""
    written = {each.span.of(text) for each in found if each.slug == SECRET_IN_FILE}
    if not written:
        return found
    from engine.models.secret import Secret  # only where a file holds one

    keys = [Secret(each) for each in written]

    def masked(line: str) -> str:
        return reduce(lambda text, key: key.scrub_parts(text), keys, line)

    return [
        replace(
            each,
            message=masked(each.message),
            why=masked(each.why),
            related=tuple(replace(one, message=masked(one.message)) for one in each.related),
            fixes=tuple(fix for fix in each.fixes if masked(said := _said_by(fix)) == said),
        )
        for each in found
    ]


def _said_by(fix: Fix) -> str:
    return " ".join((fix.title, *(edit.text for edit in fix.edits)))
