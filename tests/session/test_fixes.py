"""Fixing: which fixes are applied together, what is left, what settings change in that; and repeated causes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.text.diagnostics import Diagnostic
from studio.session.host import FixChoice, FixQuestion
from studio.session.views.problems_view import ProblemRow, ProblemsView
from tests.engine.fix_trials import undone
from tests.repeated_problems import quoted_checks
from tests.session.faces import Face, at_work, open_face
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
        assert face.session.banner() == ""


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
        assert face.session.banner() == said
        assert face.slugs == ["single-element-path"]
        settings.write_text("")
        await face.until(lambda: face.session.banner() == "")


# --- A cause that the file repeats is one row, and one choice fixes all of its places: without a terminal


FOUR = quoted_checks(4)


async def face_on(tmp_path: Path, text: str, *answers: Any) -> Face:
    (tmp_path / "x.yml").write_text(text, "utf-8")
    return await open_face(tmp_path / "x.yml", *answers)


def problems_of(face: Face) -> ProblemsView:
    view = face.session.problems()
    assert view is not None
    return view


def first_of(face: Face, slug: str) -> Diagnostic:
    return next(each.diagnostic for each in problems_of(face).problems if each.diagnostic.slug == slug)


def row_text(row: ProblemRow) -> str:
    return f"×{len(row.places)} {row.places[0].diagnostic.slug}: {row.cause.message}"


def for_all(question: FixQuestion) -> FixChoice:
    """The first fix, for all problems of the rule, as its diff shows it."""
    assert question.known.everywhere is not None
    return FixChoice(question.fixes[0], question.known.everywhere(question.fixes[0]))


async def test_a_repeated_cause_is_one_row_at_its_first_place(tmp_path: Path) -> None:
    face = await face_on(tmp_path, FOUR)
    view = problems_of(face)
    assert list(map(row_text, view.rows)) == [
        "×4 quoted-function: “…” is one unknown name: remove the quotes around it",
        "×1 unknown-key: unknown key `idael` here: did you mean `ideal`?",
    ]
    assert [place.line_in(view.text) for place in view.rows[0].places] == [
        f"- \"$icontains: 'Number {number}'\"" for number in range(1, 5)
    ]
    assert view.row_of == (0, 0, 1, 0, 0)


async def test_from_a_place_in_the_text_the_list_goes_on_with_the_next_problem(tmp_path: Path) -> None:
    face = await face_on(tmp_path, FOUR)
    view, here = problems_of(face), FOUR.index("idael")
    starts = [each.start for each in view.problems]
    repeated, single = view.rows
    assert [view.row_from(at) for at in (0, here, here + 1, len(FOUR))] == [repeated, single, repeated, repeated]
    assert [repeated.number_from(at) for at in (0, starts[1], here, len(FOUR))] == [0, 1, 2, 0]
    assert [view.nearest(at) for at in (0, here + 2, starts[3] - 1, len(FOUR))] == [
        view.problems[0], view.problems[2], view.problems[3], view.problems[4],
    ]  # fmt: skip


async def test_a_cause_keeps_its_key_while_the_author_types(tmp_path: Path) -> None:
    face = await face_on(tmp_path, FOUR)
    before = problems_of(face).rows[0].cause.key
    await face.rewrite("# a comment\n" + FOUR.replace("Number 2", "Anything"))
    assert problems_of(face).rows[0].cause.key == before


async def test_lines_that_end_with_a_carriage_return_are_shown_without_it(tmp_path: Path) -> None:
    face = await face_on(tmp_path, FOUR.replace("\n", "\r\n"))
    view = problems_of(face)
    assert view.problems[0].line_in(view.text) == "- \"$icontains: 'Number 1'\""


# --- Fixing all of a rule


async def test_all_of_the_rule_at_the_cursor_are_fixed_by_one_choice(tmp_path: Path) -> None:
    face = await face_on(tmp_path, FOUR, for_all)
    face.cursor_at("$icontains: 'Number 3'")
    change = await face.session.fixes.at(whole_rule=True)
    face.apply(change)
    (question,) = face.author.asked
    assert isinstance(question, FixQuestion)
    assert (question.title, question.for_all, question.known.reports) == (
        "Fix: Check written as text (quoted-function)",
        True,
        4,
    )
    assert face.text.count("    - $icontains: 'Number") == 4
    assert change is not None
    assert change.report is not None
    assert [place.line for place in change.report.places] == [4, 9, 15, 20]


async def test_all_of_the_rule_of_a_row_are_fixed_and_one_of_them_is_taken_back(tmp_path: Path) -> None:
    face = await face_on(tmp_path, FOUR, for_all)
    change = await face.session.fixes.shown(first_of(face, "quoted-function"), whole_rule=True)
    face.apply(change)
    assert change is not None
    assert change.report is not None
    undo = undone(change.report.places[1].fix, face.text)
    assert undo is not None
    face.write(face.text[: undo[0].span.start] + "".join(edit.text for edit in undo) + face.text[undo[-1].span.end :])
    assert face.text == FOUR.replace("\"$icontains: 'Number 1'\"", "$icontains: 'Number 1'").replace(
        "\"$icontains: 'Number 3'\"", "$icontains: 'Number 3'"
    ).replace("\"$icontains: 'Number 4'\"", "$icontains: 'Number 4'")


async def test_a_rule_that_reports_once_is_fixed_with_its_own_diff(tmp_path: Path) -> None:
    face = await face_on(tmp_path, FOUR, lambda question: FixChoice(question.fixes[0]))
    face.cursor_at("idael")
    face.apply(await face.session.fixes.at(whole_rule=True))
    (question,) = face.author.asked
    assert isinstance(question, FixQuestion)
    assert not question.for_all
    assert face.text == FOUR.replace("idael", "ideal")


async def test_where_the_problem_at_the_cursor_has_no_fix_that_of_its_rule_is_offered(tmp_path: Path) -> None:
    text = "- {id: a, prompt: Which?, should: [$nosuch: a]}\n- {id: b, prompt: Which?, should: [$contians: a]}\n"
    face = await face_on(tmp_path, text, for_all)
    face.cursor_at("$nosuch")
    face.apply(await face.session.fixes.at(whole_rule=True))
    assert face.text == text.replace("contians", "contains")


@pytest.mark.parametrize(
    ("cursor", "message"),
    [
        ("prompt: Which", "There is no problem on this line. F8 goes to the next."),
        ("$nosuch", "There is no fix for this problem: it is for you to decide."),
    ],
)
async def test_where_nothing_can_be_fixed_the_author_is_told(cursor: str, message: str, tmp_path: Path) -> None:
    face = await face_on(tmp_path, "- id: a\n  prompt: Which?\n  should:\n    - $nosuch: a\n")
    face.cursor_at(cursor)
    assert await face.session.fixes.at(whole_rule=True) is None
    assert face.author.messages[-1:] == [message]


async def test_a_row_of_several_asks_even_for_a_safe_fix(tmp_path: Path) -> None:
    face = await face_on(tmp_path, FOUR, lambda question: FixChoice(question.fixes[0]))
    face.apply(await face.session.fixes.shown(first_of(face, "quoted-function"), of_several=True))
    assert face.text == FOUR.replace("\"$icontains: 'Number 1'\"", "$icontains: 'Number 1'")


async def test_what_can_only_be_marked_as_intended_is_not_called_a_fix(tmp_path: Path) -> None:
    text = "- id: a\n  prompt: Which?\n  should:\n    - Names it\n    - May mention the day\n"
    face = await face_on(tmp_path, text, None)
    face.cursor_at("May mention")
    await face.session.fixes.at()
    (question,) = face.author.asked
    assert isinstance(question, FixQuestion)
    assert question.title == "Mark as intended: optional-point"
