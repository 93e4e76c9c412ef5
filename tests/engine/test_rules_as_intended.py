"""The edit that says of a problem that it is as intended: a comment that silences its rule."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.parsing import parse, weval_config
from engine.rules import Checker, check
from engine.rules.suppression import as_intended, suppressing_edit
from engine.text.spans import apply_edits
from tests.engine.suppressed import HEAD, QUOTED, told
from tests.thoroughness import one_in
from tests.world import corpus_files, needs_corpus

EITHER = f"""{HEAD}    - {{text: a, wieght: 2}}
    - |
      Says this
      and that
    - [b, c]
  shuold:
    - d
"""


def silenced(text: str, path: Path | None = None) -> list[tuple[str, str]]:
    """Every problem that stays told after the edit that ought to silence it, with the text that the edit gave."""
    parsed, checker = parse(text, path), Checker()
    left: list[tuple[str, str]] = []
    for one in checker.check(parsed):
        edit = suppressing_edit(parsed.tree, one.span, one.slug)
        if edit is None:
            continue
        after = apply_edits(text, [edit])
        again = parse(after, path)
        moved = one.span.shifted(len(edit.text) if edit.span.start <= one.span.start else 0)
        same = any((found.slug, found.span.start) == (one.slug, moved.start) for found in checker.check(again))
        if same or weval_config(again) != weval_config(parsed) or again.tree.error is not None:
            left.append((one.slug, after))
    return left


@pytest.mark.parametrize(
    ("item", "after"),
    [
        (f"    {QUOTED}\n", f"    {QUOTED} # studio: ignore[quoted-function] as intended\n"),
        (f"    {QUOTED}  # c\n", f"    {QUOTED}  # c # studio: ignore[quoted-function] as intended\n"),
        (
            f'    - y\n    {QUOTED[:-1]}{"x" * 90}"\n',
            f'    - y\n    # studio: ignore[quoted-function] as intended\n    {QUOTED[:-1]}{"x" * 90}"\n',
        ),
        (
            "    - |\n      $contains: 'a'\n    - y\n",
            "    - | # studio: ignore[quoted-function] as intended\n      $contains: 'a'\n    - y\n",
        ),
        (
            "    - \"$contains:\n      'a'\"\n",
            "    # studio: ignore[quoted-function] as intended\n    - \"$contains:\n      'a'\"\n",
        ),
        (
            "    - $contains:x\n      and more\n",
            "    # studio: ignore[quoted-function] as intended\n    - $contains:x\n      and more\n",
        ),
    ],
)
def test_the_comment_goes_to_the_end_of_the_line_or_above_the_item(item: str, after: str) -> None:
    text = HEAD + item
    found = next(one for one in told(text) if one.slug == "quoted-function")
    edit = suppressing_edit(parse(text).tree, found.span, found.slug)
    assert edit is not None
    assert apply_edits(text, [edit]) == HEAD + after


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "text",
    [
        EITHER,
        f"{HEAD}    {QUOTED}\n    - y\n",
        "- {id: p, prompt: q, should: [\"$contains: 'x'\", y], wieght: 1}\n",
        "- {id: p, prompt: q,\n   should: [\"$contains: 'x'\",\n            \"$contains: 'y'\"\n           ]}\n",
        f"{HEAD}    - - a\n    - - b\n    - c\n",
        f"{HEAD}    - |+\n      $contains: 'x'\n\n\n    {QUOTED}\n",
        f"{HEAD}    - >-\n      $contains:\n      'x'\n",
        "title: t\nwieght: 3\n---\n- id: p\n  prompt: q\n  should: x\n",
        f"{HEAD}    - {{point: {'long ' * 30}, weight: 20}}\n",
        f"{HEAD}    - point: {'long ' * 30}\n      weight: 20\n",
        "- id: p\n  prompt: q\n",
    ],
)
def test_after_the_edit_the_problem_is_gone_and_nothing_else_means_another_thing(text: str, newline: str) -> None:
    text = text.replace("\n", newline)
    assert told(text)
    assert silenced(text) == []


POINTS = st.sampled_from(
    [
        QUOTED,
        "- 42",
        "- $contains:x",
        "- |\n      $contains: 'a'",
        "- \"$contains:\n      'a'\"",
        "- {point: x, weight: 20} # why",
        "- [a]",
        "- - a\n      - b",
        "- $icontians: x",
        "- ['contains', \"x\"]",
        "- point: >\n        text\n      wieght: 1",
        "- " + "word " * 25 + "\n      $x",
        "-   # a remark\n      $100 is named",
    ]
)


@given(st.lists(POINTS, min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\n\n"]))
def test_the_edit_holds_for_points_of_every_shape(points: list[str], newline: str, between: str) -> None:
    text = HEAD + "".join(f"    {point}\n{between}" for point in points)
    assert silenced(text.replace("\n", newline)) == []


def test_no_edit_is_offered_where_there_is_no_place_for_a_comment() -> None:
    json = parse('{"prompts": [{"id": "a", "prompt": "x", "should": ["$contains: b"]}]}', Path("a.json"))
    assert suppressing_edit(json.tree, check(json)[0].span, "quoted-function") is None
    broken = parse(f"{HEAD}    {QUOTED}\n    - 'x\n")
    assert all(suppressing_edit(broken.tree, one.span, one.slug) is None for one in check(broken))


def test_as_intended_is_never_applied_by_itself() -> None:
    parsed = parse(f"{HEAD}    {QUOTED}\n")
    [fix] = as_intended(parsed.tree, check(parsed)[0].span, "quoted-function")
    assert not fix.safe


@needs_corpus
def test_every_problem_of_the_corpus_can_be_called_intended() -> None:
    files = one_in(4, corpus_files())
    left = [(path.name, *one) for path in files for one in silenced(path.read_text("utf-8"), path)]
    assert Counter((name, slug) for name, slug, _after in left) == Counter()
