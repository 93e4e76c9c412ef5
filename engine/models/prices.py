"""Token counts of texts, as ranges: each model has its own tokeniser, and none of them is run here.

The basis: current vocabularies have most English words, with the space before them, as one token; longer words are
split; digits are single or in threes; a punctuation mark is one token or part of the word before it. In other scripts,
large vocabularies have whole syllables, small ones little more than bytes. The range goes from large to small
vocabularies. Measured with the embedded model's vocabulary (SmolLM2, a small one of 49,152 tokens) on 837 prompts and
ideals of published blueprints, 148 of them a fifth or more beyond plain Latin: the true count lay within the
range for 98 of 100, and else above it; at the median the range went from 0.8 to 1.4 times the true count.

What models cost: a small table of list prices, and the author's own prices before it.

The author's stand in `settings.json` under `prices`, by model id, in dollars for a million tokens:
`{"prices": {"openai:gpt-4o-mini": {"input": 0.15, "output": 0.6}}}`. A model that is in neither has no known price.

Where the table comes from: public lists of prices, of 2026 except where a model was withdrawn before; for most of
Anthropic's models copies of its own pages too, for its newest what others noted from them. None was asked over the
network, and not every row was seen twice, so the figures are for an estimate, not for an account. They are those of
short prompts: some models cost twice as much from 100,000 tokens on. Open models at OpenRouter and Together are left
out, as their price follows the host that answers, and was seen to halve within a day. So are models whose lists
disagree. Of the documented judges, `openai/gpt-oss-120b` is in: OpenRouter's own page and a public catalogue of models
give the same figures for it, a later page of OpenRouter's a hundredth less for its answers. For
`qwen/qwen3-30b-a3b-instruct-2507` they were 0.08 and 0.33 in November 2025, 0.0428 and 0.1716 in June 2026, 0.0481 and
0.193 in September, none of the later ones in two places: it is left out.

How long an answer of a model can be.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cache
from math import ceil, floor
from pathlib import Path
from typing import Any, cast

from engine.files.own_files import read_settings_json
from engine.models.chat import USUAL_MAX_TOKENS, Knob, Usage
from engine.models.provider_registry import EMBEDDED, LOOPBACK, definition_of
from engine.text.record import Record
from engine.yaml.nodes import Data

_WORD = re.compile("[A-Za-z]+")
_DIGITS = re.compile("[0-9]+")
_MARK = re.compile(r"[!-/:-@\[-`{-~]")
_OTHER = re.compile(r"[^\x00-\x7f]+")
_MESSAGE = 8
"""The upper bound of a message's tokens besides its text."""


class TokenRange(Record):
    """The lower and upper bound of a token count."""

    low: int
    high: int

    def __add__(self, other: TokenRange) -> TokenRange:
        """The sum of both."""
        return TokenRange(self.low + other.low, self.high + other.high)


def tokens_of(text: str) -> TokenRange:
    """The tokens of a text, by the basis above. For rare texts the true count lies outside the range."""
    longest = 2.5 if _is_of_another_language(text) else 4
    low = high = 0.0
    for size, times in Counter(map(len, _WORD.findall(text))).items():
        low += times * (1 if size > 1 else 0.5)
        high += times * ceil(size / longest)
    digits = sum(map(len, _DIGITS.findall(text)))
    marks = len(_MARK.findall(text))
    low += digits / 3 + marks * 0.4
    high += digits + marks + text.count("\n")
    if not text.isascii():
        others = "".join(_OTHER.findall(text))
        low += len(others) * 0.25
        high += len(others.encode("utf-8", "replace")) * 0.75
    return TokenRange(floor(low), ceil(high))


def _is_of_another_language(text: str) -> bool:
    """Whether more than one letter in a hundred is not ASCII: small vocabularies split words of other languages."""
    if text.isascii():
        return False
    letters = [letter for letter in text if letter.isalpha()]
    return sum(not letter.isascii() for letter in letters) * 100 > len(letters)


def tokens_of_messages(texts: Iterable[str]) -> TokenRange:
    """The tokens of a conversation, with the overhead of its messages."""
    total = TokenRange(0, 0)
    for text in texts:
        total += tokens_of(text) + TokenRange(0, _MESSAGE)
    return total


AS_OF = date(2026, 10, 10)
"""The day of the table: the newest source of a row is of that day. Prices change; what is shown of them names it."""


class Price(Record):
    """US dollars for a million tokens, without discounts for caches or batches. `is_own` where the author gave it."""

    input: float
    output: float
    is_own: bool = False


