"""A published result on the screen: opened by itself, or chosen with F9; and results that are written to a place."""

from __future__ import annotations

from pathlib import Path

from engine.evaluation.sources import FixtureSource
from tests.studio.driving import QUOTED, opened

# --- Chosen with F9


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
