"""`studio check`: what is told in which form, what is mended, options on the output, and exit codes."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator, Draft202012Validator, ValidationError
from rich.cells import cell_len
from ruamel.yaml import YAML

from engine.parsing import parse
from engine.rules import ALL, check
from engine.study.case_reader import CaseProblemKind
from engine.text.record import replace
from engine.text.spans import LineIndex, Position, Span, TextEdit, apply_edits, visible
from studio.cli import check_files, main
from studio.cli.check_files import CheckedFile, Examiner
from studio.cli.check_options import CheckOptions, Layout
from studio.cli.check_result import pieces
from studio.cli.check_text import as_text, frame
from studio.commands import COMMANDS
from tests.checked_corpus import checked, read
from tests.repeated_problems import quoted_checks
from tests.studio.command_line import studio
from tests.thoroughness import one_in
from tests.world import CORPUS, corpus_files, needs_corpus, needs_shared

GOOD = "- id: a\n  prompt: x\n  should: [b]\n"
WRONG = "- id: a\n  prompt: x\n  should:\n    - \"$contains: 'b'\" # why\n    - c\n"
MENDED = "- id: a\n  prompt: x\n  should:\n    - $contains: 'b' # why\n    - c\n"

Write = Callable[..., Path]


@pytest.fixture
def written(tmp_path: Path) -> Write:
    def write(text: str, name: str = "blueprint.yml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        return path

    return write


def as_json(*arguments: object) -> Any:
    return json.loads(studio("check", "--format", "json", *arguments).stdout)


SOME = sorted((CORPUS / "benchmarks").glob("*.yml"))[::4]
"""Files with reports of most kinds."""


@pytest.fixture(scope="module")
def some_as_json(homes: Path) -> str:
    """As two processes tell it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BLUEPRINT_STUDIO_HOME", str(homes / "check-json"))
        patch.setattr(check_files, "_MANY_FILES", 2)
        return studio("check", "--format", "json", *SOME).stdout


@pytest.fixture(scope="module")
def some_as_sarif(homes: Path) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BLUEPRINT_STUDIO_HOME", str(homes / "check-sarif"))
        return json.loads(studio("check", "--format", "sarif", *SOME).stdout)


def test_the_edits_in_json_are_all_that_another_program_needs(written: Write) -> None:
    lines = LineIndex(WRONG)
    [edit] = as_json(written(WRONG))[0]["fixes"][0]["edits"]
    start = lines.offset(Position(edit["line"] - 1, edit["column"] - 1))
    end = lines.offset(Position(edit["end_line"] - 1, edit["end_column"] - 1))
    assert apply_edits(WRONG, [TextEdit(Span(start, end), edit["text"])]) == MENDED


def test_fix_keeps_the_mode_and_the_byte_order_mark(written: Write) -> None:
    path = written("\ufeff" + WRONG)
    path.chmod(0o640)
    studio("check", "--fix", path)
    assert path.read_bytes() == b"\xef\xbb\xbf" + MENDED.encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_fix_leaves_a_sound_file_untouched(written: Write) -> None:
    path = written(GOOD)
    before = path.stat()
    studio("check", "--fix", path)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


# --- Diffs


def test_the_patch_of_a_diff_is_what_fix_does(written: Write, tmp_path: Path) -> None:
    if shutil.which("patch") is None:
        pytest.skip("the program patch is not installed")
    written(WRONG.rstrip("\n"), "blueprint.yml")
    shown = CliRunner().invoke(main, ["check", "--diff", str(tmp_path / "blueprint.yml")]).stdout
    subprocess.run(["patch", "-p0", "-d", "/"], input=shown, text=True, check=True, capture_output=True)
    assert (tmp_path / "blueprint.yml").read_text() == MENDED.rstrip("\n")


# --- For other programs


@cache
def sarif_schema() -> Draft4Validator:
    schema = Path(__file__).parents[1] / "schemas" / "sarif-2.1.0-rtm.5.json"
    return Draft4Validator(json.loads(schema.read_text("utf-8")))


def test_sarif_of_nothing_is_valid(written: Write) -> None:
    sarif_schema().validate(json.loads(studio("check", "--format", "sarif", written(GOOD)).stdout))


@needs_corpus
def test_sarif_of_a_folder_of_the_corpus_is_valid(some_as_sarif: Any) -> None:
    sarif_schema().validate(some_as_sarif)
    [run] = some_as_sarif["runs"]
    assert all(run["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"] for one in run["results"])


@needs_corpus
def test_two_processes_tell_what_one_tells_in_the_same_order(
    monkeypatch: pytest.MonkeyPatch, some_as_json: str
) -> None:
    monkeypatch.setattr(check_files, "_MANY_FILES", 10_000)
    assert studio("check", "--format", "json", *SOME).stdout == some_as_json


@needs_corpus
def test_a_folder_of_the_corpus_can_be_told_in_every_form(some_as_json: str, some_as_sarif: Any) -> None:
    found = json.loads(some_as_json)
    assert len({one["file"] for one in found}) > 10
    assert studio("check", "--format", "github", *SOME).stdout.count("\n") == len(found)
    assert len(some_as_sarif["runs"][0]["results"]) == len(found)


# --- The published schema of `studio check --format json`, and the rules in SARIF


ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "studio" / "example" / "tenants-rights.yml"


@cache
def schema() -> Any:
    return json.loads(studio("check", "--schema").stdout)


@cache
def validator() -> Draft202012Validator:
    return Draft202012Validator(schema())


@cache
def example() -> Any:
    return as_json(EXAMPLE)


# --- The schema


