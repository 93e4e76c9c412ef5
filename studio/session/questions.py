"""What a session asks its author beside plain choices: each question with all that its dialog shows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from studio.session.host import Choose, Question

if TYPE_CHECKING:
    from engine.blueprint import Header
    from engine.closest_sentence import EncoderFailed
    from engine.diagnostics import Fix
    from engine.judging.scale import JudgesAs
    from engine.planning import Cap, RunPlan
    from engine.planning.service_access import HostQuestion
    from engine.rules.fixes.application import FixedText
    from engine.services.hosts import Host as ServiceHost
    from engine.yaml_nodes.nodes import Data
    from studio.session.answer_choice import AnswerChoice
    from studio.session.model_status import ReadyModel


@dataclass(frozen=True)
class AnswerQuestion(Question["AnswerChoice"]):
    """Where do answers come from?

    `models` are the blueprint's: names, and definitions of its own. `ready` are those that can be chosen, the embedded
    one among them. `usual_tokens` is the limit of the settings.
    """

    current: AnswerChoice | None
    has_ideal: bool
    models: Sequence[Data]
    ready: Sequence[ReadyModel]
    header: Header
    path: Path
    usual_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """Who judges points in words; None: nobody but the author."""

    judges_as: JudgesAs | None


@dataclass(frozen=True)
class JudgeQuestion(Question[JudgeChoice]):
    """Who judges points in words? `no_encoder`: why the closest sentence is not found here, None where it is."""

    header: Header
    current: JudgesAs | None
    no_encoder: EncoderFailed | None = None


@dataclass(frozen=True, slots=True)
class RunDecision:
    """To send, with this cap; `remembered`: and not to be asked again about these recipients.

    `services`: also to the services that are asked for the first time.
    """

    cap: Cap
    remembered: bool = False
    services: bool = True


@dataclass(frozen=True)
class RunQuestion(Question[RunDecision]):
    """May everybody in `plan` have what it would send, within `cap`?

    `new` are the recipients to whom the author did not agree yet, `hosts` those of them that are services. Above
    `ask_above` dollars a run is asked about in any case. `only_show` is for a look at a plan before anything is run.
    """

    plan: RunPlan
    cap: Cap
    new: Collection[str]
    hosts: Collection[ServiceHost]
    ask_above: float
    only_show: bool = False


class ServiceAnswer(StrEnum):
    """Whether a service may be asked; the ids of the answers to a `ServiceQuestion`."""

    ALWAYS = "always"
    """Yes, which is remembered."""
    NOW = "now"
    NEVER = "never"


@dataclass(frozen=True)
class ServiceQuestion(Choose):
    """May checks ask the service that `asked` is about?"""

    asked: HostQuestion


@dataclass(frozen=True, slots=True)
class FixChoice:
    """The fix chosen; `everywhere`: the text after the same choice for all reports of its rule."""

    fix: Fix
    everywhere: FixedText | None = None


@dataclass(frozen=True, slots=True)
class KnownOfFixes:
    """What can be known of fixes by trying them. Each call may block for a moment, and is made off the event loop.

    `objection` says what speaks against a fix, "" where it cures. `everywhere` applies the same choice to all reports
    of its rule, `reports` in number. `effect` describes what a fix does to the score, None where nothing is known.
    """

    objection: Callable[[Fix], str] | None = None
    effect: Callable[[Fix], str | None] | None = None
    everywhere: Callable[[Fix], FixedText] | None = None
    reports: int = 1


@dataclass(frozen=True)
class FixQuestion(Question[FixChoice]):
    """Which of `fixes` of `source`, for what `text` says under `title`?"""

    title: str
    text: str
    fixes: Sequence[Fix]
    source: str
    known: KnownOfFixes


@dataclass(frozen=True)
class EditQuestion(Question[str]):
    """What shall this text be?"""

    title: str
    value: str
