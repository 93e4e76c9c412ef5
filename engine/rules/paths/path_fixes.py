"""Fixes that merge paths of one check each into a single check that accepts any of their arguments."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from engine.blueprint import Path, Point, Rubric
from engine.rules.source.path_lists import flattened
from engine.rules.views import PromptView
from engine.text.diagnostics import Fix
from engine.text.patterns import lazy
from engine.text.record import Record
from engine.text.spans import Span, TextEdit
from engine.yaml.edit import has_comment, item_lines, remove_item, rename, unwrap
from engine.yaml.layout import (
    dash_before,
    is_one_line,
    line_start,
    quoted,
)
from engine.yaml.nodes import Pair, ScalarNode, property_name

_LITERALS = {"contains": "contains_any_of", "icontains": "icontains_any_of"}
_PATTERNS = {"matches", "imatches"}
_FOR_SPELLINGS = {
    **_LITERALS,
    "contains_word": "contains_any_of",
    "icontains_word": "icontains_any_of",
}
"""The checks that accept any of several spellings. Whole words have none: the substring check is the nearest."""

_USES_GROUPS = lazy(r"\\[1-9]|\\k<|\(\?<[^=!]")
"""A pattern that refers to its own groups. Another pattern before it would change their numbers."""


class _Check(Record):
    """One path, its `$name: argument`."""

    path: Path
    pair: Pair
    argument: ScalarNode


def as_any_of(view: PromptView, rubric: Rubric) -> tuple[Fix, ...]:
    """The fix that merges the paths of `rubric` into one check, if they are literals or patterns of one function.

    None if something is between the paths, or if their weights or citations differ.
    """
    paths = rubric.paths
    points = [path.points[0] for path in paths]
    name = _one_name(points)
    entries = rubric.entries
    first = next(index for index, entry in enumerate(entries) if isinstance(entry, Path))
    if name is None or entries[first : first + len(paths)] != paths:
        return ()
    written = [check for path in paths if (check := _read(view, path)) is not None]
    if len(written) != len(paths) or len({(point.multiplier, point.citation) for point in points}) != 1:
        return ()
    if name in _LITERALS:
        literals = ", ".join(quoted(check.argument.text, is_json=view.file.is_json) for check in written)
        edits = _in_place_of_first(view, written, _LITERALS[name], f"[{literals}]")
        return (Fix(f"any will do: join them as ${_LITERALS[name]}", False, edits),) if edits else ()
    patterns = [check.argument.text for check in written]
    if name in _PATTERNS and not any(_USES_GROUPS.search(each) or each.startswith("(?i)") for each in patterns):
        pattern = quoted("|".join(f"(?:{each})" for each in patterns), is_json=view.file.is_json)
        edits = _in_place_of_first(view, written, name, pattern)
        return (Fix("any will do: join them to one pattern with |", False, edits),) if edits else ()
    return ()


def spelling_variants(path: Path) -> bool:
    """Whether all points of a path look for spellings of one name: accents, hyphens, blanks or case differ."""
    name = _one_name(path.points)
    if name not in _FOR_SPELLINGS or len(path.points) < 2:
        return False
    texts = [point.function.args for point in path.points if point.function is not None]
    return len({_bare_letters(text) for text in texts if isinstance(text, str)}) == 1 and len(set(map(str, texts))) > 1


def variants_as_any_of(view: PromptView, path: Path) -> tuple[Fix, ...]:
    """The fix that makes a path of `spelling_variants` one required check; none if a comment would be lost."""
    name = _one_name(path.points)
    has_more = any(point.citation is not None or point.multiplier != 1 for point in path.points)
    lines = item_lines(view.text, path.span)
    in_block = lines is not None and not has_comment(view.text, lines, path.span)
    if name is None or has_more or not (in_block or _has_no_comment(view, path)):
        return ()
    is_json = view.file.is_json
    texts = [point.function.args for point in path.points if point.function is not None]
    literals = ", ".join(quoted(text, is_json=is_json) for text in texts if isinstance(text, str))
    key = f"${_FOR_SPELLINGS[name]}"
    check = f"{quoted(key, is_json=True) if is_json else key}: [{literals}]"
    edit = TextEdit(Span(path.span.start, path.span.end), check if in_block else f"{{{check}}}")
    return (Fix(f"any spelling will do: ${_FOR_SPELLINGS[name]}", False, (edit,)),)


def _has_no_comment(view: PromptView, path: Path) -> bool:
    """Whether a path in brackets within brackets cannot contain a comment."""
    in_brackets = dash_before(view.text, path.span.start) is None
    return in_brackets and (view.file.is_json or is_one_line(view.text, path.span))


def _one_name(points: Sequence[Point]) -> str | None:
    """The function that all of the points call; None if they call several, or if one is a text for a judge."""
    names = {None if point.function is None else point.function.name for point in points}
    return names.pop() if len(names) == 1 else None


def _bare_letters(text: str) -> str:
    """`text` without case, accents, blanks and punctuation."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if letter.isalnum())


def _read(view: PromptView, path: Path) -> _Check | None:
    text, point = view.text, path.points[0]
    node = point.mapping
    if node is None or point.span.start <= path.span.start:
        return None
    pair = next((pair for pair in node.pairs if property_name(pair.key).startswith("$")), None)
    dash = dash_before(text, path.span.start)
    if pair is None or (dash is not None and text[line_start(text, dash) : dash].strip()):
        return None
    argument = pair.value
    if not isinstance(argument, ScalarNode) or not isinstance(argument.value, str) or not is_one_line(text, pair.span):
        return None
    return _Check(path, pair, argument)


def _in_place_of_first(view: PromptView, checks: Sequence[_Check], name: str, argument: str) -> tuple[TextEdit, ...]:
    """The edits that make the first path `$name: argument` and remove the others; all share weight and citation."""
    first, *others = checks
    unnesting = unwrap(view.text, first.path.node)
    removed = [edit for other in others for edit in remove_item(view.tree, other.path.span)]
    if not unnesting or len(removed) < len(others):
        return ()
    key = first.pair.key
    renamed = (*rename(view.text, key, f"${name}"), TextEdit(first.argument.span, argument))
    return (*unnesting, *renamed, *removed)


def flattened_block(view: PromptView, rubric: Rubric) -> tuple[TextEdit, ...]:
    """Edits that make all points in paths of `rubric` required points; none if moving lines is not enough.

    A single path of the other block is flattened too: it competed with these, and would be no choice any more.
    """
    return flattened(view, (*rubric.paths, *_left_alone(view, rubric)))


def _left_alone(view: PromptView, rubric: Rubric) -> tuple[Path, ...]:
    others = [each for each in view.prompt.rubrics if each.block is not rubric.block]
    paths = tuple(path for each in others for path in each.paths)
    return paths if len(paths) == 1 and not spelling_variants(paths[0]) else ()
