r"""# line-bound-pattern

A pattern that fits only an answer of one line: `^.*Nairobi.*$`, `^Answer: .*$`, `^(?=.*yes)(?=.*no)`.

In a pattern, `.` is any character but a line break, `^` is the start of the whole answer and `$` its end. So
`^.*Nairobi.*$` is met by "It is Nairobi." and failed as soon as the answer has a second line, as most answers of models
do. Every right answer of two lines loses the point: with two points, half of the score.

The message shows an answer that matches, and the same words on two lines. Nothing is reported if the prompt
asks for a bare word or number, or for one line.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $imatches: '^.*nairobi.*$'

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $imatches: 'nairobi'

Fix (unsafe): without `^.*` and `.*$`, where they are all that binds it; else `[\s\S]` for `.`, which crosses lines. A
fix is offered only if the answer of two lines passes it, and so does the prompt's ideal if it passed before.

Documents: Blueprint format, Troubleshooting 5, "Regex Pattern Too Strict".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from engine.blueprint import Point
from engine.diagnostics import Fix, Severity
from engine.javascript.tasks import Matches, RegexTask, TaskRunner
from engine.record import Record
from engine.rules.checks import checks_in, defined_checks, forbidden_places, is_negated
from engine.rules.functions.answer_forms import asks_for_bare_word
from engine.rules.functions.searched_texts import written_texts
from engine.rules.rule import Report, Rule
from engine.rules.source.layout import quoted
from engine.rules.source.node_search import argument_node
from engine.rules.source.pattern_places import Pattern, patterns_of, place_in_source
from engine.rules.source.prompt_texts import sent_text
from engine.rules.source.regex_parser import parse_regex
from engine.rules.source.regex_samples import is_any_run, sample_of
from engine.rules.source.regex_tree import Alternation, Assertion, Concatenation, Group, Regex, Repeat, parts
from engine.rules.views import FileView, PromptView
from engine.text import Span, TextEdit

_ANY = ".*", ".+", ".{"
_FILLER = "yes indeed"
_CROSSING = r"[\s\S]"
_ONE_LINE = re.compile(
    r"\b(?:one|single|same|1)[\s-]+(?:line|sentence|liner)\b|\b(?:one|single)[\s-]line\b|\bno\s+(?:line\s*breaks|newlines)\b"
    r"|\bcomma[\s-]separated\b|\bcsv\b",
    re.IGNORECASE,
)
_MOST_SHOWN = 60


class _Witness(Record):
    """An answer of one line that a pattern matches, the same on two lines, and the run that is in between.

    With `excludes`, it is the answer of two lines that matches, `one_line`: the pattern excludes what is on one line.
    """

    one_line: str
    two_lines: str
    place: Span
    excludes: bool = False


def _on_prompt(view: PromptView) -> Iterable[Report]:
    if not any(sign in text for text in written_texts(view.checks) for sign in _ANY):
        return ()
    prompt = view.prompt
    asked = sent_text(prompt)
    if asks_for_bare_word(asked) or _ONE_LINE.search(asked) is not None:
        return ()
    return _check(view.file, tuple(checks_in(view)), prompt.ideal or "", forbidden_places(prompt))


def _on_file(view: FileView) -> Iterable[Report]:
    return _check(view, defined_checks(view), "", frozenset())


def _check(view: FileView, points: Sequence[Point], ideal: str, forbidden: frozenset[Span]) -> Iterator[Report]:
    for point in points:
        for pattern in patterns_of(point):
            witness = _witness(pattern, view.javascript)
            if witness is not None:
                inverted = is_negated(point) is not (point.span in forbidden)
                why = _FORBIDDEN if inverted is not witness.excludes else _WANTED
                yield _report(view, point, pattern, witness, ideal, why)


def _witness(pattern: Pattern, javascript: TaskRunner | None) -> _Witness | None:
    """Proof that a line break at a run makes the pattern fail; None if there is none, or without V8."""
    if javascript is None or not any(sign in pattern.bare for sign in _ANY):
        return None
    for option in _options(pattern.bare):
        text = option.of(pattern.bare)
        excluded = _excluded(pattern, option, javascript)
        if excluded is not None:
            return excluded
        runs = _bound_runs(text)
        sample = sample_of(text, _FILLER) if runs else None
        if sample is None:
            continue
        split = [(run.span, _broken(sample.text, run.place)) for run in sample.runs if run.span in runs]
        split.sort(key=lambda each: text[: each[0].start].endswith('"'))  # JSON has no line break within a string
        passes, *found = _matched(javascript, pattern, pattern.bare, [sample.text, *(answer for _, answer in split)])
        for (span, answer), is_found in zip(split, found, strict=True):
            if passes and not is_found:
                return _Witness(sample.text, answer, span.shifted(option.start))
    return None


def _excluded(pattern: Pattern, option: Span, javascript: TaskRunner) -> _Witness | None:
    """Proof that a lookahead such as `^(?!.*bad)` excludes what it names on the first line only."""
    items = _items(parse_regex(option.of(pattern.bare)))
    for item in items:
        if isinstance(item, Group) and item.opening == "(?!":
            run = next((part for part in parts(item) if is_any_run(part)), None)
            sample = sample_of(item.body.span.of(option.of(pattern.bare)), _FILLER) if run is not None else None
            if run is None or sample is None or not sample.runs:
                continue
            broken = _broken(sample.text, sample.runs[0].place)
            on_first, on_second, without = _matched(javascript, pattern, pattern.bare, [sample.text, broken, _FILLER])
            if without and on_second and not on_first:
                return _Witness(broken, sample.text, run.span.shifted(option.start), excludes=True)
        elif not _is(item, "^"):
            break
    return None


def _options(pattern: str) -> list[Span]:
    """The alternatives of the whole pattern, without a group around all of it; the pattern itself if it has none."""
    tree = parse_regex(pattern)
    while isinstance(tree, Group) and not tree.is_lookaround:
        tree = tree.body
    if tree is None:
        return []
    return [option.span for option in tree.options] if isinstance(tree, Alternation) else [tree.span]


def _bound_runs(pattern: str) -> frozenset[Span]:
    """The runs of any characters that `^`, `$` or a lookahead at the start binds to one line."""
    tree = parse_regex(pattern)
    items = _items(tree)
    if tree is None or len(items) < 2:
        return frozenset()
    if _is(items[0], "^") and _is(items[-1], "$"):
        return frozenset(part.span for part in parts(tree) if is_any_run(part))
    found: set[Span] = set()
    if _is(items[0], "^") and len(items) > 2 and is_any_run(items[1]):
        found.add(items[1].span)
    if _is(items[-1], "$") and len(items) > 2 and is_any_run(items[-2]):
        found.add(items[-2].span)
    for item in items:
        if isinstance(item, Group) and item.opening == "(?=":
            found.update(part.span for part in parts(item) if is_any_run(part))
        elif not _is(item, "^"):
            break
    return frozenset(found)


def _items(tree: Regex | None) -> tuple[Regex, ...]:
    return tree.items if isinstance(tree, Concatenation) else ()


def _is(part: Regex, kind: str) -> bool:
    return isinstance(part, Assertion) and part.kind == kind


def _broken(text: str, filler: Span) -> str:
    """`text` with a line break beside its filler, or within it if there is nothing else."""
    before, after = text[: filler.start], text[filler.end :]
    within = filler.of(text)
    if after:
        return f"{before}{within.rstrip()}\n{after}"
    return f"{before}\n{within.lstrip()}" if before else "\n".join(within.split())


def _matched(javascript: TaskRunner, pattern: Pattern, written: str, answers: Sequence[str]) -> list[bool]:
    outcomes = javascript.run([RegexTask(written, pattern.flags, answer, 1) for answer in answers])
    return [isinstance(outcome, Matches) and bool(outcome.spans) for outcome in outcomes]


def _report(view: FileView, point: Point, pattern: Pattern, witness: _Witness, ideal: str, why: str) -> Report:
    return Report(
        place_in_source(view, point, pattern, witness.place),
        f"`.` is never a line break, so this fits one line only: “{_shown(witness.one_line)}” matches, "
        f"“{_shown(witness.two_lines)}” does not",
        why=why,
        fixes=tuple(_fixes(view, point, pattern, witness, ideal)),
    )


def _shown(answer: str) -> str:
    shown = answer.replace("\n", "↵")
    return shown if len(shown) <= _MOST_SHOWN else f"{shown[:_MOST_SHOWN]}…"


def _fixes(view: FileView, point: Point, pattern: Pattern, witness: _Witness, ideal: str) -> Iterator[Fix]:
    node = argument_node(view.tree, point, pattern.written)
    javascript = view.javascript
    if node is None or javascript is None:
        return
    prefix = pattern.written[: len(pattern.written) - len(pattern.bare)]
    for title, changed in (
        ("on any line", _unbound(pattern.bare)),
        (f"across lines: {_CROSSING}", _crossing(pattern.bare)),
    ):
        if changed is None:
            continue
        [was_passed] = _matched(javascript, pattern, pattern.bare, [ideal])
        two_lines = witness.one_line if witness.excludes else witness.two_lines
        two_lines_pass, ideal_passes = _matched(javascript, pattern, changed, [two_lines, ideal])
        if (
            two_lines_pass is not witness.excludes
            and (ideal_passes or not was_passed)
            and not any(map(_bound_runs, [each.of(changed) for each in _options(changed)]))
        ):
            edit = TextEdit(node.span, quoted(prefix + changed, is_json=view.is_json))
            yield Fix(title, False, (edit,))


def _unbound(pattern: str) -> str | None:
    """The pattern without `^.*` and `.*$`; None if nothing but these would be left, or neither is there."""
    tree = parse_regex(pattern)
    items = _items(tree)
    start, end = 0, len(items)
    if end - start > 2 and _is(items[0], "^") and _is_optional_run(items[1]):
        start = 2
    if end - start > 2 and _is(items[-1], "$") and _is_optional_run(items[-2]):
        end -= 2
    is_changed = (start, end) != (0, len(items))
    return pattern[items[start].span.start : items[end - 1].span.end] if is_changed and start < end else None


def _is_optional_run(part: Regex) -> bool:
    return isinstance(part, Repeat) and part.least == 0 and is_any_run(part)


def _crossing(pattern: str) -> str | None:
    """The pattern with `[\\s\\S]` for `.` in its runs of any characters."""
    tree = parse_regex(pattern)
    runs = [] if tree is None else [part.span for part in parts(tree) if is_any_run(part)]
    changed = pattern
    for span in sorted(set(runs), reverse=True):
        changed = f"{changed[: span.start]}{_CROSSING}{changed[span.start + 1 :]}"
    return changed if runs else None


_WANTED = "A right answer of two lines loses the point, and most answers of models have more than one line."
_FORBIDDEN = "What is forbidden is not found in an answer of two lines, which earns the point all the same."

RULES = (
    Rule(
        code="F080",
        slug="line-bound-pattern",
        title="Pattern that only an answer of one line matches",
        severity=Severity.WARNING,
        why=_WANTED,
        on_prompt=_on_prompt,
        on_file=_on_file,
        needs_javascript=True,
    ),
)
