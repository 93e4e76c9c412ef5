"""Runs the rules over a parsed file, and caches the diagnostics of every prompt that did not change.

In JSON, fixes that would not leave valid JSON are left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from engine.blueprint import Prompt
from engine.functions.tasks import OutOfTime
from engine.parsing.demands import Finding
from engine.rules import suppression
from engine.rules.checks import CachedRunner
from engine.rules.registry import NAMES, USUAL
from engine.rules.rule import MALFORMED, UNUSED, FileView, Report, Rule
from engine.rules.source.path_lists import has_paths
from engine.text import Diagnostic, Fix, Record, Span, lazy, replace
from engine.text.pacing import give_way
from engine.text.spans import LineIndex, apply_edits
from engine.yaml.layout import first_line, newline_of
from engine.yaml.trial import lost_row, part_around, works

if TYPE_CHECKING:
    from pathlib import Path

    from engine.functions.v8 import JavaScript
    from engine.parsing import Parsed
    from engine.study.case_reader import GoodAnswers


PromptKey: TypeAlias = tuple[object, ...]
"""Everything that the diagnostics of a prompt depend on, wherever it stands in its file."""
_ALIAS = lazy(r"(?:^|[\s\[{,])\*[^\s*]|<<")


def prompt_key(
    parsed: Parsed, prompt: Prompt, findings: Iterable[Finding], definitions: str, newline: str
) -> PromptKey:
    """The text of `prompt`, the parser's findings in it, the text that it refers to, and the line break for fixes.

    `findings` are those of the prompt, `definitions` the result of `definitions_of`, `newline` that of `newline_of`.
    """
    start = prompt.span.start
    is_cut_off = prompt.index in parsed.broken.prompts
    # what is read of a broken prompt depends on all that follows it, too
    following = (each.span.start for each in parsed.blueprint.prompts if each.index > prompt.index)
    source = parsed.text[start : next(following, None)] if is_cut_off else prompt.span.of(parsed.text)
    facts = tuple(replace(fact, span=fact.span.shifted(-start), node=None, prompt=None) for fact in findings)
    has_alias = ("*" in source or "<<" in source) and _ALIAS.search(source) is not None
    referred = parsed.text if has_alias else ""
    return (source, facts, is_cut_off, definitions if "$ref" in source else "", referred, newline)


def definitions_of(parsed: Parsed) -> str:
    """The header's source if it defines points that prompts may refer to, else an empty string."""
    fields = parsed.blueprint.header.fields
    return parsed.blueprint.header.span.of(parsed.text) if "point_defs" in fields or "defs" in fields else ""


_MOST_READ = 16_000_000
"""Characters that are read again for the fixes of one text in JSON, a third of a second of them; the others go."""


def _in_json(found: Iterable[Diagnostic], text: str) -> list[Diagnostic]:
    """`found` without the fixes after which `text` is not valid JSON."""
    left = _MOST_READ

    def is_sound(fix: Fix) -> bool:
        nonlocal left
        left -= len(text)
        return left >= 0 and works(text, fix.edits, _is_json)

    return [replace(each, fixes=tuple(filter(is_sound, each.fixes))) if each.fixes else each for each in found]


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


_View = TypeVar("_View")
_Hook = TypeVar("_Hook")
_SECRET = "secret-in-file"
"""The rule that reports keys, which no diagnostic may repeat (DESIGN, law 7)."""
_UNTRIED = "js-returns"
"""The rule that reports, for all that use V8, that its time was up."""
_MOST_ROUNDS = 3
"""How many questions of a rule, each after the answer to the one before, are put to V8 with those of the others."""
_MOST_TRIED = 80_000
"""How many characters around the safe fixes of a text are held to the law; a trial of each does so once more."""


def check(parsed: Parsed, javascript: JavaScript | None = None) -> tuple[Diagnostic, ...]:
    """All diagnostics of the file, sorted by position; at the same position the most severe comes first.

    Rules that run a regex or a function do so only if `javascript` is given.
    """
    return Checker().check(parsed, javascript)


