"""The README and the pages in `docs/`: short where promised, linked without a gap, true of the files beside them."""

from __future__ import annotations

import json
import pkgutil
import re
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.files.user_settings import Settings
from engine.models.embedded import INSTALL_LOCAL
from engine.models.provider_registry import EMBEDDED, HOSTED, LOOPBACK
from engine.parsing import parse
from engine.rules import ALL, Checker
from engine.rules.rule import ROWS, Rule, row_in
from engine.text.glossary import glossary
from engine.yaml.nodes import to_data
from engine.yaml.tree_loader import load
from studio.screenshots import WALKS
from studio.tui.actions import ACTIONS
from tests.many_cases import every
from tests.rule_pages import PAGES as RULE_PAGES
from tests.rule_pages import pages as rule_pages
from tests.studio.command_line import studio
from tests.studio.driving import opened
from tests.test_layers import LAYERS
from tests.words_page import PAGE as WORDS_PAGE
from tests.words_page import page as words_page

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
PAGES = (README, *sorted(DOCS.glob("*.md")))
CONTRIBUTING = (DOCS / "contributing.md").read_text("utf-8")

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return _FENCED.sub("", page.read_text("utf-8"))


def anchor(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(page: Path) -> set[str]:
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)}


def links() -> Iterator[tuple[Path, str]]:
    for page in PAGES:
        yield from ((page, target) for target in _LINK.findall(prose(page)) if "://" not in target)


def yaml(path: Path) -> Any:
    [document] = load(path.read_text("utf-8")).documents
    assert document.root is not None
    return to_data(document.root)


# --- Pages


def test_the_readme_is_short() -> None:
    assert len(README.read_text("utf-8").splitlines()) <= 150


@every(("page", "target"), links())
def test_a_link_leads_somewhere(page: Path, target: str) -> None:
    path, _, fragment = target.partition("#")
    there = (page.parent / path).resolve() if path else page
    assert there.is_file()
    assert not fragment or fragment in anchors(there)


def test_the_readme_links_every_page() -> None:
    assert {target for page, target in links() if page == README and target.startswith("docs/")} == {
        f"docs/{page.name}" for page in DOCS.glob("*.md")
    }


def test_every_picture_is_drawn_and_shown() -> None:
    shown = {Path(target).stem for _, target in links() if target.endswith(".png")}
    assert shown == {walk.name for walk in WALKS} == {path.stem for path in (ROOT / "screenshots").glob("*.png")}


# --- Files and names in the code

_FILE = re.compile(r"`((?:engine|studio|tests|screenshots|\.ci)/[\w./-]*)`")
_NAME = re.compile(r"`((?:engine|studio)(?:\.\w+)+)`")


def named(pattern: re.Pattern[str]) -> list[str]:
    return sorted({found for page in PAGES for found in pattern.findall(prose(page))})


@every("path", named(_FILE))
def test_a_file_that_a_page_names_is_there(path: str) -> None:
    assert (ROOT / path).exists()


@every("name", named(_NAME))
def test_a_name_in_the_code_that_a_page_gives_is_there(name: str) -> None:
    assert pkgutil.resolve_name(name) is not None


# --- Keys

_KEY = re.compile(r"F\d{1,2}|Ctrl\+\w+|Esc|Space")
OF_THE_TEXT_AREA = {"Ctrl+Z", "Ctrl+Y"}


@every("page", PAGES, ids=lambda page: page.name)
def test_every_key_that_a_page_names_is_in_the_table(page: Path) -> None:
    named = {text for text in re.findall(r"`([^`]+)`", prose(page)) if _KEY.fullmatch(text)}
    table = {key for action in ACTIONS if action.key for key in action.keys.split("/")}
    assert named - OF_THE_TEXT_AREA <= table


# --- The map of packages


def on_disk(top: str) -> set[str]:
    """The packages of `top`, those of the terminal application too, and for the engine the modules beside them."""
    packages = {path.parent for place in (top, "studio/tui") for path in (ROOT / place).glob("*/__init__.py")}
    modules = {path.with_suffix("") for path in (ROOT / top).glob("*.py") if top == "engine"}
    names = {".".join(path.relative_to(ROOT).parts) for path in packages | modules}
    return {name for name in names if name.startswith(f"{top}.") and not name.endswith("__init__")}


def in_the_map(top: str) -> list[str]:
    return [name for name in re.findall(r"^\| `([\w.]+)` \|", CONTRIBUTING, re.MULTILINE) if name.startswith(f"{top}.")]


@pytest.mark.parametrize("top", ["engine", "studio"])
def test_the_map_names_exactly_the_packages_that_exist(top: str) -> None:
    assert set(in_the_map(top)) == on_disk(top)


