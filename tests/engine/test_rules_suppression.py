"""Comments that silence a rule: where they count, and what is said of those that do nothing."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.functions.v8 import JavaScript
from engine.parsing import parse, weval_config
from engine.rules import ALL, Checker, check
from engine.rules.fixes import fix_text
from engine.rules.selection import RuleSelection
from engine.rules.suppression import as_intended, suppressing_edit, suppressions
from engine.text.diagnostics import Diagnostic
from engine.text.spans import LineIndex, apply_edits
from tests.checked_corpus import checked_corpus
from tests.engine.short_cases import assert_says, parsed_case, place
from tests.many_cases import every
from tests.processor_time import costs_less_than
from tests.thoroughness import one_in
from tests.world import corpus_files, needs_corpus

HEAD = "- id: p\n  prompt: q\n  should:\n"
QUOTED = "- \"$contains: 'x'\""


def told(text: str, path: Path | None = None, javascript: JavaScript | None = None) -> list[Diagnostic]:
    return list(check(parse(text, path), javascript))


def slugs(text: str, path: Path | None = None) -> list[str]:
    return [one.slug for one in told(text, path)]


# Comments that silence a rule: where they count, and what is said of those that do nothing


def silenced(javascript: JavaScript, mark: str, text: str) -> Iterator[str]:
    """What the comments of a text silence, what is told all the same, and the comment that would silence that."""
    parsed = parsed_case(mark, text)
    for each in suppressions(parsed.tree):
        yield f"{', '.join(name.text for name in each.names)}: silenced in “{each.span.of(parsed.text)}”"
    for one in check(parsed, javascript):
        yield f"{place(LineIndex(parsed.text), one.span)}: {one.slug}"
        edit = suppressing_edit(parsed.tree, one.span, one.slug)
        after = parsed.text if edit is None else apply_edits(parsed.text, [edit])
        changed = difflib.ndiff(parsed.text.splitlines(), after.splitlines())
        yield from (f"  {line}" for line in changed if line.startswith("+"))


def test_a_comment_silences_as_its_file_says(javascript: JavaScript, pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("suppression_cases.txt"), partial(silenced, javascript), pytestconfig)


# --- A comment that does nothing


def test_a_comment_is_not_called_unused_while_its_rule_takes_no_part() -> None:
    text = f"{HEAD}    - x # studio: ignore[bad-weight] why\n"
    chosen = RuleSelection(select=frozenset({"Y003", "S091"}))
    assert Checker(chosen.rules()).check(parse(text)) == ()


def test_a_rule_that_waits_for_v8_is_not_called_unused_before_it_ran(javascript: JavaScript) -> None:
    idle = parse(f"{HEAD}    - x # studio: ignore[ideal-fails] why\n  ideal: x\n")
    checker = Checker()
    assert checker.check(idle) == ()
    assert [one.slug for one in checker.check(idle, javascript)] == ["unused-suppression"]
    assert [one.slug for one in checker.check(idle)] == ["unused-suppression"]


def test_each_rule_can_be_named_in_a_comment() -> None:
    names = ", ".join(rule.slug for rule in ALL)
    assert "unknown-suppression" not in slugs(f"{HEAD}    - x # studio: ignore[{names}]\n")


# --- A comment on the whole file


@every("comment", ["# studio: ignore-file[x]\n", "# studio: ignore[x]\n", "# studio ignore(x): y\n"])
def test_comments_below_each_other_are_read_in_one_go(comment: str) -> None:
    parsed = parse(HEAD + comment * 2_000 + "    - Says it\n")
    with costs_less_than(1):
        check(parsed)


# Comments that were meant to silence a rule, in a form that does not


def test_it_is_not_fixed_either_where_the_rule_on_comments_does_not_run() -> None:
    text = f"{HEAD}    {QUOTED} # studio ignore[quoted-function]\n"
    assert fix_text(text, None, selection=RuleSelection(select=frozenset({"Y003"}))).text == text


@needs_corpus
def test_no_comment_of_the_corpus_is_malformed() -> None:
    slugs = {one.slug for _, reports in checked_corpus() for one in reports}
    assert "malformed-suppression" not in slugs


FORMS = st.builds(
    "#{}{}{}{}{}{}{}".format,
    st.sampled_from(["", " ", "  "]),
    st.sampled_from(["studio", "Studio", "blueprint-studio"]),
    st.sampled_from([":", " ", ": ", " : ", "："]),
    st.sampled_from(["ignore", "Ignore", "ignored"]),
    st.sampled_from(["[", " [", "(", ": ", " "]),
    st.sampled_from(["quoted-function", "Y003", "quoted-function, bad-weight"]),
    st.sampled_from(["]", ")", "] why", "", " why not"]),
)


@given(FORMS)
def test_a_comment_that_names_a_rule_silences_it_or_is_reported(comment: str) -> None:
    text = f"{HEAD}    {QUOTED} {comment}\n"
    found = slugs(text)
    assert "quoted-function" not in found or {"malformed-suppression", "unknown-suppression"} & set(found)


# The edit that says of a problem that it is as intended: a comment that silences its rule


EITHER = f"""{HEAD}    - {{text: a, wieght: 2}}
    - |
      Says this
      and that
    - [b, c]
  shuold:
    - d
"""


def told_still(text: str, path: Path | None = None) -> list[tuple[str, str]]:
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


@every("newline", ["\n", "\r\n", "\r"])
@every(
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
    assert told_still(text) == []


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
    assert told_still(text.replace("\n", newline)) == []


def test_as_intended_is_never_applied_by_itself() -> None:
    parsed = parse(f"{HEAD}    {QUOTED}\n")
    [fix] = as_intended(parsed.tree, check(parsed)[0].span, "quoted-function")
    assert not fix.safe


@needs_corpus
def test_every_problem_of_the_corpus_can_be_called_intended() -> None:
    files = one_in(40, corpus_files())
    left = [(path.name, *one) for path in files for one in told_still(path.read_text("utf-8"), path)]
    assert Counter((name, slug) for name, slug, _after in left) == Counter()
