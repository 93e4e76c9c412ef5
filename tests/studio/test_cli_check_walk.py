"""The files of `studio check`: what is found, left out and named; and their case files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.study.file_places import beside, in_data_folder
from tests.engine.foreign_files import FOREIGN
from tests.studio.command_line import studio
from tests.world import CORPUS, corpus_files, needs_corpus

GOOD = "- id: a\n  prompt: x\n  should: [b]\n"
WRONG = "- id: a\n  prompt: x\n  should:\n    - \"$contains: 'b'\" # why\n    - c\n"
K8S = "apiVersion: v1\nkind: Service\nspec: {a: 1}\n"


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A folder with every foreign file; the hidden ones under a name that a walk sees."""
    for name, text in FOREIGN.items():
        path = tmp_path / "foreign" / name.replace("/.", "/").lstrip(".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path / "foreign"


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_fixing_a_folder_leaves_every_foreign_file_alone(foreign: Path) -> None:
    (foreign / "blueprint.yml").write_text(WRONG)
    before = contents(foreign)
    result = studio("check", "--fix", foreign)
    changed = [path.name for path, content in contents(foreign).items() if before[path] != content]
    assert (result.exit_code, changed) == (0, ["blueprint.yml"])


def test_files_that_are_no_blueprints_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text(GOOD)
    (tmp_path / "b.yml").write_text("- health\n")
    (tmp_path / "c.yaml").write_text(K8S)
    (tmp_path / "package.json").write_text("{}")
    result = studio("check", tmp_path)
    assert result.stdout == "No problems in 1 file.\n2 YAML files and 1 JSON file are not blueprints.\n"
    assert result.exit_code == 0


def test_the_count_of_other_files_stays_out_of_json(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text(GOOD)
    (tmp_path / "b.yml").write_text("- health\n")
    result = studio("check", "--format", "json", tmp_path)
    assert (json.loads(result.stdout), result.stderr) == ([], "1 YAML file is not a blueprint.\n")


@pytest.mark.parametrize("name", ["compose.yml", "tags.yml", "package.json", "fixtures.json", "objects.yml"])
def test_a_foreign_file_that_is_named_is_checked_and_not_fixed(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(FOREIGN[name])
    result = studio("check", "--fix", path)
    assert path.read_text() == FOREIGN[name]
    assert f"{path}: Not fixed: this is not a blueprint." in result.stderr


def test_a_header_that_is_named_is_fixed_though_it_has_no_prompts_yet(tmp_path: Path) -> None:
    path = tmp_path / "draft.yml"
    path.write_text("title: T\nmodels: [Openai:gpt-4o]\n")
    studio("check", "--fix", path)
    assert path.read_text() == "title: T\nmodels: [openai:gpt-4o]\n"


def test_a_collection_of_models_in_a_folder_is_checked_as_such(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "MINE.json").write_text('["openai: gpt-4o"]')
    assert "model-format" in studio("check", tmp_path).stdout


def test_a_blueprint_that_cannot_be_read_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text("- id: a\n  prompt: 'x\n  should:\n    - b\n")
    result = studio("check", tmp_path)
    assert (result.exit_code, "yaml-syntax" in result.stdout) == (1, True)


@needs_corpus
def test_no_file_of_the_corpus_is_passed_over() -> None:
    result = studio("check", CORPUS, "--select", "yaml-syntax")
    assert f"of {len(corpus_files())} files" in result.stdout
    assert "no blueprint" not in result.output


# --- Below blueprints/


@pytest.mark.parametrize("name", ["tags.yml", "package.json", "fixtures.json", "compose.yml", "objects.json"])
def test_for_weval_a_file_below_blueprints_that_is_none_is_an_error(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "blueprints"
    folder.mkdir()
    (folder / "a.yml").write_text(GOOD)
    (folder / name).write_text(FOREIGN[name])
    assert studio("check", folder).exit_code == 0
    found = json.loads(studio("check", "--for", "weval", "--format", "json", folder).stdout)
    assert [(one["slug"] in ("not-a-blueprint", "bad-structure"), one["severity"]) for one in found] == [
        (True, "error")
    ]


def test_for_weval_other_files_elsewhere_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text(GOOD)
    (tmp_path / "tags.yml").write_text("- health\n")
    result = studio("check", "--for", "weval", tmp_path)
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "1 YAML file is not a blueprint.")


# --- Paths that hold nothing


def test_a_path_that_is_not_there_is_no_success(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.yml"
    result = studio("check", path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"{path}: There is no such file or folder.\n"


def test_of_several_paths_the_missing_one_is_named_and_the_others_are_checked(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text(GOOD)
    result = studio("check", tmp_path / "a.yml", tmp_path / "nowhere.yml")
    assert result.exit_code == 2
    assert "nowhere.yml: There is no such file" in result.stderr
    assert result.stdout == "No problems in 1 file. Not everything could be checked.\n"


@pytest.mark.parametrize("pattern", ["blueprints/*.yml", "blueprints/[a-c].yml", "b?.yml"])
def test_a_pattern_that_matches_nothing_is_named_as_one(tmp_path: Path, pattern: str) -> None:
    result = studio("check", tmp_path / pattern)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"{tmp_path / pattern}: This pattern matches no file.\n"


@pytest.mark.parametrize("layout", ["json", "github", "sarif"])
def test_a_missing_path_leaves_other_forms_whole(tmp_path: Path, layout: str) -> None:
    result = studio("check", "--format", layout, tmp_path / "nowhere.yml")
    assert result.exit_code == 2
    assert json.loads(result.stdout or "[]") is not None


def test_an_empty_folder_holds_no_blueprint(tmp_path: Path) -> None:
    result = studio("check", tmp_path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"{tmp_path}: There is no blueprint in this folder.\n"


def test_a_folder_of_other_files_holds_no_blueprint(tmp_path: Path) -> None:
    (tmp_path / "tags.yml").write_text("- health\n")
    result = studio("check", tmp_path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"{tmp_path}: There is no blueprint in this folder. 1 YAML file is not a blueprint.\n"


def test_a_folder_whose_only_blueprint_was_named_before_is_not_empty(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text(GOOD)
    assert studio("check", tmp_path / "a.yml", tmp_path).exit_code == 0


# --- What `studio check` leaves out of a folder: `exclude` in the settings, --exclude, and --force-exclude


EXCLUDE_WRONG = (
    "- id: a\n  prompt: Which article is it?\n  should:\n    - \"$contains: 'Article 19'\"\n    - Names the treaty\n"
)
FILES = ("a.yml", "drafts/b.yml", "drafts/deep/c.yml", "x/e.old.yml", "x/drafts/d.yml")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(EXCLUDE_WRONG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def reported(*arguments: object) -> list[str]:
    found = json.loads(studio("check", "--format", "json", *arguments).stdout)
    return [Path(one["file"]).as_posix() for one in found]


def excluding(folder: Path, *patterns: str) -> Path:
    settings = folder / "blueprint-studio.toml"
    settings.write_text(f"exclude = {json.dumps(patterns)}\n")
    return settings


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        (["drafts/"], ["a.yml", "x/e.old.yml"]),
        (["/drafts"], ["a.yml", "x/e.old.yml", "x/drafts/d.yml"]),
        (["drafts/*.yml"], ["a.yml", "x/e.old.yml", "x/drafts/d.yml"]),
        (["*.old.yml", "drafts/deep"], ["a.yml", "drafts/b.yml", "x/drafts/d.yml"]),
        (["x/"], ["a.yml", "drafts/b.yml", "drafts/deep/c.yml"]),
        ([], list(FILES)),
    ],
)
@pytest.mark.usefixtures("project")
def test_a_pattern_leaves_files_and_folders_out(patterns: list[str], left: list[str]) -> None:
    assert reported(".", *(word for each in patterns for word in ("--exclude", each))) == left
    excluding(Path(), *patterns)
    assert reported(".") == left


def test_patterns_are_relative_to_the_folder_of_the_settings(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    excluding(project, "/drafts", "x/drafts")
    monkeypatch.chdir(project / "x")
    assert reported(".") == ["e.old.yml"]
    assert reported("..") == ["../a.yml", "../x/e.old.yml"]


def test_the_nearest_settings_decide(project: Path) -> None:
    excluding(project, "*.yml")
    excluding(project / "drafts", "deep/")
    assert reported(".") == ["drafts/b.yml"]


def test_settings_in_an_excluded_folder_do_not_bring_it_back(project: Path) -> None:
    excluding(project, "drafts/")
    excluding(project / "drafts", "deep/")
    assert reported(".") == ["a.yml", "x/e.old.yml"]


def test_a_file_that_is_named_is_checked_all_the_same(project: Path) -> None:
    excluding(project, "drafts/")
    assert reported("drafts/b.yml") == ["drafts/b.yml"]


def test_a_folder_that_is_named_is_checked_all_the_same_without_what_is_excluded_in_it(project: Path) -> None:
    excluding(project, "drafts/", "deep/")
    assert reported("drafts") == ["drafts/b.yml"]


def test_by_force_what_is_excluded_is_left_out_though_it_is_named(project: Path) -> None:
    excluding(project, "drafts/", "a.yml")
    result = studio("check", "--force-exclude", "a.yml", "drafts/deep/c.yml", "drafts", "x/e.old.yml")
    assert result.stdout.startswith("x/e.old.yml:4:7: error quoted-function")
    assert result.stderr == "3 paths that you named are excluded.\n"
    assert result.exit_code == 1


def test_by_force_nothing_left_is_no_failure(project: Path) -> None:
    excluding(project, "drafts/")
    result = studio("check", "--force-exclude", "drafts/b.yml")
    assert (result.exit_code, result.stderr) == (0, "1 path that you named is excluded.\n")
    assert json.loads(studio("check", "--force-exclude", "--format", "json", "drafts/b.yml").stdout) == []


def test_a_pattern_of_the_command_holds_below_the_working_directory_only(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "drafts")
    assert reported("--force-exclude", "--exclude", "drafts", "--exclude", ".*", "b.yml") == ["b.yml"]


def test_a_folder_of_excluded_files_holds_no_blueprint_and_the_message_says_why(project: Path) -> None:
    excluding(project, "*.yml")
    result = studio("check", "drafts")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "drafts: There is no blueprint in this folder. Files or folders in it are excluded.\n"


@pytest.mark.usefixtures("project")
def test_a_pattern_that_can_match_nothing_is_refused() -> None:
    result = studio("check", "--exclude", "[z-a]", ".")
    assert result.exit_code == 2
    assert "--exclude: “[z-a]” is not a valid pattern: bad character range z-a." in result.stderr


def test_a_mistake_in_the_setting_is_reported_with_its_line_and_the_rest_holds(project: Path) -> None:
    settings = project / "blueprint-studio.toml"
    settings.write_text('exclude = [\n  "drafts/",\n  "./",\n]\n')
    result = studio("check", ".")
    assert (result.exit_code, result.stderr.splitlines()[0]) == (
        2,
        f"{settings}:3: “./” is not a pattern for a file or a folder.",
    )
    assert "drafts" not in result.stdout


@pytest.mark.usefixtures("project")
def test_a_fix_leaves_what_is_excluded_untouched() -> None:
    excluding(Path(), "drafts/")
    studio("check", "--fix", ".")
    assert [name for name in FILES if Path(name).read_text() == EXCLUDE_WRONG] == [
        name for name in FILES if "drafts" in name
    ]


# --- `studio check` and the case file of a blueprint: its problems, with places in that file, in every form


RUBRIC = """\
- id: rent
  prompt: When is the rent due?
  ideal: It is due on the 3rd.
  should:
    - $contains: 3rd
    - Names the lease
"""
CASES = """\
version: 1
cases:
  - {prompt: rent, answer: 'On the 3rd, by the lease.', label: good}
  - {prompt: gone, answer: Soon., label: bad}
"""


@pytest.fixture
def rent(tmp_path: Path) -> Path:
    path = tmp_path / "rent.yml"
    path.write_text(RUBRIC, "utf-8")
    beside(path).write_text(CASES, "utf-8")
    return path


def reports(path: Path, *options: str) -> list[tuple[str, str, int, int]]:
    """File name, slug, line and column of each report."""
    done = json.loads(studio("check", path, "--format", "json", *options).stdout)
    return [(Path(each["file"]).name, each["slug"], each["line"], each["column"]) for each in done]


PROBLEMS = {
    "case-unreadable": ("cases: [1, }\n", 1),
    "case-unusable": ("version: 1\ncases:\n  - {prompt: rent, answer: a, label: fine}\n", 3),
    "case-orphaned": (CASES, 4),
    "case-uncounted": ("version: 1\ncases:\n  - {prompt: rent, answer: a, fails: Names the tenant}\n", 3),
    "case-misquoted": ("version: 1\ncases:\n  - {prompt: rent, answer: a, label: bad, quote: b}\n", 3),
    "case-repeated": (f"{CASES.replace('gone', 'rent')}  - {{prompt: rent, answer: Soon., label: bad}}\n", 5),
}


@pytest.mark.parametrize("slug", PROBLEMS)
def test_a_problem_is_reported_at_its_place_in_the_case_file(rent: Path, slug: str) -> None:
    text, line = PROBLEMS[slug]
    beside(rent).write_text(text, "utf-8")
    found = [(file, line) for file, name, line, _ in reports(rent) if name == slug]
    assert ("rent.yml.cases", line) in found


def test_a_case_file_without_problems_is_silent(rent: Path) -> None:
    beside(rent).write_text(CASES.replace("gone", "rent"), "utf-8")
    assert reports(rent) == []


def test_cases_in_the_data_folder_are_checked_too(rent: Path) -> None:
    beside(rent).unlink()
    in_data_folder(rent).parent.mkdir(parents=True)
    in_data_folder(rent).write_text(CASES, "utf-8")
    assert [slug for _, slug, _, _ in reports(rent)] == ["case-orphaned"]


def test_the_text_shows_the_line_of_the_case_file(rent: Path) -> None:
    done = studio("check", rent)
    assert "rent.yml.cases:4:14: warning case-orphaned: there is no prompt `gone` in the blueprint" in done.stdout
    assert "- {prompt: gone, answer: Soon., label: bad}" in done.stdout


def test_github_annotates_the_case_file(rent: Path) -> None:
    done = studio("check", rent, "--format", "github")
    assert "rent.yml.cases,line=4,col=14" in done.stdout
    assert "title=case-orphaned (C003)" in done.stdout


def test_sarif_lists_the_kinds_of_problems(rent: Path) -> None:
    run = json.loads(studio("check", rent, "--format", "sarif").stdout)["runs"][0]
    result = run["results"][0]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert (rule["id"], rule["name"], result["level"]) == ("C003", "case-orphaned", "warning")
    region = result["locations"][0]["physicalLocation"]
    assert (region["artifactLocation"]["uri"].endswith("rent.yml.cases"), region["region"]["startLine"]) == (True, 4)


@pytest.mark.parametrize(("level", "code"), [("error", 0), ("warning", 1)])
def test_the_exit_code_counts_them_at_their_level(rent: Path, level: str, code: int) -> None:
    assert studio("check", rent, "--fail-on", level).exit_code == code


def test_a_case_file_that_cannot_be_read_is_unusable(rent: Path) -> None:
    beside(rent).write_bytes(b"\xff\xfe")
    done = studio("check", rent)
    assert (done.exit_code, "rent.yml.cases: It is not UTF-8 text." in done.stderr) == (2, True)


def test_a_prompt_that_a_yaml_error_hides_orphans_no_case(rent: Path) -> None:
    rent.write_text(RUBRIC.replace("- id: rent", "- id: 'rent"), "utf-8")
    assert "case-orphaned" not in [slug for _, slug, _, _ in reports(rent)]


def test_a_fix_that_rewords_a_point_is_seen_by_its_cases(rent: Path) -> None:
    rent.write_text(RUBRIC.replace("$contains: 3rd", "\"$contains: '3rd'\""), "utf-8")
    fails = "version: 1\ncases:\n  - {prompt: rent, answer: a, fails: 'Function: contains(\"3rd\")'}\n"
    beside(rent).write_text(fails, "utf-8")
    assert [slug for _, slug, _, _ in reports(rent)] == ["quoted-function", "case-uncounted"]
    assert reports(rent, "--fix") == []


def test_a_baseline_knows_problems_of_cases(rent: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.json"
    studio("check", rent, "--baseline", known, "--write-baseline")
    assert reports(rent, "--baseline", str(known)) == []
    beside(rent).write_text(CASES.replace("gone", "lost"), "utf-8")
    assert [slug for _, slug, _, _ in reports(rent, "--baseline", str(known))] == ["case-orphaned"]


def test_with_chosen_rules_only_these_are_reported(rent: Path) -> None:
    assert reports(rent, "--select", "quoted-function") == []
