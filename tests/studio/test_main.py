"""The way into the program: opening is quick, everything else is the command line."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from studio.commands import COMMANDS, names_file
from tests.studio.command_line import studio
from tests.terminal import STUDIO, Terminal, needs_tmux


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--version"], 0, "studio, version"),
        (["rules", "no-rubric"], 0, "no-rubric"),
        (["a.yml", "--example"], 2, "not both"),
    ],
)
def test_what_opens_no_file_goes_through_the_command_line(arguments: list[str], code: int, said: str) -> None:
    done = subprocess.run([STUDIO, *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, said in done.stdout + done.stderr) == (code, True)


PACKAGES = (
    "engine.blueprint engine.files engine.scoring engine.text engine.yaml "
    "studio.commands studio.faults studio.main studio.session studio.tui"
)
LIBRARIES = {"msgspec", "platformdirs", "rich", "textual"}
OTHERS = {"watchfiles", "click", "pydantic", "httpx", "ruamel", "mini_racer", "pygments", "markdown_it"}
FIRST = "import studio.main, studio.tui.launch, studio.tui.app, studio.tui.screens.blueprint_screen"


@pytest.fixture(scope="module")
def loaded_first() -> list[str]:
    """The modules that are loaded before the first frame."""
    return printed(f"import sys; {FIRST}; print(*sys.modules)")


def printed(script: str) -> list[str]:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()


def test_the_first_frame_loads_these_packages_and_nothing_that_comes_behind(loaded_first: list[str]) -> None:
    own = [name.split(".") for name in loaded_first if name.startswith(("engine.", "studio."))]
    assert {".".join(parts[:2]) for parts in own} == set(PACKAGES.split())


def test_the_first_frame_loads_few_libraries(loaded_first: list[str]) -> None:
    tops = {name.partition(".")[0] for name in loaded_first}
    assert (tops & (LIBRARIES | OTHERS), tops >= LIBRARIES) == (LIBRARIES, True)


def test_the_first_frame_makes_no_frozen_dataclass_of_our_own() -> None:
    """A `Record` is made in a thirtieth of the time; fifty of them are before the first frame."""
    kinds = "(kind for module in [*sys.modules.values()] for kind in vars(module).values() if isinstance(kind, type))"
    frozen = "getattr(getattr(kind, '__dataclass_params__', None), 'frozen', False)"
    script = f"import sys; {FIRST}; print(*(kind.__module__ for kind in {kinds} if {frozen}))"
    assert [name for name in printed(script) if name.startswith(("engine.", "studio."))] == []


def test_what_an_open_file_loads_brings_no_pydantic() -> None:
    """It takes 10 MB."""
    loaded = printed("import sys, engine.rules, engine.files.user_settings, studio.session.runs; print(*sys.modules)")
    assert "pydantic" not in loaded


# --- A file or a command


@pytest.mark.parametrize(
    "argument", ["a.yml", "check.yml", "./x", "x/", "sub/x", ".weval", ".", "..", "/", "x.", "naïve.yml"]
)
def test_what_has_a_suffix_or_a_separator_is_a_file(argument: str) -> None:
    assert names_file(argument)


@pytest.mark.parametrize("argument", ["notes", "a folder", "chekc"])
def test_what_is_there_is_a_file(argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / argument).touch()
    monkeypatch.chdir(tmp_path)
    assert names_file(argument)


def test_a_link_to_nowhere_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    monkeypatch.chdir(tmp_path)
    assert names_file("link")


def test_all_else_is_a_command_or_an_option() -> None:
    assert [each for each in (*COMMANDS, "chekc", "", "-", "--example", "Check") if names_file(each)] == []


def test_a_command_is_one_also_where_a_file_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for command in COMMANDS:
        (tmp_path / command).touch()
    monkeypatch.chdir(tmp_path)
    assert [command for command in COMMANDS if names_file(command)] == []


MEANT = {
    "chekc": "Did you mean `studio check`?",
    "Check": "Did you mean `studio check`?",
    "rnu": "Did you mean `studio run`?",
    "explian": "Did you mean `studio explain`?",
    "function": "Did you mean `studio functions`?",
    "model": "Did you mean `studio models`?",
    "deletions": "The deletion test was removed",
    "zzz": "`studio --help` lists the commands",
    "": "There is no command “”",
    "che\x1bck": "che␛ck",
}


def test_an_unknown_command_is_an_error_that_says_what_was_meant() -> None:
    for word, meant in MEANT.items():
        done = studio(word, "--ideal")
        assert (word, done.exit_code, meant in done.stderr, done.stdout) == (word, 2, True, "")


# --- Without a terminal


def test_without_a_terminal_the_studio_says_that_it_needs_one() -> None:
    done = subprocess.run(
        [STUDIO, "open", "a.yml"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "The studio needs a terminal, but standard input is not one." in done.stderr


@pytest.mark.parametrize("elsewhere", ["stdout", "stderr"])
def test_each_of_the_three_streams_must_be_a_terminal(elsewhere: str) -> None:
    controller, terminal = pty.openpty()
    streams = {"stdin": terminal, "stdout": terminal, "stderr": terminal, elsewhere: subprocess.DEVNULL}
    done = subprocess.run(
        [STUDIO, "--example"],
        stdin=streams["stdin"],
        stdout=streams["stdout"],
        stderr=streams["stderr"],
        check=False,
        timeout=120,
    )
    os.close(terminal)
    os.close(controller)
    assert done.returncode == 2


def test_a_terminal_that_cannot_be_drawn_on_is_none() -> None:
    controller, terminal = pty.openpty()
    done = subprocess.run(
        [STUDIO, "--example"], stdin=terminal, stdout=terminal, stderr=terminal, check=False, timeout=120,
        env={**os.environ, "TERM": "dumb"},
    )  # fmt: skip
    said = os.read(controller, 1000).decode()
    os.close(terminal)
    os.close(controller)
    assert (done.returncode, "TERM is “dumb”" in said) == (2, True)


@needs_tmux
@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ([], "Recent files"),
        (["check.yml"], "There is no file check.yml"),
    ],
)
def test_in_a_terminal_the_screen_opens(arguments: list[str], shown: str, tmp_path: Path) -> None:
    with Terminal([STUDIO, *arguments], home=tmp_path, environment={"TERM": ""}) as opened:
        opened.wait_for(shown)


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no device that is always full")
@pytest.mark.parametrize("arguments", [["rules"], ["check", "x.yml", "--format", "json"]])
def test_an_output_that_cannot_be_written_is_one_line_and_exit_code_2(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "x.yml").write_text("- prompt: b\n  should: [c]\n", "utf-8")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [STUDIO, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=tmp_path
        )
    assert (done.returncode, done.stderr) == (2, "Error: the output cannot be written: No space left on device.\n")


def test_a_result_never_replaces_a_named_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.yml").write_text("- prompt: b\n  ideal: c\n  should: [{$contains: c}]\n", "utf-8")
    os.mkfifo("out.json")
    done = studio("run", "x.yml", "--ideal", "--json", "out.json")
    assert Path("out.json").is_fifo()
    assert (done.exit_code, "it is a named pipe" in done.stderr) == (2, True)
