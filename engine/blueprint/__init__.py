"""The normalised blueprint: the content of a file with all aliases and shorthands resolved.

Every part has the span that it was read from, so diagnostics, assessments and explanations can refer to the source.
These are plain records, not pydantic models: they are built on every keystroke, from input that `parsing` has already
checked.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from enum import Enum, StrEnum
from functools import cached_property
from typing import cast

from engine.text.record import Record, field
from engine.text.spans import NOWHERE, Span
from engine.yaml.nodes import (
    NO_MAPPING,
    Data,
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    Style,
    property_name,
    resolved,
)
from engine.yaml.tree_loader import function_pair


class Absent(Enum):
    """The value of a field that is not written, as opposed to null."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


class Block(StrEnum):
    """The two blocks of a rubric, by their keys in 002."""

    SHOULD = "should"
    SHOULD_NOT = "should_not"

    @property
    def inverted(self) -> bool:
        """Whether meeting a point of the block lowers the score."""
        return self is Block.SHOULD_NOT


class FunctionCall(Record, gc=False):
    """A point function and its argument. `name` has no `$` and may be unknown."""

    name: str
    args: Data | Absent = ABSENT

    def texts(self) -> Iterator[str]:
        """All strings in the argument, including those within lists."""
        waiting: list[Data | Absent] = [self.args]
        while waiting:
            match waiting.pop():
                case str(text):
                    yield text
                case [*items]:
                    waiting += reversed(items)
                case _:
                    pass


def normal_function_name(name: str) -> str:
    """`name` with the `s` that Weval's parser adds to a leading `contain` or `match`."""
    for stem, full in (("contain", "contains"), ("match", "matches")):
        if name.startswith(stem) and not name.startswith(full):
            return full + name[len(stem) :]
    return name


_NO_CALL = FunctionCall("")
_NO_TEXT = ScalarNode(NOWHERE, None, "", Style.PLAIN)
_NO_LIST = SequenceNode(NOWHERE, (), True)
"""The nodes of what stands in no text, such as a rubric that is read from a result file; `NO_MAPPING` is one too."""


class Written(Record, eq=False):
    """A part of a blueprint that holds its `node`, with aliases resolved. The node takes no part in comparison."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._compared() == cast("Written", other)._compared()

    def __hash__(self) -> int:
        return hash(self._compared())

    def _compared(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__struct_fields__ if name != "node")


class Point(Written):
    """One criterion. Exactly one of `text` (graded by a judge) and `function` (checked) is set.

    `multiplier` is 0.1–10, by default 1. `span` covers the list item without its dash, `subject_span` the part to
    underline: the text, or the key of the function. That of a `$ref` is the `$ref` itself.
    """

    span: Span
    subject_span: Span
    text: str | None = None
    function: FunctionCall | None = None
    multiplier: float = 1.0
    citation: str | None = None
    node: Node = _NO_TEXT

    @property
    def call(self) -> FunctionCall:
        """Its function with the argument; of a text, a call without a name, which no function has."""
        return self.function or _NO_CALL

    @property
    def mapping(self) -> MappingNode | None:
        """The mapping that it is written as; None if it is a plain text."""
        return self.node if isinstance(self.node, MappingNode) else None

    @property
    def argument(self) -> Node | None:
        """The argument of its function, as it is written; None where that is elsewhere, as with a `$ref`."""
        pair = None if self.mapping is None else function_pair(self.mapping)
        return None if pair is None or property_name(pair.key) == "$ref" else pair.value

    def argument_texts(self, besides: Container[str] = ()) -> Iterator[ScalarNode]:
        """The texts in its argument, in order, but for those below the keys `besides` of a mapping."""
        pending = [] if self.argument is None else [self.argument]
        while pending:
            match resolved(pending.pop()):
                case ScalarNode(value=str()) as node:
                    yield node
                case SequenceNode(items=items):
                    pending += reversed(items)
                case MappingNode(pairs=pairs):
                    pending += [each.value for each in reversed(pairs) if property_name(each.key) not in besides]
                case _:
                    pass

    def argument_node(self, text: str) -> ScalarNode | None:
        """The scalar in its argument that reads as `text`; None if that is written elsewhere."""
        return next((node for node in self.argument_texts() if node.value == text), None)


class Path(Written):
    """One alternative path. `index` is its place among all entries of its block, from 0, empty paths not counted."""

    span: Span
    index: int
    points: tuple[Point, ...]
    node: SequenceNode = _NO_LIST


class Rubric(Written, dict=True):
    """A `should` or `should_not` block: required points and alternative paths, in source order."""

    block: Block
    span: Span
    entries: tuple[Point | Path, ...] = ()
    node: SequenceNode = _NO_LIST

    @cached_property
    def required(self) -> tuple[Point, ...]:
        """The points outside any path."""
        return tuple(entry for entry in self.entries if isinstance(entry, Point))

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """The alternative paths."""
        return tuple(entry for entry in self.entries if isinstance(entry, Path))

    @cached_property
    def longer_paths(self) -> int:
        """How many of the paths have more than one point."""
        return sum(len(path.points) > 1 for path in self.paths)

    @cached_property
    def _required_spans(self) -> frozenset[Span]:
        return frozenset([point.span for point in self.required])

    def requires(self, point: Point) -> bool:
        """Whether `point` is outside any path."""
        return point.span in self._required_spans

    def path_id(self, path: Path) -> str:
        """`path_3` in `should`, `not_path_3` in `should_not`."""
        return f"not_path_{path.index}" if self.block.inverted else f"path_{path.index}"

    @cached_property
    def _points(self) -> tuple[Point, ...]:
        return tuple(
            point for entry in self.entries for point in (entry.points if isinstance(entry, Path) else (entry,))
        )

    def points(self) -> tuple[Point, ...]:
        """All points, including those of paths, in source order."""
        return self._points


class Role(StrEnum):
    """The role of a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class Message(Record, gc=False):
    """One message of a conversation; `content` is None for an assistant turn to be generated."""

    span: Span
    role: Role
    content: str | None


