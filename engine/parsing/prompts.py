"""One item of the prompt list → a `Prompt`, by 002's table of prompt fields."""

from __future__ import annotations

import math
from collections.abc import Mapping

from engine.blueprint import ABSENT, Absent, Block, Prompt, RenderAs, Rubric
from engine.parsing.fields import (
    Fields,
    fields,
    first_truthy,
    first_written,
    is_blank,
    is_null,
    number,
    string,
    truthy,
    type_name,
    value_of,
)
from engine.parsing.findings import Kind
from engine.parsing.hashing import HashIds
from engine.parsing.keys import Part, names_read
from engine.parsing.messages import no_messages, read_messages
from engine.parsing.normalised import POINT_KEYS, hash_id, prompt_config, rubric_config
from engine.parsing.notes import Notes
from engine.parsing.rubrics import RubricReader, weight
from engine.parsing.unfolding import has_aliases
from engine.record import Record, field
from engine.text import Span
from engine.yaml_nodes.nodes import Data, MappingNode, Node, NodeTree, ScalarNode, SequenceNode, resolved
from engine.yaml_nodes.values import property_name, to_data

_KNOWN = names_read(Part.PROMPT)
_RENDER_AS = frozenset(RenderAs)
_ids = HashIds()


class Inherited(Record):
    """What every prompt takes from the header: its plain data, and what `$ref` names (None where it is not known)."""

    header: dict[str, Data] = field(default_factory=dict[str, Data])
    defined: dict[str, Data] = field(default_factory=dict[str, Data])
    render_as: RenderAs = RenderAs.MARKDOWN
    no_cache: bool = False
    definitions: Mapping[str, Node] | None = field(default_factory=dict[str, Node])
    no_own_system: bool = False
    """Whether one of several system prompts is null, beside which Weval takes none of a prompt's own (A23)."""

    @property
    def hashed(self) -> tuple[object, ...]:
        """What of it every prompt takes into its own form, where nothing is defined for `$ref`."""
        return (self.render_as, "noCache" in self.header, self.no_cache)


