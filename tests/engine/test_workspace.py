"""Opening, saving and recovering files, on a real disk."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from engine.blueprint import Blueprint
from engine.evaluation.published_files import blueprint_of, reconstructed
from engine.evaluation.results import ResultFile
from engine.files import user_settings
from engine.files.journal import Journal
from engine.files.open_files import CannotOpen, CannotSave, ChangedOnDisk, new_file, open_file, save
from engine.files.user_settings import SavedAnswers, Settings, recent_files, remember_file
from engine.parsing import Parsed, parse, weval_config
from engine.yaml.nodes import Data
from tests.checked_corpus import read
from tests.expected import present
from tests.many_cases import every
from tests.thoroughness import one_in
from tests.world import corpus_files, needs_corpus

# Opening, saving and recovering files, on a real disk


as_root = pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read and write everything")


@pytest.fixture
def blueprint(tmp_path: Path) -> Path:
    path = tmp_path / "a.yml"
    path.write_bytes(b"title: T\n")
    return path


@needs_corpus
def test_opening_and_saving_changes_no_byte_of_any_corpus_file(tmp_path: Path) -> None:
    for number, original in enumerate(one_in(4, corpus_files())):
        copy = tmp_path / f"{number}.yml"
        copy.write_bytes(original.read_bytes())
        opened = open_file(copy)
        save(opened, opened.text)
        assert copy.read_bytes() == original.read_bytes()


@pytest.mark.parametrize(
    "content",
    [b"", b"\xef\xbb\xbftitle: T\n", b"a: 1\r\nb: 2\nc: 3\r", "a: \u2028 \u0085 \x0c\n".encode()],
    ids=["empty", "byte order mark", "mixed line ends", "unusual separators"],
)
def test_odd_content_survives_byte_for_byte(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.yml"
    path.write_bytes(content)
    opened = open_file(path)
    save(opened, opened.text)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"a: caf\xe9\n", "not UTF-8"),
        (b"\x7fELF\0\0\1", "binary"),
        ("title: T\n".encode("utf-16"), "UTF-16"),
    ],
)
def test_what_is_not_utf8_opens_read_only_and_says_why(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "odd.yml"
    path.write_bytes(content)
    opened = open_file(path)
    assert told in (opened.read_only or "")
    with pytest.raises(CannotSave):
        save(opened, "title: U\n")
    assert path.read_bytes() == content


def test_a_folder_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(CannotOpen, match="folder"):
        open_file(tmp_path)


def test_a_missing_file_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(CannotOpen, match="no such file") as caught:
        open_file(tmp_path / "none.yml")
    assert caught.value.missing


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_named_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yml")
    with pytest.raises(CannotOpen, match="ordinary"):
        open_file(tmp_path / "pipe.yml")


@as_root
def test_a_file_without_permission_is_told_as_such(blueprint: Path) -> None:
    blueprint.chmod(0)
    with pytest.raises(CannotOpen, match="permission"):
        open_file(blueprint)


def test_saving_keeps_the_mode(blueprint: Path) -> None:
    blueprint.chmod(0o640)
    save(open_file(blueprint), "title: U\n")
    assert stat.S_IMODE(blueprint.stat().st_mode) == 0o640


def test_a_new_file_gets_what_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        save(new_file(tmp_path / "new.yml"), "title: T\n")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new.yml").stat().st_mode) == 0o640


def test_saving_through_a_symlink_keeps_the_link(blueprint: Path) -> None:
    link = blueprint.with_name("link.yml")
    link.symlink_to(blueprint)
    save(open_file(link), "title: U\n")
    assert link.is_symlink()
    assert blueprint.read_bytes() == b"title: U\n"


def test_a_file_changed_by_another_is_not_overwritten(blueprint: Path) -> None:
    opened = open_file(blueprint)
    blueprint.write_bytes(b"title: theirs\n")
    with pytest.raises(ChangedOnDisk):
        save(opened, "title: mine\n")
    assert blueprint.read_bytes() == b"title: theirs\n"


def test_the_author_may_overwrite_it_all_the_same(blueprint: Path) -> None:
    opened = open_file(blueprint)
    blueprint.write_bytes(b"title: theirs\n")
    with pytest.raises(ChangedOnDisk) as told:
        save(opened, "title: mine\n")
    save(opened, "title: mine\n", overwriting=told.value)
    assert blueprint.read_bytes() == b"title: mine\n"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("a: \ud83d", "Line 1, column 4 has half of a character (U+D83D), which no file can hold."),
        ("a: b\r\nc: é\udc00", "Line 2, column 5 has half of a character (U+DC00), which no file can hold."),
        ("a\n\ud800b\udfff\n\ud800", "Line 2, column 1 has half of a character (U+D800), which no file can hold."),
    ],
    ids=ascii,
)
def test_a_text_that_no_file_can_hold_is_refused_by_its_place(blueprint: Path, text: str, title: str) -> None:
    opened = open_file(blueprint)
    before = blueprint.read_bytes()
    with pytest.raises(CannotSave) as caught:
        save(opened, text)
    assert caught.value.title == title
    assert blueprint.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("\ud83d", "Delete it."),
        ("\ud83d \ud83d", "Delete it, and 1 more like it."),
        ("\ud83d\udc00x\udc00", "Delete it, and 2 more like it."),
    ],
    ids=ascii,
)
def test_an_author_is_told_how_many_characters_no_file_can_hold(blueprint: Path, text: str, advice: str) -> None:
    with pytest.raises(CannotSave) as caught:
        save(open_file(blueprint), text)
    assert caught.value.advice.startswith(advice)


def test_a_touched_file_counts_as_unchanged(blueprint: Path) -> None:
    opened = open_file(blueprint)
    os.utime(blueprint, (1, 1))
    save(opened, "title: mine\n")
    assert blueprint.read_bytes() == b"title: mine\n"


def test_a_removed_file_is_told_as_gone(blueprint: Path) -> None:
    opened = open_file(blueprint)
    blueprint.unlink()
    with pytest.raises(ChangedOnDisk) as caught:
        save(opened, "title: mine\n")
    assert caught.value.gone


def test_a_second_save_follows_the_first(blueprint: Path) -> None:
    once = save(open_file(blueprint), "title: 1\n")
    save(once, "title: 2\n")
    assert blueprint.read_bytes() == b"title: 2\n"


_FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from engine.files.open_files import CannotSave, open_file, save
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    save(open_file(Path(sys.argv[1])), "x" * 100_000)
except CannotSave as problem:
    print(problem.title)
"""


