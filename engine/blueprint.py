"""The normalised blueprint: what a file says once every alias and shorthand is resolved.

Everything keeps the span that it was read from, so that diagnostics, assessments and explanations point at source.
Plain records, not pydantic models: this is built on every keystroke, and its input was already checked by
`parsing` with messages for authors.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, StrEnum

from engine.record import Record, field
from engine.text import Span
from engine.yaml_nodes.nodes import Data


class Absent(Enum):
    """Tells "not written" from a written null."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


class Block(StrEnum):
    """The two blocks of a rubric, by the key that 002 gives them."""

    SHOULD = "should"
    SHOULD_NOT = "should_not"

    @property
    def inverted(self) -> bool:
        """Whether what the block names lowers the score."""
        return self is Block.SHOULD_NOT


class FunctionCall(Record, gc=False):
    """A point function and its argument, as evaluated. `name` has no `$`; it may be unknown."""

    name: str
    args: Data | Absent = ABSENT

    def texts(self) -> Iterator[str]:
        """Every text of the argument, those within lists included."""
        waiting: list[Data | Absent] = [self.args]
        while waiting:
            match waiting.pop():
                case str(text):
                    yield text
                case [*items]:
                    waiting += reversed(items)
                case _:
                    pass


class Point(Record, gc=False):
    """One criterion. Exactly one of `text` (graded by a judge) and `function` (checked) is set.

    `multiplier` is within 0.1–10, 1 where not written. `span` covers the list item's content without its dash;
    `subject_span` what an editor would underline: the text, or the function's key.
    """

    span: Span
    subject_span: Span
    text: str | None = None
    function: FunctionCall | None = None
    multiplier: float = 1.0
    citation: str | None = None


class Path(Record, gc=False):
    """One alternative path. `index` counts all entries of its block, from 0, after empty paths were dropped."""

    span: Span
    index: int
    points: tuple[Point, ...]


class Rubric(Record, gc=False):
    """A `should` or `should_not` block: required points and alternative paths, in the order written."""

    block: Block
    span: Span
    entries: tuple[Point | Path, ...] = ()

    @property
    def required(self) -> tuple[Point, ...]:
        """The points outside any path."""
        return tuple(entry for entry in self.entries if isinstance(entry, Point))

    @property
    def paths(self) -> tuple[Path, ...]:
        """The alternative paths."""
        return tuple(entry for entry in self.entries if isinstance(entry, Path))

    def path_id(self, path: Path) -> str:
        """`path_3` in `should`, `not_path_3` in `should_not`."""
        return f"not_path_{path.index}" if self.block.inverted else f"path_{path.index}"

    def points(self) -> tuple[Point, ...]:
        """Every point, those of paths included, in the order written."""
        return tuple(
            point for entry in self.entries for point in (entry.points if isinstance(entry, Path) else (entry,))
        )


class Role(StrEnum):
    """Who speaks a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class Message(Record, gc=False):
    """One message of a conversation; a null `content` is an assistant turn to be generated."""

    span: Span
    role: Role
    content: str | None


class RenderAs(StrEnum):
    """How a response is to be shown."""

    MARKDOWN = "markdown"
    HTML = "html"
    PLAINTEXT = "plaintext"


class Prompt(Record, gc=False):
    """One prompt and its rubric. `span` covers its whole item; `id_span` is the id's value, or the item's start.

    `is_cut_off`: a YAML error ends the reading within the prompt, so it may have points that are not here.
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

    @property
    def rubrics(self) -> tuple[Rubric, ...]:
        """The blocks that are written, `should` first."""
        return tuple(rubric for rubric in (self.should, self.should_not) if rubric is not None)

    def points(self) -> tuple[Point, ...]:
        """Every point of the prompt: those of `should`, then those of `should_not`, each in the order written."""
        return tuple(point for rubric in self.rubrics for point in rubric.points())


class Judge(Record, gc=False):
    """A judge of `evaluationConfig.llm-coverage.judges`."""

    model: str
    approach: str
    id: str | None = None


class Header(Record, gc=False):
    """What the first document or the top level says about the whole blueprint.

    `models` holds ids and collection names as strings and custom models as mappings. `fields` is every header key as
    plain data, known or not, after the aliases were resolved.
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


class Blueprint(Record, gc=False):
    """A whole file. `header` has an empty span where none is written."""

    header: Header
    prompts: tuple[Prompt, ...]

    def prompt_at(self, offset: int) -> Prompt | None:
        """The prompt whose span holds `offset`, or the last one that begins before it; None in the header."""
        found = None
        for prompt in self.prompts:
            if prompt.span.start > offset:
                break
            found = prompt
        return found
