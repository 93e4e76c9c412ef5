"""# missing-material: Material that the prompt does not hold

A prompt that speaks of a text, a table or an attachment that it does not hold: "Summarise the following article.", "the
attached PDF", "the picture below".

A model is sent text only. It asks for the material, or invents it: either way, the answer is about something else than
was meant, and the whole score of the prompt is off.

Reported for a single question of one paragraph, in English: if it ends with a colon that introduces the material, if
all of it is one sentence about "the following text" or "the table above", or if it tells the model to read something
attached or a picture. Nothing is reported if the prompt quotes something, if a system prompt of more than a sentence or
a tool may provide the material, or if the points or the ideal say that it is missing.

Bad:

    - id: summary
      prompt: Summarise the following article in two sentences.
      should:
        - Names the court

Good:

    - id: summary
      prompt: |
        Summarise the following article in two sentences.

        The High Court ruled on Monday that the levy is void. The county will appeal.
      should:
        - Names the court

Fix: none, because only the author has the material.

Documents: Blueprint format, Prompt Fields, `prompt`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set

from engine import functions
from engine.blueprint import Prompt, Role
from engine.parsing.fields import member
from engine.rules.checks import known_text, written_messages
from engine.rules.phrases import OF_PROMPTS, phrase_rule, places_of, says, signs_in
from engine.rules.refusals import cut
from engine.rules.rule import FileView, PromptView, Report, file_rule
from engine.text import Record, Related, Severity, Span, lazy
from engine.yaml.layout import first_line, place_of

_LONGEST = 400
"""Characters of a prompt that is a request alone."""
_SHORT_SYSTEM = 150


@file_rule()
def missing_material(view: FileView) -> Iterator[Report]:
    header = view.blueprint.header
    if "tools" in header.fields or any(len(system or "") > _SHORT_SYSTEM for system in header.systems):
        return
    for prompt in view.blueprint.prompts:
        text = prompt.messages[0].content if len(prompt.messages) == 1 else None
        words = None if text is None else _what_is_missing(text)
        if words is not None and not _is_meant(view, prompt):
            span = place_of(view.text, words, prompt.messages[0].span)
            yield Report(span, f"“{words}”: this prompt has no such material, and a model is sent text only")


def _what_is_missing(text: str) -> str | None:
    """The words for material that a short request does not hold; None if it names none, or has lines of its own."""
    text = text.rstrip()
    if len(text) > _LONGEST or "\n" in text or says("of-files", text):
        return None
    return next((text[slice(*place)].strip(" .!?") for place in signs_in("names-material", text)), None)


def _is_meant(view: FileView, prompt: Prompt) -> bool:
    """Whether the material is elsewhere, or the rubric expects that it is missing."""
    system = prompt.system if isinstance(prompt.system, str) else ""
    context = member(prompt.node, "context")
    texts = [prompt.ideal or "", *(point.text or "" for point in prompt.points())]
    return len(system) > _SHORT_SYSTEM or context is not None or any(says("expects-nothing", text) for text in texts)


# The rule on what a template left in prompts, criteria and ideals, and on citations that are still to be found.


_MOST_READ = 8_000
"""How many characters of a text are read."""
_LONGEST_IDEAL = 300
"""Characters of an ideal that is a sentence or two: a longer one may be a form."""
_UNCHECKED = lazy(
    r"\b(?:research|source|citation|check|verification|review|reference)\s+needed\b|\bneeds?\s+(?:a\s+)?(?:source|citation|check)",
    re.IGNORECASE,
)
_MOST_RELATED = 9
_MOST_NAMED = 4
_LONGEST_NAME = 70
_WHY = "The answer is about the placeholder and not about what was meant, so the whole score of the prompt is off."
_GUESSED = "The judge does not know what to look for, so the criterion is graded by chance."
_OPEN = "A criterion without its source cannot be checked by those who read the results."
_SHOWN = "The ideal is shown as a model answer, and may be compared with answers, but it is not finished."


class _Place(Record):
    """A placeholder as written, and its place in the source."""

    written: str
    span: Span


def _check(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    sent = list(_in_prompt(view))
    if sent and not any(says("expects-nothing", point.text or "") for point in prompt.points()):
        yield _report(sent, "this prompt", "nothing is filled in, so the model is sent it as it stands", _WHY)
    graded = list(_in_criteria(view, {place.written for place in sent}))
    if graded:
        points = "this criterion" if len(graded) == 1 else "the criteria of this prompt"
        yield _report(graded, points, "a judge has to guess what was meant", _GUESSED)
    ideal = prompt.ideal
    if ideal is not None and len(ideal) <= _LONGEST_IDEAL:
        example = [
            each for each in _places(view.text, prompt.span, ideal) if each.written not in written_messages(prompt)
        ]
        if example:
            yield _report(example, "the ideal", "judges and readers see it as it stands", _SHOWN)
    yield from _uncited(view)


def _uncited(view: PromptView) -> Iterator[Report]:
    """The hint at citations of a prompt that only say that a source is to be found."""
    places = [
        _Place(cited, place_of(view.text, cited, point.span))
        for point in view.prompt.points()
        if (cited := point.citation) is not None and "eed" in cited and _UNCHECKED.search(cited) is not None
    ]
    if places:
        first, *others = places
        more = f" ({len(places)} citations of this prompt)" if others else ""
        related = tuple(Related(place.span, "a source to be found, too") for place in others[:_MOST_RELATED])
        message = f"“{first.written}”: the source is still to be found{more}"
        yield Report(first.span, message, severity=Severity.HINT, why=_OPEN, related=related)


def _in_prompt(view: PromptView) -> Iterator[_Place]:
    prompt = view.prompt
    for message in prompt.messages:
        if message.content and message.role is not Role.ASSISTANT:
            yield from _places(view.text, message.span, message.content)
    if isinstance(prompt.system, str):
        yield from _places(view.text, prompt.span, prompt.system)


def _in_criteria(view: PromptView, left: Set[str]) -> Iterator[_Place]:
    """The placeholders of criteria, but for names of checks, and what the prompt or its ideal has and is not `left`."""
    for point in view.prompt.points():
        for place in _places(view.text, point.subject_span, point.text or ""):
            is_meant = place.written not in left and place.written in known_text(view.prompt)
            if not is_meant and functions.find(place.written.removeprefix("$")) is None:
                yield place


def _places(source: str, within: Span, text: str) -> Iterator[_Place]:
    """The placeholders of `text`, each at its place within a span of the source, or at the first line of the span."""
    at = within.start
    for start, end in places_of(OF_PROMPTS, text, _MOST_READ):
        written = text[start:end]
        found = source.find(written, at, within.end)
        if found < 0:
            yield _Place(written, first_line(source, within))
        else:
            at = found + len(written)
            yield _Place(written, Span(found, at))


def _report(places: Sequence[_Place], where: str, effect: str, why: str) -> Report:
    first, *others = places
    names = list(dict.fromkeys(place.written for place in places))
    listed = ", ".join(f"`{cut(name, _LONGEST_NAME)}`" for name in names[:_MOST_NAMED])
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    verb = "is" if len(names) == 1 else "are"
    return Report(
        first.span,
        f"{listed}{more} {verb} still in {where}: {effect}",
        why=why,
        related=tuple(Related(place.span, "a placeholder, too") for place in others[:_MOST_RELATED]),
    )


def _in_header(view: FileView) -> Iterable[Report]:
    systems = [text for text in view.blueprint.header.systems if text]
    header = view.header
    if not systems:
        return ()
    pair = header.pair("system") or header.pair("systems") or header.pair("systemPrompt")
    span = header.span if pair is None else pair.value.span
    places = [place for text in systems for place in _places(view.text, span, text)]
    effect = "nothing is filled in, so models are sent it as it stands"
    return (_report(places, "the system prompt of all prompts", effect, _WHY),) if places else ()


unfilled_placeholder = phrase_rule(OF_PROMPTS, on_prompt=_check, on_file=_in_header)
