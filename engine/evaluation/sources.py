"""The sources of answers, also within a variant of the blueprint, and the control answers.

Each source knows its name and how it is saved. To add one, add its class here, to `AnswerSource` and to `saved_source`,
its case to `engine.evaluation.answer_stream.answer`, and its row to the studio's dialog.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import ClassVar, TypeAlias

from engine.blueprint import Header, Point, Prompt, Role
from engine.blueprint.conversation import Variant, variants
from engine.text.patterns import lazy
from engine.text.record import Record
from engine.yaml.nodes import javascript_number

_USUAL_NAME = lazy(r"_(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-\d\d-\d{3}Z_comparison\.json\Z", re.ASCII)


class ControlKind(StrEnum):
    """Control answers ("test answers" on the screen): answers that a rubric must not reward."""

    EMPTY = "empty"
    REFUSAL = "refusal"
    ECHO = "echo"
    STUFFING = "stuffing"


_CONTROL_LABELS = {
    ControlKind.EMPTY: "empty",
    ControlKind.REFUSAL: "refusal",
    ControlKind.ECHO: "the prompt repeated",
    ControlKind.STUFFING: "criteria pasted",
}


class SavedSource(Record):
    """A source as it is saved in settings: its kind, its value, and for some kinds a second value."""

    kind: str
    value: str = ""
    more: str | None = None


class Source(ABC):
    """A source of answers. `kind` is its name in settings and the database."""

    __slots__ = ()
    kind: ClassVar[str]

    @property
    def key(self) -> str:
        """The key of its results in result JSON (DESIGN, "Machine-readable surface")."""
        return self.kind

    @property
    @abstractmethod
    def label(self) -> str:
        """Its name on the screen: "the ideal", "your answer", "test answer: refusal", "gpt-4o-mini"."""

    @property
    def saved(self) -> SavedSource:
        """The form in which it is saved in settings."""
        return SavedSource(self.kind)


@dataclass(frozen=True, slots=True)
class IdealSource(Source):
    """The prompt's own `ideal`."""

    kind: ClassVar[str] = "ideal"

    @property
    def label(self) -> str:
        return "the ideal"


@dataclass(frozen=True, slots=True)
class WrittenSource(Source):
    """An answer that the author typed or pasted. The text is saved with the answers, not in the settings."""

    text: str = ""
    kind: ClassVar[str] = "response"

    @property
    def label(self) -> str:
        return "your answer"


@dataclass(frozen=True, slots=True)
class ControlSource(Source):
    """A control answer."""

    control: ControlKind
    kind: ClassVar[str] = "control"

    @property
    def key(self) -> str:
        return f"control:{self.control}"

    @property
    def label(self) -> str:
        return f"test answer: {_CONTROL_LABELS[self.control]}"

    @property
    def saved(self) -> SavedSource:
        return SavedSource(self.kind, self.control.value)


@dataclass(frozen=True, slots=True)
class FixtureSource(Source):
    """Saved answers in a Weval fixtures file; `model` selects a `byModel` entry."""

    path: Path
    model: str | None = None
    kind: ClassVar[str] = "fixtures"

    @property
    def key(self) -> str:
        return self.model or self.kind

    @property
    def label(self) -> str:
        whose = f"{_bare(self.model)}, " if self.model else ""
        return f"saved answers: {whose}{self.path.name}"

    @property
    def saved(self) -> SavedSource:
        return SavedSource(self.kind, str(self.path), self.model)


MOST_MAX_TOKENS = 1_000_000
"""The upper bound of a token limit: more than any model writes at once."""


@dataclass(frozen=True, slots=True)
class ModelSource(Source):
    """A model: `provider:model` as in a blueprint, `embedded:smollm2`, or a name at `base_url`.

    `max_tokens` is the token limit of an answer, None for Weval's, and `seconds` its time limit, None for ten minutes.
    They are settings and not part of the identity.
    """

    model: str
    base_url: str | None = None
    max_tokens: int | None = field(default=None, compare=False)
    seconds: float | None = field(default=None, compare=False)
    kind: ClassVar[str] = "model"

    @property
    def key(self) -> str:
        return self.model

    @property
    def label(self) -> str:
        return _bare(self.model)

    @property
    def saved(self) -> SavedSource:
        return SavedSource(self.kind, self.model, self.base_url)


@dataclass(frozen=True, slots=True)
class StoredSource(Source):
    """The answers and verdicts of a Weval result file; `model` is the key of its results there."""

    path: Path
    model: str
    kind: ClassVar[str] = "published"

    @property
    def key(self) -> str:
        return f"published:{self.model}"

    @property
    def label(self) -> str:
        return f"published: {_bare(self.model)}, {run_name(self.path)}"

    @property
    def saved(self) -> SavedSource:
        return SavedSource(self.kind, str(self.path), self.model)


def run_name(result: Path) -> str:
    """What a result file is called on the screen: the date and the time of its run, else its name."""
    usual = _USUAL_NAME.search(result.name)
    return result.name if usual is None else f"{usual[1]} {usual[2]}:{usual[3]}"