@pytest.mark.skipif(os.name != "posix", reason="file size limits are POSIX")
def test_a_disk_that_fills_up_leaves_the_old_file_whole(blueprint: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _FULL_DISK, str(blueprint)], capture_output=True, text=True, check=True
    )
    assert "could not be written" in done.stdout
    assert blueprint.read_bytes() == b"title: T\n"
    assert list(blueprint.parent.iterdir()) == [blueprint]


def test_a_power_cut_before_the_new_file_is_in_place_leaves_the_old_one(
    blueprint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(_path: Path, _target: Path) -> Path:
        raise OSError("cut")

    opened = open_file(blueprint)
    monkeypatch.setattr(Path, "replace", cut)
    with pytest.raises(CannotSave):
        save(opened, "title: New\n")
    assert (blueprint.read_bytes(), [*blueprint.parent.iterdir()]) == (b"title: T\n", [blueprint])


def test_what_was_typed_and_not_saved_is_the_author_s_alone(blueprint: Path, tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    Journal(folder).write(blueprint, "title: Typed\n", None)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}
    assert modes == {0o700, 0o600}


def test_the_journal_gives_back_what_was_typed(blueprint: Path, tmp_path: Path) -> None:
    opened = open_file(blueprint)
    Journal(tmp_path / "j").write(blueprint, "title: typed\n", opened.digest)
    recovered = present(Journal(tmp_path / "j").pending(blueprint))
    assert (recovered.text, recovered.base_digest) == ("title: typed\n", opened.digest)


def test_a_cleared_journal_has_nothing_to_give(blueprint: Path, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    journal.write(blueprint, "x", None)
    journal.clear(blueprint)
    assert journal.pending(blueprint) is None


def test_a_journal_that_cannot_be_read_is_as_none(blueprint: Path, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    journal.write(blueprint, "x", None)
    next((tmp_path / "j").iterdir()).write_bytes(b"{ half")
    assert journal.pending(blueprint) is None


def test_recent_files_come_newest_first_and_only_while_they_exist(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.yml", "b.yml", "c.yml")]
    for path in paths:
        path.touch()
        remember_file(path)
    paths[1].unlink()
    assert recent_files() == [paths[2], paths[0]]


def test_a_recent_file_whose_place_does_not_answer_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent, other, over, is_file = tmp_path / "silent.yml", tmp_path / "b.yml", threading.Event(), Path.is_file
    for path in (silent, other):
        path.touch()
        remember_file(path)
    monkeypatch.setattr(Path, "is_file", lambda path: (over.wait(30) if path == silent else True) and is_file(path))
    monkeypatch.setattr(user_settings, "_SECONDS_TO_ANSWER", 0.2)
    assert recent_files() == [other]
    remember_file(tmp_path / "c.yml")
    over.set()
    assert recent_files() == [other, silent]


def test_settings_are_found_again() -> None:
    settings = Settings(answers={"a.yml": SavedAnswers(kind="control", value="refusal")})
    settings.save()
    assert Settings.load() == settings


def test_broken_settings_fall_back_to_the_defaults(clean_environment: Path) -> None:
    (clean_environment / "config").mkdir()
    (clean_environment / "config" / "settings.json").write_text("{ half")
    assert Settings.load() == Settings()


# From a result file to a blueprint that can be read: rebuilt from the normalised form in the file


PATH = Path("results/abc_2026_comparison.json")


def put_together(config: Data) -> str:
    opened = present(reconstructed(ResultFile(PATH, (), config=config)))
    return opened.text


def scored_by(blueprint: Blueprint) -> list[Any]:
    """All of a blueprint that a score depends on."""
    return [
        [
            prompt.id,
            prompt.weight,
            prompt.ideal,
            [(each.role, each.content) for each in prompt.messages],
            [(rubric.block, [path.index for path in rubric.paths]) for rubric in prompt.rubrics if rubric.entries],
            [(each.text, each.function and each.function.name, each.multiplier) for each in prompt.points()],
        ]
        for prompt in blueprint.prompts
    ]


def run_there() -> list[Parsed]:
    """Some published blueprints that Weval runs."""
    return [parsed for path in one_in(3, corpus_files()[::12]) if (parsed := read(path)).weval.ok]


@needs_corpus
@every("parsed", run_there, ids=lambda parsed: parsed.blueprint.header.title)
def test_a_blueprint_put_together_scores_as_the_one_that_was_run(parsed: Parsed) -> None:
    again = parse(put_together(weval_config(parsed)))
    assert scored_by(again.blueprint) == scored_by(parsed.blueprint)


def test_texts_of_several_lines_stand_in_lines() -> None:
    text = put_together({"title": "x", "prompts": [{"id": "p", "prompt": "One\nTwo", "points": ["a"]}]})
    assert "  prompt: |-\n    One\n    Two\n" in text


def test_control_characters_survive() -> None:
    said = "One\n\x1b[31m Two"
    (prompt,) = parse(put_together({"prompts": [{"id": "p", "prompt": said, "points": ["a"]}]})).blueprint.prompts
    assert prompt.messages[0].content == said


def test_it_is_for_reading_and_lies_where_nothing_is() -> None:
    opened = present(reconstructed(ResultFile(PATH, (), config={"prompts": []})))
    assert (opened.path, opened.digest) == (PATH.absolute().with_suffix(".yml"), None)
    assert "rebuilt from abc_2026_comparison.json" in (opened.read_only or "")


@every("config", [None, [], {}, {"prompts": None}, "x"])
def test_a_file_without_its_blueprint_gives_none(config: Data) -> None:
    assert reconstructed(ResultFile(PATH, (), config=config)) is None


def test_a_blueprint_that_is_nested_too_deeply_is_not_put_together() -> None:
    nested: Data = "x"
    for _ in range(150):
        nested = [nested]
    assert reconstructed(ResultFile(PATH, (), config={"prompts": [nested]})) is None


@pytest.mark.parametrize(
    "name", ["x" * 5000 + ".yml", "\ud800.yml", "a\0.yml"], ids=["long", "half a character", "NUL"]
)
def test_a_name_that_no_file_can_have_is_that_of_no_blueprint(name: str, tmp_path: Path) -> None:
    result = ResultFile(tmp_path / "x.json", (), config_id=name.removesuffix(".yml"), blueprint_name=name)
    assert blueprint_of(result) is None
