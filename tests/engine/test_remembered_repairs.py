"""What is remembered of broken pieces changes nothing but the time, and the lines of errors hide what is on them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.parsing import Broken, parse
from engine.rules.fixes import FixTrial, apply_fixes, safe_fix
from engine.text.spans import Span
from engine.yaml import repair
from engine.yaml.nodes import NodeTree
from engine.yaml.tree_loader import load
from tests.thoroughness import tried

LINES = (
    "- id: a",
    "  prompt: Say: it",
    "  should:",
    "    - x: y: z",
    "    - 'open",
    "    • bullet",
    "      weight: 2",
    "\t- tab",
    "  ideal: &k one",
    "  - *k",
    "---",
    "title: a: b",
    "  [1, 2",
    "",
)
TEXTS = st.lists(st.sampled_from(LINES), min_size=1, max_size=25).map("\n".join)
SLIPS = "".join(f"  k{number}: a: b\n   deeper{number}: - c: 'd\n" for number in range(12))
BROKEN = f"title: T\n---\n- id: a\n{SLIPS}- id: b\n  prompt: x: y\n- id: c\n  prompt: [z\n"


def read_afresh(text: str) -> NodeTree:
    repair._remembered.clear()  # pyright: ignore[reportPrivateUsage]
    return load(text)


@settings(max_examples=tried(30, 1_000), deadline=None)
@given(TEXTS)
def test_a_text_that_was_read_before_reads_the_same(text: str) -> None:
    assert read_afresh(text) == load(text)


@settings(max_examples=tried(12, 1_000), deadline=None)
@given(TEXTS)
def test_a_broken_prompt_reads_the_same_at_another_place(text: str) -> None:
    read_afresh(text)
    moved = f"title: T\n---\n- id: first\n  prompt: x\n{text}"
    remembered = load(moved)
    assert remembered == read_afresh(moved)


def found_anew(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pieces whose slips are found from now on, in a list that grows."""
    pieces: list[str] = []
    find = repair._found  # pyright: ignore[reportPrivateUsage]

    def noted(text: str, *rest: object) -> object:
        pieces.append(text)
        return find(text, *rest)  # pyright: ignore[reportArgumentType]

    repair._remembered.clear()  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(repair, "_found", noted)
    return pieces


def test_a_change_to_one_prompt_leaves_the_slips_of_the_others_known(monkeypatch: pytest.MonkeyPatch) -> None:
    load(BROKEN)
    pieces = found_anew(monkeypatch)
    load(BROKEN)
    assert len(pieces) > 2
    pieces.clear()
    load(BROKEN.replace("x: y", "x: yy"))
    assert pieces != []
    assert all("yy" in piece for piece in pieces)


def test_trying_the_fixes_of_a_text_finds_few_slips_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = found_anew(monkeypatch)
    apply_fixes(FixTrial(BROKEN), safe_fix)
    assert len(pieces) == len(set(pieces))


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repair, "_CAPACITY", 3)
    for number in range(10):
        load(f"- id: a{number}\n  prompt: x: y\n- id: b\n")
    assert len(repair._remembered) <= 3  # pyright: ignore[reportPrivateUsage]


@given(TEXTS, st.integers(0, 300), st.integers(0, 40))
@settings(max_examples=tried(30, 1_000), deadline=None)
def test_what_is_on_a_line_of_an_error_is_hidden(text: str, start: int, length: int) -> None:
    lines, span = parse(text).broken.lines, Span(start, start + length)
    assert all(one.end < other.start for one, other in pairwise(lines))
    expected = any(line.start <= span.end and span.start <= line.end for line in lines)
    assert Broken(lines=lines).hides(span) is expected