class Checker:
    """Checks one file repeatedly while it is edited.

    The diagnostics of a prompt are cached by the prompt's text, relative to its start: after an edit only that prompt
    is checked again. Diagnostics that needed V8 are cached too, so a check without `javascript` still reports them as
    long as the prompt is unchanged. Not thread-safe.
    """

    def __init__(
        self, rules: Iterable[Rule] = USUAL, collections: Path | None = None, good_answers: GoodAnswers | None = None
    ) -> None:
        """`collections` is the folder of the model collections; by default, any `models` folder above the file."""
        rules = tuple(rules)
        self.good_answers = good_answers
        """The good answers that are evidence, by default the ideals. Another object counts from the next check."""
        self._collections = collections
        self._finders = {kind: rule for rule in rules if rule.on_finding for kind in rule.kinds}
        at_once, late = ([rule for rule in rules if rule.needs_javascript is needs] for needs in (False, True))
        self._prompt_hooks = _hooks(at_once, lambda rule: rule.on_prompt)
        good_hooks = _hooks(rules, lambda rule: rule.on_good_answers)
        self._javascript_hooks = (*_hooks(late, lambda rule: rule.on_prompt), *good_hooks)
        self._file_hooks = _hooks(at_once, lambda rule: rule.on_file)
        self._javascript_file_hooks = _hooks(late, lambda rule: rule.on_file)
        self._collection_hooks = _hooks(rules, lambda rule: rule.on_collection)
        self._file_reports: tuple[Parsed, list[Diagnostic]] | None = None
        """What the rules on the whole file reported in the last check, if that was without V8."""
        self._by_name = {name: rule for rule in rules for name in (rule.slug, rule.code.lower())}
        self._cache: dict[PromptKey, _PromptDiagnostics] = {}
        self._header_untried = False

    @property
    def has_untried(self) -> bool:
        """Whether some patterns or scripts of the last text were not tried for lack of time."""
        return self._header_untried or any(each.is_untried for each in self._cache.values())

    def check(self, parsed: Parsed, javascript: JavaScript | None = None) -> tuple[Diagnostic, ...]:
        """As the function `check`, but checks only what changed since the last call."""
        runner = None if javascript is None else CachedRunner(javascript)
        view = FileView(parsed, runner, self._collections, NAMES, self.good_answers)
        try:
            return self._of_view(view)
        finally:
            view.close()

    def _of_view(self, view: FileView) -> tuple[Diagnostic, ...]:
        if view.is_collection:
            return self._of_collection(view)
        if view.tree.is_refused:
            self._cache = {}
            return view.tree.diagnostics
        prompts = self._of_prompts(view)
        found = list(self._of_findings(view.findings.get(None, ()), view))
        found += (item.shifted(prompt.span.start) for prompt, each in prompts for item in each.all)
        found += self._of_file(view)
        found += self._of_untried(view, [prompt for prompt, each in prompts if each.is_untried])
        all_ran = all(each.is_complete for _, each in prompts)
        return self._suppressed(_with_masked_keys(_with_errors(found, view), view.text), view, all_ran=all_ran)

    def _of_prompts(self, view: FileView) -> list[tuple[Prompt, _PromptDiagnostics]]:
        """The diagnostics of each prompt, which replace those that are cached."""
        definitions, newline = definitions_of(view.parsed), newline_of(view.text)
        keys: list[PromptKey] = []
        for prompt in view.blueprint.prompts:
            give_way()
            key = prompt_key(view.parsed, prompt, view.findings.get(prompt.index, ()), definitions, newline)
            keys.append((*key, self.good_answers if has_paths(prompt) else None))
        prompts = list(zip(view.blueprint.prompts, keys, strict=True))
        known = self._cache
        self._run_at_once(view, [prompt for prompt, key in prompts if not known.get(key, _UNCHECKED).is_complete])
        cache: dict[PromptKey, _PromptDiagnostics] = {}
        for prompt, key in prompts:
            give_way()
            cache[key] = self._of_prompt(view, prompt, cache.get(key) or known.get(key, _UNCHECKED))
        self._cache = cache
        return [(prompt, cache[key]) for prompt, key in prompts]

    def _run_at_once(self, view: FileView, prompts: Sequence[Prompt]) -> None:
        """Let V8 run what the rules on `prompts` and on the file will ask: one round trip for all, and not one each."""
        runner = view.javascript
        for _ in range(_MOST_ROUNDS if runner is not None else 0):
            view.javascript = noting = CachedRunner(None)
            prompts = [prompt for prompt in prompts if _collected(self._javascript_hooks, view.in_prompt(prompt))[1]]
            _collected(self._javascript_file_hooks, view)
            view.javascript = runner
            if runner is None or not noting.asked:
                return
            try:
                runner.run(noting.asked)
            except OutOfTime:
                return

    def _of_file(self, view: FileView) -> list[Diagnostic]:
        """What the rules on the whole file report. A check without V8 leaves it to the one with V8 that follows."""
        known, self._file_reports = self._file_reports, None
        if view.javascript is not None and known is not None and known[0] is view.parsed:
            usual = known[1]
        else:
            usual, _ = _collected(self._file_hooks, view)
        if view.javascript is None:
            self._file_reports = (view.parsed, usual)
        in_javascript, is_untried = _collected(self._javascript_file_hooks, view)
        self._header_untried = self._header_untried if view.javascript is None else is_untried
        return [*usual, *in_javascript]

    def _suppressed(self, found: Sequence[Diagnostic], view: FileView, *, all_ran: bool) -> tuple[Diagnostic, ...]:
        """`found` once each without what comments suppress, and the problems of these comments."""
        unique = {identity(item): item for item in found}
        malformed = (
            tuple(suppression.malformed_suppressions(view.tree, view.names)) if view.holds(*suppression.SIGNS) else ()
        )
        if malformed:
            meant = list(self._of_malformed(malformed, unique.values(), view.text))
            unique = {key: suppression.held_back(item, malformed) for key, item in unique.items()}
            unique |= {identity(item): item for item in meant}
        comments = suppression.suppressions(view.tree) if view.holds(suppression.SIGN) else ()
        if not comments:
            return _shown(unique.values())
        reported, idle = suppression.suppress(unique.values(), comments)
        unused = self._of_unused_suppressions(zip(comments, idle, strict=True), view, all_ran=all_ran)
        return _shown((*reported, *unused))

    def _of_collection(self, view: FileView) -> tuple[Diagnostic, ...]:
        found = [*view.tree.diagnostics, *_collected(self._collection_hooks, view)[0]]
        found = _in_json(_with_masked_keys(found, view.text), view.text)
        return tuple(sorted((_within(item, len(view.text)) for item in found), key=_place))

    def _of_malformed(
        self, comments: Iterable[suppression.MalformedSuppression], found: Iterable[Diagnostic], text: str
    ) -> Iterator[Diagnostic]:
        """Diagnostics for comments that were meant as suppressions, beside those that are `found`."""
        found = [each for each in found if not each.off]
        for comment in comments:
            within = [each for each in found if comment.covers.start <= each.span.start <= comment.covers.end]
            yield from self._named(MALFORMED, suppression.malformed_report(comment, within, text))

    def _of_unused_suppressions(
        self,
        found: Iterable[tuple[suppression.Suppression, Sequence[suppression.Name]]],
        view: FileView,
        *,
        all_ran: bool,
    ) -> Iterator[Diagnostic]:
        """Diagnostics for suppressions that suppress nothing. Names of rules that did not run are left out."""
        for comment, names in found:
            unused = [name for name in names if self._ran(name, view, all_ran=all_ran)]
            if unused or not comment.names:
                yield from self._named(UNUSED, suppression.unused_report(comment, unused, view.text))

    def _named(self, slug: str, report: Report) -> Iterator[Diagnostic]:
        """The diagnostic for a report of the checker itself, if the rule of this name is selected."""
        if (rule := self._by_name.get(slug)) is not None:
            yield rule.diagnostic(report)

    def _ran(self, name: suppression.Name, view: FileView, *, all_ran: bool) -> bool:
        rule = self._by_name.get(name.text.lower())
        if rule is None or rule.slug == UNUSED:
            return False
        if not rule.needs_javascript:
            return True
        return all_ran and not self._header_untried and (view.javascript is not None or rule.on_file is None)

    def _of_untried(self, view: FileView, prompts: Sequence[Prompt]) -> Iterator[Diagnostic]:
        """The diagnostic for the header, or else the first of `prompts`, with patterns or scripts that never ran."""
        if not prompts and not self._header_untried:
            return
        start = view.blueprint.header.span.start if self._header_untried else prompts[0].span.start
        report = Report(
            first_line(view.text, Span(start, len(view.text))),
            "not all patterns and scripts from here on were tried: those of this file take too long",
            why="What is wrong with the others is not reported. Each of them is still run when an answer is scored.",
        )
        yield from self._named(_UNTRIED, report)

    def _of_prompt(self, view: FileView, prompt: Prompt, cached: _PromptDiagnostics) -> _PromptDiagnostics:
        """The diagnostics of `prompt`; computes only those that are not `cached`."""
        start = prompt.span.start
        without_javascript, with_javascript = cached.without_javascript, cached.with_javascript
        is_untried = cached.is_untried
        if without_javascript is None:
            findings = self._of_findings(view.findings.get(prompt.index, ()), view)
            reports, _ = _collected(self._prompt_hooks, view.in_prompt(prompt))
            without_javascript = _relative((*findings, *reports), start)
        if not cached.is_complete and view.javascript is not None:
            reports, is_untried = _collected(self._javascript_hooks, view.in_prompt(prompt))
            with_javascript = _relative(reports, start)
        return _PromptDiagnostics(without_javascript, with_javascript, is_untried)

    def _of_findings(self, findings: Iterable[Finding], view: FileView) -> Iterator[Diagnostic]:
        seen: set[object] = set()  # aliases repeat a finding
        for finding in findings:
            rule = self._finders.get(finding.kind)
            if rule is not None and rule.on_finding is not None and not _is_repeated(finding, seen):
                report = rule.on_finding(finding, view)
                if report is not None:
                    yield rule.diagnostic(report, finding)


