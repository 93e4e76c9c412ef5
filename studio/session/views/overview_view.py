"""The view of the header's result: the blueprint, and its score by prompts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from functools import cached_property

from engine.blueprint import Header
from engine.evaluation.headline import Headline, overall
from engine.text.record import Record
from engine.text.spans import Span
from engine.yaml.nodes import Data


class Order(Enum):
    """The orders of the prompts; a key switches to the next one."""

    COST = "cost"
    SCORE = "score"
    FILE = "file"

    @property
    def next(self) -> Order:
        """The next order; after the last the first."""
        orders = list(Order)
        return orders[(orders.index(self) + 1) % len(orders)]


class LastScore(Record):
    """What a prompt scored in its last run of an earlier session, and when that began.

    `is_comparable`: its rubric is still the same. If not, the score is shown and takes part in no total.
    """

    headline: Headline
    began: datetime
    is_comparable: bool


class PromptStanding(Record):
    """One prompt: its number in the file, from 1, its weight, and its headline; without one, `state` says why.

    `failed`: its request failed, or its answer was withheld. `last` is set if nothing was run in this session: the
    headline is that of the last run then, if it is comparable.
    """

    number: int
    id: str
    weight: float
    span: Span
    headline: Headline | None = None
    state: str = "not run"
    failed: bool = False
    last: LastScore | None = None

    @property
    def is_counted(self) -> bool:
        """Whether it is in the mean: it has a headline, and judges could judge some point of it."""
        return self.headline is not None and not self.headline.is_failed

    @property
    def said(self) -> str:
        """Its score in whole numbers, or why it has none."""
        return self.state if self.headline is None else self.headline.whole

    @property
    def figure(self) -> str:
        """The whole figure with its marks, `≠72` if its rubric was another one; "" without a score."""
        if self.headline is not None:
            return self.headline.marked_whole_figure
        return "" if self.last is None else f"≠{self.last.headline.marked_whole_figure}"


class ModelGroup(Record):
    """One model of the header, or those of a `collection`; `problem` says why a collection is unavailable."""

    models: tuple[str, ...]
    collection: str = ""
    problem: str = ""


class Overview(Record, dict=True):
    """A blueprint and the standings of its prompts with `answers`, the candidate that is shown.

    `author` and `references` are pairs of a text and an address, "" if missing. `span` is that of the header.
    `is_running`: runs are in progress. If the blueprint names no models, `models` are Weval's default.
    `cases` says how the cases stand, "" without any. `unread` are the lines, from 1, of the parts of the file that
    cannot be read: a prompt is missing at each.
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
    cases: str = ""

    @cached_property
    def total(self) -> Total:
        """The sums of the scores."""
        return Total.of(self.prompts, len(self.unread))

    @cached_property
    def ages(self) -> tuple[datetime, ...]:
        """When the runs of earlier sessions began whose scores are in the total, the newest first."""
        began = {each.last.began for each in self.prompts if each.last is not None and each.headline is not None}
        return tuple(sorted(began, reverse=True))

    @property
    def prompt_count(self) -> int:
        """The number of prompts, including those that cannot be read."""
        return len(self.prompts) + len(self.unread)


class Total(Record):
    """The sums of a blueprint's score. `scored` is the number of prompts with a headline.

    `counted` are those in the mean, each with its headline. `low` and `high` are their sums of whole figures (0–100)
    times weights, with open points at 0 and at 1. `weights` is the sum of their weights. `headline` is the score; None
    if nothing is scored.
    """

    scored: int
    counted: tuple[tuple[PromptStanding, Headline], ...]
    low: float
    high: float
    weights: float
    headline: Headline | None

    @classmethod
    def of(cls, prompts: Iterable[PromptStanding], unread: int = 0) -> Total:
        """The sums over the `prompts` with a headline; `unread` is the number of unreadable parts of the file."""
        scored = [(each, each.headline) for each in prompts if each.headline is not None]
        counted = tuple([(each, headline) for each, headline in scored if each.is_counted])
        return cls(
            len(scored),
            counted,
            sum(headline.counted[0] * each.weight for each, headline in counted),
            sum(headline.counted[1] * each.weight for each, headline in counted),
            sum(each.weight for each, _ in counted),
            overall(((each.weight, headline) for each, headline in scored), unread),
        )

    def costs(self, prompt: PromptStanding) -> tuple[float, float] | None:
        """The least and the most by which the blueprint's score (0–100) would rise if `prompt` scored 100.

        The two differ while points are open. None without a headline, and where no judge could judge any point.
        """
        if prompt.headline is None or not prompt.is_counted or not self.weights > 0:
            return None
        low, high = prompt.headline.counted
        return prompt.weight * (100 - high) / self.weights, prompt.weight * (100 - low) / self.weights


def in_order(prompts: Sequence[PromptStanding], order: Order, total: Total) -> tuple[PromptStanding, ...]:
    """`prompts` by `order`, ranges by their certain part first; those without a headline come last, as in the file."""
    match order:
        case Order.FILE:
            return tuple(prompts)
        case Order.COST:
            return tuple(sorted(prompts, key=lambda each: total.costs(each) or (-1.0, -1.0), reverse=True))
        case Order.SCORE:
            return tuple(sorted(prompts, key=lambda each: each.headline.whole_bounds if each.headline else (101, 101)))


def author_of(header: Header) -> tuple[str, str]:
    """The author of the blueprint and an address; "" if missing."""
    return _named(header.fields.get("author"), "name")


def references_of(header: Header) -> tuple[tuple[str, str], ...]:
    """The references of the blueprint, each with its address or ""."""
    written = header.fields.get("references")
    listed = written if isinstance(written, list) else [written]
    return tuple(found for each in listed if (found := _named(each, "title")) != ("", ""))


def model_name(model: Data) -> str:
    """The id of a model of the header."""
    named = model.get("id") if isinstance(model, Mapping) else model
    return named if isinstance(named, str) else ""


def _named(written: Data, key: str) -> tuple[str, str]:
    if not isinstance(written, Mapping):
        return (written.strip(), "") if isinstance(written, str) else ("", "")
    name, address = written.get(key), written.get("url")
    return name.strip() if isinstance(name, str) else "", address.strip() if isinstance(address, str) else ""
