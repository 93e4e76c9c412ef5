"""Candidates: answer sources × the header's temperatures × its system prompts (platform.md, D, "variants")."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.blueprint import Header
from engine.evaluation.sources import Candidate, FixtureSource, IdealSource, ModelSource, candidates
from engine.text.spans import Span

MODEL = ModelSource("openai:gpt-4o-mini")


def header(*, temperatures: tuple[float, ...] = (), systems: tuple[str | None, ...] = ()) -> Header:
    return Header(Span(0, 0), temperatures=temperatures, systems=systems)


def test_a_model_answers_once_at_each_temperature_with_each_system_prompt() -> None:
    found = candidates(MODEL, header(temperatures=(0.0, 0.7), systems=(None, "Be brief.")))
    assert [each.key for each in found] == [
        "openai:gpt-4o-mini[temp:0][sp_idx:0]",
        "openai:gpt-4o-mini[temp:0][sp_idx:1]",
        "openai:gpt-4o-mini[temp:0.7][sp_idx:0]",
        "openai:gpt-4o-mini[temp:0.7][sp_idx:1]",
    ]


def test_the_screen_names_what_sets_a_variant_apart() -> None:
    found = candidates(MODEL, header(temperatures=(0.7,), systems=(None, "Be brief.")))
    assert [each.label for each in found] == ["gpt-4o-mini, temp 0.7, system 1", "gpt-4o-mini, temp 0.7, system 2"]


def test_a_model_in_its_only_variant_has_a_bare_key_and_name() -> None:
    assert [(each.key, each.label) for each in candidates(MODEL, header())] == [("openai:gpt-4o-mini", "gpt-4o-mini")]


@pytest.mark.parametrize("source", [IdealSource(), FixtureSource(Path("saved.json"))], ids=str)
def test_an_answer_that_no_model_gives_is_the_same_in_every_variant(source: IdealSource | FixtureSource) -> None:
    assert candidates(source, header(temperatures=(0.0, 1.0))) == (Candidate(source),)


def test_saved_answers_of_a_model_are_taken_for_each_variant() -> None:
    source = FixtureSource(Path("saved.json"), "openai:gpt-4o-mini")
    assert len(candidates(source, header(temperatures=(0.0, 1.0)))) == 2
