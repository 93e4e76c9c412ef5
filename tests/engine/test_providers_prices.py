"""What models cost and how long texts are: known, given by the author, or honestly not known."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.files.user_settings import Settings
from engine.models.chat import Usage
from engine.models.prices import (
    OwnPrices,
    Price,
    TokenRange,
    cost,
    own_prices,
    price_of,
    read_prices,
    tokens_of,
    tokens_of_messages,
)

MINI = Price(0.15, 0.60)


@pytest.mark.parametrize(
    "model",
    [
        "openai:gpt-4o-mini",
        "openai:gpt-4o-mini-2024-07-18",
        "openrouter:openai/gpt-4o-mini",
        "openrouter:openai/gpt-4o-mini-2024-07-18",
    ],
)
def test_a_date_does_not_change_a_price_nor_does_openrouter(model: str) -> None:
    assert price_of(model) == MINI


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("openai:gpt-4o-2024-05-13", Price(5.0, 15.0)),
        ("anthropic:claude-3-5-haiku-latest", Price(0.8, 4.0)),
        ("openrouter:anthropic/claude-3.5-haiku", Price(0.8, 4.0)),
        ("anthropic:claude-3.5-haiku", Price(0.8, 4.0)),
        ("anthropic:claude-haiku-4.5", Price(1.0, 5.0)),
        ("anthropic:claude-opus-4-20250514", Price(15.0, 75.0)),
        ("openai:o3", Price(2.0, 8.0)),
        ("openrouter:x-ai/grok-4", Price(3.0, 15.0)),
        ("openrouter:openai/gpt-oss-120b", Price(0.039, 0.19)),
        ("google:gemini-2.0-flash-001", Price(0.1, 0.4)),
        ("ollama:llama3", Price(0.0, 0.0)),
        ("embedded:smollm2", Price(0.0, 0.0)),
    ],
)
def test_each_name_finds_its_price(model: str, price: Price) -> None:
    assert price_of(model) == price


@pytest.mark.parametrize(
    "model",
    [
        "openai:gpt-4o-mini-audio-preview",
        "openai:gpt-99",
        "local:mine",
        "openrouter:qwen/qwen3-30b-a3b-instruct-2507",
        "together:openai/gpt-oss-120b",
        "gpt-4o",
        "",
    ],
)
def test_what_is_not_known_is_not_guessed(model: str) -> None:
    assert price_of(model) is None


def test_the_author_s_own_price_wins() -> None:
    own = OwnPrices({"openai:gpt-4o-mini": Price(9.0, 9.0, is_own=True)})
    assert price_of("openai:gpt-4o-mini-2024-07-18", own) == Price(9.0, 9.0, is_own=True)
    assert price_of("openai:gpt-4o", own) == price_of("openai:gpt-4o")


def test_own_prices_stand_in_the_settings_and_survive_their_saving(clean_environment: Path) -> None:
    file = clean_environment / "config" / "settings.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"prices": {"local:mine": {"input": 1, "output": 2.5}}}))
    Settings.load().save()
    assert own_prices() == OwnPrices({"local:mine": Price(1.0, 2.5, is_own=True)})


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"prices": null}'])
def test_without_prices_in_the_settings_there_are_none(clean_environment: Path, text: str) -> None:
    file = clean_environment / "config" / "settings.json"
    file.parent.mkdir()
    file.write_text(text)
    assert own_prices() == OwnPrices({})


NO_PRICES = (None, 3, {"input": 1}, *({"input": paid, "output": 1} for paid in (-1, "1", 10**400, math.inf, math.nan)))


@pytest.mark.parametrize("price", NO_PRICES, ids=lambda price: str(price)[:20])
def test_a_price_that_cannot_be_used_is_named(price: Any) -> None:
    read = read_prices({"local:mine": price, "local:other": {"input": 1, "output": 1}})
    assert list(read.prices) == ["local:other"]
    assert "local:mine" in read.problems[0]


def test_a_cost_is_that_of_both_sides() -> None:
    assert cost(Usage(2_000_000, 1_000_000), Price(0.5, 2.0)) == 3.0


@pytest.mark.parametrize("usage", [Usage(), Usage(1, None), Usage(None, 1)])
def test_what_was_not_counted_has_no_cost(usage: Usage) -> None:
    assert cost(usage, MINI) is None


# Tokens


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("The quick brown fox jumps over the lazy dog.", 10),
        ("What is the capital of France?", 7),
        ("", 0),
    ],
)
def test_the_range_holds_what_is_known(text: str, count: int) -> None:
    found = tokens_of(text)
    assert found.low <= count <= found.high


@given(st.text())
def test_the_least_is_never_more_than_the_most(text: str) -> None:
    found = tokens_of(text)
    assert 0 <= found.low <= found.high


@given(st.text())
def test_a_text_has_at_most_as_many_tokens_as_bytes(text: str) -> None:
    assert tokens_of(text).high <= len(text.encode("utf-8", "replace"))


def test_a_conversation_costs_its_texts_and_a_little() -> None:
    whole = tokens_of_messages(["Hello", "Hello"])
    assert whole.low == 2 * tokens_of("Hello").low
    assert whole.high > 2 * tokens_of("Hello").high


def test_ranges_add_up() -> None:
    assert TokenRange(1, 3) + TokenRange(2, 5) == TokenRange(3, 8)
