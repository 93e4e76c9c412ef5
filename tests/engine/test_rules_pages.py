"""The reference pages keep their word: the bad example of each rule is told of, the good one is not."""

from __future__ import annotations

import importlib
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from engine.javascript import JavaScript
from engine.parsing import Parsed, parse, weval_config
from engine.rules import ALL, Checker, Rule, check
from engine.rules.fixes.application import fix_text
from engine.rules.registry import USUAL, pages_of, rule_modules
from engine.rules.selection import Level, RuleSelection
from tests.many_cases import every

NAMED = re.compile(r"# (blueprints/\S+\.yml)\n")
EXAMPLE = r"^{}:\n\n((?:    .*\n|\n)+)"

MENDED = [rule for rule in ALL if re.search(r"^Fix \(safe", rule.page, re.MULTILINE)]


@pytest.fixture(scope="module")
def javascript() -> Iterator[JavaScript]:
    with JavaScript() as running:
        yield running


def example(rule: Rule, heading: str) -> str:
    found = re.search(EXAMPLE.format(heading), rule.page, re.MULTILINE)
    assert found is not None
    return textwrap.dedent(found[1]).strip() + "\n"


def read(rule: Rule, heading: str) -> Parsed:
    """The example as the file that its first line names, where it names one."""
    text = example(rule, heading)
    named = NAMED.match(text)
    return parse(text, None if named is None else Path(named[1]))


def told_with(rule: Rule) -> Checker:
    """The usual rules, and this one where it is off."""
    return Checker((*USUAL, rule) if rule.off else USUAL)


MODULES = [module for name in rule_modules() if hasattr(module := importlib.import_module(name), "RULES")]


@every("module", MODULES, ids=lambda module: module.__name__)
def test_a_module_has_a_page_for_each_of_its_rules_and_for_no_other(module: ModuleType) -> None:
    assert set(pages_of(module.__doc__ or "")) == {rule.slug for rule in module.RULES}


@every("module", [each for each in MODULES if len(each.RULES) == 1], ids=lambda each: each.__name__)
def test_a_module_of_one_rule_is_named_after_it(module: ModuleType) -> None:
    assert module.__name__.rpartition(".")[2] == module.RULES[0].slug.replace("-", "_")


def test_every_module_that_reads_like_a_page_is_a_rule() -> None:
    modules = [importlib.import_module(name) for name in rule_modules()]
    assert [each for each in modules if (each.__doc__ or "").startswith("# ")] == MODULES


@every("rule", ALL, ids=lambda rule: rule.slug)
def test_the_bad_example_fires_its_rule(rule: Rule, javascript: JavaScript) -> None:
    assert rule.slug in {found.slug for found in told_with(rule).check(read(rule, "Bad"), javascript)}


@every("rule", ALL, ids=lambda rule: rule.slug)
def test_the_bad_example_shows_nothing_else_that_is_wrong(rule: Rule, javascript: JavaScript) -> None:
    found = check(read(rule, "Bad"), javascript)
    allowed = {rule.slug, "no-rubric", "not-written-yet", "unstable-prompt-id", "vacuous-point"}
    allowed |= {"wrong-type"} if rule.slug == "refused-by-weval" else set()  # it stands for whatever else is refused
    assert {one.slug for one in found} <= allowed


@every("rule", ALL, ids=lambda rule: rule.slug)
def test_the_good_example_does_not_fire_its_rule(rule: Rule, javascript: JavaScript) -> None:
    assert rule.slug not in {found.slug for found in told_with(rule).check(read(rule, "Good"), javascript)}


@every("rule", ALL, ids=lambda rule: rule.slug)
def test_the_good_example_is_read_by_weval(rule: Rule) -> None:
    assert parse(example(rule, "Good")).weval.error is None


@pytest.mark.parametrize("rule", MENDED, ids=lambda rule: rule.slug)
def test_a_safe_fix_makes_of_the_bad_example_what_the_good_one_says(rule: Rule, javascript: JavaScript) -> None:
    alone = RuleSelection(select=frozenset({rule.code}), levels=((rule.code, Level.ERROR),))
    mended = fix_text(example(rule, "Bad"), None, javascript, selection=alone).parsed
    assert weval_config(mended) == weval_config(parse(example(rule, "Good")))


@every("rule", ALL, ids=lambda rule: rule.slug)
def test_a_page_says_what_why_how_to_mend_and_where_it_is_written(rule: Rule) -> None:
    assert rule.page.startswith(f"# {rule.slug}\n\n")
    assert re.search(r"^Fix\b.*[:(,]", rule.page, re.MULTILINE)
    assert re.search(r"^Documents: 00[0234]", rule.page, re.MULTILINE)
    assert rule.summary.endswith((".", ":"))


def test_codes_and_slugs_are_each_given_once() -> None:
    assert len({rule.code for rule in ALL}) == len({rule.slug for rule in ALL}) == len(ALL)


@every("rule", ALL, ids=lambda rule: rule.slug)
def test_a_code_is_a_family_and_three_digits(rule: Rule) -> None:
    assert re.fullmatch(r"[YSRF]\d{3}", rule.code)
