"""The edits of the text that make changes of a rubric: weights, points switched off, paths flattened, checks loosened.

Each change is made in the text as the ones before it left it, and read again: an edit that does not do what it should
is refused, with the reason. A point that is switched off is commented out where it has lines of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from engine import functions
from engine.blueprint import Path, Point, Prompt
from engine.functions.point_function import Target
from engine.parsing import Parsed, parse
from engine.rules.checks import renamed_function
from engine.rules.functions.literal_forms import FormatMiss, escaped, tolerant_fixes, twin_of
from engine.rules.source.path_lists import flattened
from engine.rules.views import FileView, PromptView
from engine.scoring.explanation_text import point_label
from engine.scoring.sums import place
from engine.scoring.what_if import RubricChanges
from engine.text.diagnostics import Fix
from engine.text.record import Record
from engine.text.spans import Span, TextEdit, apply_edits, edits_between
from engine.yaml.edit import item_at, pair_of, remove_item, set_key, set_value, wrap
from engine.yaml.layout import column, dash_before, line_start, next_line_start, quoted
from engine.yaml.node_search import enclosing_mapping, nodes_around
from engine.yaml.nodes import MappingNode, ScalarNode, SequenceNode

_WEIGHTS = ("weight", "multiplier")
_CITATIONS = ("citation",)


def weight_edits(view: PromptView, point: Point, weight: float) -> tuple[TextEdit, ...]:
    """Edits that give `point` the weight `weight`; none where there is no room for it.

    A written weight is replaced. A check or a criterion with keys gets a key `weight`; a bare criterion becomes the
    `text` of a mapping.
    """
    return _key_edits(view, point, _WEIGHTS, f"{weight:g}")


def citation_edits(view: PromptView, point: Point, citation: str) -> tuple[TextEdit, ...]:
    """Edits that give `point` a citation; none where there is no room for it.

    A written citation is replaced, also that of `Point: citation`. Otherwise as for `weight_edits`.
    """
    written = quoted(citation, is_json=view.file.is_json)
    if point.mapping is not None and len(point.mapping.pairs) == 1 and point.citation is not None:
        return set_value(view.text, point.mapping.pairs[0], written)
    return _key_edits(view, point, _CITATIONS, written)


def _key_edits(view: PromptView, point: Point, keys: tuple[str, ...], written: str) -> tuple[TextEdit, ...]:
    """Edits that write a value under the first of `keys`, or in the place of the value under any of them."""
    if not view.prompt.span.start <= point.span.start < view.prompt.span.end:
        return ()  # it is written elsewhere, and an alias here
    match point.node:
        case MappingNode() as node:
            key = next((key for key in keys if node.pair(key) is not None), keys[0])
            return set_key(view.text, node, key, written)
        case ScalarNode() as node:
            return wrap(view.text, node, "text", keys[0], written)
        case _:
            return ()


def switched_off(view: PromptView, point: Point) -> tuple[TextEdit, ...]:
    """Edits after which `point` is no point any more; none where its layout leaves no way.

    Its lines become a comment, which can be taken back. With the only point of a path or a block, the path or the key
    goes with it. In brackets and in JSON the point is removed.
    """
    if not view.prompt.span.start <= point.span.start < view.prompt.span.end:
        return ()
    around = [node for node in nodes_around(view.tree, point.span) if isinstance(node, SequenceNode)]
    span = point.span
    listed = next((node for node in reversed(around) if item_at(node, span) is not None), None)
    if listed is None:
        return ()
    if listed.flow:
        return remove_item(view.tree, span)
    while len(listed.items) == 1:
        span = listed.span  # the list goes with its only item
        above = next((node for node in around if item_at(node, span) is not None), None)
        if above is None:
            return _block_off(view, listed)
        listed = above
    return _item_off(view, listed, span)


def _block_off(view: PromptView, listed: SequenceNode) -> tuple[TextEdit, ...]:
    """Comment out a key of a block with its list."""
    mapping = enclosing_mapping(view.tree, listed.span)
    at = pair_of(mapping, listed)
    if at is None or mapping.flow or len(mapping.pairs) < 2:
        return ()
    key, end = mapping.pairs[at].key, listed.span.end
    start = line_start(view.text, key.span.start)
    if view.text[start : key.span.start].strip():
        return ()
    lines = Span(start, next_line_start(view.text, max(end - 1, start)))
    return _with_signs(view.text, lines, column(view.text, key.span.start))


def _with_signs(text: str, lines: Span, at: int) -> tuple[TextEdit, ...]:
    """`#` before each line, in the column `at`."""
    edits: list[TextEdit] = []
    start = lines.start
    while start < lines.end:
        end = next_line_start(text, start)
        line = text[start:end]
        indent = min(at, len(line) - len(line.lstrip(" ")))
        if line.strip():
            edits.append(TextEdit(Span(start + indent, start + indent), "# "))
        start = end
    return tuple(edits)


def _item_off(view: PromptView, listed: SequenceNode, span: Span) -> tuple[TextEdit, ...]:
    text = view.text
    dash = dash_before(text, span.start)
    if dash is None:
        return ()
    start = line_start(text, dash)
    if not text[start:dash].strip():
        last = next_line_start(text, max(span.end - 1, dash))
        return _with_signs(text, Span(start, last), dash - start)
    index = next(at for at, item in enumerate(listed.items) if item.span == span)
    if index + 1 >= len(listed.items):
        return ()
    following = dash_before(text, listed.items[index + 1].span.start)
    if following is None or "#" in text[dash:following]:
        return ()  # the first item of a path, on the line of the path, with a comment behind it
    return (TextEdit(Span(dash, following), ""),)


_WITHOUT_PLACE = {
    "contains_word": "contains",
    "icontains_word": "icontains",
    "starts_with": "contains",
    "istarts_with": "icontains",
    "ends_with": "contains",
    "iends_with": "icontains",
}


def loosened_check(view: FileView, point: Point, forms: Sequence[tuple[str, str]]) -> Fix | None:
    """The fix after which the check of `point` finds each text of `forms` in its other form too; None for none.

    Where only case differs, the check ignores case; where the very text stands in another place or in a longer word,
    it may stand anywhere; else both forms are accepted.
    """
    call = point.function
    function = None if call is None else functions.find(call.name)
    if call is None or function is None or function.search is None or not forms:
        return None
    negation = "not_" if function.negates is not None else ""
    bare = function.negates or function.name
    if all(_same(text, form, ignores_case=function.search.ignores_case) for text, form in forms):
        return _renamed(view, point, bare, negation, _WITHOUT_PLACE.get(bare))
    if all(text.lower() == form.lower() for text, form in forms) and function.search.target is not Target.PATTERN:
        return _renamed(view, point, bare, negation, twin_of(bare))
    if not function.search.is_literal:
        return None
    missed = [FormatMiss(text, form, _either(text, form)) for text, form in forms if text]
    return next(iter(tolerant_fixes(view, point, missed)), None)


def _same(text: str, form: str, *, ignores_case: bool) -> bool:
    return text.lower() == form.lower() if ignores_case else text == form


def _renamed(view: FileView, point: Point, bare: str, negation: str, name: str | None) -> Fix | None:
    edit = None if name is None else renamed_function(view, point, f"{negation}{name}")
    return None if edit is None or bare == name else Fix(f"use ${negation}{name}", False, (edit,))


def _either(text: str, form: str) -> str:
    """A pattern of both forms."""
    return f"(?:{escaped(text)}|{escaped(form)})"


_LONGEST = 40


class Refusal(Record):
    """A change that cannot be made in the text, as a message for authors."""

    message: str


def rubric_edits(
    parsed: Parsed, prompt: Prompt, changes: RubricChanges, forms: Mapping[int, Sequence[tuple[str, str]]]
) -> tuple[TextEdit, ...] | Refusal:
    """The edits that make `changes` in the rubric of `prompt`, one of `parsed`; or the first that cannot be made.

    `forms` are, by place in `Prompt.points()`, the texts that a check shall find in another form too, each with that
    form. The edits are as short as possible. Cost grows with the file.
    """
    text, now = parsed.text, parsed
    for step in _steps(prompt, changes, forms):
        view = PromptView(FileView(now), now.blueprint.prompts[prompt.index])
        edits = step.edits(view)
        after = apply_edits(now.text, edits) if edits else None
        again = None if after is None else parse(after, parsed.path)
        if again is None or not step.is_made(view.prompt, _prompt_of(again, prompt)):
            return Refusal(f"{step.failure}: change it in the text")
        now = again
    return edits_between(text, now.text)


def _prompt_of(parsed: Parsed, prompt: Prompt) -> Prompt | None:
    prompts = parsed.blueprint.prompts
    return prompts[prompt.index] if prompt.index < len(prompts) else None


class _Step(Record):
    """One change: the edits that make it, whether it was made, and what to say if not."""

    edits: Callable[[PromptView], tuple[TextEdit, ...]]
    is_made: Callable[[Prompt, Prompt | None], bool]
    failure: str


def _steps(prompt: Prompt, changes: RubricChanges, forms: Mapping[int, Sequence[tuple[str, str]]]) -> list[_Step]:
    points = prompt.points()
    kept = [at for at in sorted(changes.weights) if at not in changes.off]
    steps = [_weight_step(points[at], at, changes.weights[at]) for at in kept]
    steps += [_loosened_step(points[at], at, forms[at]) for at in sorted(forms) if at not in changes.off]
    steps += [_flat_step(path_id) for path_id in _paths_from_below(prompt, changes.flat)]
    return [*steps, *(_off_step(points[at], at) for at in sorted(changes.off, reverse=True))]


def _weight_step(point: Point, at: int, weight: float) -> _Step:
    def is_made(before: Prompt, after: Prompt | None) -> bool:
        numbers, wanted = _numbers(after), _numbers(before)
        wanted[at] = (weight, wanted[at][1])
        return numbers == wanted and rubric_contents(after) == rubric_contents(before)

    failure = f"the weight of {point_label(point, _LONGEST)} has no place where it is written"
    return _Step(lambda view: weight_edits(view, view.prompt.points()[at], weight), is_made, failure)


def _loosened_step(point: Point, at: int, forms: Sequence[tuple[str, str]]) -> _Step:
    def is_made(before: Prompt, after: Prompt | None) -> bool:
        one, other = rubric_contents(before), rubric_contents(after)
        return _numbers(after) == _numbers(before) and [*one[:at], *one[at + 1 :]] == [*other[:at], *other[at + 1 :]]

    def edits(view: PromptView) -> tuple[TextEdit, ...]:
        fix = loosened_check(view.file, view.prompt.points()[at], forms)
        return () if fix is None else fix.edits

    return _Step(edits, is_made, f"{point_label(point, _LONGEST)} cannot be loosened where it is written")


def _flat_step(path_id: str) -> _Step:
    def edits(view: PromptView) -> tuple[TextEdit, ...]:
        path = _path(view.prompt, path_id)
        return () if path is None else flattened(view, (path,))

    def is_made(before: Prompt, after: Prompt | None) -> bool:
        freed = [None if each.path_id == path_id else each.path_id for each in place(before)]
        paths = [] if after is None else [each.path_id for each in place(after)]
        return rubric_contents(after) == rubric_contents(before) and _shape(paths) == _shape(freed)

    return _Step(edits, is_made, "a path cannot be flattened where it is written")


def _off_step(point: Point, at: int) -> _Step:
    def is_made(before: Prompt, after: Prompt | None) -> bool:
        one = rubric_contents(before)
        return rubric_contents(after) == [*one[:at], *one[at + 1 :]]

    failure = f"{point_label(point, _LONGEST)} cannot be taken out where it is written"
    return _Step(lambda view: switched_off(view, view.prompt.points()[at]), is_made, failure)


def _paths_from_below(prompt: Prompt, path_ids: frozenset[str]) -> list[str]:
    """The paths in the order from the last: flattening one moves those behind it."""
    found = [rubric.path_id(path) for rubric in prompt.rubrics for path in rubric.paths]
    return [path_id for path_id in reversed(found) if path_id in path_ids]


def _path(prompt: Prompt, path_id: str) -> Path | None:
    found = ((rubric.path_id(path), path) for rubric in prompt.rubrics for path in rubric.paths)
    return next((path for each, path in found if each == path_id), None)


def _numbers(prompt: Prompt | None) -> list[tuple[float, str | None]]:
    return [] if prompt is None else [(each.point.multiplier, each.path_id) for each in place(prompt)]


def rubric_contents(prompt: Prompt | None) -> list[object]:
    """The points of a prompt in order, each with its block and its citation, without weights."""
    if prompt is None:
        return []
    return [
        (each.rubric.block, (each.point.text or "").strip(), each.point.function, each.point.citation)
        for each in place(prompt)
    ]


def _shape(paths: Sequence[str | None]) -> list[int | None]:
    """The paths by their order of appearance: their ids count the entries before them."""
    seen: dict[str, int] = {}
    return [None if each is None else seen.setdefault(each, len(seen)) for each in paths]
