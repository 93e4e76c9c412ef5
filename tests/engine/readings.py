"""Texts and how they are read, in `reading_cases/NAME.txt`: below each text, behind `>`, all that is read of it.

A line `#### WORDS` says what the texts below it show. Each begins with a line `##`, with `yaml` where only its YAML is
looked at and with the name of its file where that matters, and ends at the next; `short_cases` says how odd characters
are written. What is read is written by `--snapshot-update`:

- js-yaml's error of the whole, and each error that an author is told, with the lines that its fixes change;
- the data, or the header and the prompts, each field that is not at its default;
- the findings of the parser, what an error cuts off, and what Weval refuses.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path

from engine.parsing import Parsed, parse
from engine.text.record import Record
from engine.text.spans import NOWHERE, LineIndex, Span
from engine.yaml.nodes import AliasNode, MappingNode, NodeTree, ScalarNode, SequenceNode, to_data
from engine.yaml.tree_loader import TooLarge, load
from tests.engine.short_cases import place, said_of

_SILENT = {"index", "id_written", "fields"}
"""Fields that say nothing of their own."""
READING_CASES = sorted((Path(__file__).parent / "reading_cases").glob("*.txt"))


def read(mark: str, text: str) -> Iterator[str]:
    """What is read of a text, line by line."""
    return _yaml(load(text)) if mark == "yaml" else _blueprint(parse(text, Path(mark) if mark else None))


def _yaml(tree: NodeTree) -> Iterator[str]:
    yield from _errors(tree)
    for document in tree.documents:
        try:
            yield f"data: {None if document.root is None else to_data(document.root)!r}"
        except TooLarge:
            yield "data without end"


def _errors(tree: NodeTree) -> Iterator[str]:
    lines, known = LineIndex(tree.text), set[str]()
    if tree.error is not None:
        yield f"error {place(lines, Span(tree.error.offset, tree.error.offset))}: {tree.error.reason}"
    for one in tree.diagnostics:
        yield from said_of(tree.text, one, known)


def _blueprint(parsed: Parsed) -> Iterator[str]:
    lines = LineIndex(parsed.text)
    yield from _errors(parsed.tree)
    yield from (_shown(each) for each in (parsed.blueprint.header, *parsed.blueprint.prompts) if _shown(each))
    for found in parsed.findings:
        marks = [name for name in ("refused", "flagged", "when_run") if getattr(found, name)]
        yield " ".join(
            ["finding", found.kind.name, place(lines, found.span), f"“{found.span.of(parsed.text)}”", *marks]
        )
    broken = parsed.broken
    hidden = ["the header"] * broken.header + [f"prompt {index}" for index in sorted(broken.prompts)]
    hidden += [f"unread at {place(lines, Span(at, at))}" for at in broken.unread]
    if hidden:
        yield f"cut off: {', '.join(hidden)}"
    for name in ("error", "run_error", "hash_error"):
        refusal = getattr(parsed.weval, name)
        if refusal is not None:
            yield f"Weval's {name}, {place(lines, Span(refusal.offset, refusal.offset))}: {refusal.message}"


def _shown(value: object) -> str:
    """`value`, with only those fields of records that say something: no places, nodes and defaults."""
    match value:
        case Span() | ScalarNode() | SequenceNode() | MappingNode() | AliasNode():
            return ""
        case Enum():
            return value.name
        case Record():
            names, defaults = value.__struct_fields__, value.__struct_defaults__
            usual = dict(zip(reversed(names), reversed(defaults), strict=False))
            said = [(name, getattr(value, name)) for name in names if name not in _SILENT]
            parts = [f"{name}={_shown(now)}" for name, now in said if now != usual.get(name, NOWHERE) and _shown(now)]
            return f"{type(value).__name__}({', '.join(parts)})" if parts else ""
        case tuple():
            return f"[{', '.join(map(_shown, value))}]"
        case _:
            return repr(value)
