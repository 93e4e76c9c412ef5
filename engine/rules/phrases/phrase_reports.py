"""The reports of a family of phrases, and the rule that makes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from engine.blueprint import Block, Point, Prompt
from engine.rules.checks import is_negated
from engine.rules.phrases.families import Found, family, found_in
from engine.rules.rule import FileView, OnFile, OnPrompt, PromptView, Report, Rule
from engine.rules.source.prompt_texts import sent_text
from engine.scoring.shares import points_of_100, shares_of
from engine.text.diagnostics import Fix, Related
from engine.text.record import Record
from engine.text.spans import Span, TextEdit, in_quotes


def phrase_rule(slug: str, *, on_prompt: OnPrompt | None = None, on_file: OnFile | None = None) -> Rule:
    """The rule of a family, with the hooks of its own or, without any, with the usual ones."""
    row = family(slug).row
    if on_prompt is None and on_file is None:

        def of_prompt(view: PromptView) -> Iterator[Report]:
            return phrase_reports(view.file, slug, text_points(view, slug))

        def of_file(view: FileView) -> Iterator[Report]:
            return phrase_reports(view, slug, text_points_in_file(view, slug))

        on_prompt, on_file = (of_prompt, None) if row.together == "point" else (None, of_file)
    return Rule(
        code=row.code,
        slug=row.slug,
        severity=row.level,
        why=row.why,
        on_prompt=on_prompt,
        on_file=on_file,
        written_page=row.page,
    )


def phrase_reports(view: FileView, slug: str, points: Iterable[TextPoint]) -> Iterator[Report]:
    """The reports on what a family found in `points`."""
    together: dict[object, list[TextPoint]] = {}
    for number, each in enumerate(each for each in points if is_meant(each, slug)):
        match family(slug).row.together:
            case "point":
                together[number] = [each]
            case "text":
                together.setdefault(" ".join(each.text.split()).casefold(), []).append(each)
            case "words":
                together.setdefault(each.found.words_of(each.text).casefold(), []).append(each)
            case "file":
                together.setdefault(each.found.kind.row.message, []).append(each)
    yield from (_report(view, places) for places in together.values())


def is_meant(each: TextPoint, slug: str) -> bool:
    """Whether the family speaks of such points, and neither the prompt nor the next point settles what is open."""
    row = family(slug).row
    if row.block not in (None, each.block) or (each.point.citation is not None and not row.cited):
        return False
    if not row.in_paths and not shares_of(each.prompt).is_required(each.point):
        return False
    return not each.found.kind.is_settled(lambda: sent_text(each.prompt), each.following)


def _report(view: FileView, places: Sequence[TextPoint]) -> Report:
    first, *others = places
    row = first.found.kind.row
    words = first.found.words_of(first.text)
    points = points_of_100(first.prompt, first.point)
    said = {
        "words": f"“{words}”",
        "text": in_quotes(shortened(first.text)),
        "points": "this point" if points is None else f"{points} points of 100",
        "more": _more(places),
    }
    return Report(
        words_place(view.text, first.point, first.found.start, first.found.end),
        row.message.format(**said),
        why=row.why.format(**said) if points is not None else "",
        severity=row.level,
        fixes=_fixes(view, places),
        related=tuple(Related(each.point.subject_span, "here, too") for each in others),
    )


def _more(places: Sequence[TextPoint]) -> str:
    """How often a file has a text, or a message; empty for once."""
    if len(places) == 1:
        return ""
    if len({each.text for each in places}) == 1:
        return f" ({len(places)} times in this file)"
    prompts = len({each.prompt.index for each in places})
    return f" ({len(places)} points {'of this prompt' if prompts == 1 else f'in {prompts} prompts'})"


def _fixes(view: FileView, places: Sequence[TextPoint]) -> tuple[Fix, ...]:
    """One fix that applies the fix of every place; none if the words of a place cannot be found in the source."""
    fix = places[0].found.kind.row.fix
    spans = [words_span(view.text, each.point, each.found.start, each.found.end) for each in places]
    if fix is None or None in spans:
        return ()
    title, instead = fix
    after = 0 if instead else 1  # with the blank behind them
    found = (Span(span.start, span.end + after) for span in spans if span is not None)
    edits = tuple(dict.fromkeys(TextEdit(span, instead) for span in found))
    return (Fix(title if len(edits) == 1 else f"{title} ({len(edits)} times)", False, edits),)


class TextPoint(Record):
    """A text point with its prompt and block, and what was found in it. `following` is the text of the next point."""

    prompt: Prompt
    block: Block
    point: Point
    text: str
    found: Found
    following: str


_Index: TypeAlias = tuple[dict[str, list[TextPoint]], dict[tuple[int, str], list[TextPoint]]]


def text_points_in_file(view: FileView, slug: str) -> Sequence[TextPoint]:
    """The points of the whole file whose text has words of a family, in source order."""
    return _index(view)[0].get(slug, ())


def text_points(view: PromptView, slug: str) -> Sequence[TextPoint]:
    """The points of one prompt whose text has words of a family, in source order."""
    return _index(view.file)[1].get((view.prompt.index, slug), ())


@lru_cache(maxsize=1)
def _index(view: FileView) -> _Index:
    """What is found in all points, by family, and by prompt and family: built once for all rules."""
    of_file: dict[str, list[TextPoint]] = {}
    of_prompts: dict[tuple[int, str], list[TextPoint]] = {}
    for prompt in view.blueprint.prompts:
        for rubric in prompt.rubrics:
            points = rubric.points()
            for point, following in zip(points, (*points[1:], None), strict=False):
                for slug, found in () if point.text is None else found_in(point.text).items():
                    after = None if following is None else following.text
                    each = TextPoint(prompt, rubric.block, point, point.text or "", found, after or "")
                    of_file.setdefault(slug, []).append(each)
                    of_prompts.setdefault((prompt.index, slug), []).append(each)
    return of_file, of_prompts


def words_span(source: str, point: Point, start: int, end: int) -> Span | None:
    """The place of `point.text[start:end]` in `source`.

    None if it is unknown: after an escape, across a line break, or if the text is written elsewhere.
    """
    text = point.text or ""
    words = text[start:end]
    written = point.subject_span.of(source)
    places = [match.start() for match in re.finditer(re.escape(words), written)] if words else []
    in_text = [match.start() for match in re.finditer(re.escape(words), text)] if words else []
    if start not in in_text or len(places) != len(in_text):
        return None
    at = point.subject_span.start + places[in_text.index(start)]
    return Span(at, at + len(words))


def words_place(source: str, point: Point, start: int, end: int) -> Span:
    """As `words_span`; the whole text of the point where the place of the words is unknown."""
    return words_span(source, point, start, end) or point.subject_span


def shortened(text: str, most: int = 60) -> str:
    """`text` on one line, cut after a word if it is longer than `most` code points."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: line.rfind(" ", 0, most)].rstrip(" ,;:") + " …"


def is_negative_point(point: Point) -> bool:
    """Whether a point is a criterion in the form of a prohibition, or a `$not_` check."""
    if point.function is not None:
        return is_negated(point)
    return "double-negative" in found_in(point.text or "")
