"""Common mistakes of layout: each is reported in plain words at its own place, and the rest stays readable."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.parsing import Broken, parse
from engine.rules import check
from engine.rules.fixes import FixTrial, apply_fixes, safe_fix
from engine.text.spans import Span, apply_edits
from engine.yaml import recovery
from engine.yaml.nodes import NodeTree
from engine.yaml.tree_loader import load
from tests.pieces import pieces, whole_text
from tests.thoroughness import tried

# Common mistakes of layout: each is reported in plain words at its own place, and the rest stays readable


def test_paths_in_place_of_or_keep_the_ends_of_lines() -> None:
    text = "- id: b\r\n  should:\r\n    - s\r\n    - OR\r\n    - t\r\n"
    fixes = [fix for each in check(parse(text)) if each.slug == "or-between-points" for fix in each.fixes]
    assert apply_edits(text, fixes[0].edits) == "- id: b\r\n  should:\r\n    - - s\r\n    - - t\r\n"


# A quotation mark that is never closed is named at its line, and its fix keeps the text that was meant


HEAD = "- id: a\n  prompt: What is due?\n  should:\n"
IN_SPOILT_LIST = f'{HEAD}    • Names the date\n    - "Says that it is due\n    - Names the office\n'


def test_each_slip_in_a_spoilt_list_offers_the_fix_of_the_list() -> None:
    found = [one for one in check(parse(IN_SPOILT_LIST)) if one.slug == "rubric-not-a-list"]
    assert [fix.title for one in found for fix in one.fixes] == ["write `-`", "correct the whole list"]
    assert found[0].fixes[0].edits == found[1].fixes[0].edits


# What is remembered of broken pieces changes nothing but the time, and the lines of errors hide what is on them


TEXTS = st.lists(st.sampled_from(pieces("lines of a broken blueprint")), min_size=1, max_size=25).map("\n".join)
BROKEN = whole_text("broken.yml")


def read_afresh(text: str) -> NodeTree:
    recovery._remembered.cache_clear()  # pyright: ignore[reportPrivateUsage]
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
    anew: list[str] = []
    find = recovery._found  # pyright: ignore[reportPrivateUsage]

    def noted(text: str, *rest: object) -> object:
        anew.append(text)
        return find(text, *rest)  # pyright: ignore[reportArgumentType]

    recovery._remembered.cache_clear()  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(recovery, "_found", noted)
    return anew


def test_a_change_to_one_prompt_leaves_the_slips_of_the_others_known(monkeypatch: pytest.MonkeyPatch) -> None:
    load(BROKEN)
    found = found_anew(monkeypatch)
    load(BROKEN)
    assert len(found) > 2
    found.clear()
    load(BROKEN.replace("x: y", "x: yy"))
    assert found != []
    assert all("yy" in piece for piece in found)


def test_trying_the_fixes_of_a_text_finds_few_slips_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    found = found_anew(monkeypatch)
    apply_fixes(FixTrial(BROKEN), safe_fix)
    assert len(found) == len(set(found))


@given(TEXTS, st.integers(0, 300), st.integers(0, 40))
@settings(max_examples=tried(30, 1_000), deadline=None)
def test_what_is_on_a_line_of_an_error_is_hidden(text: str, start: int, length: int) -> None:
    lines, span = parse(text).broken.lines, Span(start, start + length)
    assert all(one.end < other.start for one, other in pairwise(lines))
    expected = any(line.start <= span.end and span.start <= line.end for line in lines)
    assert Broken(lines=lines).hides(span) is expected
