"""Fixing: which fixes are applied together, what is left, and what the settings of a project change in that."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.session.faces import at_work
from tests.studio.driving import QUOTED

LEFT = '- id: p\n  prompt: When is it due?\n  should:\n    - fn: contains\n      fnArgs: ""\n    - Names the day\n'


async def test_all_safe_fixes_are_applied_as_one_change(tmp_path: Path) -> None:
    text = "- id: p\n  prompt: q\n  should:\n    - \"$contains: 'the lease'\"\n    - 42\n    - May mention it\n"
    async with at_work(tmp_path, text) as face:
        face.apply(await face.session.fixes.all_safe())
        assert face.text == text.replace("\"$contains: 'the lease'\"", "$contains: 'the lease'").replace("42", "'42'")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("hint.yml", "- id: p\n  prompt: q\n  should:\n    - Says so # studio: ignore[stale-fact]\n", ""),
        ("tags.yml", "- health\n- 42\n", "Nothing was changed: this is not a blueprint."),
        ("left.yml", LEFT, "Nothing was changed. falsy-argument-lost: “write arg” brings a new warning"),
    ],
)
async def test_apply_all_leaves_hints_files_that_are_no_blueprint_and_what_brings_something(
    tmp_path: Path, name: str, text: str, told: str
) -> None:
    async with at_work(tmp_path / name, text) as face:
        assert name != "hint.yml" or face.slugs == ["unused-suppression"]
        assert await face.session.fixes.all_safe() is None
        (said,) = face.told
        assert said.startswith(told)


# --- The settings of the project


async def test_rules_that_the_project_ignores_speak_against_no_fix(tmp_path: Path) -> None:
    (tmp_path / "blueprint-studio.toml").write_text('ignore = ["always-matches"]\n')
    async with at_work(tmp_path, LEFT) as face:
        face.apply(await face.session.fixes.all_safe())
        assert 'arg: ""' in face.text


async def test_the_problems_are_those_that_the_project_asks_for_at_its_levels(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.blueprint-studio.severity]\nquoted-function = "hint"\n')
    async with at_work(tmp_path, QUOTED) as face:
        assert (face.analysis.total.errors, face.analysis.total.hints) == (0, 1)
        assert face.session.banner().text == ""


async def test_changed_settings_hold_without_a_key(tmp_path: Path) -> None:
    async with at_work(tmp_path, QUOTED) as face:
        assert face.slugs == ["quoted-function", "single-element-path"]
        (tmp_path / "blueprint-studio.toml").write_text('select = ["quoted-function"]\n')
        await face.until(lambda: face.slugs == ["quoted-function"])
        (tmp_path / "blueprint-studio.toml").unlink()
        await face.until(lambda: len(face.slugs) == 2)


async def test_a_mistake_in_the_settings_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    settings = tmp_path / "blueprint-studio.toml"
    settings.write_text('ignore = ["quoted-function"]\nselct = []\n')
    async with at_work(tmp_path, QUOTED) as face:
        said = "blueprint-studio.toml, line 2: There is no setting “selct”. Did you mean select?"
        assert face.session.banner().text == said
        assert face.slugs == ["single-element-path"]
        settings.write_text("")
        await face.until(lambda: face.session.banner().text == "")
