"""`studio functions`: the reference pages."""

from __future__ import annotations

from click.testing import CliRunner

from engine.functions import ALL
from studio.cli import main


def test_the_list_names_every_function_but_the_twins() -> None:
    result = CliRunner().invoke(main, ["functions"])
    assert result.exit_code == 0
    missing = [each.name for each in ALL if each.negates is None and f"  ${each.name} " not in result.output]
    assert missing == []


def test_every_function_has_a_page_without_markup_or_blank_rows() -> None:
    for function in ALL:
        result = CliRunner().invoke(main, ["functions", function.name])
        assert result.exit_code == 0
        assert f"- ${function.name}: " in result.output
