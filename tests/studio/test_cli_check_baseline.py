"""`studio check --baseline`: only what is new is reported, whatever moves; and --write-baseline."""

from __future__ import annotations

import json
import stat
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.parsing import parse
from engine.rules import check
from engine.text.record import replace
from studio.cli import main
from studio.cli.check_baseline import BaselineFile, Known, read_baseline, written
from studio.cli.check_files import CheckedFile
from tests.studio.command_line import studio
from tests.world import CORPUS, needs_corpus

HEAD = "title: T\n---\n"
ONE = "- id: a\n  prompt: Which article is it?\n  should:\n    - \"$contains: 'Article 19'\"\n    - Names the treaty\n"
TWO = "- id: b\n  prompt: Which year is it?\n  should:\n    - \"$contains: '1948'\"\n    - Names the decade\n"
SOUND = "- id: c\n  prompt: Which town is it?\n  should:\n    - Names the town\n"
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


def entries() -> list[tuple[str, str, int]]:
    return [(one["file"], one["slug"], one["count"]) for one in json.loads(Path(KNOWN).read_text())["problems"]]


# --- What is known is not reported


def test_what_is_written_is_not_reported_again() -> None:
    put("a.yml", HEAD + ONE + TWO)
    assert write_baseline().exit_code == 0
    result = studio("check", "--baseline", KNOWN, ".")
    assert (result.stdout, result.exit_code) == ("No new problems in 1 file.\n", 0)
    assert result.stderr == f"2 problems are in {KNOWN} and not shown.\n"


@pytest.mark.parametrize(
    "edited",
    [
        "# a remark\n\n" + HEAD + ONE + TWO,
        HEAD.replace("T", "Another title") + SOUND + ONE + TWO,
        HEAD + TWO + ONE,
        HEAD + ONE.replace("    - ", "      - ") + TWO,
        HEAD + ONE.replace("    - Names", "    - Says why\n    - Names") + TWO,
        HEAD + ONE.replace("Which article is it?", "Which of the articles is it?") + TWO,
        (HEAD + ONE + TWO).replace("\n", "\r\n"),
        HEAD + ONE + SOUND,
    ],
    ids=["above", "a prompt before", "swapped", "indented", "a point before", "question", "line ends", "one fixed"],
)
def test_an_edit_elsewhere_makes_nothing_new(edited: str) -> None:
    put("a.yml", HEAD + ONE + TWO)
    write_baseline()
    Path("a.yml").write_bytes(edited.encode())
    assert new() == []


@pytest.mark.parametrize(
    ("edited", "line"),
    [
        (HEAD + ONE.replace("Article 19", "Article 20"), 6),
        (HEAD + ONE + TWO, 11),
        (HEAD + ONE + ONE.replace("id: a", "id: b"), 11),
        (HEAD + ONE.replace("    - Names", "    - \"$contains: 'Article 19'\"\n    - Names"), 7),
        (HEAD + ONE.replace("id: a", "id: z"), 6),
    ],
    ids=["another text", "another prompt", "the same slip in another prompt", "once more", "another id"],
)
def test_a_problem_that_was_not_there_is_new(edited: str, line: int) -> None:
    put("a.yml", HEAD + ONE)
    write_baseline()
    put("a.yml", edited)
    assert new() == [("a.yml", "quoted-function", line)]
    assert studio("check", "--baseline", KNOWN, ".").exit_code == 1


def test_a_file_that_was_not_there_is_new_as_a_whole() -> None:
    put("a.yml", ONE)
    write_baseline()
    put("b.yml", ONE)
    assert new() == [("b.yml", "quoted-function", 4)]


def test_every_form_leaves_out_what_is_known() -> None:
    put("a.yml", ONE)
    write_baseline()
    out = {each: studio("check", "--baseline", KNOWN, "--format", each, ".").stdout for each in ("github", "sarif")}
    assert (out["github"], json.loads(out["sarif"])["runs"][0]["results"], new()) == ("", [], [])


def test_two_processes_agree_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    from studio.cli import check_pool

    for number in range(4):
        put(f"{number}.yml", ONE + TWO)
    write_baseline()
    put("3.yml", ONE + TWO.replace("1948", "1949"))
    monkeypatch.setattr(check_pool, "_MANY", 2)
    assert new() == [("3.yml", "quoted-function", 9)]


def test_standard_input_is_compared_under_its_name() -> None:
    put("a.yml", ONE)
    write_baseline()
    options = ["check", "-", "--stdin-filename", "a.yml", "--baseline", KNOWN, "--format", "json"]
    found = json.loads(CliRunner().invoke(main, options, input=SOUND + ONE + TWO).stdout)
    assert [one["line"] for one in found] == [13]


