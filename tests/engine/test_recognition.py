"""What makes a file a blueprint: real ones, damaged ones and drafts are recognised, foreign files of many kinds not."""

from __future__ import annotations

import json
import random
from pathlib import Path

from engine.parsing import parse
from engine.parsing.recognition import FileKind, kind_of, lies_below_blueprints, may_be_blueprint, recognise
from engine.yaml.nodes import to_data
from engine.yaml.tree_loader import load
from tests.engine.foreign_files import FOREIGN
from tests.many_cases import every
from tests.thoroughness import one_in, tried
from tests.world import corpus_files, needs_corpus

DAMAGE = ["'", '"', ":", "- ", "\t", "{", "[", "@", "%", "&", "*", "|\n", "\n\t", ": : ", "}"]


def damaged(text: str, seed: int) -> str:
    """`text` with one to three slips of a hand: characters put in, taken out, or lines lost."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(text))
        match chance.randrange(4):
            case 0:
                text = text[:at] + chance.choice(DAMAGE) + text[at:]
            case 1:
                text = text[:at] + text[at + 1 :]
            case 2:
                line = text.rfind("\n", 0, at) + 1
                text = text[:line] + chance.choice(["  ", " ", "\t", "* "]) + text[line:]
            case _:
                end = text.find("\n", at) + 1
                text = text[:at] + text[end or len(text) :]
    return text


@needs_corpus
@every("path", one_in(8, corpus_files()), ids=str)
def test_every_file_of_the_corpus_is_a_blueprint(path: Path) -> None:
    text = path.read_text("utf-8")
    assert recognise(text, path) is kind_of(parse(text, path)) is FileKind.BLUEPRINT


@needs_corpus
@every("path", one_in(8, corpus_files()), ids=str)
def test_a_damaged_file_of_the_corpus_is_still_a_blueprint(path: Path) -> None:
    text = path.read_text("utf-8")
    lost = [seed for seed in range(tried(2, 6)) if recognise(damaged(text, seed), path) is not FileKind.BLUEPRINT]
    assert lost == []


@needs_corpus
@every("path", corpus_files()[::5], ids=str)
def test_a_blueprint_in_json_is_one_and_stays_one_when_it_breaks(path: Path) -> None:
    items = [
        to_data(document.root) for document in load(path.read_text("utf-8")).documents if document.root is not None
    ]
    header = items[0] if isinstance(items[0], dict) and len(items) > 1 else {}
    prompts = [each for item in items[bool(header) :] for each in (item if isinstance(item, list) else [item])]
    text = json.dumps({**header, "prompts": prompts}, indent=2, default=str)
    assert recognise(text, Path("x.json")) is FileKind.BLUEPRINT
    assert recognise(text[:-20], Path("x.json")) is FileKind.BLUEPRINT


@every("name", FOREIGN)
def test_a_foreign_file_is_none(name: str) -> None:
    path = Path(name)
    assert not recognise(FOREIGN[name], path).is_checked
    assert not kind_of(parse(FOREIGN[name], path)).is_checked


SHARE_WORDS = {
    "completions.yml",
    "own-eval.yml",
    "harmful.yml",
    "i18n/flat.yml",
    "k8s/config-map-with-prompts.yaml",
    ".github/workflows/ci.yml",
}
"""Files that hold lines of prompts, so that nobody could tell once their structure is lost."""


@every("name", [name for name in FOREIGN if name.endswith("ml") and name not in SHARE_WORDS])
def test_a_foreign_file_that_breaks_is_none(name: str) -> None:
    text = FOREIGN[name]
    taken = [seed for seed in range(tried(5, 20)) if recognise(damaged(text, seed), Path(name)).is_checked]
    assert taken == []


@every("text", ["", "# to be written\n", "title: T\n", "title: T\nmodels: [CORE]\n---\n", "prompt: Hi\n"])
def test_what_may_become_a_blueprint_is_not_taken_for_something_else(text: str) -> None:
    kind = recognise(text, Path("x.yml"))
    assert (kind, kind.is_checked, kind.may_be_fixed) == (FileKind.UNDECIDED, False, True)


@every(
    ("name", "kind"),
    [
        ("abc123_2026-11-22T10-00-00-000Z_comparison.json", FileKind.RESULT),
        ("fixtures.json", FileKind.RECORDING),
        ("fixtures.yml", FileKind.RECORDING),
        ("package.json", FileKind.OTHER),
        ("compose.yml", FileKind.OTHER),
    ],
)
def test_results_and_recordings_are_known_as_such(name: str, kind: FileKind) -> None:
    assert recognise(FOREIGN[name], Path(name)) is kind


@every(
    ("path", "below"),
    [
        ("/x/blueprints/a.yml", True),
        ("/x/blueprints/users/me/deep/a.JSON", True),
        ("/x/blueprints/notes.md", False),
        ("/x/blueprints.yml", False),
        ("/x/blue/a.yml", False),
    ],
)
def test_what_lies_below_blueprints_is_known_by_its_path(path: str, below: bool) -> None:
    assert lies_below_blueprints(Path(path)) is below


def test_aliases_that_multiply_cost_nothing_much() -> None:
    levels = "".join(f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 60)}]\n" for number in range(1, 8))
    assert recognise(f"a0: &a0 [x]\n{levels}prompt: x\n", Path("x.yml")) is FileKind.OTHER


def test_a_long_foreign_file_is_not_read_as_a_tree() -> None:
    text = "- {id: 1, title: The prompt that should be there}\n" * 100_000
    assert not may_be_blueprint(text)
    assert recognise(text, Path("x.yml")) is FileKind.OTHER


@every("text", ["[" * 100_000 + "prompt", '{"prompts":' * 50_000, "prompt: " * 20_000])
def test_what_no_reader_takes_is_no_blueprint(text: str) -> None:
    assert not recognise(text, Path("x.json")).is_checked
    assert not recognise(text, Path("x.yml")).is_checked
