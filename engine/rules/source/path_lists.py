"""Alternative paths in the source: their groups, what to underline, and edits that flatten them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import TypeAlias

from engine.blueprint import Block, Path, Point, Prompt, Rubric
from engine.parsing import Parsed
from engine.parsing.demands import Kind
from engine.rules.rule import PromptView, fix_at
from engine.scoring.explanation import shares_of
from engine.text import Fix, Span, TextEdit, lazy
from engine.text.spans import positions
from engine.yaml.edit import has_comment, item_lines, remove_item, rename, unwrap
from engine.yaml.layout import dash_before, first_line, is_one_line, line_start, quoted
from engine.yaml.nodes import Pair, ScalarNode, property_name


def has_paths(prompt: Prompt) -> bool:
    """Whether the prompt has any path: a quick filter, as most prompts have none."""
    return any(type(entry) is Path for rubric in prompt.rubrics for entry in rubric.entries)


def groups_of_paths(rubric: Rubric) -> Iterator[tuple[Path, ...]]:
    """The groups of adjacent paths of `rubric`, with required points between them."""
    for is_path, entries in groupby(rubric.entries, lambda entry: isinstance(entry, Path)):
        if is_path:
            yield tuple(entry for entry in entries if isinstance(entry, Path))


def are_all_single(paths: Sequence[Path]) -> bool:
    """Whether each of `paths` has only one point."""
    return all(len(path.points) == 1 for path in paths)


def is_grouped(rubric: Rubric) -> bool:
    """Whether required points divide the paths into groups, at least one of which is written as alternatives.

    Single paths of one point among required points are not groups: their brackets are a mistake.
    """
    groups = list(groups_of_paths(rubric))
    return len(groups) >= 2 and any(len(group) >= 2 or not are_all_single(group) for group in groups)


def has_competing_paths(prompt: Prompt) -> bool:
    """Whether paths of `should_not` compete with one another, or with those of `should`."""
    forbidden = () if prompt.should_not is None else prompt.should_not.paths
    wanted = () if prompt.should is None else prompt.should.paths
    return len(forbidden) >= 2 or bool(forbidden and wanted)


def has_misread_path(view: PromptView, paths: Sequence[Path]) -> bool:
    """Whether one of `paths` is reported as a mistake: a function written as a list, or one list too many."""
    return any(view.is_reported(path.span, Kind.LEGACY_TUPLE, Kind.DEEP_NESTING) for path in paths)


def path_marker(view: PromptView, path: Path) -> Span:
    """The two dashes `- -` of a path; its first line if it is written differently."""
    text = view.text
    start = line_start(text, path.span.start)
    before = text[start : path.span.start]
    if not text.startswith("-", path.span.start):
        return first_line(view.text, path.span)
    dash = start + before.rindex("-") if before.endswith((" ", "-")) and "-" in before else path.span.start
    return Span(dash, path.span.start + 1)


def flattened(view: PromptView, paths: Sequence[Path]) -> tuple[TextEdit, ...]:
    """Edits that make all points of `paths` required points; none if moving lines is not enough for one of them.

    Nor for paths that are aliases of one list, which would be flattened twice.
    """
    edits = [unwrap(view.text, path.node) for path in paths]
    is_sound = all(edits) and len({path.span for path in paths}) == len(paths)
    return tuple(chain.from_iterable(edits)) if is_sound else ()


def block_notes(parsed: Parsed) -> Iterator[tuple[int, str]]:
    """The line, from 0, where each block of paths begins, and what it is: `any one of these 3 earns all of the score`.

    A block that required points divide has a note at each of its groups. None where a prompt is cut off, and at the
    lines of another prompt that an alias repeats.
    """
    found = sorted(
        (path.span.start, note)
        for prompt in parsed.blueprint.prompts
        if has_paths(prompt) and prompt.index not in parsed.broken.prompts
        for rubric in prompt.rubrics
        for path, note in _notes(prompt, rubric)
        if prompt.span.start <= path.span.start < prompt.span.end
    )
    places = positions(parsed.text, [offset for offset, _ in found])
    return ((place.line, note) for place, (_, note) in zip(places, found, strict=True))


def _notes(prompt: Prompt, rubric: Rubric) -> Iterator[tuple[Path, str]]:
    groups, count = list(groups_of_paths(rubric)), len(rubric.paths)
    what = "this path" if count == 1 else f"any one of {'these' if len(groups) == 1 else 'all'} {count}"
    worth = "all" if shares_of(prompt).paths == 1 else "half"
    is_forbidden = rubric.block is Block.SHOULD_NOT
    rivals = any(each.paths for each in prompt.rubrics if each is not rubric)
    other = "meeting one under `should`" if is_forbidden else "avoiding one under `should_not`"
    choice = f"{'avoiding ' * is_forbidden}{what}{f', or {other},' * rivals}"
    for group in groups:
        yield group[0], f"{choice} earns {worth} of the score"


# Fixes that merge paths of one check each into a single check that accepts any of their arguments.


_LITERALS = {"contains": "contains_any_of", "icontains": "icontains_any_of"}
_PATTERNS = {"matches", "imatches"}
_FOR_SPELLINGS = {**_LITERALS, "contains_word": "contains_any_of", "icontains_word": "icontains_any_of"}
"""The checks that accept any of several spellings. Whole words have none: the substring check is the nearest."""

_USES_GROUPS = lazy(r"\\[1-9]|\\k<|\(\?<[^=!]")
"""A pattern that refers to its own groups. Another pattern before it would change their numbers."""


_Check: TypeAlias = tuple[Pair, ScalarNode]
"""The `$name: argument` of a path of one point, and its argument."""


def as_any_of(view: PromptView, rubric: Rubric) -> tuple[Fix, ...]:
    """The fix that merges the paths of `rubric` into one check, if they are literals or patterns of one function.

    None if something is between the paths, or if their weights or citations differ.
    """
    paths = rubric.paths
    points = [path.points[0] for path in paths]
    name = _one_name(points)
    entries = rubric.entries
    first = next(index for index, entry in enumerate(entries) if isinstance(entry, Path))
    if not name or entries[first : first + len(paths)] != paths:
        return ()
    written = [check for path in paths if (check := _read(view, path)) is not None]
    if len(written) != len(paths) or len({(point.multiplier, point.citation) for point in points}) != 1:
        return ()
    texts = [argument.text for _, argument in written]
    if name in _LITERALS:
        literals = ", ".join(quoted(text, is_json=view.file.is_json) for text in texts)
        edits = _in_place_of_first(view, paths, written[0], _LITERALS[name], f"[{literals}]")
        return (Fix(f"any will do: join them as ${_LITERALS[name]}", False, edits),)
    if name in _PATTERNS and not any(_USES_GROUPS.search(each) or each.startswith("(?i)") for each in texts):
        pattern = quoted("|".join(f"(?:{each})" for each in texts), is_json=view.file.is_json)
        edits = _in_place_of_first(view, paths, written[0], name, pattern)
        return (Fix("any will do: join them to one pattern with |", False, edits),)
    return ()


def spelling_variants(path: Path) -> bool:
    """Whether all points of a path look for spellings of one name: accents, hyphens, blanks or case differ."""
    name = _one_name(path.points)
    if name not in _FOR_SPELLINGS or len(path.points) < 2:
        return False
    texts = [point.call.args for point in path.points]
    return len({_bare_letters(text) for text in texts if isinstance(text, str)}) == 1 and len(set(map(str, texts))) > 1


def variants_as_any_of(view: PromptView, path: Path) -> tuple[Fix, ...]:
    """The fix that makes a path of `spelling_variants` one required check; none if a comment would be lost."""
    name = _one_name(path.points)
    has_more = any(point.citation is not None or point.multiplier != 1 for point in path.points)
    text, is_json, lines = view.text, view.file.is_json, item_lines(view.text, path.span)
    in_block = lines is not None and not has_comment(text, lines, path.span)
    in_brackets = dash_before(text, path.span.start) is None and (is_json or is_one_line(text, path.span))
    if not name or has_more or not (in_block or in_brackets):
        return ()
    texts = [point.call.args for point in path.points]
    literals = ", ".join(quoted(text, is_json=is_json) for text in texts if isinstance(text, str))
    key = f"${_FOR_SPELLINGS[name]}"
    check = f"{quoted(key, is_json=True) if is_json else key}: [{literals}]"
    title = f"any spelling will do: ${_FOR_SPELLINGS[name]}"
    return fix_at(title, path.span, check if in_block else f"{{{check}}}")


def _one_name(points: Sequence[Point]) -> str:
    """The function that all of the points call; "" if they call several, or if one is a text for a judge."""
    names = {point.call.name for point in points}
    return names.pop() if len(names) == 1 else ""


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
    return pair, argument


def _in_place_of_first(
    view: PromptView, paths: Sequence[Path], check: _Check, name: str, argument: str
) -> tuple[TextEdit, ...]:
    """The edits that make the first path `$name: argument` and remove the others; all share weight and citation."""
    (first, *others), (pair, written) = paths, check
    unnesting = unwrap(view.text, first.node)
    removed = [edit for other in others for edit in remove_item(view.tree, other.span)]
    if not unnesting or len(removed) < len(others):
        return ()
    return (*unnesting, *rename(view.text, pair.key, f"${name}"), TextEdit(written.span, argument), *removed)


def flattened_block(view: PromptView, rubric: Rubric) -> tuple[TextEdit, ...]:
    """Edits that make all points in paths of `rubric` required points; none if moving lines is not enough.

    A single path of the other block is flattened too: it competed with these, and would be no choice any more.
    """
    return flattened(view, (*rubric.paths, *_left_alone(view, rubric)))


def _left_alone(view: PromptView, rubric: Rubric) -> tuple[Path, ...]:
    others = [each for each in view.prompt.rubrics if each.block is not rubric.block]
    paths = tuple(path for each in others for path in each.paths)
    return paths if len(paths) == 1 and not spelling_variants(paths[0]) else ()
