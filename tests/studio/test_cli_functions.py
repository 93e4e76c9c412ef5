"""`studio functions`: the reference pages."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from engine.functions import ALL
from studio.cli import main


def test_the_list_names_every_function_but_the_twins() -> None:
    result = CliRunner().invoke(main, ["functions"])
    assert result.exit_code == 0
    missing = [each.name for each in ALL if each.negates is None and f"  ${each.name} " not in result.output]
    assert missing == []


@pytest.mark.parametrize("name", ["contains", "$contains", "contain"])
def test_a_page_is_found_by_any_name(name: str) -> None:
    result = CliRunner().invoke(main, ["functions", name])
    assert result.exit_code == 0
    assert result.output == (
        "$contains\n"
        "\n"
        "  The response contains this exact text.\n"
        "\n"
        "  Argument  text\n"
        '  Example   - $contains: "fiduciary duty"\n'
        "  Marks     all or nothing\n"
        "  Also as   $contain\n"
        "  Opposite  $not_contains\n"
        "  On Weval  known\n"
        "\n"
        "  Spaces and line breaks matter: “a  b” with two spaces does not match “a b”.\n"
        "  Case matters. $icontains ignores it.\n"
    )


def test_a_page_tells_what_weval_does_not_know() -> None:
    result = CliRunner().invoke(main, ["functions", "imatches_all_of"])
    assert "On Weval  known as $imatch_all_of, not as $imatches_all_of" in result.output
    assert "Opposite  $not_imatches_all_of (works here only: unknown to Weval)" in result.output


def test_every_function_has_a_page_without_markup_or_blank_rows() -> None:
    for function in ALL:
        result = CliRunner().invoke(main, ["functions", function.name])
        assert result.exit_code == 0
        assert f"- ${function.name}: " in result.output


def test_an_unknown_name_is_refused_with_the_likeliest_ones() -> None:
    result = CliRunner().invoke(main, ["functions", "contians"])
    assert result.exit_code == 2
    assert "There is no point function “contians”. Did you mean $contains" in result.output


def test_an_unknown_name_is_made_visible() -> None:
    result = CliRunner().invoke(main, ["functions", "\x1b[31m"])
    assert result.exit_code == 2
    assert "\x1b" not in result.output
