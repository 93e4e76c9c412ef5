"""Slips of the hand in a blueprint: each is told in an author's words at its own place, and the rest stays readable."""

from __future__ import annotations

import pytest

from engine.diagnostics import Diagnostic
from engine.text import apply_edits
from engine.yaml_nodes import SequenceNode, load

BEFORE = "title: T\n---\n- id: a\n  prompt: x\n"
AFTER = "\n- id: c\n  prompt: z\n"
NBSP = "\u00a0"


def told(item: str) -> Diagnostic:
    (found,) = load(BEFORE + item + AFTER).diagnostics
    return found


SLIPS = [
    ("- id: b\n  prompt:y\n  should:\n    - s", "prompt:y", "behind the `:` of `prompt` a blank is missing"),
    ("- id:b\n  prompt: y", "id:b", "behind the `:` of `id` a blank is missing"),
    ("- id: b\n  should:\n    - s\n    -t", "-t", "behind the `-` a blank is missing"),
    (f"- id: b\n{NBSP}{NBSP}prompt: y", NBSP, "only looks like a space"),
    (f"- id: b\n  prompt:{NBSP}y\n  ideal: z", NBSP, "only looks like a space"),
    ("\ufeff- id: b\n  prompt: y", "\ufeff", "only looks like a space"),
    ("- id: b\n  should:\n    - s\n   - t", "- t", "in line with nothing above"),
    ("- id: b\n prompt: y", "prompt: y", "in line with nothing above"),
    ("- id: b\n   prompt: y", "prompt: y", "in line with nothing above"),
    ("- id: b\n  prompt: 'y'\n    - s", "- s", "in line with nothing above"),
    ("- id: b\n  should\n    - s: t", "should", "behind `should` a `:` is missing"),
    ("- id: b\n  // note\n  prompt: y", "// note", "begins with `#`"),
    ("- id: b\n  prompt: |\n  Hello you\n  should: [s]", "Hello you", "must be indented deeper"),
    ("- id: b\n  prompt y\n  should: [s]", "prompt y", "no `key: value`"),
    ("- id: b\n  should: [s, t\n  ideal: y", "[s, t", "never closed"),
    ("- id: b\n  should:\n    - {text: s\n    - t", "{text: s", "never closed"),
    ("- id: b\n  should:\n    - & so on", "& so on", "begins with `&`"),
]


@pytest.mark.parametrize(("item", "marked", "words"), SLIPS)
def test_a_slip_is_told_where_it_was_made(item: str, marked: str, words: str) -> None:
    found = told(item)
    assert (found.span.of(BEFORE + item + AFTER), words in found.message) == (marked, True)


@pytest.mark.parametrize("item", [item for item, _, _ in SLIPS])
def test_the_items_around_a_slip_stay_readable(item: str) -> None:
    root = load(BEFORE + item + AFTER).documents[1].root
    assert isinstance(root, SequenceNode)
    assert (root.items[0].span.start, root.items[-1].span.end) == (
        len("title: T\n---\n- "),
        len(BEFORE + item + AFTER) - 1,
    )


@pytest.mark.parametrize("item", [item for item, _, words in SLIPS if "missing" in words or "space" in words][:6])
def test_a_slip_that_can_mean_one_thing_is_mended(item: str) -> None:
    (fix,) = told(item).fixes
    assert (fix.safe, load(apply_edits(BEFORE + item + AFTER, fix.edits)).error) == (True, None)


JARGON = ("token", "mapping", "scalar", "node", "flow", "stream", "directive", "anchor")


@pytest.mark.parametrize("item", [item for item, _, _ in SLIPS])
def test_no_word_of_a_parser_is_said(item: str) -> None:
    assert [word for word in JARGON if word in told(item).message] == []
