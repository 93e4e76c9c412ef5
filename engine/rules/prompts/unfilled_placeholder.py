"""# unfilled-placeholder

A placeholder of a template that nobody filled in: `{text}`, `{{name}}`, `[INSERT …]` or `TODO` in a prompt, a criterion
or an ideal.

Weval fills in nothing. The model is sent `{text}` as it stands, so it answers about five characters, asks for the text,
or invents one; whatever it says, all of this prompt's score measures something else than was meant. A judge who reads
`Names the capital of {country}` has to guess which country.

Names in brackets count where a noun stands in a request ("the history of [city]", "dose of [drug name]"), and so do
texts that only stand in for one ("to be written", "PASTE ARTICLE HERE", "[report omitted]").

A hint is given at a citation that is still to be found. Material that a prompt names and does not hold is reported by
`missing-material`.

Nothing is reported in code, in a text about templates, where the form of the answer is described ("Answer in the
format {city}, {country}"), and where points expect that the answer asks for what is missing. Bracketed names are right
in a letter or a form, and so are the signs of a transcript, such as `[laughs]`.

Bad:

    - id: classify
      prompt: 'Classify the following text as hateful or not: "{text_sample}"'
      should:
        - Calls the text hateful

Good:

    - id: classify
      prompt: 'Classify the following text as hateful or not: "They should all be sent home."'
      should:
        - Calls the text hateful

Fix: none, because only the author knows the text.

Documents: Blueprint format, Prompt Fields, `prompt`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set

from engine import functions
from engine.blueprint import Point, Prompt, Role
from engine.diagnostics import Related, Severity
from engine.patterns import lazy
from engine.record import Record
from engine.rules.rule import Report, Rule
from engine.rules.source.gaps import is_about_programs
from engine.rules.source.header_fields import header_mapping
from engine.rules.source.layout import first_line, place_of
from engine.rules.source.placeholders import EXPECTED, asks_for_form, may_hold_placeholder, placeholders_in
from engine.rules.source.slots import is_about_markup
from engine.rules.source.unwritten_texts import is_unwritten
from engine.rules.views import FileView, PromptView
from engine.text import Span

_SHORT_IDEAL = 300
"""Characters of an ideal that is a sentence or two: there, `XX` and `[X]` stand for a value."""
_VALUE = r"\[[^\W\d]\w*\]|X+|x+|_{2,}|\{\w+\}|\$X+|\?+|(?:19|20)\w\w"
_UNCHECKED = lazy(
    r"\b(?:research|source|citation|check|verification|review|reference)\s+needed\b|\bneeds?\s+(?:a\s+)?(?:source|citation|check)",
    re.IGNORECASE,
)
_MOST_RELATED = 9
_MOST_NAMED = 4
_LONGEST_NAME = 70


class _Place(Record):
    """A placeholder as written, and its place in the source."""

    written: str
    span: Span


def _check(view: PromptView) -> Iterator[Report]:
    yield from _placeholders(view)
    yield from _uncited(view)


def _uncited(view: PromptView) -> Iterator[Report]:
    """The hint at citations of a prompt that only say that a source is to be found."""
    places: list[_Place] = []
    for point in view.prompt.points():
        cited = point.citation
        if cited is not None and "eed" in cited and _UNCHECKED.search(cited) is not None:
            places.append(_Place(cited, place_of(view.text, cited, point.span)))
    if places:
        first, *others = places
        more = f" ({len(places)} citations of this prompt)" if others else ""
        related = tuple(Related(place.span, "a source to be found, too") for place in others[:_MOST_RELATED])
        message = f"“{first.written}”: the source is still to be found{more}"
        yield Report(first.span, message, severity=Severity.HINT, why=_OPEN, related=related)


def _placeholders(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    may_hold = may_hold_placeholder(view.text, prompt.span.start, prompt.span.end)
    if not may_hold and not any(map(is_unwritten, _texts(prompt))):
        return
    sent = list(_in_prompt(view))
    if sent and not any(point.text and EXPECTED.search(point.text) for point in prompt.points()):
        yield _report(sent, "this prompt", "nothing is filled in, so the model is sent it as it stands", _WHY)
    left = {place.written for place in sent}
    graded = [place for point in prompt.points() for place in _in_point(view, point, left)]
    if graded:
        points = "this criterion" if len(graded) == 1 else "the criteria of this prompt"
        yield _report(graded, points, "a judge has to guess what was meant", _GUESSED)
    example = list(_in_ideal(view))
    if example:
        yield _report(example, "the ideal", "judges and readers see it as it stands", _SHOWN)


def _texts(prompt: Prompt) -> Iterator[str]:
    """The texts of the prompt and of its points."""
    yield from (message.content for message in prompt.messages if message.content)
    yield from (point.text for point in prompt.points() if point.text)
    yield prompt.ideal or ""
    yield prompt.system if isinstance(prompt.system, str) else ""


def _in_prompt(view: PromptView) -> Iterator[_Place]:
    prompt = view.prompt
    for message in prompt.messages:
        if message.content and message.role is not Role.ASSISTANT:
            yield from _places(view.text, message.span, message.content)
    if isinstance(prompt.system, str):
        yield from _places(view.text, prompt.span, prompt.system)


def _in_point(view: PromptView, point: Point, left: Set[str]) -> Iterator[_Place]:
    """The placeholders of a criterion, but for what the prompt means as it stands: what it has and is not in `left`."""
    if point.text is not None:
        for place in _places(view.text, point.subject_span, point.text, is_criterion=True):
            known = _known(view.prompt)
            is_meant = place.written not in left and any(
                place.written in (message.content or "") for message in view.prompt.messages
            )
            if is_meant or functions.find(place.written.removeprefix("$")) is not None:
                continue
            is_of_form = place.written.startswith("[") and asks_for_form(known)
            is_of_form = is_of_form or (place.written.startswith(("$", "%")) and is_about_programs(known))
            is_of_form = is_of_form or (place.written.startswith("<") and is_about_markup(known))
            if not is_of_form and (place.written not in known or place.written.startswith("{")):
                yield place


def _known(prompt: Prompt) -> str:
    """The texts of the prompt whose words a criterion may quote."""
    return "\n".join((prompt.ideal or "", *(message.content or "" for message in prompt.messages)))


def _in_ideal(view: PromptView) -> Iterator[_Place]:
    ideal = view.prompt.ideal
    if ideal and len(ideal) <= 10_000:
        asked = "\n".join(message.content or "" for message in view.prompt.messages)
        for place in _places(view.text, view.prompt.span, ideal, is_criterion=len(ideal) <= _SHORT_IDEAL):
            is_marked = place.written.startswith(("TODO", "FIXME", "TBD", "TBC", "{{"))
            is_marked = is_marked or "insert" in place.written.lower() or is_unwritten(place.written)
            is_open = place.written not in asked and (is_marked or _is_of_value(place.written, ideal))
            if is_open and not _asks_for_a_form(asked):
                yield place


def _is_of_value(written: str, ideal: str) -> bool:
    """Whether a short ideal leaves out a value: `[X]`, `XX`, `___`, `{n}`."""
    return len(ideal) <= _SHORT_IDEAL and re.fullmatch(_VALUE, written) is not None


def _asks_for_a_form(asked: str) -> bool:
    """Whether the prompt asks for a form or a text with gaps, so that its ideal has some."""
    return (
        re.search(r"\b(?:template|form|letter|e-?mail|draft|code|function|script)\b", asked, re.IGNORECASE) is not None
    )


def _places(source: str, within: Span, text: str, *, is_criterion: bool = False) -> Iterator[_Place]:
    """The placeholders of `text`, each at its place within a span of the source, or at the first line of the span."""
    at = within.start
    for found in placeholders_in(text, is_criterion=is_criterion):
        written = found.of(text)
        start = source.find(written, at, within.end)
        if start < 0:
            yield _Place(written, first_line(source, within))
        else:
            at = start + len(written)
            yield _Place(written, Span(start, at))


def _report(places: Sequence[_Place], where: str, effect: str, why: str) -> Report:
    first, *others = places
    names = list(dict.fromkeys(place.written for place in places))
    listed = ", ".join(f"`{_short(name)}`" for name in names[:_MOST_NAMED])
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    verb = "is" if len(names) == 1 else "are"
    return Report(
        first.span,
        f"{listed}{more} {verb} still in {where}: {effect}",
        why=why,
        related=tuple(Related(place.span, "a placeholder, too") for place in others[:_MOST_RELATED]),
    )


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1].rstrip()}…"


def _in_header(view: FileView) -> Iterable[Report]:
    systems = [text for text in view.blueprint.header.systems if text]
    if not systems:
        return ()
    header = header_mapping(view)
    if header is None:
        return ()
    pair = header.pair("system") or header.pair("systems") or header.pair("systemPrompt")
    span = header.span if pair is None else pair.value.span
    places = [place for text in systems for place in _places(view.text, span, text)]
    effect = "nothing is filled in, so models are sent it as it stands"
    return (_report(places, "the system prompt of all prompts", effect, _WHY),) if places else ()


_WHY = "The answer is about the placeholder and not about what was meant, so the whole score of the prompt is off."
_GUESSED = "The judge does not know what to look for, so the point is graded by chance."
_OPEN = "A point without its source cannot be checked by those who read the results."
_SHOWN = "The ideal is shown as a model answer, and may be compared with answers, but it is not finished."

RULES = (
    Rule(
        code="S080",
        slug="unfilled-placeholder",
        title="Placeholder left in the text",
        severity=Severity.WARNING,
        why=_WHY,
        on_prompt=_check,
        on_file=_in_header,
    ),
)
