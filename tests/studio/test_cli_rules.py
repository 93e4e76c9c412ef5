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
