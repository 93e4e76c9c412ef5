"""Diagnostics as `studio check --for weval` reports them: whatever Weval refuses is an error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.diagnostics import Diagnostic, Severity
from engine.parsing import Parsed, parse
from engine.rules.registry import rule_named
from engine.rules.rule import Rule
from engine.rules.selection import EVERYTHING, Level, RuleSelection, for_weval
from engine.rules.views import FileView
from engine.text import Span

_BYTE_ORDER_MARK = "\ufeff"
NOT_WRITTEN_YET = "not-written-yet"
NOT_A_BLUEPRINT = "not-a-blueprint"
REFUSED_BY_WEVAL = "refused-by-weval"


def all_for_weval(
    parsed: Parsed, diagnostics: Sequence[Diagnostic], selection: RuleSelection = EVERYTHING, *, has_mark: bool = False
) -> tuple[Diagnostic, ...]:
    """`diagnostics` as `--for weval` reports them, with Weval's own refusal added if no error covers it.

    A part that is not written yet is an error there, though its rule is off by default. An error covers a refusal if
    it is in the prompt that Weval refuses, or in the header where Weval refuses that. `selection` may exclude the rule
    that reports the refusal. `has_mark` says that a byte order mark precedes the text: then Weval cannot read it as
    JSON.
    """
    if has_mark and parsed.tree.is_json:
        parsed = parse(f"{_BYTE_ORDER_MARK}{parsed.text}", parsed.path)
    unwritten = tuple(_unwritten(parsed, diagnostics, selection))
    found = tuple(for_weval(one) for one in (*diagnostics, *unwritten))
    found = tuple(sorted(found, key=lambda one: one.span.start)) if unwritten else found
    refusal, rule = parsed.weval.refusal, rule_named(REFUSED_BY_WEVAL)
    if refusal is None or rule is None or rule.on_file is None or not _is_selected(rule, selection):
        return found
    part = _part_of(parsed, refusal.offset)
    places = [one.span for one in found if one.severity is Severity.ERROR]
    if any(at.start <= refusal.offset <= at.end or part.start <= at.start <= part.end for at in places):
        return found
    reported = (rule.diagnostic(report) for report in rule.on_file(FileView(parsed)))
    return tuple(sorted((*found, *reported), key=lambda one: one.span.start))


def _unwritten(parsed: Parsed, diagnostics: Sequence[Diagnostic], selection: RuleSelection) -> Iterator[Diagnostic]:
    """The empty parts that Weval refuses, which are not reported while an author still writes."""
    if any(one.slug == NOT_A_BLUEPRINT for one in diagnostics):
        return
    rule = rule_named(NOT_WRITTEN_YET)
    if rule is None or rule.on_finding is None or not _is_selected(rule, selection):
        return
    view = FileView(parsed)
    known = {(one.code, one.span) for one in diagnostics}
    for finding in view.findings_of(*rule.kinds):
        report = rule.on_finding(finding, view) if finding.refused else None
        if report is not None and (rule.code, report.span) not in known:
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
