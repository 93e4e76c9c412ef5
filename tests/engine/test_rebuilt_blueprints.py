"""From a result file to a blueprint that can be read: rebuilt from the normalised form in the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.blueprint import Blueprint
from engine.evaluation.published_files import blueprint_of, reconstructed
from engine.evaluation.results import ResultFile
from engine.parsing import Parsed, parse, weval_config
from engine.yaml.nodes import Data
from tests.checked_corpus import read
from tests.many_cases import every
from tests.thoroughness import one_in
from tests.world import corpus_files, needs_corpus

PATH = Path("results/abc_2026_comparison.json")


def put_together(config: Data) -> str:
    opened = reconstructed(ResultFile(PATH, (), config=config))
    assert opened is not None
    return opened.text


def scored_by(blueprint: Blueprint) -> list[Any]:
    """All of a blueprint that a score depends on."""
    return [
        [
            prompt.id,
            prompt.weight,
            prompt.ideal,
            [(each.role, each.content) for each in prompt.messages],
            [(rubric.block, [path.index for path in rubric.paths]) for rubric in prompt.rubrics if rubric.entries],
            [(each.text, each.function and each.function.name, each.multiplier) for each in prompt.points()],
        ]
        for prompt in blueprint.prompts
    ]


RUN = [parsed for path in one_in(24, corpus_files()) if (parsed := read(path)).weval.ok]


@needs_corpus
@every("parsed", RUN, ids=lambda parsed: parsed.blueprint.header.title)
def test_a_blueprint_put_together_scores_as_the_one_that_was_run(parsed: Parsed) -> None:
    again = parse(put_together(weval_config(parsed)))
    assert scored_by(again.blueprint) == scored_by(parsed.blueprint)


def test_texts_of_several_lines_stand_in_lines() -> None:
    text = put_together({"title": "x", "prompts": [{"id": "p", "prompt": "One\nTwo", "points": ["a"]}]})
    assert "  prompt: |-\n    One\n    Two\n" in text


def test_control_characters_survive() -> None:
    said = "One\n\x1b[31m Two"
    (prompt,) = parse(put_together({"prompts": [{"id": "p", "prompt": said, "points": ["a"]}]})).blueprint.prompts
    assert prompt.messages[0].content == said


def test_it_is_for_reading_and_lies_where_nothing_is() -> None:
    opened = reconstructed(ResultFile(PATH, (), config={"prompts": []}))
    assert opened is not None
    assert (opened.path, opened.digest) == (PATH.absolute().with_suffix(".yml"), None)
    assert "rebuilt from abc_2026_comparison.json" in (opened.read_only or "")


@every("config", [None, [], {}, {"prompts": None}, "x"])
def test_a_file_without_its_blueprint_gives_none(config: Data) -> None:
    assert reconstructed(ResultFile(PATH, (), config=config)) is None


def test_a_blueprint_that_is_nested_too_deeply_is_not_put_together() -> None:
    nested: Data = "x"
    for _ in range(150):
        nested = [nested]
    assert reconstructed(ResultFile(PATH, (), config={"prompts": [nested]})) is None


@pytest.mark.parametrize(
    "name", ["x" * 5000 + ".yml", "\ud800.yml", "a\0.yml"], ids=["long", "half a character", "NUL"]
)
def test_a_name_that_no_file_can_have_is_that_of_no_blueprint(name: str, tmp_path: Path) -> None:
    result = ResultFile(tmp_path / "x.json", (), config_id=name.removesuffix(".yml"), blueprint_name=name)
    assert blueprint_of(result) is None
