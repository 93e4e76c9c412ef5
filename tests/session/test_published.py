"""A published result: its blueprint and its answers, read without running anything; and results that are exported."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from engine.evaluation.published_files import open_with_result
from engine.evaluation.results import read_result_file
from engine.evaluation.sources import StoredSource
from engine.files.open_files import CannotOpen
from studio.session.host import Choose, EnterText, NotDone
from studio.session.result_files import ask_for_result, export_results
from tests.session.faces import Face, at_work
from tests.studio.published import BLUEPRINT, published_in, result_of

MODEL = "openai:tiny"


@asynccontextmanager
async def published(folder: Path) -> AsyncIterator[Face]:
    """The blueprint with what was published of it, the cursor in its first prompt."""
    path = published_in(folder)
    async with at_work(folder / "tenants.yml", at="id: notice") as face:
        await face.runs.open_published(path)
        await face.settled()
        yield face


async def test_a_published_answer_is_explained_by_its_stored_verdicts_beside_the_score_of_today(
    tmp_path: Path,
) -> None:
    async with published(tmp_path) as face:
        assert face.figures == {"notice": "8–42", "deposit": "100"}
        assert face.said == "It is two weeks, as the lease says."
        assert [each.detail for each in face.run.assessments][1:] == ["published: qwen: 25", "not judged"]
        explanation = face.run.explanation
        assert explanation is not None
        assert explanation.published is not None
        assert explanation.published.score == 0.42
        assert [each.point.text for each in explanation.published.gone] == ["Says who pays"]


async def test_an_edit_of_the_rubric_scores_the_published_answer_anew(tmp_path: Path) -> None:
    async with published(tmp_path) as face:
        await face.rewrite(BLUEPRINT.replace("30 days\n    - Names", "two weeks\n    - Names"))
        assert face.extents[0] == 1.0


async def test_of_several_models_one_is_chosen(tmp_path: Path) -> None:
    path = published_in(tmp_path, MODEL, "google:flash")
    async with at_work(tmp_path / "tenants.yml", None, lambda question: question.choices[1].id, at="notice") as face:
        await face.runs.open_published(path)
        await face.settled()
        (question,) = face.author.asked
        assert isinstance(question, Choose)
        assert "mean 71 over 2 prompts" in str(question.choices)
        assert [each.candidate.source for each in face.runs.selection.all] == [StoredSource(path, "google:flash")] * 2


async def test_the_file_is_asked_for_and_the_newest_beside_the_blueprint_is_offered(tmp_path: Path) -> None:
    path = published_in(tmp_path)
    async with at_work(tmp_path / "tenants.yml", None, "tenants.yml") as face:
        with pytest.raises(NotDone):
            await ask_for_result(face.author, tmp_path / "tenants.yml")
        first, again = face.author.asked
        assert isinstance(first, EnterText)
        assert isinstance(again, EnterText)
        assert first.value == path.name
        assert "tenants.yml: This is not a result file of Weval" in again.text


# --- Exporting


async def test_what_was_run_is_exported_beside_the_blueprint_under_the_usual_name(tmp_path: Path) -> None:
    async with at_work(tmp_path / "tenants.yml", BLUEPRINT, lambda question: question.value) as face:
        await face.f6()
        await export_results(face.runs)
        (written,) = tmp_path.glob("*_comparison.json")
        assert face.told == [f"The results are in {written}."]
    file = read_result_file(written)
    assert (file.models, [each.id for each in file.prompts]) == (("ideal",), ["notice", "deposit"])
    assert file.results[0].stored is None  # criteria are open


async def test_an_export_of_a_blueprint_below_blueprints_goes_above_that_folder(tmp_path: Path) -> None:
    folder = tmp_path / "blueprints" / "users"
    folder.mkdir(parents=True)
    async with at_work(folder / "tenants.yml", BLUEPRINT, lambda question: question.value) as face:
        await face.f6()
        await export_results(face.runs)
        (written,) = tmp_path.glob("*_comparison.json")
        assert face.told == [f"The results are in {written}."]
    assert [path.name for path in folder.iterdir()] == ["tenants.yml"]


@pytest.mark.parametrize(("number", "below"), [(0, False), (1, True)])
async def test_a_place_below_blueprints_is_warned_of_before_anything_is_written(
    tmp_path: Path, number: int, below: bool
) -> None:
    folder = tmp_path / "blueprints"
    folder.mkdir()

    def chosen(question: Choose) -> str:
        assert "Weval runs every" in question.text
        assert not (folder / "out.json").exists()
        return question.choices[number].id

    async with at_work(folder / "tenants.yml", BLUEPRINT, str(folder / "out.json"), chosen) as face:
        await face.f6()
        await export_results(face.runs)
    assert (folder if below else tmp_path).joinpath("out.json").is_file()
    assert (folder / "out.json").is_file() is below


async def test_nothing_run_is_nothing_to_export(tmp_path: Path) -> None:
    async with at_work(tmp_path / "tenants.yml", BLUEPRINT) as face:
        with pytest.raises(NotDone, match="There is no result to export yet: F5 runs a prompt, F6 all"):
            await export_results(face.runs)


async def test_an_export_never_replaces_a_file_without_asking(tmp_path: Path) -> None:
    there = tmp_path / "there.json"
    there.write_text("mine", "utf-8")
    async with at_work(tmp_path / "tenants.yml", BLUEPRINT, "there.json", None, at="id: notice") as face:
        await face.f5()
        with pytest.raises(NotDone):
            await export_results(face.runs)
        assert [type(each) for each in face.author.asked] == [EnterText, Choose]
    assert there.read_text("utf-8") == "mine"


# --- Opening


def test_a_result_without_any_blueprint_cannot_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "x_comparison.json"
    path.write_text(json.dumps(result_of("a") | {"config": None}), "utf-8")
    with pytest.raises(CannotOpen, match="holds no blueprint"):
        open_with_result(path)


def test_a_result_without_a_score_says_so(tmp_path: Path) -> None:
    path = tmp_path / "x_comparison.json"
    path.write_text('{"evaluationResults": {}}', "utf-8")
    with pytest.raises(CannotOpen, match="no score of any prompt"):
        open_with_result(path)


def test_a_blueprint_in_json_opens_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"prompts": []}', "utf-8")
    file, published = open_with_result(path)
    assert (file.text, published) == ('{"prompts": []}', None)