class OwnPrices(Record):
    """The author's prices by model id; `problems` says in words which entries cannot be used."""

    prices: dict[str, Price]
    problems: tuple[str, ...] = ()


_DEAREST = 1e9
"""Dollars for a million tokens. A higher price is a slip, and sums of it would not be finite."""
_DATED = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2}|\d{4}|\d{3}|latest)$")
_MAKERS = {"openai": "openai", "anthropic": "anthropic", "google": "google", "x-ai": "xai"}
"""Makers as OpenRouter writes them."""


@cache
def _listed() -> dict[str, Price]:
    """The list prices by model id."""
    table: dict[str, dict[str, tuple[float, float]]] = tomllib.loads(
        Path(__file__).with_name("prices.toml").read_text("utf-8")
    )
    return {f"{maker}:{name}": Price(*pair) for maker, prices in table.items() for name, pair in prices.items()}


def price_of(model: str, own: OwnPrices | None = None) -> Price | None:
    """The price of a model id: the author's own, else the listed one, else 0 on this machine, else None: not known.

    A date or `latest` at the end of a name does not count, unless that very name is listed. OpenRouter asks what the
    maker does for the makers listed here.
    """
    names = list(_names(model))
    if own is not None and (found := next((own.prices[name] for name in names if name in own.prices), None)):
        return found
    if found := next((_listed()[name] for name in names if name in _listed()), None):
        return found
    return Price(0.0, 0.0) if model.partition(":")[0] in (*LOOPBACK, EMBEDDED) else None


def cost(usage: Usage, price: Price) -> float | None:
    """What an answer cost, in dollars; None where the server did not count."""
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    return (usage.input_tokens * price.input + usage.output_tokens * price.output) / 1_000_000


def own_prices() -> OwnPrices:
    """The author's prices in `settings.json`; none where there is no such file. A damaged file is set aside."""
    written = read_settings_json().get("prices")
    return read_prices({} if written is None else written)


def read_prices(written: Any) -> OwnPrices:
    """Prices as the settings hold them, already parsed."""
    if not isinstance(written, dict):
        return OwnPrices({}, ("`prices` in settings.json must hold model ids, each with its prices.",))
    found: dict[str, Price] = {}
    problems: list[str] = []
    for model, price in cast("dict[str, Any]", written).items():
        match price:
            case {"input": int() | float() as paid_in, "output": int() | float() as paid_out} if (
                0 <= paid_in <= _DEAREST and 0 <= paid_out <= _DEAREST
            ):
                found[model] = Price(float(paid_in), float(paid_out), is_own=True)
            case _:
                problems.append(f"The price of {model} must be given as input and output, each in dollars.")
    return OwnPrices(found, tuple(problems))


def _names(model: str) -> list[str]:
    """The names under which the price of a model may stand, the closest first."""
    provider, _, bare = model.partition(":")
    names = [model, f"{provider}:{_DATED.sub('', bare)}"]
    if provider == "anthropic" and "." in bare:
        names.append(f"{provider}:{_DATED.sub('', bare.replace('.', '-'))}")
    if provider == "openrouter":
        maker, _, resold = bare.partition("/")
        if (maker := _MAKERS.get(maker, "")) and ":" not in bare:
            written = resold.replace(".", "-") if maker == "anthropic" else resold
            names += [f"{maker}:{written}", f"{maker}:{_DATED.sub('', written)}"]
    return names


NO_LIMIT = 32_768
"""The upper bound in tokens for a model whose limit the blueprint removes: few models write more at once."""

_LENGTHS = ("max_tokens", "max_completion_tokens", "maxOutputTokens", Knob.MAX_TOKENS.value)


def longest_answer(model: str, custom: Iterable[Data], usual: int = USUAL_MAX_TOKENS) -> int:
    """The upper bound in tokens of an answer of a model: as the blueprint defines it, else the requested `usual`."""
    definition = definition_of(model, custom)
    parameters = None if definition is None else definition.get("parameters")
    if definition is None or not isinstance(parameters, Mapping):
        return usual
    mapping = definition.get("parameterMapping")
    renamed = mapping.get(Knob.MAX_TOKENS.value) if isinstance(mapping, Mapping) else None
    written = [parameters[name] for name in (*_LENGTHS, renamed) if isinstance(name, str) and name in parameters]
    longest = max((_limit(value, usual) for value in written), default=usual)
    budget = parameters.get(Knob.THINKING_BUDGET.value)
    return longest + (budget if isinstance(budget, int) and budget > 0 else 0)


def _limit(value: Data, usual: int) -> int:
    if value is None:
        return NO_LIMIT
    return int(value) if isinstance(value, int | float) and 0 < value < NO_LIMIT * 100 else usual
