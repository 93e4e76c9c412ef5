"""What fixes change: for `studio check --fix` place by place, for `--diff` as a patch of the safe fixes, with the other
fixes as comments."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from engine.models.secret import without_keys
from engine.rules.fixes import ChangedLines, FixedText, FixTrial
from engine.text.diagnostics import Severity
from engine.text.spans import LineIndex, apply_edits, visible

if TYPE_CHECKING:
    from engine.functions.v8 import JavaScript
    from engine.parsing import Parsed
    from engine.text.diagnostics import Diagnostic, Fix

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_MOST_LINES = 8
"""How many lines of one place are shown before and after its fix."""


def changes_of(name: Path, outcome: FixedText) -> Iterator[str]:
    """For each changed place, in the order of the text: `file:line slug: title`, then the lines before and after.

    Line numbers are those of the text after all fixes. One line for each fix that was left out follows.
    """
    index = LineIndex(outcome.text)
    rows = [(place, applied) for applied in outcome.changes for place in applied.lines]
    for place, applied in sorted(rows, key=lambda row: row[0].offset):
        line = index.position(place.offset).line + 1
        yield _line(f"{name}:{line} {applied.diagnostic.slug}: {applied.fix.title}")
        yield from _before_and_after(place)
    for left in outcome.left:
        line = index.position(left.diagnostic.span.start).line + 1
        yield _line(f"{name}:{line} {left.diagnostic.slug}: not applied, “{left.fix.title}” {left.objection}")


def _before_and_after(place: ChangedLines) -> Iterator[str]:
    for sign, lines in (("-", place.before), ("+", place.after)):
        yield from (f"  {sign} {_line(line)}".rstrip() for line in lines[:_MOST_LINES])
        if len(lines) > _MOST_LINES:
            yield f"  {sign} … {len(lines) - _MOST_LINES} more"


def _line(text: str) -> str:
    return visible(without_keys(" ".join(text.split("\n"))))


# --- A patch


def diff_of(name: Path, text: str, outcome: FixedText, trial: FixTrial, javascript: JavaScript) -> Iterator[str]:
    """The lines of the diff, without line ends.

    First comes a patch from `text` to the text that --fix makes. The other fixes follow, each with its place in the
    fixed text (the text of `trial`), its title, why --fix does not apply it, its effect on the score of the ideal if
    only checks decide that, and its diff. Their lines begin with `#`, so that no tool takes them for a patch.
    """
    yield from _unified(name, text, outcome.text)
    lines = LineIndex(outcome.text)
    for diagnostic in outcome.remaining:
        for fix in diagnostic.fixes:
            place = lines.position(diagnostic.span.start)
            where = f"{name}:{place.line + 1}:{place.column + 1}"
            head = f"# {where} {diagnostic.slug}: {fix.title} {_remarks(diagnostic, fix, trial, javascript)}"
            yield visible(" ".join(head.split("\n")))
            patch = list(_unified(name, outcome.text, apply_edits(outcome.text, fix.edits)))
            yield from (f"# {line}" for line in patch[2:])


def _remarks(diagnostic: Diagnostic, fix: Fix, trial: FixTrial, javascript: JavaScript) -> str:
    """Why --fix does not apply `fix`, and its effect on the score of the ideal."""
    objection = trial.outcome(diagnostic, fix).objection
    kind = "safe, of a hint" if diagnostic.severity is Severity.HINT else "safe"
    effect = _effect_on_ideal(trial.parsed, diagnostic, fix, javascript)
    return f"({kind if fix.safe else 'unsafe'}{effect}){', ' if objection else ''}{objection}"


def _effect_on_ideal(parsed: Parsed, diagnostic: Diagnostic, fix: Fix, javascript: JavaScript) -> str:
    from engine.evaluation.headline import effect_of  # brings what runs checks, which only a patch needs

    at = diagnostic.span.start
    prompt = next((each for each in parsed.blueprint.prompts if each.span.start <= at <= each.span.end), None)
    if prompt is None or not prompt.ideal:
        return ""
    effect = effect_of(parsed, prompt.index, fix.edits, prompt.ideal, javascript)
    is_known = effect is not None and not (effect.before.is_open or effect.after.is_open)
    return f"; the ideal: {effect}" if is_known else ""


def _unified(name: Path, before: str, after: str) -> Iterator[str]:
    ours, theirs = _LINE.findall(without_keys(before)), _LINE.findall(without_keys(after))
    for line in difflib.unified_diff(ours, theirs, visible(str(name)), visible(str(name)), lineterm=""):
        bare = line.rstrip("\r\n")
        yield visible(bare)
        if line == bare and line[:1] in "+- " and not line.startswith(("--- ", "+++ ")):
            yield "\\ No newline at end of file"