def test_the_map_has_the_order_of_the_layers() -> None:
    assert in_the_map("engine") == [name for name in LAYERS if name.startswith("engine.")]


# --- Diffs

DIFFS = re.findall(r"^```diff\n(.*?)^```", CONTRIBUTING, re.MULTILINE | re.DOTALL)


def hunks() -> Iterator[tuple[str, str]]:
    """The file that each hunk changes, "" before its name where it is new, and the lines that it finds there."""
    for diff in DIFFS:
        for file in re.split(r"^(?=--- )", diff, flags=re.MULTILINE)[1:]:
            head, *parts = re.split(r"^@@.*\n", file, flags=re.MULTILINE)
            path = re.findall(r"^\+\+\+ b/(.*)$", head, re.MULTILINE)[0]
            for part in parts:
                lines = [line[1:] for line in part.splitlines() if line[:1] in (" ", "-")]
                yield path, "\n".join(lines)


@every(("path", "found"), hunks())
def test_a_diff_fits_the_file_that_it_changes(path: str, found: str) -> None:
    file = ROOT / path
    before = file.read_text("utf-8") if found else ""
    assert all(line in before.splitlines() for line in found.splitlines())
    assert file.exists() == bool(found)
    assert file.parent.is_dir()


def test_all_four_additions_are_shown() -> None:
    assert len(DIFFS) == 4


def added(name: str) -> str:
    """The text of a new file that the diffs show."""
    [text] = [part for diff in DIFFS for part in diff.split("--- ") if f"/{name}\n" in part]
    return "".join(line[1:] for line in text.partition("@@\n")[2].splitlines(keepends=True))


def test_the_rule_that_is_shown_reports_its_case(monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, Any] = {}
    row = row_in(re.findall(r"^\+(R999 .*)$", CONTRIBUTING, re.MULTILINE)[0])
    monkeypatch.setitem(ROWS, row.slug, row)
    exec(compile(added("long_criterion.py"), "long_criterion.py", "exec"), names)
    [rule] = (each for each in names.values() if isinstance(each, Rule))
    assert rule.code not in {each.code for each in ALL}
    [found] = Checker((rule,)).check(parse(added("long-criterion.yml")))
    assert found.slug == "long-criterion"


# --- Machine-readable output


def test_a_problem_has_the_keys_of_the_page() -> None:
    page = (DOCS / "machine-readable.md").read_text("utf-8")
    [shown] = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)]
    found = json.loads(studio("check", ROOT / "studio" / "example" / "tenants-rights.yml", "--format", "json").stdout)
    assert {tuple(each) for each in found} == {tuple(shown)}
    assert tuple(found[0]["related"][0]) == tuple(shown["related"][0])
    assert tuple(found[0]["fixes"][0]) == tuple(shown["fixes"][0])
    assert tuple(found[0]["fixes"][0]["edits"][0]) == tuple(shown["fixes"][0]["edits"][0])


# --- Examples in the pages


def block(page: str, language: str) -> str:
    """The only block of a language in a page, or the first."""
    text = (DOCS / page).read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[0]


