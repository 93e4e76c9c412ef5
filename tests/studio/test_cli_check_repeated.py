"""`studio check` where a file repeats a cause: the text shows it once with its places, other forms each place."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from engine.parsing import parse
from engine.rules import check
from engine.text.record import replace
from studio.cli.check_text import as_text
from studio.cli.checked_file import CheckedFile
from tests.checked_corpus import checked, read
from tests.repeated_problems import quoted_checks
from tests.studio.command_line import studio
from tests.studio.test_cli_check_text import a_terminal
from tests.world import corpus_files, needs_shared

OPTIONAL = "".join(
    f"- id: p{number}\n  prompt: What {number}?\n  should:\n    - Names it\n    - May mention {number}\n"
    for number in range(3)
)


def text_of(text: str) -> list[str]:
    path = Path("x.yml")
    return as_text([CheckedFile(path, text, check(parse(text, path)))], summary=None).split("\n")


def test_a_repeated_cause_is_shown_once_with_the_message_at_each_place() -> None:
    assert text_of(quoted_checks(3).replace("idael", "ideal")) == [
        "x.yml:4:7: error quoted-function: “…” is one unknown name: remove the quotes around it (3 places)",
        "  x.yml:4:7: \"$icontains: 'Number 1'\" is one unknown name: remove the quotes around it",
        "  x.yml:9:7: \"$icontains: 'Number 2'\" is one unknown name: remove the quotes around it",
        "  x.yml:15:7: \"$icontains: 'Number 3'\" is one unknown name: remove the quotes around it",
        "    = why: The check never runs: it counts 0 here, and Weval leaves it out, "
        "so a wrong answer may still score 100.",
        "    = fix: make it a check",
        "",
        "",
    ]


def test_where_all_places_have_one_message_each_is_shown_with_its_line() -> None:
    assert [line for line in text_of(OPTIONAL) if line.startswith("  x.yml")] == [
        "  x.yml:5:7: - May mention 0",
        "  x.yml:10:7: - May mention 1",
        "  x.yml:15:7: - May mention 2",
    ]


def test_two_problems_of_one_cause_are_shown_one_by_one() -> None:
    assert [line.partition(": error")[0] for line in text_of(quoted_checks(2)) if ": error" in line] == [
        "x.yml:4:7",
        "x.yml:9:7",
    ]


def test_a_fix_that_not_every_place_has_says_at_how_many() -> None:
    problems = check(parse(quoted_checks(3), Path("x.yml")))
    without = [each if number else replace(each, fixes=()) for number, each in enumerate(problems)]
    shown = as_text([CheckedFile(Path("x.yml"), quoted_checks(3), without)], summary=None)
    assert "= fix: make it a check (2 places)" in shown


@pytest.mark.parametrize("columns", [60, 80])
def test_no_place_is_wider_than_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    with a_terminal(monkeypatch, columns):
        lines = text_of(quoted_checks(3).replace("Number", "東京 " * 40))
    places = [line for line in lines if line.startswith("  x.yml")]
    assert len(places) == 3
    assert max(map(cell_len, places)) <= columns


@pytest.mark.parametrize("form", ["json", "sarif", "github"])
def test_other_forms_have_one_entry_for_each_place(form: str, tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    path.write_text(quoted_checks(5), "utf-8")
    shown = studio("check", "--format", form, path).stdout
    assert len(re.findall(r"is one unknown name: remove the quotes around it", shown)) >= 5
    assert form != "json" or sum(each["slug"] == "quoted-function" for each in json.loads(shown)) == 5


def test_the_summary_counts_places(tmp_path: Path) -> None:
    path = tmp_path / "x.yml"
    path.write_text(quoted_checks(5), "utf-8")
    shown = studio("check", path).stdout.splitlines()
    assert shown[-1] == "5 errors and 1 warning in 1 of 1 file. 6 can be fixed with --fix."


@needs_shared
def test_over_the_corpus_every_place_is_in_the_text() -> None:
    for path in corpus_files():
        file = CheckedFile(path, read(path).text, checked(path))
        shown = as_text([file], summary=None)
        for each in file.diagnostics:
            place = file.place(each.span)
            assert f"{path}:{place.line}:{place.column}: " in shown
