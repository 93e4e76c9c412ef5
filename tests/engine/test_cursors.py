"""Where the cursor was in a file that is opened again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.files.own_files import listen, state_dir
from engine.files.user_settings import offset_in, place_in, recalled_cursor, remember_cursor

LINES = st.lists(st.text("ab \u2028-", max_size=4), max_size=6).map("\n".join)


@given(LINES, st.integers(0, 40))
def test_an_unchanged_text_is_read_on_at_the_same_offset(text: str, offset: int) -> None:
    assert offset_in(text, place_in(text, offset)) == min(offset, len(text))


@given(LINES, LINES, st.integers(0, 40))
def test_a_place_is_within_any_text(text: str, other: str, offset: int) -> None:
    assert 0 <= offset_in(other, place_in(text, offset)) <= len(other)


def test_the_line_is_found_where_it_is_now() -> None:
    text = "a\nb\nNames the lease\nc\n"
    place = place_in(text, text.index("lease"))
    other = f"new\nnew\nnew\n{text}"
    assert offset_in(other, place) == other.index("lease")


def test_of_several_such_lines_the_nearest_counts() -> None:
    place = place_in("a\nx\nb\nx\nc\nx\n", 6)
    assert offset_in("a\nx\nb\nx\nx\n", place) == 6


def test_a_line_that_is_gone_leaves_the_cursor_at_its_number() -> None:
    place = place_in("a\nb\nlong line\n", 8)
    assert offset_in("a\nb\nc\n", place) == 5


def test_each_file_has_a_cursor_of_its_own(tmp_path: Path) -> None:
    remember_cursor(tmp_path / "a.yml", place_in("x\ny\n", 2))
    remember_cursor(tmp_path / "b.yml", place_in("x\ny\n", 1))
    found = [recalled_cursor(tmp_path / name, "x\ny\n") for name in ("a.yml", "b.yml", "c.yml")]
    assert found == [2, 1, 0]


@pytest.mark.parametrize("content", [b"[]", b'{"a": [1, 2]}', b'{"a": [-1, 2, "x"]}', b"nonsense"])
def test_a_damaged_file_is_set_aside(tmp_path: Path, content: bytes) -> None:
    reports: list[str] = []
    listen(reports.append)
    state_dir().mkdir(parents=True, exist_ok=True)
    (state_dir() / "cursors.json").write_bytes(content)
    assert (recalled_cursor(tmp_path / "a.yml", "x"), len(reports)) == (0, 1)