class RenderAs(StrEnum):
    """The format in which a response is displayed."""

    MARKDOWN = "markdown"
    HTML = "html"
    PLAINTEXT = "plaintext"


class Prompt(Written):
    """One prompt and its rubric. `span` covers its whole item; `id_span` the value of its id, or the item's start.

    `node` is empty where the item is no mapping. `is_cut_off`: a YAML error within the prompt cuts it off, so it may
    have points that are missing here.
    """

    index: int
    span: Span
    id: str
    id_span: Span
    id_written: bool
    messages: tuple[Message, ...] = ()
    should: Rubric | None = None
    should_not: Rubric | None = None
    ideal: str | None = None
    system: str | Absent | None = ABSENT
    description: str | None = None
    citation: Data = None
    temperature: float | None = None
    weight: float = 1.0
    render_as: RenderAs = RenderAs.MARKDOWN
    no_cache: bool = False
    required_tools: tuple[str, ...] = ()
    prohibited_tools: tuple[str, ...] = ()
    max_calls: int | None = None
    is_cut_off: bool = False
    node: MappingNode = NO_MAPPING

    @property
    def rubrics(self) -> tuple[Rubric, ...]:
        """The blocks that exist, `should` first."""
        if self.should is None:
            return () if self.should_not is None else (self.should_not,)
        return (self.should,) if self.should_not is None else (self.should, self.should_not)

    def points(self) -> tuple[Point, ...]:
        """All points of the prompt: those of `should`, then those of `should_not`, each in source order."""
        wanted = () if self.should is None else self.should.points()
        return wanted if self.should_not is None else wanted + self.should_not.points()


class Judge(Record, gc=False):
    """A judge of `evaluationConfig.llm-coverage.judges`."""

    model: str
    approach: str
    id: str | None = None


class Header(Written):
    """The header: the first document, or the top level, with the settings of the whole blueprint.

    `models` are ids and collection names as strings, and custom models as mappings. `fields` are all header keys as
    plain data, known or not, with aliases resolved.
    """

    span: Span
    title: str | None = None
    description: str | None = None
    models: tuple[Data, ...] = ()
    systems: tuple[str | None, ...] = ()
    temperature: float | None = None
    temperatures: tuple[float, ...] = ()
    judges: tuple[Judge, ...] = ()
    use_experimental_scale: bool = False
    fields: dict[str, Data] = field(default_factory=dict)
    node: MappingNode = NO_MAPPING


class Blueprint(Record, gc=False):
    """A whole file. `header` has an empty span if none is written."""

    header: Header
    prompts: tuple[Prompt, ...]

    def prompt_at(self, offset: int) -> Prompt | None:
        """The prompt that contains `offset`, or the last one that begins before it; None in the header."""
        found = None
        for prompt in self.prompts:
            if prompt.span.start > offset:
                break
            found = prompt
        return found


def unique_keys(prompts: Sequence[Prompt]) -> Mapping[int, str]:
    """For each prompt's index its id, or `ID#2` and so on where an earlier prompt has the same id (Weval keeps one)."""
    seen: dict[str, int] = {}
    keys: dict[int, str] = {}
    for prompt in prompts:
        seen[prompt.id] = seen.get(prompt.id, 0) + 1
        keys[prompt.index] = prompt.id if seen[prompt.id] == 1 else f"{prompt.id}#{seen[prompt.id]}"
    return keys
