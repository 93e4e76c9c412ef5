"""`studio rules`: the list of the pitfalls, and the page of each."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from engine.rules import ALL
from studio.cli import main


def printed(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["rules", *arguments])
    return result.exit_code, result.output


def test_the_list_names_every_rule_with_its_code_and_level() -> None:
    code, out = printed()
    assert code == 0
    assert all(f"{rule.code}  {rule.slug}" in out for rule in ALL)


@pytest.mark.parametrize("name", ["quoted-function", "Y003", "y003", "Quoted-Function"])
def test_a_page_is_found_by_name_and_by_code(name: str) -> None:
    code, out = printed(name)
    assert code == 0
    assert out.startswith("# quoted-function\n")
    assert out.endswith("Level: error. Code: Y003.\n")


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    code, out = printed("quoted-fun")
    assert code == 2
    assert "Did you mean quoted-function" in out
