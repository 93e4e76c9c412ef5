"""`studio check --watch`, as a process of its own: it checks again after each change, rests in between, and ends."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from engine.functions.v8 import JavaScript
from studio.cli.check_files import Candidate, Examined
from studio.cli.check_options import CheckOptions
from studio.cli.check_watch import ExaminedFiles
from tests.studio.command_line import studio

STUDIO = Path(sys.executable).with_name("studio")
WATCHING = "Watching "
LONG = 60.0
"""Seconds: far more than anything takes here."""
GOOD = "- id: a\n  prompt: Which article is it?\n  should:\n    - Names the article\n"
WRONG = (
    "- id: a\n  prompt: Which article is it?\n  should:\n    - \"$contains: 'Article 19'\"\n    - Names the treaty\n"
)

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as on Linux and macOS")


class Watch:
    """A running `studio check --watch`, whose rounds can be read one by one."""

    def __init__(self, folder: Path, arguments: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            [STUDIO, "check", "--watch", *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def round(self) -> str:
        """The output up to the line that says what is watched."""
        lines: list[str] = []
        while True:
            line = self._lines.get(timeout=LONG)
            assert line is not None, "".join(lines)
            if WATCHING in line:
                return "".join(lines)
            lines.append(line)

    def is_silent(self, seconds: float) -> bool:
        """Whether nothing is printed for so long."""
        try:
            self._lines.get(timeout=seconds)
        except queue.Empty:
            return True
        return False

    def interrupted(self) -> tuple[int, str]:
        """The exit code after Ctrl+C, which all processes of the terminal get, and what is printed then."""
        os.killpg(self.process.pid, signal.SIGINT)
        code = self.process.wait(LONG)
        self._reader.join(LONG)
        rest = [line for line in iter(self._lines.get_nowait, None) if line]
        return code, "".join(rest)

    def end(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(LONG)
        self._reader.join(LONG)


Start = Callable[..., Watch]


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Start]:
    running: list[Watch] = []

    def start(*arguments: str) -> Watch:
        running.append(Watch(tmp_path, arguments or (".",)))
        return running[-1]

    yield start
    for each in running:
        each.end()


def put(folder: Path, name: str, text: str) -> None:
    """As editors save: a new file takes the name."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}~").write_text(text)
    (folder / f"{name}~").replace(folder / name)


def test_it_checks_again_whenever_something_changes_and_ends_with_ctrl_c(tmp_path: Path, watched: Start) -> None:
    put(tmp_path, "a.yml", WRONG)
    put(tmp_path, "b.yml", GOOD)
    watch = watched()
    assert "a.yml:4:7: error quoted-function" in watch.round()
    put(tmp_path, "a.yml", GOOD)
    assert watch.round() == "No problems in 2 files.\n"
    put(tmp_path, "deep/c.yml", WRONG)
    assert "deep/c.yml:4:7: error quoted-function" in watch.round()
    put(tmp_path, "blueprint-studio.toml", 'ignore = ["quoted-function"]\n')
    assert watch.round() == "No problems in 3 files.\n"
    put(tmp_path, "blueprint-studio.toml", 'exclude = ["b.yml"]\n')
    assert "1 error in 1 of 2 files." in watch.round()
    (tmp_path / "deep" / "c.yml").unlink()
    assert watch.round() == "No problems in 1 file.\n"
    assert watch.interrupted() == (0, "\n")


def test_a_collection_of_models_that_changes_is_noticed(tmp_path: Path, watched: Start) -> None:
    put(tmp_path, "a.yml", f"title: T\nmodels: [MINE]\n---\n{GOOD}")
    watch = watched("a.yml")
    assert "MINE" in watch.round()
    put(tmp_path, "models/MINE.json", '["openai:gpt-4o"]')
    assert "MINE" not in watch.round()


def test_a_named_file_may_go_and_come_back(tmp_path: Path, watched: Start) -> None:
    put(tmp_path, "a.yml", GOOD)
    watch = watched("a.yml")
    assert watch.round() == "No problems in 1 file.\n"
    (tmp_path / "a.yml").unlink()
    assert watch.round() == "a.yml: There is no such file or folder.\n"
    put(tmp_path, "a.yml", GOOD)
    assert watch.round() == "No problems in 1 file.\n"


def test_a_baseline_that_changes_is_read_again(tmp_path: Path, watched: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "a.yml", WRONG)
    put(tmp_path, "known.json", '{"version": 1, "problems": []}')
    watch = watched("--baseline", "known.json", ".")
    assert "quoted-function" in watch.round()
    studio("check", "--baseline", "known.json", "--write-baseline", ".")
    assert "No new problems in 1 file.\n" in watch.round()
    put(tmp_path, "known.json", "no baseline")
    assert "known.json is not a baseline" in watch.round()


def test_without_a_change_it_is_silent_and_rests(tmp_path: Path, watched: Start) -> None:
    for number in range(40):
        put(tmp_path, f"{number}.yml", GOOD)
    watch = watched()
    watch.round()
    time.sleep(0.5)
    before = seconds_used(watch.process.pid)
    assert watch.is_silent(4)
    assert seconds_used(watch.process.pid) - before < 0.8


def seconds_used(process: int) -> float:
    """The processor time of a process so far."""
    if not Path("/proc").is_dir():
        pytest.skip("there is no /proc to read the processor time from")
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("count", [2, 60], ids=["one process", "several processes"])
def test_ctrl_c_within_a_check_ends_it_without_a_trace(tmp_path: Path, watched: Start, count: int) -> None:
    for number in range(count):
        put(tmp_path, f"{number}.yml", GOOD * 40)
    watch = watched()
    watch.round()
    for number in range(count):
        put(tmp_path, f"{number}.yml", GOOD * 41)
    time.sleep(0.7)
    code, rest = watch.interrupted()
    assert (code, "Traceback" in rest) == (0, False)


# --- What is examined again


class Counted(ExaminedFiles):
    """Takes down which files are examined."""

    def __init__(self) -> None:
        super().__init__(JavaScript())
        self.examined: list[str] = []

    def _examined(self, files: Sequence[Candidate], options: CheckOptions) -> Iterator[Examined]:
        for each in files:
            self.examined.append(each.path.name)
            yield Examined(messages=(each.path.name,))


def files(*names: str) -> list[Candidate]:
    return [Candidate(Path(name), named=False) for name in names]


def messages(cache: Counted, *names: str) -> list[str]:
    return [one.messages[0] for one in cache.examine(files(*names), CheckOptions())]


def test_only_what_changed_is_examined_again() -> None:
    cache = Counted()
    assert messages(cache, "a", "b", "c") == ["a", "b", "c"]
    cache.forget(frozenset({Path("b")}))
    assert messages(cache, "a", "b", "c", "d") == ["a", "b", "c", "d"]
    assert cache.examined == ["a", "b", "c", "b", "d"]
