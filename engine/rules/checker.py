"""Runs the rules over a parsed file, and remembers the diagnostics of every prompt that did not change."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from engine.blueprint import Prompt
from engine.diagnostics import Diagnostic, Severity
from engine.parsing.findings import Finding
from engine.record import Record, replace
from engine.rules.javascript_cache import CachedRunner
from engine.rules.registry import NAMES, USUAL
from engine.rules.rule import Rule, Scope
from engine.rules.source.layout import newline_of
from engine.rules.suppression import Name, Suppression, silence, suppressions
from engine.rules.views import FileView
from engine.text import Span, apply_edits

if TYPE_CHECKING:
    from pathlib import Path

    from engine.javascript import JavaScript
    from engine.parsing import Parsed

_Key: TypeAlias = tuple[object, ...]
"""All that the diagnostics of a prompt depend on."""

_ALIAS = re.compile(r"(?:^|[\s\[{,])\*[^\s*]|<<")


def check(parsed: Parsed, javascript: JavaScript | None = None) -> tuple[Diagnostic, ...]:
    """All diagnostics of the file, sorted by place, the worst first where two share one.

    Rules that have to run a regex or a function do so only with `javascript` given.
    """
    return Checker().check(parsed, javascript)


class Checker:
    """Checks one file again and again while it is edited.

    The diagnostics of a prompt are remembered by the prompt's text, relative to where it starts: after an edit only
    that prompt is checked. Those that took V8 are remembered as well, and reported again as long as the prompt stays
    as it is, also by a check without `javascript`. Not for several threads at once.
    """

    def __init__(self, rules: Iterable[Rule] = USUAL, collections: Path | None = None) -> None:
        """`collections` is the folder of the model collections, where it is not any `models` above the file."""
        rules = tuple(rules)
        self._collections = collections
        self._finders = {kind: rule for rule in rules if rule.on_finding for kind in rule.kinds}
        prompt_rules = [rule for rule in rules if rule.on_prompt]
        self._prompt_rules = tuple(rule for rule in prompt_rules if not rule.needs_javascript)
        self._javascript_rules = tuple(rule for rule in prompt_rules if rule.needs_javascript)
        self._file_rules = tuple(rule for rule in rules if rule.scope is Scope.FILE)
        self._collection_rules = tuple(rule for rule in rules if rule.on_collection)
        self._idle_rules = tuple(rule for rule in rules if rule.on_idle)
        self._by_name = {name: rule for rule in rules for name in (rule.slug, rule.code.lower())}
        self._remembered: dict[_Key, _OfPrompt] = {}

    def check(self, parsed: Parsed, javascript: JavaScript | None = None) -> tuple[Diagnostic, ...]:
        """As `check`, at the cost of what changed since the last call."""
        view = FileView(parsed, None if javascript is None else CachedRunner(javascript), self._collections, NAMES)
        if view.is_collection:
            return self._of_collection(view)
        found = [*parsed.tree.diagnostics, *self._of_findings(view.findings.get(None, ()), view)]
        definitions = _definitions(view)
        remembered: dict[_Key, _OfPrompt] = {}
        for prompt in view.blueprint.prompts:
            key = _key(view, prompt, definitions)
            of_prompt = self._of_prompt(view, prompt, remembered.get(key) or self._remembered.get(key) or _OfPrompt())
            remembered[key] = of_prompt
            found += (item.shifted(prompt.span.start) for item in of_prompt.all)
        self._remembered = remembered
        all_ran = all(of_prompt.with_javascript is not None for of_prompt in remembered.values())
        for rule in self._file_rules:
            if rule.on_file is not None:
                found += (rule.diagnostic(report) for report in rule.on_file(view))
        if view.is_json:
            found = [_with_json_fixes(item, view.text) for item in found]
        found = [_within(item, len(view.text)) for item in found]
        once = {(item.code, item.span, item.message): item for item in found}
        comments = suppressions(view.tree)
        if not comments:
            return tuple(sorted(once.values(), key=_place))
        silenced = silence(once.values(), comments)
        idle = self._of_idle(zip(comments, silenced.idle, strict=True), view, all_ran=all_ran)
        return tuple(sorted((*silenced.reported, *idle), key=_place))

    def _of_collection(self, view: FileView) -> tuple[Diagnostic, ...]:
        found = list(view.tree.diagnostics)
        for rule in self._collection_rules:
            if rule.on_collection is not None:
                found += (rule.diagnostic(report) for report in rule.on_collection(view))
        found = [_within(_with_json_fixes(item, view.text), len(view.text)) for item in found]
        return tuple(sorted(found, key=_place))

    def _of_idle(
        self, found: Iterable[tuple[Suppression, Sequence[Name]]], view: FileView, *, all_ran: bool
    ) -> Iterator[Diagnostic]:
        """What there is to say of comments that silence nothing: only of rules that took part, or it would not hold."""
        for comment, names in found:
            idle = [name for name in names if self._took_part(name, view, all_ran=all_ran)]
            if idle or not comment.names:
                for rule in self._idle_rules:
                    if rule.on_idle is not None:
                        yield rule.diagnostic(rule.on_idle(comment, idle, view))

    def _took_part(self, name: Name, view: FileView, *, all_ran: bool) -> bool:
        rule = self._by_name.get(name.text.lower())
        if rule is None or rule.on_idle is not None:
            return False
        if not rule.needs_javascript or view.javascript is not None:
            return True
        return all_ran and rule.scope is Scope.PROMPT

    def _of_prompt(self, view: FileView, prompt: Prompt, known: _OfPrompt) -> _OfPrompt:
        """The diagnostics of `prompt`, as far as they are not `known`."""
        start = prompt.span.start
        at_once, with_javascript = known.at_once, known.with_javascript
        if at_once is None:
            findings = self._of_findings(view.findings.get(prompt.index, ()), view)
            at_once = _relative((*findings, *_reports(self._prompt_rules, view, prompt)), start)
        if with_javascript is None and view.javascript is not None:
            with_javascript = _relative(_reports(self._javascript_rules, view, prompt), start)
        return _OfPrompt(at_once, with_javascript)

    def _of_findings(self, findings: Iterable[Finding], view: FileView) -> Iterator[Diagnostic]:
        for finding in findings:
            rule = self._finders.get(finding.kind)
            if rule is not None and rule.on_finding is not None:
                report = rule.on_finding(finding, view)
                if report is not None:
                    yield rule.diagnostic(report, finding)


class _OfPrompt(Record):
    """The diagnostics of one prompt, with spans relative to its start; None where they are not known."""

    at_once: tuple[Diagnostic, ...] | None = None
    with_javascript: tuple[Diagnostic, ...] | None = None

    @property
    def all(self) -> tuple[Diagnostic, ...]:
        """All that is known."""
        return (*(self.at_once or ()), *(self.with_javascript or ()))


def _reports(rules: Iterable[Rule], view: FileView, prompt: Prompt) -> Iterator[Diagnostic]:
    prompt_view = view.in_prompt(prompt)
    for rule in rules:
        if rule.on_prompt is not None:
            yield from (rule.diagnostic(report) for report in rule.on_prompt(prompt_view))


def _key(view: FileView, prompt: Prompt, definitions: str) -> _Key:
    """The text of `prompt`, the parser's facts about it, the text of what it refers to, and the line break of fixes."""
    source = prompt.span.of(view.text)
    start = prompt.span.start
    facts = tuple(
        replace(fact, span=fact.span.shifted(-start), node=None, prompt=None)
        for fact in view.findings.get(prompt.index, ())
    )
    reaches_out = ("*" in source or "<<" in source) and _ALIAS.search(source) is not None
    is_cut_off = prompt.index in view.parsed.broken.prompts
    beyond = view.text if reaches_out else ""
    return (source, facts, is_cut_off, definitions if "$ref" in source else "", beyond, newline_of(view.text))


def _relative(found: Iterable[Diagnostic], start: int) -> tuple[Diagnostic, ...]:
    return tuple(item.shifted(-start) for item in found)


def _within(diagnostic: Diagnostic, length: int) -> Diagnostic:
    """With its span inside the text: YAML is read with a line break added at its end."""
    start, end = diagnostic.span.start, diagnostic.span.end
    if 0 <= start <= end <= length:
        return diagnostic
    start = min(max(start, 0), length)
    return replace(diagnostic, span=Span(start, min(max(end, start), length)))


def _with_json_fixes(diagnostic: Diagnostic, text: str) -> Diagnostic:
    """Without the fixes that leave no JSON behind: what only YAML can say, and most while it is broken."""
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


_RANKS = {severity: severity.rank for severity in Severity}


def _place(diagnostic: Diagnostic) -> tuple[int, int, str]:
    return (diagnostic.span.start, _RANKS[diagnostic.severity], diagnostic.code)
