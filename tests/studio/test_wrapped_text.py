"""Results in a terminal are wrapped below their last column, and are one line each on a pipe."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from studio.cli.frame import wrapped
from tests.studio.command_line import studio

ROW = "   2     –      1     –     –     66.7  “Says that the notice must be in writing, and names the hour of a visit”"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    return monkeypatch


def test_on_a_pipe_nothing_is_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False)
    assert wrapped(f"{ROW}\n") == f"{ROW}\n"


def test_a_row_goes_on_below_its_last_column(terminal: pytest.MonkeyPatch) -> None:
    assert wrapped(f"{ROW}\n").splitlines() == [
        "   2     –      1     –     –     66.7  “Says that the notice must be in",
        "                                        writing, and names the hour of a visit”",
    ]


def test_a_paragraph_goes_on_below_its_text(terminal: pytest.MonkeyPatch) -> None:
    assert wrapped(f"    {'word ' * 17}end") == f"    {' '.join(['word'] * 15)}\n    word word end"


def test_a_line_whose_columns_take_half_of_the_terminal_goes_on_at_its_margin(terminal: pytest.MonkeyPatch) -> None:
    terminal.setenv("COLUMNS", "60")
    assert wrapped(ROW).splitlines()[1].startswith("     in writing") or wrapped(ROW).splitlines()[1][:5] == "     "


@given(st.text(st.sampled_from("ab  ，语é“”"), max_size=300), st.integers(20, 120))
def test_no_sign_is_lost_and_no_line_is_wider_than_the_terminal(text: str, width: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.stdout, "isatty", lambda: True)
        patch.setattr(os, "environ", {**os.environ, "COLUMNS": str(width)})
        lines = wrapped(text).split("\n")
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(cell_len(line) <= width for line in lines)


KEY = "sk-abcdefghijklmnopqrstuvwxyz0123456789ABCD"


@pytest.mark.parametrize(
    "command",
    [
        ("check", "{}"), ("review", "{}"), ("run", "{}", "--ideal"), ("explain", "{}", "--prompt", "a", "--ideal"),
        ("report", "{}", "--format", "markdown"), ("report", "{}", "--format", "html"), ("diff", "{}", "{}.old"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_no_text_shows_a_key_that_stands_in_a_blueprint(tmp_path: Path, command: tuple[str, ...]) -> None:
    path = tmp_path / "a.yml"
    text = f"- id: a\n  prompt: My key is {KEY}\n  ideal: {KEY}\n  should:\n    - $contains: {KEY}\n"
    path.write_text(text, "utf-8")
    Path(f"{path}.old").write_text(text.replace("My key", "A key").replace("contains: ", "contains: yes "), "utf-8")
    done = studio(*(each.format(path) for each in command))
    assert done.stdout
    assert KEY not in done.stdout + done.stderr
