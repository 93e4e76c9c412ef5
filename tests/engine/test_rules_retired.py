"""The table of retired rules: their names are never used again, and are accepted wherever a rule can be named."""

from __future__ import annotations

import pytest

from engine.parsing import parse
from engine.rules import ALL, check
from engine.rules.registry import NAMES, RETIRED, REVIEW, no_such_rule, retired_named
from engine.rules.selection import selection_in

RETIRED_NAMES = [name for each in RETIRED for name in (each.slug, each.code, each.slug.upper(), each.code.lower())]


def test_the_first_is_slow_regex() -> None:
    assert (RETIRED[0].slug, RETIRED[0].code) == ("slow-regex", "F013")


def test_no_slug_and_no_code_is_used_again() -> None:
    names = [name for each in (*ALL, *RETIRED) for name in (each.slug, each.code)]
    assert len(names) == len(set(names))


def test_what_takes_its_place_is_a_rule_or_a_line_of_the_review() -> None:
    assert {each.successor for each in RETIRED} - {"", REVIEW} <= {rule.slug for rule in ALL}


@pytest.mark.parametrize("comment", ["ignore[{}]", "ignore[{}] once meant", "ignore[no-rubric, {}]"])
def test_a_comment_may_name_it(comment: str) -> None:
    for name in RETIRED_NAMES:
        for text in (
            f"- id: a\n  prompt: What?\n  should:\n    - Names it # studio: {comment.format(name)}\n",
            f"# studio: {comment.format(name).replace('ignore', 'ignore-file')}\n- id: a\n  prompt: What?\n"
            "  should:\n    - Names it\n",
        ):
            said = [one.message for one in check(parse(text)) if "suppression" in one.slug]
            assert not any(name in each for each in said)


def test_a_misspelt_one_is_not_taken_for_a_rule() -> None:
    for each in RETIRED:
        text = f"- id: a\n  prompt: What?\n  should:\n    - Names it # studio: ignore[{each.slug}x] no\n"
        [found] = [one for one in check(parse(text)) if one.slug == "unknown-suppression"]
        assert each.slug not in [fix.edits[0].text for fix in found.fixes]
        assert each.slug not in NAMES.nearest(f"{each.slug}x")
    assert no_such_rule("slow-regexx") == "There is no rule “slow-regexx”. `studio rules` lists them."


def test_the_settings_may_name_it() -> None:
    for name in RETIRED_NAMES:
        table = {
            "select": ["no-rubric", name],
            "ignore": [name],
            "severity": {name: "error"},
            "per-file-ignores": {"*.yml": [name]},
        }
        assert selection_in(table).mistakes == ()


def test_it_is_found_by_slug_and_code() -> None:
    for each in RETIRED:
        assert retired_named(each.slug) == retired_named(f" {each.code.lower()} ") == each
        assert NAMES.spelled(each.code.lower()) == each.code
    assert retired_named("bad-regex") is retired_named("no rule") is None