class _PromptDiagnostics(Record):
    """The diagnostics of one prompt, with spans relative to its start; None where they are not computed yet.

    `is_untried`: some of its patterns and scripts were not tried for lack of time.
    """

    without_javascript: tuple[Diagnostic, ...] | None = None
    with_javascript: tuple[Diagnostic, ...] | None = None
    is_untried: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether all rules have run on all of the prompt."""
        return self.with_javascript is not None and not self.is_untried

    @property
    def all(self) -> tuple[Diagnostic, ...]:
        """The diagnostics that are computed; what good answers show stands in the place of what the text shows."""
        shown = {(each.code, each.span) for each in self.with_javascript or ()}
        usual = (each for each in self.without_javascript or () if (each.code, each.span) not in shown)
        return (*usual, *(self.with_javascript or ()))


_UNCHECKED = _PromptDiagnostics()


def _with_errors(found: Iterable[Diagnostic], view: FileView) -> list[Diagnostic]:
    """The errors of the text, and what is `found` on other lines; in JSON, only with fixes that write JSON."""
    broken = view.parsed.broken
    if broken.lines:
        found = [one for one in found if one.slug == _SECRET or not broken.hides(one.span)]
    every = [*view.tree.diagnostics, *found]
    every = _in_json(every, view.text) if view.is_json else _held_to_the_law(every, view.text)
    return [_within(item, len(view.text)) for item in every]


def _held_to_the_law(found: list[Diagnostic], text: str) -> list[Diagnostic]:
    """`found`, where no fix is safe that loses, joins or moves a line; the last ones as they are if there are many."""
    if not any(fix.safe for each in found for fix in each.fixes):
        return found
    lines, left = LineIndex(text), _MOST_TRIED

    def held(fix: Fix) -> Fix:
        nonlocal left
        part = part_around(text, fix.edits)
        left -= (part.end - part.start) * fix.safe
        if not fix.safe or left < 0:
            return fix
        after = apply_edits(part.of(text), (edit.shifted(-part.start) for edit in fix.edits))
        lost = lost_row(part.of(text), after)
        if lost is None:
            return fix
        line = lines.position(part.start + lost.start).line + 1
        return Fix(f"{fix.title}: line {line} is joined or moved", False, fix.edits)

    return [replace(each, fixes=tuple(sorted(map(held, each.fixes), key=lambda fix: not fix.safe))) for each in found]


def _with_masked_keys(found: list[Diagnostic], text: str) -> list[Diagnostic]:
    """`found`, with stars for the keys that are reported among it, and without fixes that write one of them."""
    written = {each.span.of(text) for each in found if each.slug == _SECRET}
    if not written:
        return found
    from engine.models.secret import Secret  # only where a file holds one

    keys = [Secret(each) for each in written]

    def masked(line: str) -> str:
        return reduce(lambda text, key: key.scrub_parts(text), keys, line)

    return [
        replace(
            each,
            message=masked(each.message),
            why=masked(each.why),
            related=tuple(replace(one, message=masked(one.message)) for one in each.related),
            fixes=tuple(fix for fix in each.fixes if masked(said := _said_by(fix)) == said),
        )
        for each in found
    ]


def _said_by(fix: Fix) -> str:
    return " ".join((fix.title, *(edit.text for edit in fix.edits)))


def identity(diagnostic: Diagnostic) -> tuple[str, Span, str]:
    """What two reports of one problem have in common."""
    return diagnostic.code, diagnostic.span, diagnostic.message


def _is_repeated(finding: Finding, seen: set[object]) -> bool:
    """Whether `seen` has the same finding at the same place; adds it."""
    before = len(seen)
    seen.add((finding.kind, finding.span, finding.detail, finding.refused, finding.flagged, finding.when_run))
    return len(seen) == before


def _hooks(rules: Iterable[Rule], pick: Callable[[Rule], _Hook | None]) -> tuple[tuple[Rule, _Hook], ...]:
    """The rules that have a hook, each with it."""
    return tuple((rule, hook) for rule in rules if (hook := pick(rule)) is not None)


def _collected(
    hooks: Iterable[tuple[Rule, Callable[[_View], Iterable[Report]]]], view: _View
) -> tuple[list[Diagnostic], bool]:
    """What the rules report of `view` through their hooks, and whether V8 ran out of time for any of them."""
    found: list[Diagnostic] = []
    is_untried = False
    for rule, hook in hooks:
        give_way()
        try:
            for report in hook(view):
                found.append(rule.diagnostic(report))
        except OutOfTime:
            is_untried = True
    return found, is_untried


def _relative(found: Iterable[Diagnostic], start: int) -> tuple[Diagnostic, ...]:
    return tuple(item.shifted(-start) for item in found)


def _within(diagnostic: Diagnostic, length: int) -> Diagnostic:
    """`diagnostic` with its span inside the text: YAML is read with a line break added at its end."""
    start = min(max(diagnostic.span.start, 0), length)
    span = Span(start, min(max(diagnostic.span.end, start), length))
    return diagnostic if span == diagnostic.span else replace(diagnostic, span=span)


def _shown(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The diagnostics that are not off, in the order of their places. A suppression may suppress one that is off."""
    return tuple(sorted((each for each in diagnostics if not each.off), key=_place))


def _place(diagnostic: Diagnostic) -> tuple[int, int, str]:
    return (diagnostic.span.start, diagnostic.severity.rank, diagnostic.code)
