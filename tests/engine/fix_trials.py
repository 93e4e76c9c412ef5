"""What the tests of fixes share: where fixes come from, and which points of a text they left where they were."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path

from engine.blueprint import Point
from engine.functions import find
from engine.parsing import Parsed
from engine.rules import ALL
from engine.rules.fixes import AppliedFix, FixTrial
from engine.rules.selection import RuleSelection
from engine.text.diagnostics import Diagnostic, Fix
from engine.text.spans import LineIndex, Position, TextEdit, carry_span

EVERY = RuleSelection(select=frozenset(rule.code for rule in ALL))
"""All rules, those that are off by nature too."""
NAMED = re.compile(r"^#### (\S+)\n", re.MULTILINE)
RULE_CASES = sorted(Path(__file__).with_name("rule_cases").glob("*.*"))


def cases_of(file: Path) -> Iterator[tuple[str, Path]]:
    """The blueprints in a file of cases, each with the path that it is read under."""
    plain, *named = NAMED.split(file.read_text("utf-8"))
    if not named:
        yield plain, file
    for name, text in zip(named[::2], named[1::2], strict=True):
        yield text, Path(name)


def fixes_in(trial: FixTrial) -> list[tuple[Diagnostic, Fix]]:
    """Every fix that is offered for the text of `trial`."""
    return [(diagnostic, fix) for diagnostic in trial.diagnostics for fix in diagnostic.fixes]


def undone(fix: AppliedFix, text: str) -> tuple[TextEdit, ...] | None:
    """The edits of `text`, whose places nothing has moved since, that undo `fix`."""
    return fix.undoing(lambda offset: offset, lambda start, end: text[start:end])


def uncured(trial: FixTrial) -> set[tuple[str, str]]:
    """The slug and the title of each fix that does not cure."""
    return {(one.slug, fix.title) for one, fix in fixes_in(trial) if not trial.outcome(one, fix).cures}


def form(point: Point) -> str:
    """What a point says, wherever it stands."""
    return repr((point.text, point.function, point.multiplier, point.citation))


def moved_otherwise(before: Parsed, after: Parsed) -> list[Point]:
    """The points of `before` on lines that are unchanged in `after`, and that say something else there."""
    old, new = before.text.splitlines(keepends=True), after.text.splitlines(keepends=True)
    matches = difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    lines, places = LineIndex(before.text), LineIndex(after.text)
    there = {(point.span.start, form(point)) for prompt in after.blueprint.prompts for point in prompt.points()}
    lost: list[Point] = []
    for point in (point for prompt in before.blueprint.prompts for point in prompt.points()):
        start, last = lines.position(point.span.start), lines.position(max(point.span.end - 1, point.span.start)).line
        match = next((one for one in matches if one.a <= start.line and last < one.a + one.size), None)
        if match is not None:
            at = places.offset(Position(start.line + match.b - match.a, start.column))
            lost += [] if (at, form(point)) in there else [point]
    return lost


def became_text(before: Parsed, after: Parsed, fix: Fix) -> list[Point]:
    """The checks of `before`, broken ones too, in whose place `after` has a text for a judge."""
    texts = [point for prompt in after.blueprint.prompts for point in prompt.points() if point.text is not None]
    checks = [point for prompt in before.blueprint.prompts for point in prompt.points() if names_a_check(point)]
    places = [(point, carry_span(point.span, fix.edits)) for point in checks]
    return [
        point
        for point, place in places
        if any(place.start < text.span.end and text.span.start < place.end for text in texts)
    ]


def names_a_check(point: Point) -> bool:
    """Whether a point begins with the name of a function, whatever follows."""
    name = "" if point.function is None else point.function.name
    begins = re.match(r"\$?(\w+)", name)
    return begins is not None and find(begins[1]) is not None


def changed_by_safe_fixes(trial: FixTrial) -> list[tuple[str, Point]]:
    """The sound checks that some safe fix changes, with its title: those of known functions that its edits pass by."""
    safe = [(one, fix) for one, fix in fixes_in(trial) if fix.safe]
    changed: list[tuple[str, Point]] = []
    for one, fix in safe:
        after = trial.outcome(one, fix).parsed
        there = {form(point) for prompt in after.blueprint.prompts for point in prompt.points()}
        whole = [prompt for prompt in trial.parsed.blueprint.prompts if prompt.index not in trial.parsed.broken.prompts]
        points = [point for prompt in whole for point in prompt.points()]
        sound = [each for each in points if each.function is not None and find(each.function.name) is not None]
        changed += [(fix.title, each) for each in sound if not touched(each, fix) and form(each) not in there]
    return changed


def touched(point: Point, fix: Fix) -> bool:
    """Whether `fix` writes into the point, or takes all of it away."""
    return any(edit.span.start < point.span.end and point.span.start < edit.span.end for edit in fix.edits)
