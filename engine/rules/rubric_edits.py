"""Edits of a rubric in the text, which fixes, the what-if mode and new criteria share.

Points are added, moved between `should` and `should_not`, given a weight, switched off, or loosened, and paths
flattened. What an author asks for is read again before it counts: an edit that does not do what it should, or
changes another prompt, is refused with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from engine import functions
from engine.blueprint import Block, FunctionCall, Path, Point, Prompt, Rubric
from engine.functions.point_function import Target
from engine.parsing import Parsed, parse
from engine.rules.checks import renamed
from engine.rules.functions.literal_forms import FormatMiss, escaped, tolerant_fixes, twin_of
from engine.rules.rule import FileView, PromptView
from engine.rules.source.path_lists import flattened
from engine.scoring.explanation import point_label
from engine.scoring.sums import place
from engine.text import Fix, Record, Span, TextEdit, lazy, replace
from engine.text.spans import apply_edits, count, edits_between
from engine.yaml import edit
from engine.yaml.edit import Edits
from engine.yaml.layout import column, dash_before, line_start, newline_of, next_line_start, quoted
from engine.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode, resolved
from engine.yaml.tree_loader import enclosing_mapping, nodes_around

if TYPE_CHECKING:
    from engine.scoring.what_if import RubricChanges

# Points that are added

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
        is_here = edit.pair_of(mapping, listed) is not None
        return (
            edit.insert(text, listed, len(listed.items), *(in_brackets if listed.flow else points)) if is_here else ()
        )
    unfilled = mapping.pair(block.value)
    if not (rubric is None if unfilled is None else _is_unfilled(resolved(unfilled.value))):
        return ()
    if not mapping.flow:
        return edit.set_key(text, mapping, block.value, "".join(f"\n{_DEEPER}- {point}" for point in points))
    like = next((each.node for each in prompt.rubrics if each.node.flow and each.node.items), None)
    return edit.set_key(text, mapping, block.value, edit.list_in_brackets(text, mapping, like, *in_brackets))


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
    counted = count(len(points), "criterion", "criteria")
    return Fix(f"add {counted} to should", False, edits) if edits else None


def as_yaml(points: Sequence[str]) -> str:
    """The block `should` with `points` in words, as an author would write it below a prompt."""
    return "".join(["should:\n", *(f"  - {as_item(point)}\n" for point in points)])


def why_not(prompt: Prompt) -> str | None:
    """Why no points can be drafted for `prompt`, as a message for authors; None where they can."""
    if prompt.points():
        return f"{prompt.id} has criteria already: criteria are drafted only for a prompt without any."
    if not (prompt.ideal or "").strip():
        return f"{prompt.id} has no ideal: criteria are drafted from an ideal answer."
    return None


# Points that move between `should` and `should_not`


def moved_to_should(view: PromptView, point: Point) -> tuple[Fix, ...]:
    """The fix that moves `point`, a required point of `should_not` on lines of its own or in brackets; else empty.

    With the only point the key is removed too, or renamed where there is no `should` yet.
    """
    source, mapping = view.prompt.should_not, view.prompt.node
    at = None if source is None else edit.pair_of(mapping, source.node)
    if source is None or at is None or not source.requires(point) or source.paths:
        return ()
    if view.prompt.should is not None:
        edits = _moved(view, point, source, view.prompt.should)
    else:
        edits = edit.rename(view.text, mapping.pairs[at].key, "should") if len(source.entries) == 1 else ()
    return (Fix("move it to should", False, edits),) if edits else ()


def moved_to_should_not(view: PromptView, point: Point, words: Span, instead: str, title: str) -> tuple[Fix, ...]:
    """The fix that moves `point`, a required point of `should`, to `should_not` with `instead` in place of `words`.

    Empty where it is the only point, is neither in brackets nor on lines of its own, belongs to another prompt through
    an alias, or where there is no room for the block.
    """
    wanted, target = view.prompt.should, view.prompt.should_not
    if wanted is None or not wanted.requires(point) or len(wanted.entries) < 2:
        return ()
    change = (TextEdit(words, instead),)
    if target is not None:
        edits = _moved(view, point, wanted, target, change)
    else:
        edits = _to_new_block(view, point, wanted, change)
    return (Fix(title, False, edits),) if edits else ()


def _moved(view: PromptView, point: Point, source: Rubric, target: Rubric, change: Edits = ()) -> Edits:
    """Edits that move `point` with `change` applied to the end of `target`; a block that they empty goes with its key.

    None where one block is in brackets and the other is not, or where a comment would be lost.
    """
    text, mapping, listed = view.text, view.prompt.node, source.node
    at, index = edit.pair_of(mapping, listed), edit.item_at(listed, point.span)
    if at is None or index is None or edit.pair_of(mapping, target.node) is None:
        return ()
    if len(listed.items) > 1:
        return edit.move(text, listed, index, target.node, change)
    if listed.flow:
        return edit.move(text, listed, index, target.node, change, edit.remove_pair_of(text, mapping, listed))
    start, lines = line_start(text, mapping.pairs[at].key.span.start), edit.item_lines(text, point.span)
    if lines is None or text[start : mapping.pairs[at].key.span.start].strip():
        return ()
    return edit.move(text, listed, index, target.node, change, (TextEdit(Span(start, lines.end), ""),))


def _to_new_block(view: PromptView, point: Point, wanted: Rubric, change: Edits) -> Edits:
    """Edits that move `point` of `should` with `change` applied to a new `should_not` below it."""
    text, mapping, listed = view.text, view.prompt.node, wanted.node
    at, index, name = edit.pair_of(mapping, listed), edit.item_at(listed, point.span), Block.SHOULD_NOT.value
    if at is None or index is None or mapping.pair(name) is not None:
        return ()
    if listed.flow:
        removed = edit.remove(text, listed, index)
        written = edit.list_in_brackets(text, mapping, listed, edit.changed(text, point.span, change))
        added = edit.insert(text, mapping, at + 1, edit.pair_source(text, mapping, name, written))
        return (*added, *removed) if added and removed else ()
    lines, last = edit.item_lines(text, point.span), edit.item_lines(text, wanted.entries[-1].span)
    key = mapping.pairs[at].key.span.start
    margin = text[line_start(text, key) : key]
    if lines is None or last is None or mapping.flow or margin.strip(" -") or text[last.end - 1] not in "\r\n":
        return ()
    newline, moved = newline_of(text), edit.changed(text, lines, change)
    moved += "" if moved.endswith(("\n", "\r")) else newline
    block = f"{' ' * len(margin)}{name}:{newline}{moved}"
    return (TextEdit(lines, ""), TextEdit(Span(last.end, last.end), block))


# Changes of a rubric that are read again


class Refusal(Record):
    """A change that cannot be made in the text, as a message for authors."""

    message: str


def _weighed(view: PromptView, point: Point, weight: float) -> Edits:
    """Edits that give `point` a weight, or another one; none where there is no room for the key.

    A bare criterion becomes the `text` of a mapping.
    """
    if not view.prompt.span.start <= point.span.start < view.prompt.span.end:
        return ()  # it is written elsewhere, and an alias here
    match point.node:
        case MappingNode() as node:
            key = "weight" if node.pair("multiplier") is None or node.pair("weight") is not None else "multiplier"
            return edit.set_key(view.text, node, key, f"{weight:g}")
        case ScalarNode() as node:
            return edit.wrap(view.text, node, "text", "weight", f"{weight:g}")
        case _:
            return ()


def _switched_off(view: PromptView, point: Point) -> Edits:
    """Edits after which `point` is no point any more; none where its layout leaves no way.

    Its lines become a comment, which can be taken back. With the only point of a path or a block, the path or the key
    goes with it. In brackets and in JSON the point is removed.
    """
    if not view.prompt.span.start <= point.span.start < view.prompt.span.end:
        return ()
    around = [node for node in nodes_around(view.tree, point.span) if isinstance(node, SequenceNode)]
    span = point.span
    listed = next((node for node in reversed(around) if edit.item_at(node, span) is not None), None)
    if listed is None:
        return ()
    if listed.flow:
        return edit.remove_item(view.tree, span)
    while len(listed.items) == 1:
        span = listed.span  # the list goes with its only item
        above = next((node for node in around if edit.item_at(node, span) is not None), None)
        if above is None:
            return _block_off(view, listed)
        listed = above
    return _item_off(view, listed, span)


def _block_off(view: PromptView, listed: SequenceNode) -> Edits:
    """Comment out a key of a block with its list."""
    mapping = enclosing_mapping(view.tree, listed.span)
    at = edit.pair_of(mapping, listed)
    if at is None or mapping.flow or len(mapping.pairs) < 2:
        return ()
    key, end = mapping.pairs[at].key, listed.span.end
    start = line_start(view.text, key.span.start)
    if view.text[start : key.span.start].strip():
        return ()
    lines = Span(start, next_line_start(view.text, max(end - 1, start)))
    return _with_signs(view.text, lines, column(view.text, key.span.start))


def _with_signs(text: str, lines: Span, at: int) -> Edits:
    """`#` before each line that is not blank, in the column `at` or where its text begins."""
    starts = re.finditer(rf"(?:\A|(?<=[\r\n])) {{0,{at}}}(?=[^\r\n]*\S)", lines.of(text))
    places = (lines.start + each.end() for each in starts)
    return tuple(TextEdit(Span(place, place), "# ") for place in places)


def _item_off(view: PromptView, listed: SequenceNode, span: Span) -> Edits:
    text, index = view.text, edit.item_at(listed, span)
    dash, lines = dash_before(text, span.start), edit.item_lines(text, span)
    if dash is not None and lines is not None:
        return _with_signs(text, lines, dash - lines.start)
    if dash is None or index is None or index + 1 >= len(listed.items):
        return ()
    following = dash_before(text, listed.items[index + 1].span.start)
    if following is None or "#" in text[dash:following]:
        return ()  # the first item of a path, on the line of the path, with a comment behind it
    return (TextEdit(Span(dash, following), ""),)


_PLACE = lazy(r"(?:starts_with|ends_with|contains_word)\Z")
"""What says where in an answer a literal is looked for."""


def loosened_check(view: FileView, point: Point, forms: Sequence[tuple[str, str]]) -> Fix | None:
    """The fix after which the check of `point` finds each text of `forms` in its other form too; None for none.

    Where only case differs, the check ignores case; where the very text stands in another place or in a longer word,
    it may stand anywhere; else both forms are accepted.
    """
    function = functions.find(point.call.name)
    if function is None or function.search is None or not forms:
        return None
    negation = "not_" if function.negates is not None else ""
    bare = function.negates or function.name
    is_case = all(text.lower() == form.lower() for text, form in forms)
    if (is_case and function.search.ignores_case) or all(text == form for text, form in forms):
        name = _PLACE.sub("contains", bare)
    elif is_case and function.search.target is not Target.PATTERN:
        name = twin_of(bare)
    else:
        missed = [FormatMiss(text, form, f"(?:{escaped(text)}|{escaped(form)})") for text, form in forms if text]
        return next(iter(tolerant_fixes(view, point, missed)), None) if function.search.is_literal else None
    edits = () if name is None or name == bare else renamed(view, point, f"{negation}{name}")
    return Fix(f"use ${negation}{name}", False, edits) if edits else None


_LONGEST = 40


def rubric_edits(
    parsed: Parsed, prompt: Prompt, changes: RubricChanges, forms: Mapping[int, Sequence[tuple[str, str]]]
) -> Edits | Refusal:
    """The edits that make `changes` in the rubric of `prompt`, one of `parsed`; or the first that cannot be made.

    `forms` are, by place in `Prompt.points()`, the texts that a check shall find in another form too, each with that
    form. The edits are as short as possible. Cost grows with the file.
    """
    now = parsed
    for edits_of, wanted, failure in _steps(prompt, changes, forms):
        view = PromptView(FileView(now), now.blueprint.prompts[prompt.index])
        again = _read_again(now, prompt, edits_of(view), wanted)
        if again is None:
            return Refusal(f"{failure}: change it in the text")
        now = again
    return edits_between(parsed.text, now.text)


class _Criterion(Record):
    """What is read of a point. `path` is the number of its path in the prompt: ids count the entries before them."""

    block: Block
    text: str
    function: FunctionCall | None
    citation: str | None
    weight: float
    path: int | None


def _criteria(prompt: Prompt, flat: str = "") -> list[_Criterion]:
    """The points of a prompt in order, those of the path `flat` as required ones."""
    paths: dict[str, int] = {}
    return [
        _Criterion(
            block=each.rubric.block,
            text=(each.point.text or "").strip(),
            function=each.point.function,
            citation=each.point.citation,
            weight=each.point.multiplier,
            path=None if each.path_id in (None, flat) else paths.setdefault(each.path_id, len(paths)),
        )
        for each in place(prompt)
    ]


_Wanted: TypeAlias = Callable[[Prompt, list[_Criterion]], list[_Criterion]]
"""The criteria of a prompt after a change; what is left open is as in those that are read again."""


def _read_again(parsed: Parsed, prompt: Prompt, edits: Edits, wanted: _Wanted) -> Parsed | None:
    """The text after `edits`, if the rubric of `prompt` reads as it should and all others as before; None if not."""
    again = parse(apply_edits(parsed.text, edits), parsed.path) if edits else parsed
    before, after = parsed.blueprint.prompts, again.blueprint.prompts
    if not edits or len(after) != len(before) or len(again.tree.diagnostics) > len(parsed.tree.diagnostics):
        return None
    for one, found in zip(before, map(_criteria, after), strict=True):
        if found != (wanted(one, found) if one.index == prompt.index else _criteria(one)):
            return None
    return again


_Step: TypeAlias = tuple[Callable[[PromptView], Edits], _Wanted, str]
"""One change: the edits that make it, what shall be read after it, and what to say if it is not."""


def _steps(prompt: Prompt, changes: RubricChanges, forms: Mapping[int, Sequence[tuple[str, str]]]) -> list[_Step]:
    points = prompt.points()
    kept = [at for at in sorted(changes.weights) if at not in changes.off]
    steps = [_weight_step(points[at], at, changes.weights[at]) for at in kept]
    steps += [_loosened_step(points[at], at, forms[at]) for at in sorted(forms) if at not in changes.off]
    from_below = reversed(_paths(prompt))  # flattening a path moves those behind it
    steps += [_flat_step(path_id) for path_id in from_below if path_id in changes.flat]
    return [*steps, *(_off_step(points[at], at) for at in sorted(changes.off, reverse=True))]


def _weight_step(point: Point, at: int, weight: float) -> _Step:
    def wanted(before: Prompt, _: list[_Criterion]) -> list[_Criterion]:
        criteria = _criteria(before)
        criteria[at] = replace(criteria[at], weight=weight)
        return criteria

    failure = f"the weight of {point_label(point, _LONGEST)} has no place where it is written"
    return (lambda view: _weighed(view, view.prompt.points()[at], weight), wanted, failure)


def _loosened_step(point: Point, at: int, forms: Sequence[tuple[str, str]]) -> _Step:
    def edits(view: PromptView) -> Edits:
        fix = loosened_check(view.file, view.prompt.points()[at], forms)
        return () if fix is None else fix.edits

    def wanted(before: Prompt, after: list[_Criterion]) -> list[_Criterion]:
        criteria = _criteria(before)
        criteria[at : at + 1] = [replace(criteria[at], function=each.function) for each in after[at : at + 1]]
        return criteria

    return (edits, wanted, f"{point_label(point, _LONGEST)} cannot be loosened where it is written")


def _flat_step(path_id: str) -> _Step:
    def edits(view: PromptView) -> Edits:
        path = _paths(view.prompt).get(path_id)
        return () if path is None else flattened(view, (path,))

    return (edits, lambda before, _: _criteria(before, path_id), "a path cannot be required where it is written")


def _off_step(point: Point, at: int) -> _Step:
    def wanted(before: Prompt, _: list[_Criterion]) -> list[_Criterion]:
        criteria = _criteria(before)
        return [*criteria[:at], *criteria[at + 1 :]]

    failure = f"{point_label(point, _LONGEST)} cannot be taken out where it is written"
    return (lambda view: _switched_off(view, view.prompt.points()[at]), wanted, failure)


def _paths(prompt: Prompt) -> dict[str, Path]:
    return {rubric.path_id(path): path for rubric in prompt.rubrics for path in rubric.paths}
