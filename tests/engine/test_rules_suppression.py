"""Comments that silence a rule: where they count, and what is said of those that do nothing."""

from __future__ import annotations

import pytest

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import ALL, Checker, check
from engine.rules.selection import RuleSelection
from engine.rules.suppression import suppressions
from tests.engine.suppressed import HEAD, QUOTED, slugs
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


def test_a_comment_behind_the_mark_of_a_block_of_text_counts() -> None:
    text = f"{HEAD}    - $matches: | # studio: ignore[bad-regex] an example\n        (\n"
    assert len(suppressions(parse(text).tree)) == 1


def test_a_rule_is_silenced_by_its_code_as_well() -> None:
    assert slugs(f"{HEAD}    {QUOTED} # studio: ignore[Y003] an example\n") == []


def test_a_comment_without_a_reason_is_fine() -> None:
    assert slugs(f"{HEAD}    {QUOTED} # studio: ignore[quoted-function]\n") == []


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


def test_what_v8_finds_is_silenced_and_the_comment_is_in_use(javascript: JavaScript) -> None:
    text = f"{HEAD}    - $contains: yellow # studio: ignore[ideal-fails] why\n  ideal: The sky is blue.\n"
    assert [one.slug for one in check(parse(text), javascript)] == []


def test_each_rule_can_be_named_in_a_comment() -> None:
    names = ", ".join(rule.slug for rule in ALL)
    assert "unknown-suppression" not in slugs(f"{HEAD}    - x # studio: ignore[{names}]\n")


# --- A comment on the whole file


@pytest.mark.parametrize("comment", ["# studio: ignore-file[x]\n", "# studio: ignore[x]\n", "# studio ignore(x): y\n"])
def test_comments_below_each_other_are_read_in_one_go(comment: str) -> None:
    parsed = parse(HEAD + comment * 4_000 + "    - Says it\n")
    with costs_less_than(3):
        check(parsed)
