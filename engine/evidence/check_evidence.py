"""What a check finds in an answer: all matches, the groups of patterns, list entries, the nearest misses, and how the
arguments of a tool call differ from those that it wants.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from engine import functions
from engine.blueprint import Absent, FunctionCall
from engine.evidence.nearest_miss import MissKind, NearestMiss, nearest_miss, whole_words
from engine.functions.point_function import SearchTraits, Subject, Target
from engine.functions.searches import literal_spans, regex_task
from engine.functions.tasks import Matches, Outcome, ScriptTask, Task, TaskRunner, Value
from engine.functions.tool_call_checks import (
    differences,
    parts_of,
    with_arguments,
)
from engine.rules.functions.literal_forms import closest_passage
from engine.text.record import Record
from engine.text.spans import Span
from engine.yaml.nodes import Data

MOST_MATCHES = 200
"""How many matches of one text or pattern are listed."""
_MOST_TEXTS = 200
_MOST_DIFFERENCES = 20
_GROUPS = """
const found = [];
for (const match of text.matchAll(new RegExp(pattern, flags + "dg"))) {
  const names = Object.entries(match.indices.groups ?? {});
  found.push(match.slice(1).map((group, index) => {
    const place = String(match.indices[index + 1]);
    const named = names.findIndex(([name, other]) => group !== undefined && String(other) === place);
    return [named < 0 ? String(index + 1) : names.splice(named, 1)[0][0], group ?? null];
  }));
  if (found.length >= most) break;
}
return found;
"""


class ArgumentDifference(Record):
    """One argument that differs: its `path` such as `filters.year`, what is wanted, and what the call has as JSON.

    `found` is None where the call does not have it. `line` is the line of the call in the answer; `leaves` is how many
    values are wanted there.
    """

    path: str
    wanted: str
    found: str | None
    line: tuple[Span, ...]
    leaves: int = 1


def argument_differences(call: FunctionCall, subject: Subject) -> tuple[ArgumentDifference, ...]:
    """The differences of the call that comes nearest to `where` of `call`, a `tool_args_match`; at most 20.

    Empty if a call matches, if the tool is not called with arguments, and for a `where` in JavaScript.
    """
    if not isinstance(call.args, dict) or not isinstance(call.args.get("where"), dict | list):
        return ()
    each = [
        [
            ArgumentDifference(
                ".".join(found.path) or "arguments",
                _shown(found.wanted),
                None if isinstance(found.found, Absent) else _shown(found.found),
                seen.line,
                _leaves_of(found.wanted),
            )
            for found in differences(call.args, seen)
        ]
        for seen in with_arguments(call.args, subject)
    ]
    return tuple(min(each, key=_leaves)[:_MOST_DIFFERENCES]) if each else ()


def _leaves(each: Sequence[ArgumentDifference]) -> int:
    """How many values differ: all of an object that is missing."""
    return sum(difference.leaves for difference in each)


def _leaves_of(wanted: Data) -> int:
    return sum(_leaves_of(part) for _, part in parts_of(wanted)) or 1


def _shown(value: Data) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False, default=str)


class Match(Record):
    """One place where a text or a pattern was found, with the groups of the pattern by name or number.

    A group that took no part in the match is None.
    """

    span: Span
    groups: tuple[tuple[str, str | None], ...] = ()


class Entry(Record):
    """One text or pattern that a check looks for: its matches, and the nearest miss if there are none."""

    wanted: str
    matches: tuple[Match, ...]
    miss: NearestMiss | None = None


class CheckEvidence(Record):
    """What a check finds: its entries, in the order of its list, and the arguments of a tool call that differ."""

    entries: tuple[Entry, ...] = ()
    differences: tuple[ArgumentDifference, ...] = ()

    @property
    def spans(self) -> tuple[Span, ...]:
        """The places of all matches, in the order of the answer."""
        return tuple(
            sorted(
                {match.span for entry in self.entries for match in entry.matches if match.span.start < match.span.end}
            )
        )

    @property
    def misses(self) -> tuple[NearestMiss, ...]:
        """The nearest misses of the entries that were not found."""
        return tuple(entry.miss for entry in self.entries if entry.miss is not None)


def evidence_of(
    calls: Sequence[FunctionCall], subject: Subject, javascript: TaskRunner
) -> tuple[CheckEvidence | None, ...]:
    """The evidence of each of `calls`; None for a check that neither searches nor compares arguments. Blocks.

    A pattern that cannot run has no matches and no miss: its assessment has the reason.
    """
    searches = [_search_of(call) for call in calls]
    texts = [
        () if search is None else tuple(call.texts())[:_MOST_TEXTS]
        for call, search in zip(calls, searches, strict=True)
    ]
    plans: list[list[Task]] = [
        [] if search is None else [task for text in each for task in _tasks(text, search, subject.response)]
        for each, search in zip(texts, searches, strict=True)
    ]
    outcomes = iter(javascript.run([task for plan in plans for task in plan]))
    return tuple(
        _of_arguments(call, subject)
        if search is None
        else CheckEvidence(tuple(_entry(text, search, subject.response, outcomes) for text in each))
        for call, search, each in zip(calls, searches, texts, strict=True)
    )


def _search_of(call: FunctionCall) -> SearchTraits | None:
    function = functions.find(call.name)
    if function is None or function.problem(call.args) is not None:
        return None
    return function.search


def _of_arguments(call: FunctionCall, subject: Subject) -> CheckEvidence | None:
    function = functions.find(call.name)
    if function is None or "tool_args_match" not in (function.name, function.negates):
        return None
    differences = argument_differences(call, subject)
    return CheckEvidence(differences=differences) if differences else None


def _tasks(text: str, search: SearchTraits, response: str) -> Iterator[Task]:
    task = regex_task(search, text, response, MOST_MATCHES)
    if task is not None:
        yield task
        if _has_groups(text, search):
            values = {"pattern": task.pattern, "flags": task.flags, "text": response, "most": MOST_MATCHES}
            yield ScriptTask(_GROUPS, tuple(values.items()))


def _has_groups(text: str, search: SearchTraits) -> bool:
    return search.target is Target.PATTERN and "(" in text


def _entry(text: str, search: SearchTraits, response: str, outcomes: Iterator[Outcome]) -> Entry:
    is_broken = False
    if search.target in (Target.WORD, Target.PATTERN):
        spans = next(outcomes)
        matches = _with_groups(spans, next(outcomes) if _has_groups(text, search) else None)
        is_broken = not isinstance(spans, Matches)
    else:
        matches = tuple(map(Match, literal_spans(search, text, response, MOST_MATCHES)))
    if matches or is_broken:
        return Entry(text, matches)
    miss = nearest_miss(text, response, search) if search.is_literal else _missed_pattern(text, search, response)
    return Entry(text, (), miss)


def _with_groups(spans: Outcome, groups: Outcome | None) -> tuple[Match, ...]:
    if not isinstance(spans, Matches):
        return ()
    rows = groups.value if isinstance(groups, Value) and isinstance(groups.value, list) else []
    named = [_groups(row) for row in rows]
    return tuple(Match(span, named[at] if at < len(named) else ()) for at, span in enumerate(spans.spans))


def _groups(row: Data) -> tuple[tuple[str, str | None], ...]:
    found: list[tuple[str, str | None]] = []
    for pair in row if isinstance(row, list) else []:
        match pair:
            case [str(name), str() | None as value]:
                found.append((name, value))
            case _:
                pass
    return tuple(found)


def _missed_pattern(pattern: str, search: SearchTraits, response: str) -> NearestMiss | None:
    """The passage that is most similar to the letters of a pattern."""
    passage = closest_passage(FunctionCall("imatches" if search.ignores_case else "matches", pattern), response)
    if passage is None or not passage.span.of(response).strip():
        return None
    span = whole_words(response, passage.span)
    return NearestMiss(pattern, (MissKind.SPELLING,), span, span)
