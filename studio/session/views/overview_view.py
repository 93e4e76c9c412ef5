"""The views of the file as a whole: its score by prompts, and the criteria that cost it most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cached_property

from engine.evaluation.headline import Headline, overall
from engine.scoring.assessment import Assessment
from engine.text.record import Record
from engine.text.spans import Span
from engine.yaml.nodes import Data
from studio.session.views.result_view import JudgeWord


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

    `is_running`: runs are in progress. If the blueprint names no models, `models` are Weval's default.
    `cases` says how the cases stand, "" without any. `unread` are the lines, from 1, of the parts of the file that
    cannot be read: a prompt is missing at each.
    """

    models: tuple[ModelGroup, ...]
    prompts: tuple[PromptStanding, ...]
    answers: str
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


class FileCriterion(Record):
    """A criterion of some prompt and its `cost`: what it takes from the score of the file (0–1), 0 where it is open.

    `number` is that of its prompt, from 1, `prompt` what that asks, and `place` its own in `Prompt.points()`. `words`
    are those of the judges.
    """

    number: int
    prompt: str
    place: int
    assessment: Assessment
    cost: float
    words: tuple[JudgeWord, ...] = ()


class FileResult(Record):
    """The file as a whole, and the criteria that cost its score something, the dearest first, then those that are open.

    `is_unread`: nothing of the text can be read now.
    """

    overview: Overview
    criteria: tuple[FileCriterion, ...] = ()
    is_unread: bool = False


def model_name(model: Data) -> str:
    """The id of a model of the header."""
    named = model.get("id") if isinstance(model, Mapping) else model
    return named if isinstance(named, str) else ""