def test_paths_are_those_seen_from_the_baseline(monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    put("deep/a.yml", ONE)
    write_baseline("deep")
    assert entries() == [("deep/a.yml", "quoted-function", 1)]
    monkeypatch.chdir(here / "deep")
    found = studio("check", "--baseline", f"../{KNOWN}", "--format", "json", here / "deep" / "a.yml")
    assert json.loads(found.stdout) == []


# --- The file


def test_the_file_is_sorted_with_one_problem_on_each_line_and_no_place() -> None:
    put("b.yml", ONE)
    put("a.yml", TWO + ONE + "    - \"$contains: 'Article 19'\"\n")
    write_baseline()
    lines = Path(KNOWN).read_text().splitlines()
    assert lines[:3] == ["{", '  "version": 1,', '  "problems": [']
    assert lines[-2:] == ["  ]", "}"]
    assert [line.partition('"digest"')[0].strip() for line in lines[3:-2]] == [
        '{"file": "a.yml", "slug": "quoted-function",',
        '{"file": "a.yml", "slug": "quoted-function",',
        '{"file": "b.yml", "slug": "quoted-function",',
    ]
    assert sorted(count for _, _, count in entries()) == [1, 1, 2]
    assert "Article" not in Path(KNOWN).read_text()


def test_writing_twice_gives_the_same_file() -> None:
    put("a.yml", ONE + TWO)
    write_baseline()
    before = Path(KNOWN).read_bytes()
    put("a.yml", SOUND + TWO + ONE)
    write_baseline()
    assert Path(KNOWN).read_bytes() == before


def test_writing_says_how_many_problems_there_are_and_ends_well() -> None:
    put("a.yml", ONE + TWO)
    result = write_baseline()
    assert (result.stderr, result.stdout) == (f"{KNOWN}: 2 problems written.\n", "No new problems in 1 file.\n")


def test_the_file_is_replaced_whole_and_keeps_its_mode() -> None:
    put("a.yml", ONE)
    write_baseline()
    Path(KNOWN).chmod(0o640)
    put("a.yml", ONE + TWO)
    write_baseline()
    assert stat.S_IMODE(Path(KNOWN).stat().st_mode) == 0o640
    assert sorted(path.name for path in Path().iterdir()) == ["a.yml", "blueprint-studio.toml", KNOWN]


def test_the_baseline_is_no_file_to_check() -> None:
    put("a.yml", ONE)
    write_baseline()
    assert "not a blueprint" not in studio("check", "--baseline", KNOWN, ".").output


# --- What no longer occurs


def test_a_problem_that_no_longer_occurs_is_named_and_dropped_by_writing() -> None:
    put("a.yml", ONE + TWO)
    write_baseline()
    put("a.yml", ONE)
    result = studio("check", "--baseline", KNOWN, ".")
    assert result.stderr == (
        f"1 problem is in {KNOWN} and not shown.\n"
        f"{KNOWN}: a.yml: quoted-function no longer occurs.\n"
        f"{KNOWN}: --write-baseline removes what no longer occurs.\n"
    )
    assert result.exit_code == 0
    write_baseline()
    assert entries() == [("a.yml", "quoted-function", 1)]
    put("a.yml", ONE + TWO)
    assert new() == [("a.yml", "quoted-function", 9)]


def test_a_count_that_fell_is_named() -> None:
    again = "    - \"$contains: 'Article 19'\"\n"
    put("a.yml", ONE + again + again)
    write_baseline()
    put("a.yml", ONE)
    assert "a.yml: quoted-function no longer occurs (2 times)." in studio("check", "--baseline", KNOWN, ".").stderr


def test_the_problems_of_a_file_that_is_gone_no_longer_occur() -> None:
    put("a.yml", ONE)
    put("b.yml", TWO)
    write_baseline()
    Path("b.yml").unlink()
    assert "b.yml: quoted-function no longer occurs." in studio("check", "--baseline", KNOWN, "a.yml").stderr
    write_baseline("a.yml")
    assert [file for file, _, _ in entries()] == ["a.yml"]


def test_what_was_not_checked_is_neither_named_nor_dropped() -> None:
    put("a.yml", ONE)
    put("b.yml", TWO)
    write_baseline()
    assert "no longer" not in studio("check", "--baseline", KNOWN, "a.yml").stderr
    write_baseline("a.yml")
    assert [file for file, _, _ in entries()] == ["a.yml", "b.yml"]


@pytest.mark.parametrize("options", [["--select", "unknown-key"], ["--ignore", "quoted-function"]])
def test_a_rule_that_did_not_run_is_neither_named_nor_dropped(options: list[str]) -> None:
    put("a.yml", ONE)
    write_baseline()
    assert "no longer" not in studio("check", "--baseline", KNOWN, *options, ".").stderr
    write_baseline(*options, ".")
    assert entries() == [("a.yml", "quoted-function", 1)]


def test_a_file_that_cannot_be_parsed_loses_nothing() -> None:
    put("a.yml", ONE + TWO)
    write_baseline()
    put("a.yml", ONE + TWO + "- id: 'x\n")
    result = studio("check", "--baseline", KNOWN, ".")
    assert "yaml-syntax" in result.stdout
    assert "no longer" not in result.stderr


# --- With other options


def test_after_fixes_the_rest_is_written() -> None:
    put("a.yml", ONE + "  shuold: [Names the year]\n")
    write_baseline("--fix", ".")
    assert entries() == [("a.yml", "unknown-key", 1)]


def test_statistics_count_what_is_new() -> None:
    put("a.yml", ONE)
    write_baseline()
    put("a.yml", ONE + TWO)
    assert (
        "       1     1       1  error    quoted-function"
        in studio("check", "--baseline", KNOWN, "--statistics", ".").stdout
    )


def test_quiet_says_nothing_of_what_is_known() -> None:
    put("a.yml", ONE)
    write_baseline()
    result = studio("check", "--quiet", "--baseline", KNOWN, ".")
    assert (result.output, result.exit_code) == ("", 0)


# --- What is no baseline


NO_BASELINE = "it needs a version and a list of problems, each with its file, slug, digest and count ("


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"not json", "it is not JSON"),
        (b"[]", NO_BASELINE),
        (b'{"name": "x", "version": "1.0.0"}', NO_BASELINE),
        (b'{"version": 2, "problems": []}', "it has version 2, and this studio reads version 1"),
        (b'{"version": 1, "problems": {}}', NO_BASELINE),
        (b'{"version": 1, "problems": [{"file": "a"}]}', NO_BASELINE),
        (b'{"version": 1, "problems": [{"file": "a", "slug": "b", "digest": "c", "count": 0}]}', NO_BASELINE),
        (b"\xff", "it is not UTF-8"),
        (b"[" * 100_000, "it is not JSON (nested too deeply)"),
    ],
)
@pytest.mark.parametrize("options", [[], ["--write-baseline"]])
def test_a_file_that_is_no_baseline_is_refused_and_left_as_it_is(content: bytes, why: str, options: list[str]) -> None:
    put("a.yml", ONE)
    Path(KNOWN).write_bytes(content)
    result = studio("check", "--baseline", KNOWN, *options, "a.yml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{KNOWN} is not a baseline of studio check: {why}" in result.stderr
    assert Path(KNOWN).read_bytes() == content


def test_a_baseline_that_is_not_there_is_refused() -> None:
    put("a.yml", ONE)
    result = studio("check", "--baseline", KNOWN, "a.yml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: {KNOWN}: There is no such baseline. --write-baseline writes it.\n"


def test_nothing_is_written_where_not_everything_could_be_checked() -> None:
    put("a.yml", ONE)
    result = write_baseline("a.yml", "nowhere.yml")
    assert result.exit_code == 2
    assert f"{KNOWN}: Not written, because not everything could be checked." in result.stderr
    assert not Path(KNOWN).exists()


def test_a_folder_that_is_not_there_is_reported() -> None:
    put("a.yml", ONE)
    result = studio("check", "--baseline", "nowhere/known.json", "--write-baseline", "a.yml")
    assert (result.exit_code, "nowhere/known.json cannot be written" in result.stderr) == (2, True)


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


def test_a_problem_of_a_retired_rule_is_accepted() -> None:
    put("a.yml", HEAD + ONE)
    write_baseline()
    baseline = json.loads(Path(KNOWN).read_text())
    gone_rule = {"file": "a.yml", "slug": "slow-regex", "digest": "0" * 16, "count": 1}
    Path(KNOWN).write_text(json.dumps({**baseline, "problems": [*baseline["problems"], gone_rule]}))
    result = studio("check", "--baseline", KNOWN, ".")
    assert (result.stdout, result.exit_code) == ("No new problems in 1 file.\n", 0)
    assert "slow-regex" not in result.stderr