def test_the_schema_is_a_schema_with_a_version() -> None:
    Draft202012Validator.check_schema(schema())
    assert re.fullmatch(r"urn:blueprint-studio:check-output:\d+\.\d+", schema()["$id"])


def test_the_page_names_the_version_of_the_schema() -> None:
    page = (ROOT / "docs" / "machine-readable.md").read_text("utf-8")
    assert f"the version, now {schema()['$id'].rpartition(':')[2]}:" in page


@needs_corpus
def test_the_output_for_a_folder_of_the_corpus_follows_the_schema() -> None:
    found = as_json("--for", "weval", *SOME)
    validator().validate(found)
    assert len({one["slug"] for one in found}) > 10


def test_the_output_for_the_cases_of_all_rules_follows_the_schema() -> None:
    files = sorted((ROOT / "tests" / "engine" / "rule_cases").glob("*.yml"))
    found = as_json("--select", ",".join(rule.slug for rule in ALL), *one_in(8, files))
    of_each_rule = {one["slug"]: one for one in found}
    validator().validate([*of_each_rule.values()])
    assert len(of_each_rule) > len(ALL) // 8


def test_the_output_without_problems_follows_the_schema(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text("- id: a\n  prompt: Which article is it?\n  should: [Names the article]\n")
    validator().validate(as_json(tmp_path))


def every_object(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all objects in `value`."""
    if isinstance(value, dict):
        yield path
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from every_object(part, (*path, key))


def test_no_key_may_be_missing_or_unknown() -> None:
    for path in every_object(example()):
        copy = json.loads(json.dumps(example()))
        place = copy
        for step in path:
            place = place[step]
        for changed in [{**place, "else": 1}, *({k: v for k, v in place.items() if k != gone} for gone in place)]:
            place.clear()
            place.update(changed)
            with pytest.raises(ValidationError):
                validator().validate(copy)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("severity", "note"),
        ("line", 0),
        ("column", "1"),
        ("flagged", 0),
        ("code", "y3"),
        ("slug", "A b"),
        ("fixes", None),
    ],
)
def test_a_wrong_value_is_refused(key: str, value: object) -> None:
    [first, *_] = example()
    with pytest.raises(ValidationError):
        validator().validate([{**first, key: value}])


# --- Rules in SARIF


def test_problems_of_case_files_are_explained_on_the_page_of_cases() -> None:
    page = (ROOT / "docs" / "cases.md").read_text("utf-8")
    assert "## Problems of a case file" in page
    assert all(f"| `{kind.value}` |" in page for kind in CaseProblemKind)


@pytest.mark.parametrize("top", ["engine", "studio", "docs", "pyproject.toml", "README.md"])
def test_no_placeholder_address_reaches_a_user(top: str) -> None:
    root = ROOT / top
    files = [root] if root.is_file() else [path for path in root.rglob("*") if path.suffix in (".py", ".md", ".yml")]
    assert [path for path in files if "repository.example" in path.read_text("utf-8")] == []


# --- The JSON of `studio check`, which is written in pieces


def checked_pieces(text: str) -> CheckedFile:
    return CheckedFile(Path("a.yml"), text, check(parse(text)))


@pytest.mark.parametrize("count", [0, 1, 499, 500, 501, 1_200])
def test_the_pieces_are_one_list_with_an_indentation(count: int) -> None:
    written = "".join(pieces(Layout.JSON, [checked_pieces("- a\n" * count)] if count else []))
    assert len(json.loads(written)) == count
    assert written == json.dumps(json.loads(written), indent=2) + "\n"


def test_a_long_list_is_written_in_several_pieces() -> None:
    assert max(map(len, pieces(Layout.JSON, [checked_pieces("- a\n" * 2_000)]))) < 1_000_000


# --- The definition of the pre-commit hooks: what pre-commit needs of it, and that its entries work on files


HOOKS: list[dict[str, Any]] = YAML(typ="safe").load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
HOOKS_WRONG = "- id: a\n  prompt: x\n  should:\n    - \"$contains: 'b'\"\n"


def run(hook: dict[str, Any], *files: Path) -> subprocess.CompletedProcess[str]:
    program, *arguments = shlex.split(hook["entry"])
    command = [str(Path(sys.executable).with_name(program)), *arguments, *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_has_what_pre_commit_needs(hook: dict[str, Any]) -> None:
    assert {"id", "name", "entry", "language"} <= hook.keys()
    assert shlex.split(hook["entry"])[:2] == ["studio", "check"]
    assert "check" in COMMANDS


def test_a_hook_checks_several_files_and_fails_where_one_is_wrong(tmp_path: Path) -> None:
    good, wrong = tmp_path / "good.yml", tmp_path / "wrong.yml"
    good.write_text("- id: a\n  prompt: x\n  should: [b]\n")
    wrong.write_text(HOOKS_WRONG)
    assert run(HOOKS[0], good).returncode == 0
    done = run(HOOKS[0], good, wrong)
    assert done.returncode == 1
    assert f"{wrong}:4:7: error quoted-function" in done.stdout


def test_the_fixing_hook_mends_what_is_safe(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(HOOKS_WRONG)
    assert run(HOOKS[1], wrong).returncode == 0
    assert wrong.read_text() == HOOKS_WRONG.replace('"', "")


# --- Problems as text: frames, widths, and causes that a file repeats


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
    for path in one_in(24, corpus_files()):
        file = CheckedFile(path, read(path).text, checked(path))
        shown = as_text([file], summary=None)
        for each in file.diagnostics:
            place = file.place(each.span)
            assert f"{path}:{place.line}:{place.column}: " in shown
