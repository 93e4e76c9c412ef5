"""What changed in meaning between two versions of a blueprint, as records."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

from engine.blueprint import Block, Point, Prompt
from engine.scoring.assessment import PlacedPoint
from engine.text.record import Record
from engine.yaml.nodes import Data


class Consequence(StrEnum):
    """What a change does to results that exist.

    `HISTORY`: Weval keeps results by the id of the prompt, and it is another one. `ANSWERS`: models are asked something
    else, so answers before and after cannot be compared. `SCORES`: the same answer can score differently. `VERDICTS`:
    holistic judges are shown something else, so earlier verdicts on criteria that stay would be carried over.
    """

    HISTORY = "history-ends"
    ANSWERS = "answers-not-comparable"
    SCORES = "scores-change"
    VERDICTS = "verdicts-carried-over"


class PromptField(StrEnum):
    """The fields of a prompt that can change, by their keys; the most consequential first."""

    ID = "id"
    MESSAGES = "messages"
    SYSTEM = "system"
    TEMPERATURE = "temperature"
    WEIGHT = "weight"
    IDEAL = "ideal"
    REQUIRED_TOOLS = "requiredTools"
    PROHIBITED_TOOLS = "prohibitedTools"
    MAX_CALLS = "maxCalls"
    DESCRIPTION = "description"
    CITATION = "citation"
    RENDER_AS = "render_as"
    NO_CACHE = "noCache"


class FieldChange(Record):
    """One field of a prompt before and after, as JSON values: messages as a list of `{role, content}`."""

    field: PromptField
    before: Data
    after: Data


class PointChangeKind(StrEnum):
    """How a point changed; the most consequential first.

    `REPLACED`: another point stands at its place, without a likeness. `MOVED_BLOCK`: from `should` to `should_not` or
    back. `MOVED_PATH`: onto a path, off a path, or from one path to another. `SHARE`: nothing of it changed but how
    much of the score it makes.
    """

    MOVED_BLOCK = "moved-block"
    REPLACED = "replaced"
    ADDED = "added"
    REMOVED = "removed"
    CHECK = "check-changed"
    REWORDED = "reworded"
    MOVED_PATH = "moved-path"
    WEIGHT = "weight"
    CITATION = "citation"
    SHARE = "share"


class PointSide(Record):
    """A point in one of the versions. `path` is its number among all paths of the prompt, from 1; None if required.

    `share` is how much of the prompt's score it makes, 0–1; of a point on a path, while that path is the best one.
    """

    placed: PlacedPoint
    path: int | None
    share: float

    @property
    def point(self) -> Point:
        """The point."""
        return self.placed.point

    @property
    def block(self) -> Block:
        """The block that it is in."""
        return self.placed.rubric.block


class PointChange(Record):
    """A point before and after: `before` is None for a new point, `after` for one that is gone."""

    kinds: tuple[PointChangeKind, ...]
    before: PointSide | None
    after: PointSide | None

    @property
    def share(self) -> float:
        """The greater share of both sides, 0–1."""
        return max(side.share for side in (self.before, self.after) if side is not None)


class PromptState(StrEnum):
    """Whether a prompt is in one of the versions only, or in both."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class NamedPrompt(Record):
    """A prompt of one version. `name` is its id, with `#2` and so on where an earlier prompt has the same one.

    `share` is how much of the blueprint's score it makes, 0–1, by its weight.
    """

    prompt: Prompt
    name: str
    share: float


class PromptChange(Record):
    """One prompt before and after: `before` is None for a new one, `after` for one that is gone.

    `moved`: it stands elsewhere among the prompts that are in both versions. `points_reordered`: points that stay in
    their group are in another order. `taken_from` is the name of the prompt whose messages it has now.
    """

    before: NamedPrompt | None
    after: NamedPrompt | None
    fields: tuple[FieldChange, ...] = ()
    points: tuple[PointChange, ...] = ()
    moved: bool = False
    points_reordered: bool = False
    taken_from: str | None = None
    consequences: tuple[Consequence, ...] = ()

    @property
    def state(self) -> PromptState:
        """Whether it is new, gone, or in both versions."""
        if self.before is None:
            return PromptState.ADDED
        return PromptState.REMOVED if self.after is None else PromptState.CHANGED

    @property
    def is_cut_off(self) -> bool:
        """Whether a YAML error hides a part of it in one of the versions."""
        return any(side is not None and side.prompt.is_cut_off for side in (self.before, self.after))

    def field(self, field: PromptField) -> FieldChange | None:
        """The change of one field."""
        return next((each for each in self.fields if each.field is field), None)


class HeaderPart(StrEnum):
    """The settings of the header that can change; the most consequential first."""

    SYSTEM = "system"
    TEMPERATURE = "temperature"
    TEMPERATURES = "temperatures"
    TOOLS = "tools"
    TOOL_USE = "toolUse"
    MODELS = "models"
    JUDGES = "judges"
    SCALE = "useExperimentalScale"
    DESCRIPTION = "description"
    SERVICES = "externalServices"
    TITLE = "title"
    AUTHOR = "author"
    TAGS = "tags"
    REFERENCES = "references"
    RENDER_AS = "render_as"
    NO_CACHE = "noCache"
    CONTEXT = "context"
    CONCURRENCY = "concurrency"
    EMBEDDING_MODEL = "embeddingModel"


class HeaderChange(Record):
    """One setting before and after.

    A list has the labels of what was `added`, `removed` and `changed` in it; what custom models and services hold is
    not shown, as it may be secret. A single value has `before` and `after`. `reordered`: system
    prompts that stay have another place.
    """

    part: HeaderPart
    before: Data = None
    after: Data = None
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    reordered: bool = False
    consequences: tuple[Consequence, ...] = ()


class BlueprintChanges(Record):
    """All changes in meaning. `prompts` are those that changed, in the order of the new version, and removed ones last.

    `pairs` are all prompts that are in both versions, changed or not, by their indices.
    """

    header: tuple[HeaderChange, ...]
    prompts: tuple[PromptChange, ...]
    pairs: tuple[tuple[int, int], ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed in meaning."""
        return not self.header and not self.prompts

    @property
    def rescored(self) -> Collection[tuple[int, int]]:
        """The `pairs` whose answers can score differently: those that changed; all if the header changes verdicts."""
        due = {consequence for each in self.header for consequence in each.consequences}
        if due & {Consequence.SCORES, Consequence.VERDICTS}:
            return self.pairs
        sides = [(each.before, each.after) for each in self.prompts]
        return [(one.prompt.index, other.prompt.index) for one, other in sides if one is not None and other is not None]