def compared_models(keys: Sequence[str]) -> tuple[int, ...]:
    """Which of the results under these keys are compared as models: the places of those that a model answered.

    () if fewer than two are. The ideal, answers that the author wrote, saved answers without a model and test answers
    are no models.
    """
    models = tuple(place for place, key in enumerate(keys) if is_model(key))
    return models if len(models) > 1 else ()


def is_model(key: str) -> bool:
    """Whether a model gave the results under this key, as in `compared_models`."""
    bare = key.removeprefix(f"{StoredSource.kind}:")
    others = (IdealSource.kind, WrittenSource.kind, FixtureSource.kind)
    return bare not in others and not bare.startswith(f"{ControlSource.kind}:")


AnswerSource: TypeAlias = IdealSource | WrittenSource | ControlSource | FixtureSource | ModelSource | StoredSource


def _bare(model: str) -> str:
    """A model without its provider."""
    return model.partition(":")[2] or model


def saved_source(saved: SavedSource) -> AnswerSource | None:
    """The saved source, None where its kind is unknown or a value that it needs is missing."""
    match saved.kind, saved.value, saved.more:
        case IdealSource.kind, _, _:
            return IdealSource()
        case WrittenSource.kind, _, _:
            return WrittenSource()
        case ControlSource.kind, control, _ if control in list(ControlKind):
            return ControlSource(ControlKind(control))
        case FixtureSource.kind, path, model:
            return FixtureSource(Path(path), model)
        case ModelSource.kind, model, base_url if model:
            return ModelSource(model, base_url)
        case StoredSource.kind, path, str(model) if model:
            return StoredSource(Path(path), model)
        case _:
            return None


def answering_model(source: AnswerSource) -> str:
    """The name of the model as checks see it: the stored one, else the key of the source."""
    return source.model if isinstance(source, StoredSource) else source.key


_AS_WRITTEN = Variant()


class Candidate(Record):
    """One answer source in one variant. It has a score of its own for each prompt."""

    source: AnswerSource
    variant: Variant = _AS_WRITTEN

    @property
    def key(self) -> str:
        """The key of its results in result JSON, such as `openai:gpt-4o-mini[temp:0.7]`."""
        return self.source.key + self.variant.suffix

    @property
    def label(self) -> str:
        """Its name on the screen: `gpt-4o-mini, temp 0.7, system 2`."""
        return ", ".join([self.source.label, *variant_words(self.variant)])


def candidates(source: AnswerSource, header: Header) -> tuple[Candidate, ...]:
    """`source` in every variant of the blueprint, at least one. Only the answers of models differ by variant."""
    by_model = isinstance(source, ModelSource) or (isinstance(source, FixtureSource) and source.model is not None)
    return tuple(Candidate(source, each) for each in variants(header)) if by_model else (Candidate(source),)


def variant_words(variant: Variant) -> tuple[str, ...]:
    """How a variant differs from the others of its blueprint: `temp 0.7`, `system 2`."""
    temperature = f"temp {javascript_number(variant.temperature)}" if variant.temperature is not None else None
    _, several, place = variant.suffix.partition("[sp_idx:")
    system = f"system {int(place[:-1]) + 1}" if several else None
    return tuple(words for words in (temperature, system) if words is not None)


class FixtureRequest(Record):
    """A request for a saved answer, by model (None where none is named) and variant (`[temp:0.7]`, or "").

    `prompt` is the name of the prompt among those of its blueprint.
    """

    model: str | None = None
    suffix: str = ""
    prompt: str = ""

    @property
    def key(self) -> str:
        """The key of the result."""
        return (self.model or FixtureSource.kind) + self.suffix


FixtureRequests: TypeAlias = dict[tuple[Path, str], list[FixtureRequest]]
"""Requests for saved answers, by file and prompt id: `round-robin` counts them."""
REQUESTS: FixtureRequests = {}
"""Those of this process so far."""

REFUSAL = "I'm sorry, but I can't help with that."


def control_answer(kind: ControlKind, prompt: Prompt) -> str:
    """An empty answer, a refusal, all user messages, or every criterion of `should` with the texts of its checks."""
    match kind:
        case ControlKind.EMPTY:
            return ""
        case ControlKind.REFUSAL:
            return REFUSAL
        case ControlKind.ECHO:
            return "\n\n".join(message.content or "" for message in prompt.messages if message.role is Role.USER)
        case ControlKind.STUFFING:
            wanted = () if prompt.should is None else prompt.should.points()
            return "\n".join(line for point in wanted for line in _criteria(point))


def _criteria(point: Point) -> Iterator[str]:
    if point.text is not None:
        yield point.text
    if point.function is not None:
        yield from point.function.texts()


def key_of(prompt: Prompt, prompts: Sequence[Prompt]) -> str:
    """The name of `prompt` among those of its blueprint."""
    earlier = sum(each.id == prompt.id for each in prompts if each.index < prompt.index)
    return f"{prompt.id}#{earlier + 1}" if earlier else prompt.id
