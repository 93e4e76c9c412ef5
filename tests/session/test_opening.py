"""Opening a file: what is known of it at once, what is read-only and why, that its bytes stay, and the recent files."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from engine.files import user_settings
from engine.files.open_files import open_to_show
from engine.files.processes import exclusively
from engine.files.user_settings import recent_files
from engine.text.text_limits import FILE_BYTES, LINES, VALUES
from tests.session.faces import at_work, open_face
from tests.session.small_file import TEXT
from tests.world import CORPUS, needs_corpus


@needs_corpus
@pytest.mark.parametrize("name", ["sydney/original.yml", "compass/cautious.yml", "ai-spiral-safety.yml"])
async def test_a_file_of_the_corpus_opens_with_its_prompts_in_the_outline(name: str) -> None:
    async with at_work(CORPUS / name) as face:
        assert [row.id for row in face.session.outline()[1:]] == [each.id for each in face.analysis.blueprint.prompts]


async def test_the_outline_tells_how_many_models_the_header_s_collections_hold(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "TEAM.json").write_text('["openai:a", "openai:b"]', "utf-8")
    async with at_work(tmp_path, "models: [TEAM, openai:c]\n---\n- id: one\n  prompt: x\n") as face:
        head, _ = face.session.outline()
        assert (head.name, head.notes) == ("1 prompt", ("No title yet.", "Its collections name 3 models."))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("title: caf\xe9\n".encode("latin-1"), "Latin-1"),
        (bytes(range(256)) * 20, "binary"),
        ("title: x\n".encode("utf-16"), "UTF-16"),
    ],
    ids=["latin", "binary", "utf16"],
)
async def test_what_cannot_be_edited_safely_opens_read_only_with_the_reason(
    content: bytes, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "odd.yml"
    path.write_bytes(content)
    async with at_work(path) as face:
        assert face.session.state.is_read_only
        assert reason in face.session.banner()


ODD = {
    "empty": b"",
    "cyclic anchor": b"a: &x\n  b: *x\n",
    "mixed line ends": "title: a\r\n---\n- id: x\r  prompt: a\u2028b\x1b[31m\n".encode(),
    "markup": b"- id: '[red]'\n  prompt: '[/]'\n  should: ['$nope: [x']\n",
    "bidi": b'- id: "a\\u202eb"\n  prompt: x\n',
    "broken": b"should: [unclosed\n- id: y\n",
}


@pytest.mark.parametrize("content", ODD.values(), ids=ODD)
async def test_odd_text_opens_is_checked_and_keeps_its_bytes(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "odd.yml"
    path.write_bytes(content)
    async with at_work(path) as face:
        await face.session.file.save()
        await face.settled()
        assert not face.unsaved
    assert path.read_bytes() == content


# --- Beyond the limits of size

SMALL = "- id: a\n  prompt: Say it\n  should:\n    - Says it\n"
LARGE = {
    "bytes": SMALL + "# " + "x" * FILE_BYTES,
    "lines": SMALL + "# c\n" * LINES,
    "values": SMALL + "    - Says it\n" * VALUES,
}


@pytest.mark.parametrize("kind", LARGE)
async def test_a_large_file_is_shown_read_only_its_one_problem_is_its_size_and_it_is_never_saved(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "large.yml"
    path.write_text(LARGE[kind], "utf-8")
    async with at_work(path, opening=open_to_show) as face:
        assert face.session.state.is_read_only
        assert "a blueprint may have up to" in face.session.banner()
        found = face.analysis.diagnostics
        assert found is not None
        assert ["may have up to" in each.message for each in found] == [True]
        await face.session.file.save()
    assert path.read_text("utf-8") == LARGE[kind]


async def test_a_text_that_grew_too_large_stays_editable(tmp_path: Path) -> None:
    async with at_work(tmp_path, SMALL) as face:
        await face.rewrite("# c\n" * LINES + face.text)
        assert (face.analysis.parsed.tree.is_refused, face.session.state.is_read_only) == (True, False)


# --- The recent files, which the studios of a user share


async def test_a_file_opened_while_another_studio_stands_still_is_remembered_when_it_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(user_settings, "exclusively", partial(exclusively, seconds=0.05))
    file = tmp_path / "x.yml"
    file.write_text(TEXT, "utf-8")
    with exclusively("recent files"):
        face = await open_face(file)
        await face.until(lambda: "recent files" not in face.session.tasks.busy)
    assert recent_files() == []
    await face.close()
    assert recent_files() == [file]
