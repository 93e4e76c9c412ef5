"""# unknown-key

A key that nobody reads, such as `shoud:` or a prompt's `tags:`.

What stands under it has no effect: points under a misspelt `should` are never checked. Told once a file and key, with
how often it stands there.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      shoud:
        - Names Nairobi

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix (safe where one letter is off): the key that is meant.

Documents: 002, "Configuration Header Fields", "Prompt Fields", "Point Definition Formats".
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from engine.diagnostics import Fix, Severity
from engine.parsing.findings import Finding, Kind
from engine.rules.registry import FileView, Report, Rule
from engine.rules.source import enclosing_mapping
from engine.text import TextEdit

_HEADER = (
    *("title", "description", "author", "references", "reference", "citations", "citation", "tags", "models", "system"),
    *("systems", "temperature", "temperatures", "evaluationConfig", "point_defs", "tools", "toolUse", "context"),
    *("render_as", "noCache", "concurrency", "externalServices", "prompts", "systemPrompt"),
)
_PROMPT = (
    *("id", "prompt", "messages", "ideal", "system", "citation", "reference", "should", "should_not", "weight"),
    *("requiredTools", "prohibitedTools", "maxCalls", "render_as", "noCache", "description", "temperature", "points"),
    *("promptText", "idealResponse"),
)
_POINT = ("text", "point", "fn", "arg", "fnArgs", "weight", "multiplier", "citation")
_NEAR = 0.75


def _check(view: FileView) -> Iterator[Report]:
    by_key: dict[tuple[tuple[str, ...], str], list[Finding]] = {}
    for finding in view.findings_of(Kind.UNKNOWN_KEY):
        by_key.setdefault((_known_beside(view, finding), finding.detail), []).append(finding)
    for (known, key), findings in by_key.items():
        yield _report(view, key, known, findings)


def _known_beside(view: FileView, finding: Finding) -> tuple[str, ...]:
    """The keys that could be meant, by what the key stands in: the header, a prompt or a point."""
    if finding.prompt is None:
        return _HEADER
    prompt = next((prompt for prompt in view.blueprint.prompts if prompt.index == finding.prompt), None)
    in_point = prompt is not None and any(
        rubric.span.start <= finding.span.start < rubric.span.end for rubric in prompt.rubrics
    )
    return _POINT if in_point else _PROMPT


def _report(view: FileView, key: str, known: tuple[str, ...], findings: list[Finding]) -> Report:
    times = "" if len(findings) == 1 else f", {len(findings)} times in this file"
    meant = next(iter(get_close_matches(key, known, n=1, cutoff=_NEAR)), None)
    if meant is None:
        return Report(findings[0].span, f"nobody reads `{key}` here{times}: what stands under it has no effect")
    edits = tuple(TextEdit(finding.span, _like(finding.span.of(view.text), meant)) for finding in findings)
    is_free = not any(_has(view, finding, meant) for finding in findings)
    fixes = (Fix(f"write {meant}", _one_letter_off(key, meant), edits),) if is_free else ()
    return Report(findings[0].span, f"nobody reads `{key}` here{times}: did you mean `{meant}`?", fixes=fixes)


def _has(view: FileView, finding: Finding, name: str) -> bool:
    """Whether the mapping that the key stands in has `name` already."""
    mapping = enclosing_mapping(view.tree, finding.span)
    return mapping is not None and mapping.pair(name) is not None


def _like(written: str, name: str) -> str:
    return f"{written[0]}{name}{written[0]}" if written[:1] in ("'", '"') else name


def _one_letter_off(one: str, other: str) -> bool:
    """Whether one letter more, less or other, or two swapped, makes them the same."""
    if abs(len(one) - len(other)) > 1:
        return False
    short, long = sorted((one, other), key=len)
    at = next((index for index, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    swapped = short[:at] + short[at + 1 : at + 2] + short[at : at + 1] + short[at + 2 :]
    return short[at + 1 :] == long[at + 1 :] or swapped == long


RULES = (
    Rule(
        code="S005",
        slug="unknown-key",
        severity=Severity.WARNING,
        why="What stands under it has no effect on anything.",
        on_file=_check,
    ),
)
