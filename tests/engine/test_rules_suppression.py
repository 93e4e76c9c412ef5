"""Comments that silence a rule: where they count, and what is said of those that do nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import ALL, Checker, check
from engine.rules.fixes import fix_text
from engine.rules.selection import RuleSelection
from engine.rules.suppression import suppressions
from engine.text.diagnostics import Severity
from engine.text.spans import apply_edits
from tests.engine.suppressed import BOTH, HEAD, QUOTED, slugs, told
from tests.processor_time import costs_less_than


def test_a_suppression_names_its_rules_and_the_item_that_it_speaks_of() -> None:
    text = "a:\n  # studio: ignore[one, two] because\n  - x\n    y\n  - z\n"
    [found] = suppressions(parse(text).tree)
    assert [(name.text, name.span.of(text)) for name in found.names] == [("one", "one"), ("two", "two")]
    assert found.span.of(text) == "  - x\n    y"
    assert found.comment.of(text) == "# studio: ignore[one, two] because"


def test_two_comments_on_one_line_both_count() -> None:
    text = f"{HEAD}    - x # studio: ignore[one] why # studio: ignore[two] why\n"
    assert [[name.text for name in one.names] for one in suppressions(parse(text).tree)] == [["one"], ["two"]]


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}    - |\n      # studio: ignore[quoted-function] as text\n    {QUOTED}\n",
        f"{HEAD}    - 'say # studio: ignore[quoted-function]'\n    {QUOTED}\n",
        f"{HEAD}    - say#studio:ignore[quoted-function]\n    {QUOTED}\n",
    ],
)
def test_what_only_looks_like_a_comment_silences_nothing(text: str) -> None:
    assert slugs(text) == ["quoted-function"]


def test_a_comment_behind_the_mark_of_a_block_of_text_counts() -> None:
    text = f"{HEAD}    - $matches: | # studio: ignore[bad-regex] an example\n        (\n"
    assert len(suppressions(parse(text).tree)) == 1


def test_json_has_no_comments() -> None:
    text = '{"prompts": [{"id": "a", "prompt": "# studio: ignore[quoted-function]", "should": ["$contains: b"]}]}'
    assert slugs(text, Path("a.json")) == ["quoted-function"]


def test_a_rule_is_silenced_by_its_code_as_well() -> None:
    assert slugs(f"{HEAD}    {QUOTED} # studio: ignore[Y003] an example\n") == []


def test_a_comment_without_a_reason_is_fine() -> None:
    assert slugs(f"{HEAD}    {QUOTED} # studio: ignore[quoted-function]\n") == []


# --- A name that no rule has


def test_an_unknown_name_is_an_error_where_it_stands_with_the_name_that_was_meant() -> None:
    text = f"{HEAD}    {QUOTED} # studio: ignore[quoted-fuction] an example\n"
    found = next(one for one in told(text) if one.slug == "unknown-suppression")
    assert (found.code, found.severity, found.span.of(text)) == ("S090", Severity.ERROR, "quoted-fuction")
    assert "did you mean quoted-function?" in found.message
    assert slugs(apply_edits(text, found.fixes[0].edits)) == []


def test_a_name_that_is_near_to_none_has_no_fix() -> None:
    [found] = told(f"{HEAD}    - x # studio: ignore[zzz] why\n")
    assert (found.slug, found.fixes) == ("unknown-suppression", ())


# --- A comment that does nothing


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    - x # studio: ignore[bad-weight] why\n", "    - x\n"),
        ("    # studio: ignore[bad-weight] why\n    - x\n", "    - x\n"),
        ("    # studio: ignore[bad-weight] why\r\n    - x\r\n", "    - x\r\n"),
        ("    - x # note # studio: ignore[bad-weight]\n", "    - x # note\n"),
        (
            f"    {QUOTED} # studio: ignore[bad-weight, quoted-function] why\n",
            f"    {QUOTED} # studio: ignore[quoted-function] why\n",
        ),
        ("    - x # studio: ignore[]\n", "    - x\n"),
        ("    - x\n# studio: ignore[bad-weight]", "    - x\n"),
    ],
)
def test_what_silences_nothing_is_a_hint_and_its_fix_takes_away_just_that(before: str, after: str) -> None:
    [found] = told(HEAD + before)
    assert (found.code, found.slug, found.severity) == ("S091", "unused-suppression", Severity.HINT)
    assert apply_edits(HEAD + before, found.fixes[0].edits) == HEAD + after
    assert fix_text(HEAD + before, None).text == HEAD + before


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


def test_what_v8_finds_is_silenced_and_the_comment_is_in_use(javascript: JavaScript) -> None:
    text = f"{HEAD}    - $contains: yellow # studio: ignore[ideal-fails] why\n  ideal: The sky is blue.\n"
    assert [one.slug for one in check(parse(text), javascript)] == []


def test_each_rule_can_be_named_in_a_comment() -> None:
    names = ", ".join(rule.slug for rule in ALL)
    assert "unknown-suppression" not in slugs(f"{HEAD}    - x # studio: ignore[{names}]\n")


# --- A comment on the whole file

TOP = "# studio: ignore-file[quoted-function] why\n"


@pytest.mark.parametrize(
    "above",
    [
        TOP,
        f"# A title\n\n  {TOP}",
        f"---\n{TOP}",
        f"--- {TOP}",
        f"%YAML 1.2\n{TOP}---\n",
        f"# A remark {TOP}",
        TOP.replace("quoted-function", "Y003"),
        TOP.replace(" why", ""),
        TOP.replace("quoted-function", "quoted-function, duplicate-prompt-id").replace("q2", "q"),
        TOP.replace("\n", "\r\n"),
    ],
)
def test_a_comment_above_the_content_silences_its_rule_in_the_whole_file(above: str) -> None:
    found = [one.slug for one in told(above + BOTH) if one.slug != "unused-suppression"]
    assert found == []


def test_a_comment_on_the_file_leaves_other_rules_alone() -> None:
    assert slugs(TOP + BOTH.replace("should", "shuold", 1)).count("unknown-key") == 1


def test_a_comment_on_the_file_covers_the_header_and_every_document() -> None:
    text = (
        f"# studio: ignore-file[unknown-key] why\ntitle: T\nauhtor: A\n---\n{BOTH.replace('prompt: q2', 'prmopt: q2')}"
    )
    assert "unknown-key" not in slugs(text)


def test_a_comment_on_the_file_that_silences_nothing_is_a_hint_with_its_removal() -> None:
    [found] = told(f"# studio: ignore-file[bad-weight] why\n{HEAD}    - x\n")
    assert (found.slug, found.severity) == ("unused-suppression", Severity.HINT)
    assert found.message == "unused suppression: bad-weight reports nothing in this file"
    assert (
        apply_edits(f"# studio: ignore-file[bad-weight] why\n{HEAD}    - x\n", found.fixes[0].edits)
        == f"{HEAD}    - x\n"
    )


def test_a_comment_on_the_file_with_a_name_that_no_rule_has_is_an_error() -> None:
    assert "unknown-suppression" in slugs(f"# studio: ignore-file[quoted-fuction] why\n{HEAD}    - x\n")


def test_json_has_no_comment_on_the_file() -> None:
    text = (
        '{"title": "# studio: ignore-file[quoted-function]", "prompts": [{"prompt": "x", "should": ["$contains: b"]}]}'
    )
    assert "quoted-function" in slugs(text, Path("a.json"))


@pytest.mark.parametrize("comment", ["# studio: ignore-file[x]\n", "# studio: ignore[x]\n", "# studio ignore(x): y\n"])
def test_comments_below_each_other_are_read_in_one_go(comment: str) -> None:
    parsed = parse(HEAD + comment * 4_000 + "    - Says it\n")
    with costs_less_than(3):
        check(parsed)
