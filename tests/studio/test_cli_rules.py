"""`studio rules`: the list of the pitfalls, and the page of each."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from engine.rules.registry import ALL, FAMILIES
from studio.cli import main


def printed(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["rules", *arguments])
    return result.exit_code, result.output


def test_the_list_names_every_rule_with_its_code_and_level() -> None:
    code, out = printed()
    assert code == 0
    assert all(f"{rule.code}  {rule.slug}" in out for rule in ALL)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_rules_of_a_family_stand_below_its_title(family: str) -> None:
    _, out = printed()
    section = out.partition(f"{FAMILIES[family]}\n")[2].partition("\n\n")[0]
    listed = re.findall(r"^  [YSRF]\d{3}  (\S+)", section, re.MULTILINE)
    assert listed == [rule.slug for rule in ALL if rule.family == family] != []


@pytest.mark.parametrize("name", ["quoted-function", "Y003", "y003", "Quoted-Function"])
def test_a_page_is_found_by_name_and_by_code(name: str) -> None:
    code, out = printed(name)
    assert code == 0
    assert out.startswith("# Check written as text (quoted-function)\n")
    assert out.endswith("Level: error. Code: Y003.\n")


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    code, out = printed("quoted-fun")
    assert code == 2
    assert "Did you mean quoted-function" in out


@pytest.mark.parametrize("name", ["slow-regex", "F013", "f013", "swallowed-block"])
def test_of_a_retired_rule_one_sentence_is_said(name: str) -> None:
    code, out = printed(name)
    assert (code, out.count("\n")) == (0, 1)
    assert "has been retired since 2026-11-28: it reports nothing" in out
