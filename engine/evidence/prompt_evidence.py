"""What checks find in an answer, and that of all points of a prompt as lines and as JSON.

A check finds all matches, the groups of patterns, list entries, the nearest misses, and how the arguments of a tool
call differ from those that it wants.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from unicodedata import normalize

from engine import functions
from engine.blueprint import Absent, FunctionCall, Point, Prompt
from engine.evaluation.events import Response
from engine.evaluation.point_assessment import subject_of
from engine.evidence.passages import MissKind, NearestMiss, nearest_miss, quotes_found, whole_words
from engine.functions.function_text import quoted, times
from engine.functions.point_function import SearchTraits, Subject, Target
from engine.functions.searches import literal_spans, regex_task
from engine.functions.tasks import Matches, Outcome, ScriptTask, Task, TaskRunner, Value
from engine.functions.tool_call_checks import Difference, differences, parts_of, with_arguments
from engine.rules.functions.literal_forms import closest_passage
from engine.text.record import Record, field
from engine.text.spans import LineIndex, Span, count, in_quotes
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


def _leaves_of(wanted: Data) -> int:
    """How many values differ: all of an object that is missing."""
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
    differences: tuple[Difference, ...] = ()

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
    pairs = [(call, functions.search_of(call)) for call in calls]
    tasks: list[Task] = []
    for call, search in pairs:
        if search is not None:
            tasks += [task for text in _texts(call) for task in _tasks(text, search, subject.response)]
    outcomes = iter(javascript.run(tasks))
    return tuple(
        _of_arguments(call, subject)
        if search is None
        else CheckEvidence(tuple(_entry(text, search, subject.response, outcomes) for text in _texts(call)))
        for call, search in pairs
    )


def _texts(call: FunctionCall) -> Iterator[str]:
    return islice(call.texts(), _MOST_TEXTS)


def _of_arguments(call: FunctionCall, subject: Subject) -> CheckEvidence | None:
    """The differences of the call that comes nearest to `where` of `call`, a `tool_args_match`; at most 20.

    None for another check, if a call matches, if the tool is not called with arguments, and for a `where` in
    JavaScript.
    """
    function = functions.find(call.name)
    if function is None or "tool_args_match" not in (function.name, function.negates):
        return None
    if not isinstance(call.args, dict) or not isinstance(call.args.get("where"), dict | list):
        return None
    each = [[*differences(call.args, seen)] for seen in with_arguments(call.args, subject)]
    nearest = min(each, key=lambda found: sum(_leaves_of(one.wanted) for one in found)) if each else []
    return CheckEvidence(differences=tuple(nearest[:_MOST_DIFFERENCES])) if nearest else None


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


MOST_LISTED = 5
"""How many matches of one text are quoted."""
_AROUND = 18
_LONGEST_MATCH = 60
_DIFFERENCES = {
    MissKind.CASE: "upper and lower case",
    MissKind.FORM: "punctuation or spacing",
    MissKind.ACCENT: "accents",
    MissKind.PLURAL: "singular and plural",
    MissKind.DIGITS: "digits",
}


def miss_text(miss: NearestMiss, answer: str) -> str:
    """`found “Paraná” inside “Paranáense”`, or `found “Parana”, which differs in accents`."""
    found = f"found {quoted(miss.span.of(answer))}"
    match miss.kinds:
        case (MissKind.BOUNDARY,):
            return f"{found} inside {quoted(miss.within.of(answer))}"
        case (MissKind.PLACE,):
            return f"{found}, but not at the {'end' if miss.at_end else 'start'}"
        case (MissKind.SPELLING,) if miss.distance:
            return f"{found}, which differs by {count(miss.distance, 'character')}"
        case (MissKind.SPELLING,):
            return f"most similar is {quoted(miss.span.of(answer))}"
        case (MissKind.ACCENT,) if _composed(answer[miss.span.start :]).startswith(_composed(miss.wanted)):
            return f"{found}, which is stored in another form of Unicode"
        case kinds:
            return f"{found}, which differs in {' and in '.join(_DIFFERENCES[kind] for kind in kinds)}"


def _composed(text: str) -> str:
    return normalize("NFC", text.lower())


def evidence_lines(evidence: CheckEvidence, answer: str) -> Iterator[str]:
    """The lines on what a check found, one for each entry, its matches with groups, and each argument that differs."""
    is_list = len(evidence.entries) > 1
    indent = "  " if is_list else ""
    for entry in evidence.entries:
        if is_list:
            yield entry_text(entry)
        if entry.miss is not None:
            yield f"{indent}{miss_text(entry.miss, answer)}"
        yield from (f"{indent}{match_text(match, answer)}" for match in entry.matches[:MOST_LISTED])
        if len(entry.matches) > MOST_LISTED:
            least = "at least " if len(entry.matches) == MOST_MATCHES else ""
            yield f"{indent}and {least}{len(entry.matches) - MOST_LISTED} more"
    yield from map(difference_text, evidence.differences)


def entry_text(entry: Entry) -> str:
    """`● “lawful” twice`, `○ “covenant” not found`."""
    if not entry.matches:
        return f"○ {quoted(entry.wanted)} not found"
    found = times(len(entry.matches))
    return f"● {quoted(entry.wanted)} {'at least ' if len(entry.matches) == MOST_MATCHES else ''}{found}"


def match_text(match: Match, answer: str) -> str:
    """A match among the words around it, and its groups: `… must be ⟦lawful⟧ and …`."""
    text = _in_context(match.span, answer)
    groups = " · ".join(f"{name}: {'–' if value is None else quoted(value)}" for name, value in match.groups)
    return f"{text}   groups {groups}" if groups else text


def quote_text(span: Span, answer: str) -> str:
    """A passage that a judge quotes: `quoted: “on the Seine”`."""
    return f"quoted: {in_quotes(_cut(' '.join(span.of(answer).split())))}"


def _in_context(span: Span, answer: str) -> str:
    start, end = max(span.start - _AROUND, 0), min(span.end + _AROUND, len(answer))
    before, after = answer[start : span.start], answer[span.end : end]
    before = before.partition(" ")[2] if start and " " in before else before
    after = after.rpartition(" ")[0] if end < len(answer) and " " in after else after
    found = span.of(answer)
    shown = found if len(found) <= _LONGEST_MATCH else f"{found[: _LONGEST_MATCH - 1]}…"
    text = f"{'… ' if start else ''}{before}⟦{shown}⟧{after}{' …' if end < len(answer) else ''}"
    return " ".join(text.split())


def difference_text(difference: Difference) -> str:
    """`argument filters.year is 2019, wanted 2020`."""
    path, wanted, found = _sides(difference)
    return f"argument {path} {'is missing' if found is None else f'is {_cut(found)}'}, wanted {_cut(wanted)}"


def _sides(difference: Difference) -> tuple[str, str, str | None]:
    """The path, such as `filters.year`, what is wanted there, and what the call has, as JSON; None for nothing."""
    given = difference.given
    found = None if isinstance(given, Absent) else _shown(given)
    return ".".join(difference.path) or "arguments", _shown(difference.wanted), found


def _cut(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"


class PromptEvidence(Record, eq=False):
    """The evidence in `answer`, by the places of points in `Prompt.points()`: of checks, and what judges `quoted`."""

    prompt: Prompt
    answer: str
    found: Mapping[int, CheckEvidence]
    quoted: Mapping[int, tuple[Span, ...]] = field(default_factory=dict[int, "tuple[Span, ...]"])

    def lines(self, point: Point) -> Iterator[str]:
        """The lines on `point`, one of the points of the prompt."""
        place = next((at for at, each in enumerate(self.prompt.points()) if each is point), None)
        if place is not None and place in self.found:
            yield from evidence_lines(self.found[place], self.answer)
        if place is not None:
            yield from (quote_text(span, self.answer) for span in self.quoted.get(place, ()))

    def as_json(self) -> Data:
        """A list with an object for each point with evidence (docs/machine-readable.md)."""
        lines = LineIndex(self.answer)
        nothing = CheckEvidence(())
        return [
            {
                "index": place,
                "entries": [self._entry(entry, lines) for entry in self.found.get(place, nothing).entries],
                "differences": [
                    dict(zip(("path", "wanted", "found"), _sides(each), strict=True))
                    for each in self.found.get(place, nothing).differences
                ],
                "quotes": [self._place(span, lines) for span in self.quoted.get(place, ())],
            }
            for place in sorted({*self.found, *self.quoted})
        ]

    def _entry(self, entry: Entry, lines: LineIndex) -> dict[str, Data]:
        miss = entry.miss
        return {
            "wanted": entry.wanted,
            "matches": [{**self._place(match.span, lines), "groups": dict(match.groups)} for match in entry.matches],
            "nearest": None
            if miss is None
            else {
                **self._place(miss.span, lines),
                "kinds": [kind.value for kind in miss.kinds],
                "within": miss.within.of(self.answer),
                "distance": miss.distance,
                "message": miss_text(miss, self.answer),
            },
        }

    def _place(self, span: Span, lines: LineIndex) -> dict[str, Data]:
        start = lines.position(span.start)
        return {"line": start.line + 1, "column": start.column + 1, "text": span.of(self.answer)}


def prompt_evidence(
    prompt: Prompt,
    response: Response,
    javascript: TaskRunner,
    reflections: Mapping[int, Iterable[str]] | None = None,
) -> PromptEvidence:
    """The evidence for the points of `prompt` in `response`. Blocks.

    `reflections` are those of judges, by the place of the point.
    """
    calls = [(place, point.function) for place, point in enumerate(prompt.points()) if point.function is not None]
    subject = subject_of(prompt, response.subject, response.thread, response.model or "")
    found = evidence_of([call for _, call in calls], subject, javascript)
    pairs = zip(calls, found, strict=True)
    quoted = {place: quotes_found(texts, response.subject) for place, texts in (reflections or {}).items()}
    return PromptEvidence(
        prompt,
        response.subject,
        {place: each for (place, _), each in pairs if each is not None},
        {place: spans for place, spans in quoted.items() if spans},
    )
