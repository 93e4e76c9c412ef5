"""What the header's result is given: the blueprint itself, and what its prompts make of its score, as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

from engine.blueprint import Header
from engine.record import Record
from engine.text import Span
from engine.yaml_nodes.nodes import Data

if TYPE_CHECKING:
    from engine.evaluation.headline import Headline


class Order(Enum):
    """How the prompts are sorted; the key goes from one to the next."""

    COST = "cost"
    SCORE = "score"
    FILE = "file"

    @property
    def next(self) -> Order:
        """The one after it, round the end."""
        orders = list(Order)
        return orders[(orders.index(self) + 1) % len(orders)]


class PromptStanding(Record):
    """One prompt: its place in the file, from 1, its weight, and its headline, or in `state` why it has none.

    `failed`: its request failed, or its answer was withheld.
    """

    number: int
    id: str
    weight: float
    span: Span
    headline: Headline | None = None
    state: str = "not run"
    failed: bool = False


class ModelGroup(Record):
    """One model that the header names, or what a `collection` lists; `problem` says why that is unavailable."""

    models: tuple[str, ...]
    collection: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Overview:
    """A blueprint and how its prompts did with `answers`, the candidate that is shown.

    `author` and `references` are a text and an address each, "" where there is none. `span` is that of the header.
    `is_running`: runs are in progress. Where it names no models, `models` are those that Weval takes then.
    `unread` are the lines, from 1, of the parts of the file that cannot be read: a prompt is missing at each.
    """

    title: str
    description: str
    author: tuple[str, str]
    references: tuple[tuple[str, str], ...]
    models: tuple[ModelGroup, ...]
    prompts: tuple[PromptStanding, ...]
    answers: str
    span: Span
    is_running: bool = False
    names_models: bool = True
    unread: tuple[int, ...] = ()

    @cached_property
    def total(self) -> Total:
        """What the figures come to."""
        return Total.of(self.prompts, len(self.unread))

    @property
    def prompt_count(self) -> int:
        """How many prompts there are, with those that cannot be read."""
        return len(self.prompts) + len(self.unread)


@dataclass(frozen=True, slots=True)
class Total:
    """The sums of a blueprint's score over the `scored` prompts: of whole figures by weight, with what is not judged at
    0 (`low`) and at 1 (`high`), and of weights. `headline` is what they come to, None where nothing is scored.
    """

    scored: tuple[PromptStanding, ...]
    low: float
    high: float
    weights: float
    headline: Headline | None

    @classmethod
    def of(cls, prompts: Iterable[PromptStanding], unread: int = 0) -> Total:
        """The sums over those of `prompts` that have a headline, in a file of which so many parts are unread."""
        from engine.evaluation.headline import overall  # here, as only runs load it

        scored = tuple([each for each in prompts if each.headline is not None])
        headlines = [(each.weight, each.headline) for each in scored if each.headline is not None]
        return cls(
            scored,
            sum(headline.whole_bounds[0] * weight for weight, headline in headlines),
            sum(headline.whole_bounds[1] * weight for weight, headline in headlines),
            sum(weight for weight, _ in headlines),
            overall(headlines, unread),
        )

    def costs(self, prompt: PromptStanding) -> tuple[float, float] | None:
        """By how much the blueprint's score would rise if `prompt` scored 100, of 100: at least, and at most while its
        points are open. None where it has no headline."""
        if prompt.headline is None or not self.weights > 0:
            return None
        low, high = prompt.headline.whole_bounds
        return prompt.weight * (100 - high) / self.weights, prompt.weight * (100 - low) / self.weights


def in_order(prompts: Sequence[PromptStanding], order: Order, total: Total) -> tuple[PromptStanding, ...]:
    """`prompts` as `order` has them, by what is certain first; those without a headline last, as in the file."""
    match order:
        case Order.FILE:
            return tuple(prompts)
        case Order.COST:
            return tuple(sorted(prompts, key=lambda each: total.costs(each) or (-1.0, -1.0), reverse=True))
        case Order.SCORE:
            return tuple(sorted(prompts, key=lambda each: each.headline.whole_bounds if each.headline else (101, 101)))


def author_of(header: Header) -> tuple[str, str]:
    """Who wrote the blueprint, and an address; "" for what is not written."""
    return _named(header.fields.get("author"), "name")


def references_of(header: Header) -> tuple[tuple[str, str], ...]:
    """What the blueprint is based on, each with its address or ""."""
    written = header.fields.get("references")
    listed = written if isinstance(written, list) else [written]
    return tuple(found for each in listed if (found := _named(each, "title")) != ("", ""))


def model_name(model: Data) -> str:
    """How a model of the header is called: its id."""
    named = model.get("id") if isinstance(model, Mapping) else model
    return named if isinstance(named, str) else ""


def _named(written: Data, key: str) -> tuple[str, str]:
    if not isinstance(written, Mapping):
        return (written.strip(), "") if isinstance(written, str) else ("", "")
    name, address = written.get(key), written.get("url")
    return name.strip() if isinstance(name, str) else "", address.strip() if isinstance(address, str) else ""
