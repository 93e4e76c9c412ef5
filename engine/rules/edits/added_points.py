"""Adding points to a prompt, drafted ones too, in its present block or in a new one."""

from __future__ import annotations

from collections.abc import Sequence

from engine.blueprint import Block, Prompt
from engine.parsing import Parsed
from engine.rules.views import FileView
from engine.text.diagnostics import Fix
from engine.text.patterns import lazy
from engine.yaml.edit import Edits, insert, list_in_brackets, pair_of, set_key
from engine.yaml.layout import quoted
from engine.yaml.nodes import Node, ScalarNode, SequenceNode, resolved

_DEEPER = "  "
_PLAIN = lazy(r"[^\W\d_]+ [^:#\s](?:[^:#\n\r\t]*[^:#\s])?")
"""Text of two or more words that YAML reads unchanged without quotation marks."""


def added_points(view: FileView, prompt: Prompt, block: Block, points: tuple[str, ...]) -> Edits:
    """The edits that add `points`, each a mapping `$name: argument` on one line, at the end of a block of `prompt`.

    In JSON each has its braces. Empty where the layout of the block or the prompt leaves no room.
    """
    return _added(view, prompt, block, points, tuple(point if view.is_json else f"{{{point}}}" for point in points))


def _added(
    view: FileView, prompt: Prompt, block: Block, points: tuple[str, ...], in_brackets: tuple[str, ...]
) -> Edits:
    mapping, text = prompt.node, view.text
    rubric = prompt.should if block is Block.SHOULD else prompt.should_not
    if mapping.span != prompt.span or not mapping.pairs:
        return ()
    if rubric is not None and rubric.node.items:
        listed = rubric.node
        is_here = pair_of(mapping, listed) is not None
        return insert(text, listed, len(listed.items), *(in_brackets if listed.flow else points)) if is_here else ()
    unfilled = mapping.pair(block.value)
    if not (rubric is None if unfilled is None else _is_unfilled(resolved(unfilled.value))):
        return ()
    if not mapping.flow:
        return set_key(text, mapping, block.value, "".join(f"\n{_DEEPER}- {point}" for point in points))
    like = next((each.node for each in prompt.rubrics if each.node.flow and each.node.items), None)
    return set_key(text, mapping, block.value, list_in_brackets(text, mapping, like, *in_brackets))


def added_criteria(view: FileView, prompt: Prompt, block: Block, criteria: tuple[str, ...]) -> Edits:
    """The edits that add `criteria`, points in words, at the end of a block of `prompt`; none where there is no room.

    Each is quoted only where YAML would otherwise read something else.
    """
    in_brackets = tuple(_in_brackets(each, is_json=view.is_json) for each in criteria)
    return _added(view, prompt, block, tuple(as_item(each) for each in criteria), in_brackets)


def as_item(criterion: str) -> str:
    """A point in words as an item of a block list, quoted where necessary.

    One that begins with `$` would be read as a check: it is the `text` of a mapping.
    """
    if criterion.startswith("$"):
        return f"text: {quoted(criterion)}"
    return criterion if _PLAIN.fullmatch(criterion) else quoted(criterion)


def _in_brackets(criterion: str, *, is_json: bool) -> str:
    written = quoted(criterion, is_json=is_json)
    if not criterion.startswith("$"):
        return written
    return f'{{"text": {written}}}' if is_json else f"{{text: {written}}}"


def _is_unfilled(node: Node) -> bool:
    """Whether a block has nothing in it yet: `should:` or `should: []`."""
    if isinstance(node, SequenceNode):
        return node.flow and not node.items
    return isinstance(node, ScalarNode) and node.value is None


def insertion(parsed: Parsed, prompt: Prompt, points: Sequence[str]) -> Fix | None:
    """The fix that adds `points` in words to `should` of `prompt`; None where its layout leaves no room for them."""
    edits = added_criteria(FileView(parsed), prompt, Block.SHOULD, tuple(points))
    counted = "1 point" if len(points) == 1 else f"{len(points)} points"
    return Fix(f"add {counted} to should", False, edits) if edits else None


def as_yaml(points: Sequence[str]) -> str:
    """The block `should` with `points` in words, as an author would write it below a prompt."""
    return "".join(["should:\n", *(f"  - {as_item(point)}\n" for point in points)])


def why_not(prompt: Prompt) -> str | None:
    """Why no points can be drafted for `prompt`, as a message for authors; None where they can."""
    if prompt.points():
        return f"{prompt.id} has points already: points are drafted only for a prompt without any."
    if not (prompt.ideal or "").strip():
        return f"{prompt.id} has no ideal: points are drafted from an ideal answer."
    return None
