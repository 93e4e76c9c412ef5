"""Alternative paths in the source: their groups, what to underline, and edits that flatten them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.blueprint import Block, Path, Prompt, Rubric
from engine.parsing import Parsed
from engine.parsing.findings import Kind
from engine.rules.views import PromptView
from engine.scoring.shares import shares_of
from engine.text.spans import Span, TextEdit, positions
from engine.yaml.edit import unwrap
from engine.yaml.layout import first_line, line_start


def has_paths(prompt: Prompt) -> bool:
    """Whether the prompt has any path: a quick filter, as most prompts have none."""
    for rubric in (prompt.should, prompt.should_not):
        if rubric is not None:
            for entry in rubric.entries:
                if type(entry) is Path:
                    return True
    return False


def groups_of_paths(rubric: Rubric) -> Iterator[tuple[Path, ...]]:
    """The groups of adjacent paths of `rubric`, with required points between them."""
    group: list[Path] = []
    for entry in rubric.entries:
        if isinstance(entry, Path):
            group.append(entry)
        elif group:
            yield tuple(group)
            group = []
    if group:
        yield tuple(group)


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
    if len({path.span for path in paths}) < len(paths):
        return ()
    edits: list[TextEdit] = []
    for path in paths:
        own = unwrap(view.text, path.node)
        if not own:
            return ()
        edits += own
    return tuple(edits)


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
