"""Runs the rules over a parsed file, and remembers what it said of every prompt that did not change."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from engine.blueprint import Prompt
from engine.diagnostics import Diagnostic
from engine.parsing.findings import Finding
from engine.rules.registry import FileView, Rule, Scope, discover
from engine.rules.suppression import without_suppressed
from engine.text import Span, apply_edits

if TYPE_CHECKING:
    from engine.javascript import JavaScript
    from engine.parsing import Parsed

ALL: tuple[Rule, ...] = discover()

_Key: TypeAlias = tuple[object, ...]
_Cache: TypeAlias = dict[_Key, tuple[Diagnostic, ...]]

_ALIAS = re.compile(r"(?:^|[\s\[{,])\*[^\s*]|<<")


def find(slug: str) -> Rule | None:
    """The rule of this slug."""
    return next((rule for rule in ALL if rule.slug == slug), None)


def check(parsed: Parsed, javascript: JavaScript | None = None) -> tuple[Diagnostic, ...]:
    """Everything that can be said about the file, sorted by place, the worst first where two share one.

    Rules that have to run a regex or a function do so only with `javascript` given.
    """
    return Checker().check(parsed, javascript)


class Checker:
    """Checks one file again and again while it is edited.

    What the rules say of a prompt is kept by the prompt's source, relative to where it starts; so one edit costs one
    prompt. What V8 found of a prompt is kept as well and told again as long as that prompt stays as it is, also by a
    check without `javascript`. Not for several threads at once.
    """

    def __init__(self, rules: Iterable[Rule] = ALL) -> None:
        rules = tuple(rules)
        self._finders = {kind: rule for rule in rules if rule.on_finding for kind in rule.kinds}
        prompt_rules = [rule for rule in rules if rule.on_prompt]
        self._prompt_rules = tuple(rule for rule in prompt_rules if not rule.needs_javascript)
        self._javascript_rules = tuple(rule for rule in prompt_rules if rule.needs_javascript)
        self._file_rules = tuple(rule for rule in rules if rule.scope is Scope.FILE)
        self._known: _Cache = {}
        self._known_by_javascript: _Cache = {}

    def check(self, parsed: Parsed, javascript: JavaScript | None = None) -> tuple[Diagnostic, ...]:
        """As `check`, at the cost of what changed since the last call."""
        view = FileView(parsed, javascript)
        found = [*parsed.tree.diagnostics, *self._of_findings(view.findings.get(None, ()), view)]
        known, known_by_javascript = self._known, self._known_by_javascript
        self._known, self._known_by_javascript = {}, {}
        definitions = _definitions(view)
        for prompt in view.blueprint.prompts:
            key = _key(view, prompt, definitions)
            start = prompt.span.start
            live = known.get(key)
            if live is None:
                live = tuple(item.shifted(-start) for item in self._of_prompt(view, prompt))
            self._known[key] = live
            found += (item.shifted(start) for item in live)
            ran = known_by_javascript.get(key)
            if ran is None and javascript is not None:
                ran = tuple(item.shifted(-start) for item in _reports(self._javascript_rules, view, prompt))
            if ran is not None:
                self._known_by_javascript[key] = ran
                found += (item.shifted(start) for item in ran)
        for rule in self._file_rules:
            if rule.on_file is not None:
                found += (rule.diagnostic(report) for report in rule.on_file(view))
        if view.is_json:
            found = [_with_json_fixes(item, view.text) for item in found]
        found = [_within(item, len(view.text)) for item in found]
        once = {(item.code, item.span, item.message): item for item in found}
        return tuple(sorted(without_suppressed(once.values(), view.text), key=_place))

    def _of_prompt(self, view: FileView, prompt: Prompt) -> Iterator[Diagnostic]:
        yield from self._of_findings(view.findings.get(prompt.index, ()), view)
        yield from _reports(self._prompt_rules, view, prompt)

    def _of_findings(self, findings: Iterable[Finding], view: FileView) -> Iterator[Diagnostic]:
        for finding in findings:
            rule = self._finders.get(finding.kind)
            if rule is not None and rule.on_finding is not None:
                report = rule.on_finding(finding, view)
                if report is not None:
                    yield rule.diagnostic(report, finding)


def _reports(rules: Iterable[Rule], view: FileView, prompt: Prompt) -> Iterator[Diagnostic]:
    prompt_view = view.in_prompt(prompt)
    for rule in rules:
        if rule.on_prompt is not None:
            yield from (rule.diagnostic(report) for report in rule.on_prompt(prompt_view))


def _key(view: FileView, prompt: Prompt, definitions: str) -> _Key:
    """Everything that the diagnostics of a prompt depend on."""
    source = prompt.span.of(view.text)
    start = prompt.span.start
    facts = tuple(
        (fact.kind, fact.span.start - start, fact.span.end - start, fact.detail, fact.refusal, fact.flagged)
        for fact in view.findings.get(prompt.index, ())
    )
    reaches_out = ("*" in source or "<<" in source) and _ALIAS.search(source) is not None
    return (source, facts, definitions if "$ref" in source else "", view.text if reaches_out else "")


def _within(diagnostic: Diagnostic, length: int) -> Diagnostic:
    """With its span inside the text: YAML is read with a line break added at its end."""
    start, end = diagnostic.span
    if 0 <= start <= end <= length:
        return diagnostic
    start = min(max(start, 0), length)
    return replace(diagnostic, span=Span(start, min(max(end, start), length)))


def _with_json_fixes(diagnostic: Diagnostic, text: str) -> Diagnostic:
    """Without the fixes that leave no JSON behind: most are written for YAML."""
    fixes = tuple(fix for fix in diagnostic.fixes if _is_json(apply_edits(text, fix.edits)))
    return diagnostic if len(fixes) == len(diagnostic.fixes) else replace(diagnostic, fixes=fixes)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _definitions(view: FileView) -> str:
    """The header's source, where prompts may refer to its definitions."""
    fields = view.blueprint.header.fields
    return view.blueprint.header.span.of(view.text) if "point_defs" in fields or "defs" in fields else ""


def _place(diagnostic: Diagnostic) -> tuple[int, int, str]:
    return (diagnostic.span.start, diagnostic.severity.rank, diagnostic.code)