class PromptReader:
    """Reads the items of the prompt list, one after the other."""

    __slots__ = ("_hashed_with", "_inherited", "_keeps_ids", "_notes", "_rubrics", "_text")

    def __init__(self, notes: Notes, inherited: Inherited, tree: NodeTree, *, keeps_ids: bool = True) -> None:
        """`keeps_ids` remembers the ids made of prompts that have none, for the next reading of the whole file."""
        self._notes = notes
        self._inherited = inherited
        self._text = tree.text
        self._hashed_with = (tree.is_json, *inherited.hashed)
        self._keeps_ids = keeps_ids and not has_aliases(tree.text)
        if keeps_ids:
            _ids.begin()
        self._rubrics = RubricReader(notes, inherited.definitions)

    def prompt(self, index: int, item: Node) -> Prompt | None:
        """The prompt that `item` is; None where nothing is written."""
        node = resolved(item)
        notes = self._notes
        notes.prompt = index
        notes.name = "undefined"
        if is_null(node):
            notes.prompt = None  # there is no such prompt in the blueprint
            notes.add(Kind.STRAY_ITEM, item, "null", refusal="Cannot read properties of null (reading 'prompt')")
            return None
        found: Fields = {}
        if isinstance(node, MappingNode):
            found = fields(node)
            for name, pair in found.items():
                if name not in _KNOWN:
                    notes.add(Kind.UNKNOWN_KEY, pair.key, name)
        else:
            notes.add(Kind.STRAY_ITEM, item, type_name(node), refusal=no_messages(notes), when_run=True)
        return self._read(index, item, node, found)

    def _read(self, index: int, item: Node, node: Node, found: Fields) -> Prompt:
        written = found.get("id")
        if written is not None:
            self._notes.name = property_name(written.value)
        before = len(self._notes.findings)
        messages = read_messages(found, self._notes)
        self._check_system(found)
        self._check_citation(found)
        importance = self._weight(found)
        render_as = self._render_as(found)
        self._check_numbers_and_tools(found)
        should, should_not = self._blocks(found)
        refused = any(note.refusal is not None and not note.when_run for note in self._notes.findings[before:])
        name = property_name(written.value) if written is not None and truthy(written) else ""
        start = item.span.start
        ideal = value_of(first_truthy(found, "ideal", "idealResponse"))
        system = found.get("system")
        citation = first_truthy(found, "citation", "reference")
        no_cache = found.get("noCache")
        return Prompt(
            index=index,
            span=item.span,
            id=name or self._id(node, should, should_not, refused),
            id_span=written.value.span if written is not None and name else Span(start, start),
            id_written=bool(name),
            messages=messages,
            should=should,
            should_not=should_not,
            ideal=_text(ideal),
            ideal_span=None if ideal is None else ideal.span,
            system=ABSENT if system is None else _system(value_of(system)),
            description=_text(value_of(found.get("description"))),
            citation=None if citation is None else to_data(citation.value),
            temperature=number(value_of(found.get("temperature"))),
            weight=importance,
            render_as=render_as or self._inherited.render_as,
            no_cache=self._inherited.no_cache if no_cache is None else truthy(no_cache),
            required_tools=_names(value_of(found.get("requiredTools"))),
            prohibited_tools=_names(value_of(found.get("prohibitedTools"))),
            max_calls=_count(number(value_of(found.get("maxCalls")))),
        )

    def _blocks(self, found: Fields) -> tuple[Rubric | None, Rubric | None]:
        wanted = first_truthy(found, *POINT_KEYS)
        unwanted = first_truthy(found, "should_not")
        return (
            None if wanted is None else self._rubrics.rubric(Block.SHOULD, wanted.value),
            None if unwanted is None else self._rubrics.rubric(Block.SHOULD_NOT, unwanted.value),
        )

    def _id(self, node: Node, should: Rubric | None, should_not: Rubric | None, refused: bool) -> str:
        """The id of a prompt that has none."""
        if not self._keeps_ids:
            return self._hash(node, should, should_not, refused)
        start = node.span.start
        column = start - self._text.rfind("\n", 0, start)
        return _ids.get(
            node.span.of(self._text), column, self._hashed_with, lambda: self._hash(node, should, should_not, refused)
        )

    def _hash(self, node: Node, should: Rubric | None, should_not: Rubric | None, refused: bool) -> str:
        """The hash of a prompt as Weval reads it; as we do where Weval refuses it."""
        read: dict[str, Data] = {}
        if refused:
            blocks = (("points", should), ("should_not", should_not))
            read = {name: rubric_config(rubric) for name, rubric in blocks if rubric is not None}
        return hash_id(prompt_config(to_data(node), self._inherited.header, self._inherited.defined, read))

    # What Weval refuses, in its order of reading

    def _check_system(self, found: Fields) -> None:
        pair = found.get("system")
        value = value_of(pair)
        if pair is None or is_null(value):
            return
        if (written := string(value)) is not None:
            if written and self._inherited.no_own_system:
                refusal = f"Prompt '{self._notes.name}' has a system prompt, and 'systems' holds null"
                self._notes.add(Kind.BAD_SYSTEM, pair.value, "own", refusal=refusal, flagged=True, when_run=True)
            return
        where = f"Invalid 'system' field in prompt '{self._notes.name}':"
        refusal = (
            f"{where} Per-prompt 'system' must be a string or null, not an array."
            " Did you mean to use 'systems' (plural) at the global config level instead?"
            if isinstance(value, SequenceNode)
            else f"{where} Must be a string or null. Found: {type_name(value)}"
        )
        self._notes.add(Kind.BAD_SYSTEM, pair.value, type_name(value), refusal=refusal)

    def _check_citation(self, found: Fields) -> None:
        pair = first_truthy(found, "citation") or found.get("reference")
        value = value_of(pair)
        if pair is None or string(value) is not None:
            return
        where = f"in prompt '{self._notes.name}': "
        if isinstance(value, ScalarNode):
            refusal = f"Invalid 'citation'/'reference' field {where}must be a string or an object with 'title'/'name'."
            self._notes.add(Kind.BAD_REFERENCE, pair.value, "", refusal=refusal)
        elif not has_title(value):
            refusal = f"Invalid 'citation'/'reference' object {where}missing 'title' or 'name' string."
            self._notes.add(Kind.BAD_REFERENCE, pair.value, "title", refusal=refusal)

    def _weight(self, found: Fields) -> float:
        pair = first_written(found, "weight", "importance", "multiplier")
        if pair is None or (is_null(value_of(pair)) and "multiplier" not in found):
            return 1.0
        refusal = f"Prompt weight must be a number between 0.1 and 10. Found {{}}. Prompt ID: '{self._notes.name}'"
        return weight(self._notes, pair, refusal)

    def _render_as(self, found: Fields) -> RenderAs | None:
        pair = found.get("render_as")
        if pair is None or not truthy(pair):
            return None
        name = string(value_of(pair))
        if name in _RENDER_AS:
            return RenderAs(name)
        refusal = (
            f"Invalid 'render_as' value on prompt '{self._notes.name}'. Must be one of: markdown, html, plaintext."
        )
        self._notes.add(Kind.BAD_RENDER_AS, pair.value, name or "", refusal=refusal)
        return None

    def _check_numbers_and_tools(self, found: Fields) -> None:
        name = self._notes.name
        pair = found.get("temperature")
        if pair is not None and number(value_of(pair)) is None:
            refusal = f"Prompt temperature must be a number. Found {type_name(value_of(pair))}. Prompt ID: '{name}'"
            self._notes.add(Kind.BAD_TEMPERATURE, pair.value, refusal=refusal)
        for key in ("requiredTools", "prohibitedTools"):
            pair = found.get(key)
            if pair is not None and not isinstance(value_of(pair), SequenceNode):
                refusal = f"Prompt '{key}' must be an array. Prompt ID: '{name}'"
                self._notes.add(Kind.BAD_TOOLS, pair.value, key, refusal=refusal)
        pair = found.get("maxCalls")
        if pair is not None:
            calls = number(value_of(pair))
            if calls is None or calls < 0:
                shown = property_name(pair.value)
                refusal = f"Prompt 'maxCalls' must be a non-negative number. Found {shown}. Prompt ID: '{name}'"
                self._notes.add(Kind.BAD_TOOLS, pair.value, "maxCalls", refusal=refusal)


def has_title(node: Node | None) -> bool:
    """Whether a citation has a `title`, or else a `name`, that is a string and not blank."""
    if not isinstance(node, MappingNode):
        return False
    pair = first_truthy(fields(node), "title", "name")
    return not is_blank(string(value_of(pair)) or "")


def _text(node: Node | None) -> str | None:
    if node is None or is_null(node):
        return None
    return node.text if isinstance(node, ScalarNode) else None


def _system(node: Node | None) -> str | Absent | None:
    return None if node is None or is_null(node) else string(node) if string(node) is not None else ABSENT


def _names(node: Node | None) -> tuple[str, ...]:
    if not isinstance(node, SequenceNode):
        return ()
    return tuple(name for item in node.items if (name := string(resolved(item))) is not None)


def _count(value: float | None) -> int | None:
    return None if value is None or not math.isfinite(value) else int(value)
