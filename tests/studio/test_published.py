"""A published result on the screen: opened by itself, or chosen with F9; and results that are written to a place."""

from __future__ import annotations

from pathlib import Path

from engine.evaluation.sources import FixtureSource, StoredSource
from tests.studio.driving import LARGE, QUOTED, Page, opened, running
from tests.studio.published import published_in, studio_with


async def both_scored(page: Page) -> None:
    await page.until(lambda: len(page.figures) == 2)
    await page.settle()


async def test_a_result_file_opens_with_its_blueprint_and_what_was_published(tmp_path: Path) -> None:
    async with running(studio_with(published_in(tmp_path)), size=LARGE) as page:
        await both_scored(page)
        assert page.figures == {"notice": "8–42", "deposit": "100"}
        await page.at("id: notice")
        assert "published: tiny" in page.footer()
        lines = page.head().splitlines()
        assert lines[0].startswith("42.0 published  ")
        assert lines[1].startswith("by today's rubric 8.3–41.7, 2 of 3 criteria judged")


# --- Chosen with F9


async def test_f9_asks_for_a_result_file_until_it_is_one(tmp_path: Path) -> None:
    path = published_in(tmp_path)
    async with opened(tmp_path / "tenants.yml") as page:
        await page.hit("f9")
        await (await page.asked()).choose("published")
        asked = await page.asked("file")
        assert asked.field().value == path.name
        await asked.fill("tenants.yml")
        await (await page.asked("tenants.yml: This is not a result file of Weval")).fill(path.name)
        await page.answered()
        assert page.answers is not None
        assert page.answers.sources == (StoredSource(path, "openai:tiny"),)


async def test_f9_asks_for_saved_answers_and_whose_of_them(tmp_path: Path) -> None:
    saved, plain = tmp_path / "saved.json", tmp_path / "saved.yml"
    saved.write_text('{"responses": {"p": {"default": "a", "byModel": {"openai:*": "Paris"}}}}', "utf-8")
    plain.write_text("responses:\n  p:\n    default: Paris\n", "utf-8")
    async with opened(tmp_path, "models: [openai:tiny, google:flash]\n---\n- {id: p, prompt: Hi?}\n") as page:
        for name, keys, source in (
            ("saved.json", ("down", "enter"), FixtureSource(saved, "openai:tiny")),
            (str(plain), (), FixtureSource(plain)),  # with defaults only, nothing more is asked
        ):
            await page.hit("f9")
            await (await page.asked("Where do answers come from?")).choose("fixtures")
            await (await page.asked("file")).fill("none.yml")
            asked = await page.asked("The file cannot be read")
            assert asked.field().value == "none.yml"
            await asked.fill(name)
            if keys:
                await page.asked("openai:tiny")
                await page.hit(*keys)
            await page.answered()
            assert page.answers is not None
            assert page.answers.sources == (source,)


# --- Written to a place


async def test_a_report_is_written_where_the_author_says(tmp_path: Path) -> None:
    out = tmp_path / "out.md"
    async with opened(tmp_path, QUOTED, keys=("f6",)) as page:
        await page.do("report")
        asked = await page.asked()
        assert asked.field().value == str(tmp_path / "x-report.html")
        await page.reply("escape")
        assert [path.name for path in tmp_path.iterdir() if "report" in path.name] == []
        await page.do("report")
        await (await page.asked()).fill(str(out))
        await page.until(out.exists)
        await page.settle()
        assert page.told[-1] == f"The report is in {out}."
    text = out.read_text("utf-8")
    assert text.startswith("# Two prompts\n")
    assert "The lease says so." in text
