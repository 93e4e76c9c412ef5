"""The evidence of all points of a prompt on one answer, for text and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from engine.blueprint import Point, Prompt
from engine.evaluation.events import Response
from engine.evaluation.point_assessment import subject_of
from engine.evidence.check_evidence import CheckEvidence, Entry, evidence_of
from engine.evidence.evidence_text import evidence_lines, miss_text, quote_text
from engine.evidence.quotes import quotes_found
from engine.javascript.tasks import TaskRunner
from engine.record import Record, field
from engine.text import LineIndex, Span
from engine.yaml_nodes.nodes import Data


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
