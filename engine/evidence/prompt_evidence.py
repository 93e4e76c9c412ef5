"""The evidence of all points of a prompt on one answer, as lines and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from unicodedata import normalize

from engine.blueprint import Point, Prompt
from engine.evaluation.events import Response
from engine.evaluation.point_assessment import subject_of
from engine.evidence.check_evidence import MOST_MATCHES, ArgumentDifference, CheckEvidence, Entry, Match, evidence_of
from engine.evidence.criterion_evidence import quotes_found
from engine.evidence.nearest_miss import MissKind, NearestMiss
from engine.functions.function_text import count, quoted, times
from engine.functions.tasks import TaskRunner
from engine.text.record import Record, field
from engine.text.spans import LineIndex, Span, in_quotes
from engine.yaml.nodes import Data

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


def difference_text(difference: ArgumentDifference) -> str:
    """`argument filters.year is 2019, wanted 2020`."""
    found = "is missing" if difference.found is None else f"is {_cut(difference.found)}"
    return f"argument {difference.path} {found}, wanted {_cut(difference.wanted)}"


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
                    {"path": each.path, "wanted": each.wanted, "found": each.found}
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
