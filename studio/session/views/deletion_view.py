"""The view of a deletion test: what it found, and where its sentences are written."""

from __future__ import annotations

from engine.blueprint import Blueprint, Prompt
from engine.deletion_test import DeletionTest
from engine.record import Record
from engine.rules.source.node_search import mapping_at, value_of
from engine.text import Span
from studio.session.analysis import Analysis

_KNOWN_BY = 40
"""How many characters of a sentence find its place in the source."""


class DeletionView(Record):
    """The deletion test of `prompt`. `places` are where its sentences stand in the text at `revision`."""

    name: str
    blueprint: Blueprint
    prompt: Prompt
    test: DeletionTest
    places: tuple[Span, ...]
    revision: int


def deletion_view(analysis: Analysis, prompt: Prompt, test: DeletionTest) -> DeletionView:
    """The view of the deletion test of `prompt`. A sentence that is escaped in the source is placed at the ideal."""
    text = analysis.parsed.text
    value = value_of(mapping_at(analysis.parsed.tree, prompt.span), "ideal")
    within = prompt.span if value is None else value.span
    places: list[Span] = []
    start = within.start
    for deletion in test.deletions:
        begin = deletion.text.splitlines()[0][:_KNOWN_BY]
        at = text.find(begin, start, within.end)
        start = max(at + len(begin), start)
        places.append(Span(at, at + len(begin)) if at >= 0 else Span(within.start, within.start))
    name = " ".join(prompt.id.split())
    return DeletionView(name, analysis.blueprint, prompt, test, tuple(places), analysis.revision)
