"""A project's settings for the rules: where they are found, what they ask for, and what is said of mistakes in them."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.parsing import parse
from engine.rules import ALL, Checker
from engine.rules.registry import rule_named
from engine.rules.selection import (
    EVERYTHING,
    Level,
    ProjectSettings,
    RuleSelection,
    SettingsCache,
    covers,
    for_weval,
    selection_in,
)
from engine.text.diagnostics import Severity
from engine.text.record import replace
from tests.many_cases import every

WRONG = "- id: a\n  prompt: x\n  should:\n    - \"$contains: 'b'\"\n    - {point: c, wieght: 2}\n"


def told(selection: RuleSelection) -> list[tuple[str, Severity]]:
    return [(one.slug, one.severity) for one in selection.reported(Checker(selection.rules()).check(parse(WRONG)))]


def asked(**table: object) -> RuleSelection:
    found = selection_in({key.replace("_", "-"): value for key, value in table.items()})
    assert found.problems == ()
    return found.selection


# --- Choosing


def test_without_settings_all_is_told_that_is_not_off_by_nature() -> None:
    assert told(EVERYTHING) == [("quoted-function", Severity.ERROR), ("unknown-key", Severity.WARNING)]
    assert {rule.slug for rule in EVERYTHING.rules()} == {rule.slug for rule in ALL if not rule.off}


QUOTED, UNKNOWN = ("quoted-function", Severity.ERROR), ("unknown-key", Severity.WARNING)


@every(
    ("table", "said"),
    [
        ({"select": ["unknown-key"]}, [UNKNOWN]),
        ({"select": ["Y003"]}, [QUOTED]),
        ({"ignore": ["Y003"]}, [UNKNOWN]),
        ({"severity": {"quoted-function": "hint", "unknown-key": "off"}}, [("quoted-function", Severity.HINT)]),
    ],
)
def test_rules_are_chosen_by_slug_or_code_and_given_other_levels(table: dict[str, Any], said: list[object]) -> None:
    assert told(asked(**table)) == said


def test_a_rule_that_is_off_by_nature_is_told_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.rules import selection

    rules = tuple(replace(rule, off=rule.slug == "unknown-key") for rule in ALL)
    monkeypatch.setattr(selection, "ALL", rules)
    assert "unknown-key" not in {rule.slug for rule in EVERYTHING.rules()}
    assert "unknown-key" in {rule.slug for rule in asked(select=["unknown-key"]).rules()}
    assert "unknown-key" in {rule.slug for rule in asked(severity={"unknown-key": "hint"}).rules()}


def test_a_command_that_selects_is_told_what_it_asks_for_whatever_the_project_leaves_out() -> None:
    project = asked(ignore=["Y003"], severity={"unknown-key": "off"})
    assert told(project) == []
    assert told(project.with_options(["Y003", "S001"], [])) == told(RuleSelection(select=frozenset({"Y003", "S001"})))
    assert told(asked(severity={"Y003": "hint"}).with_options(["Y003"], [])) == [("quoted-function", Severity.HINT)]


def test_a_command_that_ignores_adds_to_the_project() -> None:
    assert told(asked(ignore=["Y003"]).with_options([], [code("unknown-key")])) == []


def code(slug: str) -> str:
    rule = rule_named(slug)
    assert rule is not None
    return rule.code


def test_rules_can_be_left_out_in_some_files() -> None:
    selection = asked(per_file_ignores={"drafts/*.yml": ["quoted-function"], "old.yml": ["unknown-key"]})
    assert [slug for slug, _ in told(selection.within("drafts/a.yml"))] == ["unknown-key"]
    assert [slug for slug, _ in told(selection.within("deep/old.yml"))] == ["quoted-function"]
    assert len(told(selection.within("a.yml"))) == 2


def test_what_weval_refuses_is_an_error_for_weval_whatever_its_level() -> None:
    text = "- id: a\n  messages:\n    - user: x\n    - user: y\n  should: [b]\n"
    selection = asked(severity={"message-order": "hint"})
    [found] = selection.reported(Checker(selection.rules()).check(parse(text)))
    assert (found.severity, for_weval(found).severity) == (Severity.HINT, Severity.ERROR)


def test_the_rest_of_a_table_with_a_mistake_holds() -> None:
    found = selection_in({"ignore": ["zzz", "Y003"], "severity": {"S001": "off", "x": "hint"}})
    assert len(found.problems) == 2
    assert found.selection.ignore == {"Y003"}
    assert found.selection.levels == (("S001", Level.OFF),)


PATHS = st.lists(st.text("ab.", min_size=1, max_size=3), min_size=1, max_size=4).map("/".join)


@given(st.text("ab./*?[]!", min_size=1, max_size=8).filter(lambda text: text.strip("./") != ""), PATHS)
def test_what_a_shell_pattern_matches_is_covered(pattern: str, path: str) -> None:
    assume(not pattern.endswith("/") and not pattern.startswith(("./", "/")) and "**/" not in pattern)
    if fnmatchcase(path, pattern) or fnmatchcase(path.rpartition("/")[2], pattern):
        assert covers(pattern, path)


# --- Finding


def put(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return folder / name


def ignored(settings: ProjectSettings) -> set[str]:
    return set(settings.selection.ignore)


def test_the_nearest_file_upwards_counts_alone(tmp_path: Path) -> None:
    put(tmp_path, "pyproject.toml", '[tool.blueprint-studio]\nignore = ["Y003"]\n')
    put(tmp_path / "a", "blueprint-studio.toml", 'ignore = ["S001"]\n')
    cache = SettingsCache()
    assert ignored(cache.of(tmp_path / "x.yml")) == {"Y003"}
    assert ignored(cache.of(tmp_path / "b" / "c" / "x.yml")) == {"Y003"}
    assert ignored(cache.of(tmp_path / "a" / "c" / "x.yml")) == {"S001"}


def test_a_file_of_our_own_counts_before_the_shared_one_beside_it(tmp_path: Path) -> None:
    put(tmp_path, "pyproject.toml", '[tool.blueprint-studio]\nignore = ["Y003"]\n')
    put(tmp_path, "blueprint-studio.toml", 'ignore = ["S001"]\n')
    assert ignored(SettingsCache().of(tmp_path / "x.yml")) == {"S001"}


def test_a_shared_file_without_our_table_is_passed_over(tmp_path: Path) -> None:
    put(tmp_path, "blueprint-studio.toml", 'ignore = ["Y003"]\n')
    put(tmp_path / "a", "pyproject.toml", '[project]\nname = "blueprint-studio"\n')
    put(tmp_path / "b", "pyproject.toml", "this is no toml\n")
    assert ignored(SettingsCache().of(tmp_path / "a" / "x.yml")) == {"Y003"}
    assert ignored(SettingsCache().of(tmp_path / "b" / "x.yml")) == {"Y003"}


def test_patterns_are_read_from_the_folder_of_the_settings(tmp_path: Path) -> None:
    put(tmp_path, "blueprint-studio.toml", '[per-file-ignores]\n"drafts/*" = ["no-rubric"]\n')
    cache = SettingsCache()
    assert ignored(cache.of(tmp_path / "drafts" / "x.yml")) == {code("no-rubric")}
    assert ignored(cache.of(tmp_path / "x.yml")) == set()


def test_the_settings_of_this_folder_are_not_those_of_the_one_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "here", "blueprint-studio.toml", 'ignore = ["Y003"]\n')
    monkeypatch.chdir(tmp_path / "here")
    assert ignored(SettingsCache().of(Path("../beside/x.yml"))) == set()
    assert ignored(SettingsCache().of(Path("../here/x.yml"))) == {"Y003"}


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("pyproject.toml", '[project]\nignore = ["zzz"]\n\n[tool.blueprint-studio]\nselect = [\n  "zzz",\n]\n', 6),
        ("pyproject.toml", '[tool.blueprint-studio.severity]\nno-rubric = "off"\nno-rubrik = "off"\n', 3),
        ("blueprint-studio.toml", '# zzz\nselct = ["no-rubric"]\n', 2),
        ("blueprint-studio.toml", 'ignore = ["no-rubric"]\nselect = "no-rubric"\n', 2),
        ("blueprint-studio.toml", "ignore = [\n", 1),
        ("blueprint-studio.toml", 'ignore = []\nselect = ["a" "b"]\n', 2),
        ("pyproject.toml", "[tool.blueprint-studio]\nx = \n", 2),
        ("blueprint-studio.toml", 'ignore = []\nexclude = [\n  "a",\n  "[z-a]",\n]\n', 4),
    ],
)
def test_a_mistake_is_told_with_its_file_and_line(tmp_path: Path, name: str, text: str, line: int) -> None:
    file = put(tmp_path, name, text)
    [problem] = SettingsCache().of(tmp_path / "x.yml").problems
    assert (problem.file, problem.line) == (file, line)
    assert str(problem).startswith(f"{file}:{line}: ")


@pytest.mark.parametrize(
    ("value", "said"),
    [("[" * 100_000, "it is nested too deeply"), ("1" * 5000, "it holds a number with too many digits")],
    ids=["deep", "long"],
)
def test_a_value_that_toml_readers_give_up_on_is_reported(tmp_path: Path, value: str, said: str) -> None:
    put(tmp_path, "blueprint-studio.toml", f"ignore = {value}\n")
    [problem] = SettingsCache().of(tmp_path / "x.yml").problems
    assert problem.message == f"This file cannot be read: {said}. All rules apply until it is fixed."
