"""`studio check --baseline`: only what is new is reported, whatever moves; and --write-baseline."""

from __future__ import annotations

import json
import stat
from collections import Counter
from pathlib import Path

import pytest
from click.testing import Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.parsing import parse
from engine.rules import check
from engine.text.record import replace
from studio.cli.check_files import CheckedFile
from studio.cli.check_result import BaselineFile, Known, read_baseline, written
from tests.studio.command_line import studio
from tests.world import CORPUS, needs_corpus

ONE = "- id: a\n  prompt: Which article is it?\n  should:\n    - \"$contains: 'Article 19'\"\n    - Names the treaty\n"
TWO = "- id: b\n  prompt: Which year is it?\n  should:\n    - \"$contains: '1948'\"\n    - Names the decade\n"
KNOWN = "known.json"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "blueprint-studio.toml").write_text('select = ["quoted-function", "unknown-key", "yaml-syntax"]\n')
    return tmp_path


def put(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)


def write_baseline(*arguments: str) -> Result:
    return studio("check", "--baseline", KNOWN, "--write-baseline", *(arguments or (".",)))


def new(*arguments: object) -> list[tuple[str, str, int]]:
    result = studio("check", "--format", "json", "--baseline", KNOWN, *(arguments or (".",)))
    return [(one["file"], one["slug"], one["line"]) for one in json.loads(result.stdout)]


def test_two_processes_agree_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from studio.cli import check_files

    for number in range(4):
        put(f"{number}.yml", ONE + TWO)
    write_baseline()
    put("3.yml", ONE + TWO.replace("1948", "1949"))
    monkeypatch.setattr(check_files, "_MANY_FILES", 2)
    assert new() == [("3.yml", "quoted-function", 9)]


# --- The file


def test_the_file_is_replaced_whole_and_keeps_its_mode() -> None:
    put("a.yml", ONE)
    write_baseline()
    Path(KNOWN).chmod(0o640)
    put("a.yml", ONE + TWO)
    write_baseline()
    assert stat.S_IMODE(Path(KNOWN).stat().st_mode) == 0o640
    assert sorted(path.name for path in Path().iterdir()) == ["a.yml", "blueprint-studio.toml", KNOWN]


# --- Laws

KNOWNS = st.builds(Known, st.sampled_from("ab"), st.sampled_from("rs"), st.sampled_from("12"))
FOUND = st.lists(KNOWNS, max_size=12)
(ANY, *_) = check(parse("- a\n"))


def files_with(found: list[Known]) -> list[CheckedFile]:
    """Checked files with these problems, on which both rules ran."""
    return [
        CheckedFile(
            Path(name),
            "",
            tuple(replace(ANY, slug=each.slug) for each in found if each.file == name),
            tuple(each.digest for each in found if each.file == name),
            frozenset("rs"),
        )
        for name in "ab"
    ]


def baseline_of(found: list[Known]) -> BaselineFile:
    baseline = BaselineFile(Path(KNOWN), may_be_missing=True)
    baseline.write(files_with(found))
    return BaselineFile(Path(KNOWN), may_be_missing=False)


@given(FOUND)
def test_a_baseline_is_read_as_it_was_written(found: list[Known]) -> None:
    assert read_baseline(written(Counter(found))) == Counter(found)


@given(FOUND, FOUND)
def test_what_is_new_is_what_goes_beyond_the_counts(before: list[Known], after: list[Known]) -> None:
    compared = baseline_of(before).compare(files_with(after))
    new = sum(len(file.diagnostics) for file in compared.files)
    assert new == sum(max(0, after.count(each) - before.count(each)) for each in set(after))
    assert compared.gone == Counter(before) - Counter(after)
    assert compared.known == len(after) - new


@given(FOUND, FOUND)
def test_nothing_is_new_and_nothing_gone_after_writing(before: list[Known], after: list[Known]) -> None:
    baseline = baseline_of(before)
    baseline.write(files_with(after))
    compared = baseline.compare(files_with(after))
    assert ([file.diagnostics for file in compared.files], compared.gone) == ([(), ()], {})


@needs_corpus
@settings(
    max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.integers(0, 3))
def test_blank_lines_and_remarks_in_a_file_of_the_corpus_make_nothing_new(number: int) -> None:
    path = sorted((CORPUS / "benchmarks").glob("*.yml"))[number * 5]
    text = path.read_text("utf-8")
    put("c.yml", text)
    write_baseline("c.yml")
    put("c.yml", "# a remark\n\n" + text.replace("\n- id:", "\n\n# another\n- id:"))
    assert new("c.yml") == []
