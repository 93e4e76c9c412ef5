"""One item of the prompt list → a `Prompt`, by 002's table of prompt fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.blueprint import Block, Prompt, Rubric
from engine.pacing import give_way
from engine.parsing.fields import Fields, fields, first_truthy, is_null, string, truthy, type_name, value_of
from engine.parsing.findings import Finding, Kind
from engine.parsing.keys import Part, names_read
from engine.parsing.messages import read_messages
from engine.parsing.normalised_form import POINT_KEYS, hash_id, prompt_config, rubric_config
from engine.parsing.parser_notes import Notes
from engine.parsing.rubric_reader import RubricReader
from engine.parsing.settings import Inherited, read_settings
from engine.text import Span
from engine.yaml_nodes.nodes import Data, MappingNode, Node, ScalarNode, property_name, resolved
from engine.yaml_nodes.values import to_data

_SHOULD: Final = Block.SHOULD
_SHOULD_NOT: Final = Block.SHOULD_NOT
_KNOWN = names_read(Part.PROMPT)


class PromptReader:
    """Reads the items of the prompt list, one after the other."""

    __slots__ = ("_inherited", "_notes", "_rubrics")

    def __init__(self, notes: Notes, inherited: Inherited) -> None:
        self._notes = notes
        self._inherited = inherited
        self._rubrics = RubricReader(notes, inherited.definitions)

    def prompt(self, index: int, item: Node) -> Prompt | None:
        """The prompt at `index` of the list, from `item`; None if `item` is null."""
        give_way()
        node = resolved(item)
        notes = self._notes
        notes.prompt = index
        if type(node) is MappingNode:
            found = fields(node)
            notes.add_unknown(found, _KNOWN)
            return self._read(index, item, node, found)
        if is_null(node):
            notes.prompt = None  # the blueprint has no such prompt
            notes.add(Kind.STRAY_ITEM, item, "null", refused=True)
            return None
        notes.add(Kind.STRAY_ITEM, item, type_name(node), refused=True, when_run=True)
        return self._read(index, item, node, {})

    def _read(self, index: int, item: Node, node: Node, found: Fields) -> Prompt:
        notes = self._notes
        written = found.get("id")
        name = property_name(written.value) if written is not None and truthy(written) else ""
        before = len(notes.findings)
        if written is not None and truthy(written) and string(value_of(written)) is None:
            notes.add(Kind.NUMBERED_ID, written.value, name)
        messages = read_messages(item, found, notes) if type(node) is MappingNode else ()
        settings = read_settings(found, notes, self._inherited)
        should = self._rubric(_SHOULD, found, *POINT_KEYS)
        should_not = self._rubric(_SHOULD_NOT, found, "should_not")
        ideal = value_of(first_truthy(found, "ideal", "idealResponse"))
        start = item.span.start
        return Prompt(
            index=index,
            span=item.span,
            id=name or self._hash(node, should, should_not, notes.findings[before:]),
            id_span=written.value.span if written is not None and name else Span(start, start),
            id_written=bool(name),
            messages=messages,
            should=should,
            should_not=should_not,
            ideal=_text(ideal),
            system=settings.system,
            description=_text(value_of(found.get("description"))),
            citation=settings.citation,
            temperature=settings.temperature,
            weight=settings.weight,
            render_as=settings.render_as,
            no_cache=settings.no_cache,
            required_tools=settings.required_tools,
            prohibited_tools=settings.prohibited_tools,
            max_calls=settings.max_calls,
        )

    def _rubric(self, block: Block, found: Fields, *names: str) -> Rubric | None:
        written = first_truthy(found, *names)
        return None if written is None else self._rubrics.rubric(block, written.value)

    def _hash(self, node: Node, should: Rubric | None, should_not: Rubric | None, noted: Sequence[Finding]) -> str:
        """The id of a prompt without one, as Weval makes it of its own reading.

        If Weval refuses the prompt, by its findings `noted`, the id is made of our reading.
        """
        read: dict[str, Data] = {}
        if any(note.refused and not note.when_run for note in noted):
            blocks = (("points", should), ("should_not", should_not))
            read = {name: rubric_config(rubric) for name, rubric in blocks if rubric is not None}
        return hash_id(prompt_config(to_data(node), self._inherited.header, self._inherited.defined, read))


def _text(node: Node | None) -> str | None:
    return node.text if type(node) is ScalarNode and node.value is not None else None
