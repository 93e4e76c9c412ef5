"""The recall cases are what they say they are, and are counted rightly."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from engine.parsing import parse
from engine.rules import ALL
from engine.text.diagnostics import Severity
from tests.many_cases import every
from tests.recall.cases import Case, Half, Tier, stored
from tests.recall.outcomes import Count, Outcome, Reported, count, lines_with, outcomes, rules_for


@cache
def all_cases() -> list[Case]:
    return [case for half in Half for case in stored(half)]


def split(half: Half) -> list[Case]:
    return [case for case in all_cases() if case.half is half and not case.added]


REFUSED = {"bad-weight", "key-under-text", "undefined-ref", "wrong-type"}
"""Rules whose faults may make Weval refuse the file."""

A_CASE = Case(
    id="a",
    half=Half.TUNING,
    category="negatives",
    tier=Tier.PROBLEM,
    slugs=("ambiguous-negative",),
    at=("no errors",),
    blueprint="- prompt: p\n  should:\n    - Contains no errors.\n",
    why="…",
)


def case(tier: Tier = Tier.PROBLEM, half: Half = Half.TUNING, slug: str = "ambiguous-negative") -> Case:
    slugs = () if tier is Tier.CLEAN else (slug,)
    return Case("a", half, "negatives", tier, slugs, A_CASE.at, A_CASE.blueprint, "…")


def report(slug: str = "ambiguous-negative", level: Severity = Severity.WARNING, *lines: int) -> Reported:
    return Reported(slug, level, frozenset(lines or (3,)), "a message")


def test_there_are_enough_faults_and_clean_texts() -> None:
    tiers = Counter(case.tier is Tier.CLEAN for case in all_cases())
    assert tiers[False] >= 240
    assert tiers[True] >= 120


def test_ids_are_unique() -> None:
    assert [id for id, number in Counter(case.id for case in all_cases()).items() if number > 1] == []


def test_the_reported_place_stands_in_the_blueprint() -> None:
    assert [case.id for case in all_cases() if not lines_with(case.blueprint, case.at)] == []


def test_every_fault_names_rules_that_exist() -> None:
    slugs = {rule.slug for rule in ALL}
    assert [(case.id, slug) for case in all_cases() for slug in case.slugs if slug not in slugs] == []


def test_no_case_says_the_same_as_another() -> None:
    assert [text for text, number in Counter(case.blueprint for case in all_cases()).items() if number > 1] == []


def test_weval_reads_every_case_but_those_whose_fault_is_its_refusal() -> None:
    refused = [case for case in all_cases() if not parse(case.blueprint, Path("case.yml")).weval.ok]
    assert [case.id for case in refused if not REFUSED.intersection(case.slugs)] == []


def test_every_case_gives_a_reason() -> None:
    assert [case.id for case in all_cases() if len(case.why.split()) < 4] == []


@every("tier", Tier)
def test_what_was_split_has_the_same_spread_in_both_halves(tier: Tier) -> None:
    spread = [Counter(one.category for one in split(half) if one.tier is tier) for half in Half]
    assert [name for name in spread[0] | spread[1] if abs(spread[0][name] - spread[1][name]) > 2] == []


def test_cases_are_added_to_the_open_half_alone() -> None:
    assert [one.id for one in all_cases() if one.added and one.half is not Half.TUNING] == []


def test_what_was_split_has_the_same_rules_in_both_halves() -> None:
    rules = [Counter(one.slugs[0] for one in split(half) if one.slugs) for half in Half]
    assert [slug for slug in rules[0] | rules[1] if abs(rules[0][slug] - rules[1][slug]) > 2] == []


def written(folder: Path, name: str, row: str) -> list[Case]:
    (folder / "tuning").mkdir(exist_ok=True)
    (folder / "tuning" / f"{name}.yml").write_text(row, "utf-8")
    return stored(Half.TUNING, folder)


@every(("name", "added"), [("literals", False), ("literals-2", False), ("literals-added", True)])
def test_a_file_belongs_to_its_category_and_a_code_point_in_brackets_is_that_character(
    name: str, added: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    row = '- {id: a, kind: clean, at: x, blueprint: "x‹U+200B›", why: w}\n'
    (one,) = written(tmp_path_factory.mktemp("recall"), name, row)
    assert (one.category, one.added, one.blueprint) == ("literals", added, "x\u200b")


def test_a_case_without_a_reason_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"literals\.yml, a: KeyError\('why'\)"):
        written(tmp_path, "literals", "- {id: a, kind: clean, at: x, blueprint: x}\n")


HINT, WARNING = Severity.HINT, Severity.WARNING


@every(
    ("tier", "reported", "is_found"),
    [
        (Tier.PROBLEM, report(), True),
        (Tier.PROBLEM, report("vacuous-point"), False),
        (Tier.PROBLEM, report("ambiguous-negative", WARNING, 1, 2), False),
        (Tier.PROBLEM, report("ambiguous-negative", HINT), False),
        (Tier.HINT, report("ambiguous-negative", HINT), True),
    ],
)
def test_a_fault_is_found_by_its_rule_at_its_line_and_level(tier: Tier, reported: Reported, is_found: bool) -> None:
    assert Outcome(case(tier), (reported,)).is_found is is_found


@every(
    ("reported", "is_warned_of"), [(report("vague-criterion", HINT), False), (report("no-rubric", WARNING, 1), True)]
)
def test_a_clean_text_may_have_hints_alone(reported: Reported, is_warned_of: bool) -> None:
    assert Outcome(case(Tier.CLEAN), (reported,)).is_warned_of is is_warned_of


def test_a_rule_that_is_off_is_tried_where_only_a_hint_is_wanted() -> None:
    assert "not-written-yet" in {rule.slug for rule in rules_for(case(Tier.HINT, slug="not-written-yet"))}
    assert "not-written-yet" not in {rule.slug for rule in rules_for(case(slug="not-written-yet"))}


def test_cases_are_checked_by_the_rules_themselves() -> None:
    (outcome,) = outcomes([A_CASE])
    assert {(one.slug, one.lines) for one in outcome.reported} >= {("ambiguous-negative", frozenset({3}))}


SMALL = [
    Outcome(case(), (report(),)),
    Outcome(case(), ()),
    Outcome(case(Tier.CLEAN), (report(),)),
    Outcome(case(half=Half.HELD_APART), (report(),)),
]


def test_found_and_warned_of_are_counted_by_tier() -> None:
    assert [count(SMALL, tier) for tier in Tier] == [Count(3, 2), Count(0, 0), Count(1, 1)]
