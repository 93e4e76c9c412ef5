"""Diagnostics as `studio check --for weval` reports them: whatever Weval refuses is an error.

Rules that are off, and are of use to those who send a blueprint to Weval, are added.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.parsing import Parsed, parse
from engine.rules.registry import rule_named
from engine.rules.rule import Rule
from engine.rules.selection import EVERYTHING, Level, RuleSelection, for_weval
from engine.rules.views import FileView
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import Span

_BYTE_ORDER_MARK = "\ufeff"
REFUSED_BY_WEVAL = "refused-by-weval"
_NOT_CANONICAL = "not-canonical"
_NOT_WRITTEN_YET = "not-written-yet"
FOR_WEVAL = frozenset((REFUSED_BY_WEVAL, _NOT_CANONICAL, _NOT_WRITTEN_YET))
"""The slugs of the rules that are added."""


def all_for_weval(
    parsed: Parsed, diagnostics: Sequence[Diagnostic], selection: RuleSelection = EVERYTHING, *, has_mark: bool = False
) -> tuple[Diagnostic, ...]:
    """`diagnostics` as `--for weval` reports them, with Weval's own refusal added if no error covers it.

    An error covers a refusal if it is in the prompt that Weval refuses, or in the header where Weval refuses that.
    `selection` may exclude the rule
    that reports the refusal. `has_mark` says that a byte order mark precedes the text: then Weval cannot read it as
    JSON.
    """
    if has_mark and parsed.tree.is_json:
        parsed = parse(f"{_BYTE_ORDER_MARK}{parsed.text}", parsed.path)
    unwritten = _with(_NOT_WRITTEN_YET, parsed, tuple(diagnostics), selection)
    found = with_form(parsed, tuple(map(for_weval, unwritten)), selection)
    refusal = parsed.weval.refusal
    if refusal is None:
        return found
    part = _part_of(parsed, refusal.offset)
    places = [one.span for one in found if one.severity is Severity.ERROR]
    if any(at.start <= refusal.offset <= at.end or part.start <= at.start <= part.end for at in places):
        return found
    return _with(REFUSED_BY_WEVAL, parsed, found, selection)


def with_form(
    parsed: Parsed, diagnostics: tuple[Diagnostic, ...], selection: RuleSelection = EVERYTHING
) -> tuple[Diagnostic, ...]:
    """`diagnostics`, and where the blueprint does not meet Weval's canonical form."""
    return _with(_NOT_CANONICAL, parsed, diagnostics, selection)


def _with(
    slug: str, parsed: Parsed, diagnostics: tuple[Diagnostic, ...], selection: RuleSelection
) -> tuple[Diagnostic, ...]:
    """`diagnostics` in their order with those of the rule `slug`, which is off by default."""
    rule = rule_named(slug)
    if rule is None or not _is_selected(rule, selection) or any(each.code == rule.code for each in diagnostics):
        return diagnostics
    return tuple(sorted((*diagnostics, *_reported(rule, FileView(parsed))), key=lambda one: one.span.start))


def _reported(rule: Rule, view: FileView) -> Iterator[Diagnostic]:
    """What a rule says of the whole file, and of each finding for which Weval refuses it."""
    if rule.on_file is not None:
        yield from map(rule.diagnostic, rule.on_file(view))
    for finding in view.findings_of(*rule.kinds) if rule.on_finding is not None else ():
        report = rule.on_finding(finding, view) if finding.refused and rule.on_finding is not None else None
        if report is not None:
            yield rule.diagnostic(report, finding)


def _is_selected(rule: Rule, selection: RuleSelection) -> bool:
    if rule.code in selection.ignore or dict(selection.levels).get(rule.code) is Level.OFF:
        return False
    return selection.select is None or rule.code in selection.select


def _part_of(parsed: Parsed, offset: int) -> Span:
    """The prompt that contains `offset`, else the text before the first prompt."""
    spans = [prompt.span for prompt in parsed.blueprint.prompts]
    within = (span for span in spans if span.start <= offset <= span.end)
    return next(within, Span(0, min((span.start for span in spans), default=len(parsed.text))))
