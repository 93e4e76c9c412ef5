"""What a run will send, and to whom: told before the first request (DESIGN, law 7)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.blueprint import Prompt
from engine.judging.judge import TRIES, Resolve
from engine.judging.panel import Approach, Panel, PanelJudge
from engine.providers.chat import ProviderError


class SentText(StrEnum):
    """A text that a judge receives, by the name an author knows."""

    CONVERSATION = "the whole conversation with the answer"
    CRITERION = "the criterion"
    DESCRIPTION = "the description of the blueprint"
    CRITERIA = "all criteria in words of the prompt"


@dataclass(frozen=True, slots=True)
class PlannedJudge:
    """What one judge will be sent: how many requests, how many where each is tried again, and which texts."""

    judge: PanelJudge
    requests: int
    at_most: int
    texts: tuple[SentText, ...]


@dataclass(frozen=True, slots=True)
class JudgingPlan:
    """What judging will send. `backup` has no requests of its own accord: it is asked only where others fail."""

    judges: tuple[PlannedJudge, ...]
    backup: PlannedJudge | None

    @property
    def requests(self) -> int:
        """How many requests are sent where every judge answers in form."""
        return sum(each.requests for each in self.judges)

    @property
    def at_most(self) -> int:
        """How many are sent at the very most: each tried again, and the backup on every point."""
        everyone = (*self.judges, *([self.backup] if self.backup is not None else []))
        return sum(each.at_most for each in everyone)

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that may receive texts, the backup's last, each once."""
        everyone = (*self.judges, *([self.backup] if self.backup is not None else []))
        return tuple(dict.fromkeys(each.judge.model for each in everyone))


def planned(panel: Panel, points: int, *, described: bool = False) -> JudgingPlan:
    """What judging `points` points in words will send, summed over all answers.

    `described` tells that the blueprint has a description. Judgements that are kept from before make it less.
    """
    backup = panel.backup if panel.judges else None
    return JudgingPlan(
        tuple(
            PlannedJudge(judge, points, points * TRIES, sent_texts(judge, described=described))
            for judge in panel.judges
        ),
        None if backup is None else PlannedJudge(backup, 0, points * TRIES, sent_texts(backup, described=described)),
    )


@dataclass(frozen=True, slots=True)
class Receiver:
    """Who gets what is sent to a model: a host, or `this machine`; "" where it cannot be asked, with the reason."""

    model: str
    recipient: str
    trouble: str = ""
    advice: str = ""


def receivers(plan: JudgingPlan, providers: Resolve) -> tuple[Receiver, ...]:
    """Every model of a plan and who receives its texts; tells missing keys before anything is sent."""
    return tuple(_receiver(model, providers) for model in plan.models)


def _receiver(model: str, providers: Resolve) -> Receiver:
    try:
        provider, _ = providers(model, None)
    except ProviderError as error:
        return Receiver(model, "", error.title, error.advice)
    return Receiver(model, provider.recipient)


def points_in_words(prompt: Prompt) -> int:
    """How many points of a prompt are for judges."""
    return sum(point.text is not None for point in prompt.points())


def sent_texts(judge: PanelJudge, *, described: bool) -> tuple[SentText, ...]:
    """What a judge of this approach receives; `described` tells that the blueprint has a description."""
    always = (SentText.CONVERSATION, SentText.CRITERION)
    match judge.approach:
        case Approach.STANDARD | Approach.PROMPT_AWARE:
            return always
        case Approach.HOLISTIC:
            return (*always, *([SentText.DESCRIPTION] if described else []), SentText.CRITERIA)
