"""Problems as text: frames, widths, and causes that a file repeats."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from engine.parsing import parse
from engine.rules import check
from engine.text.record import replace
from engine.text.spans import LineIndex, Span, visible
from studio.cli.check_files import CheckedFile, Examiner
from studio.cli.check_options import CheckOptions
from studio.cli.check_text import as_text, frame
from tests.checked_corpus import checked, read
from tests.repeated_problems import quoted_checks
from tests.studio.command_line import studio
from tests.thoroughness import one_in
from tests.world import corpus_files, needs_shared

WRONG = "- id: a\n  prompt: x\n  should:\n    - \"$contains: 'b'\" # why\n    - c\n"


@pytest.mark.parametrize(
    ("line", "place", "width", "shown"),
    [
        ("- abc def", "def", 80, "- abc def|      ^^^"),
        ("- 東京 def", "def", 80, "- 東京 def|       ^^^"),
        ("-\tdef", "def", 80, "-    def|     ^^^"),
        ("- a\u0301b def", "def", 80, "- a\u0301b def|     ^^^"),
        ("x" * 50 + "def" + "y" * 50, "def", 30, "…xxxxxxxxxdefyyyyyyyyyyyyyyyy…|          ^^^"),
        ("def" + "y" * 50, "def", 20, "defyyyyyyyyyyyyyyyy…|^^^"),
        ("- " + "d" * 50, "d" * 50, 20, "- ddddddddddddddddd…|  ^^^^^^^^^^^^^^^^^^"),
        ("\x1b[31mdef", "def", 80, "␛[31mdef|     ^^^"),
    ],
)
def test_the_mark_stands_under_the_place(line: str, place: str, width: int, shown: str) -> None:
    at = line.index(place)
    found = frame(LineIndex(line), Span(at, at + len(place)), width)
    assert f"{found.line}|{' ' * found.start}{'^' * found.length}" == shown


@given(
    st.text(st.sampled_from("ab 東\t\x1bé👩🏽"), max_size=80),
    st.integers(0, 80),
    st.integers(0, 80),
    st.integers(20, 90),
)
def test_a_frame_keeps_to_its_width_and_its_mark_to_the_line(line: str, start: int, length: int, width: int) -> None:
    start = min(start, len(line))
    found = frame(LineIndex(line), Span(start, min(start + length, len(line))), width)
    assert cell_len(found.line) <= width
    assert 0 <= found.start <= cell_len(found.line)
    assert found.length >= 1
    assert found.line == visible(found.line)


def test_a_place_of_several_lines_is_marked_on_its_first(tmp_path: Path) -> None:
    found = frame(LineIndex("- one\n  two\n"), Span(2, 11), 80)
    assert (found.line, found.start, found.length, found.last_line) == ("- one", 2, 3, 1)


class _Terminal:
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@contextmanager
def a_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> Iterator[None]:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", _Terminal())
        yield


def text_of(path: Path) -> str:
    from engine.functions.v8 import JavaScript

    with JavaScript() as javascript:
        checked = Examiner(CheckOptions(), javascript).examine(path).checked
    assert checked is not None
    return as_text([checked])


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    path = tmp_path / "w.yml"
    path.write_text(WRONG)
    return path


def test_a_terminal_gets_colours(wrong: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with a_terminal(monkeypatch, 120):
        told = text_of(wrong)
    assert "\x1b[31m" in told
    plain = re.sub(r"\x1b\[[0-9;]*m", "", told)
    assert "4 |     - \"$contains: 'b'\" # why\n  |       ^^^^^^^^^^^^^^^^\n" in plain


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_terminal_that_wants_no_colours_gets_none(
    wrong: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    with a_terminal(monkeypatch, 120):
        monkeypatch.setenv(name, value)
        assert "\x1b" not in text_of(wrong)


@pytest.mark.parametrize("columns", [80, 120])
def test_no_line_is_wider_than_the_terminal(wrong: Path, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    wrong.write_text(WRONG.replace("'b'", f"'{'東京 ' * 80}'"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(wrong.parent)
    with a_terminal(monkeypatch, columns):
        told = text_of(Path(wrong.name))
    assert max(cell_len(line) for line in told.split("\n")[1:]) <= columns


@pytest.mark.parametrize("length", [5, 30, 45, 50, 60, 70, 77, 120])
def test_the_first_line_is_broken_between_words_however_long_the_path(
    wrong: Path, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    path = wrong.with_name("n" * length + ".yml")
    path.write_text("- id: a\n  prompt: x\n  should: [b]\n" * 2)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(path.parent)
    with a_terminal(monkeypatch, 80):
        told = text_of(Path(path.name))
    head = told.partition("\n4 |")[0]
    assert " ".join(head.split()).startswith(f"{path.name}:4:7: error duplicate-prompt-id: the id `a` is taken:")
    assert all(len(line) <= 80 for line in head.split("\n")[1:])


def test_a_pipe_gets_neither_colours_nor_progress(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number}.yml").write_text(WRONG)
    command = [str(Path(sys.executable).with_name("studio")), "check", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert "\x1b" not in done.stdout
    assert "30 errors" in done.stdout


FAMILY = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}"


@pytest.mark.parametrize("place", range(0, 90, 7))
def test_a_cut_leaves_no_joiner_without_its_characters(place: int) -> None:
    source = FAMILY * 18
    line = frame(LineIndex(source), Span(place, place + 3), 40).line
    inside = line.strip("…")
    assert visible(inside) == inside


# --- `studio check` where a file repeats a cause: the text shows it once with its places, other forms each place


def text_of_repeated(text: str) -> list[str]:
    path = Path("x.yml")
    return as_text([CheckedFile(path, text, check(parse(text, path)))], summary=None).split("\n")


def test_a_fix_that_not_every_place_has_says_at_how_many() -> None:
    problems = check(parse(quoted_checks(3), Path("x.yml")))
    without = [each if number else replace(each, fixes=()) for number, each in enumerate(problems)]
    shown = as_text([CheckedFile(Path("x.yml"), quoted_checks(3), tuple(without))], summary=None)
    assert "= fix: make it a check (2 places)" in shown


@pytest.mark.parametrize("columns", [60, 80])
def test_no_place_is_wider_than_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    with a_terminal(monkeypatch, columns):
        lines = text_of_repeated(quoted_checks(3).replace("Number", "東京 " * 40))
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


@needs_shared
def test_over_the_corpus_every_place_is_in_the_text() -> None:
    for path in one_in(6, corpus_files()):
        file = CheckedFile(path, read(path).text, checked(path))
        shown = as_text([file], summary=None)
        for each in file.diagnostics:
            place = file.place(each.span)
            assert f"{path}:{place.line}:{place.column}: " in shown