def test_the_choice_of_rules_is_understood(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(block("checking.md", "toml"), "utf-8")
    (tmp_path / "a.yml").write_text("title: T\n---\n- id: a\n  prompt: Why?\n", "utf-8")
    done = studio("check", tmp_path / "a.yml")
    assert done.stderr == ""
    assert "error no-rubric" in done.stdout


def check_output(rubric: str, folder: Path) -> str:
    """What `studio check` prints for a prompt with this rubric."""
    text = "title: T\n---\n- id: a\n  prompt: Which country?\n" + textwrap.indent(rubric, "  ")
    (folder / "a.yml").write_text(text, "utf-8")
    return studio("check", folder / "a.yml").stdout


def test_the_suppression_suppresses(tmp_path: Path) -> None:
    assert "single-element-path" not in check_output(block("checking.md", "yaml"), tmp_path)


def test_without_the_suppression_there_is_a_problem(tmp_path: Path) -> None:
    rubric = re.sub(r"^ *#.*\n", "", block("checking.md", "yaml"), flags=re.MULTILINE)
    assert "single-element-path" in check_output(rubric, tmp_path)


def test_the_saved_answers_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text(
        "title: T\n---\n- id: PROMPT-ID\n  prompt: Why?\n  should:\n    - $contains: mapping\n", "utf-8"
    )
    (tmp_path / "saved.yml").write_text(block("answers.md", "yaml"), "utf-8")
    done = studio("run", tmp_path / "a.yml", "--fixtures", tmp_path / "saved.yml")
    assert "100.0" in done.stdout


def test_the_settings_of_the_page_are_those_of_the_program() -> None:
    chapter = (DOCS / "settings.md").read_text("utf-8").partition("## settings.json")[2].partition("\n## ")[0]
    named = set(re.findall(r"^\| `(\w+)` \|", chapter, re.MULTILINE))
    assert named == {*Settings.__struct_fields__, "prices"} - {"unknown"}


# --- Providers


def provider_rows() -> Iterator[str]:
    """The rows of the table of providers, as the registry has them."""
    for name, row in HOSTED.items():
        yield f"| `{name}` | `{row.key_variable}` |"
    for name, row in LOOPBACK.items():
        key = "none" if row.key_variable is None else f"none, or `{row.key_variable}`"
        yield f"| `{name}` | {key}; a server on this machine |"
    yield f"| `{EMBEDDED}` | none; see [the embedded model](#the-embedded-model) |"


def test_the_table_of_providers_is_that_of_the_registry() -> None:
    chapter = (DOCS / "models.md").read_text("utf-8").partition("## Providers")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `.*$", chapter, re.MULTILINE) == list(provider_rows())


def test_the_settings_name_every_variable_that_moves_a_provider() -> None:
    chapter = (DOCS / "settings.md").read_text("utf-8").partition("## Environment variables")[2]
    named = set(re.findall(r"`(\w+_BASE_URL)`", chapter))
    assert named == {row.base_variable for row in (*HOSTED.values(), *LOOPBACK.values()) if row.base_variable}


# --- Words, pages of rules, and what is to be installed


def test_the_pages_that_are_made_are_as_they_would_be_made() -> None:
    assert WORDS_PAGE.read_text("utf-8") == words_page(), "run `python -m tests.words_page`"
    written = {path.name: path.read_text("utf-8") for path in RULE_PAGES.iterdir()}
    assert written == rule_pages(), "run `python -m tests.rule_pages`"


def test_the_table_defines_each_word_once_in_a_sentence() -> None:
    names = [word.name for word in glossary()]
    assert len(names) == len(set(names)) > 0
    wrong = [word.name for word in glossary() if not (word.meaning[0].isupper() and word.meaning.endswith("."))]
    assert wrong == []


async def test_f1_defines_the_words(tmp_path: Path) -> None:
    async with opened(tmp_path, "- id: a\n  prompt: x\n  should: [Says y]\n", keys=("ctrl+r",)) as page:
        await page.hit("f1")
        asked = await page.asked()
        (words,) = asked.screen.query("#words")
        assert str(words.render()) == "\n".join(f"{word.name} · {word.of}\n{word.meaning}" for word in glossary())


_FROM_AN_INDEX = re.compile(r"\binstall\b[^\n`]*[\s'\"`]blueprint[-_]studio\b", re.IGNORECASE)
"""The package itself is on no index."""


def test_nothing_tells_to_install_the_package_from_an_index() -> None:
    sources = [*(ROOT / "engine").rglob("*.py"), *(ROOT / "studio").rglob("*.py"), *PAGES]
    assert [path for path in sources if _FROM_AN_INDEX.search(path.read_text("utf-8"))] == []
    for line in ('pip install "blueprint-studio[local]"', "pipx install blueprint-studio"):
        assert _FROM_AN_INDEX.search(line)


def test_the_line_for_the_extra_is_the_readme_s() -> None:
    line = INSTALL_LOCAL.split("`")[1]
    assert f"{line} &&" in README.read_text("utf-8")


# --- Hooks, workflow, metadata

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_hooks_are_tools_of_the_project_and_fetch_nothing() -> None:
    [repository] = yaml(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    tools = [hook["entry"].split()[0] for hook in repository["hooks"]]
    declared = {re.split(r"[^\w-]", each)[0] for each in PROJECT["optional-dependencies"]["dev"]}
    assert set(tools) == {"ruff", "basedpyright"}
    assert set(tools) <= declared


def test_the_workflow_calls_the_script_on_every_python() -> None:
    [job] = yaml(ROOT / ".github" / "workflows" / "ci.yml")["jobs"].values()
    assert job["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]
    assert job["steps"][-1]["run"] == ".ci/run"


def test_the_workflow_has_actions_by_version_and_no_secrets() -> None:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    actions = re.findall(r"uses: (\S+)", text)
    assert actions
    assert all(re.fullmatch(r"actions/[\w-]+@v\d+", action) for action in actions)
    assert "secrets" not in text


def test_both_packages_say_that_they_are_typed() -> None:
    assert (ROOT / "engine" / "py.typed").is_file()
    assert (ROOT / "studio" / "py.typed").is_file()


def test_the_changelog_has_a_place_for_the_next_version() -> None:
    assert "\n## [Unreleased]\n" in (DOCS / "changelog.md").read_text("utf-8")
