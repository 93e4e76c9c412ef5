"""# answer-in-prompt: Prompt that gives the answer away

A prompt that ends with the expected answer under a label: "Answer: C", "Label: entailment", "[Key: nitrogen]".

Such a line comes along when an item is copied from a data set together with its key. The model only has to repeat it,
so every model scores 100 by reading, and the score says nothing about what it knows.

It is reported if what follows the label is the prompt's ideal, the text of a check, or named in a criterion; under a
label of any name, if it is the ideal word for word. Options, passages, worked examples before the question, and prompts
that ask to explain, check or grade a given answer are fine.

Bad:

    - id: organ
      prompt: 'Which organ makes insulin: A) the liver, B) the kidney, C) the pancreas? Answer: C'
      ideal: C
      should:
        - Picks C, the pancreas

Good:

    - id: organ
      prompt: 'Which organ makes insulin: A) the liver, B) the kidney, C) the pancreas? Answer:'
      ideal: C
      should:
        - Picks C, the pancreas

Fix (unsafe): remove the answer, and leave the label.

Documents: Blueprint format, Prompt Fields, `prompt`, `ideal`.


# missing-material: Material that the prompt does not hold

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
from engine.blueprint import Message, Point, Prompt, Role
from engine.parsing.fields import member
from engine.rules.checks import is_negated, known_text, written_messages
from engine.rules.phrases import OF_PROMPTS, phrase_rule, places_of, says, signs_in
from engine.rules.refusals import cut
from engine.rules.rule import FileView, PromptView, Report, file_rule, prompt_rule
from engine.text import Fix, Record, Related, Severity, Span, TextEdit, in_quotes, lazy
from engine.yaml.layout import first_line, place_of

_EXPLAINED = lazy(r"\b(?:explain\w*|why|justify)\b", re.IGNORECASE)
_GRADED = lazy(
    r"""(?:^|[.!?:\n]\s*|\bplease\s+|\band\s+|\bto\s+)(?:grade|evaluate|assess|judge|check|verify|critique|review|compare|rate
        |proofread|(?P<reworked>rewrite|rephrase|paraphrase|translate)|mark)\b(?!\s*:)
    |\b(?:student|pupil|candidate|assistant|learner|child)(?:['’]s)?\s+(?:answer|response|solution|work)\b|\bfeedback\b
    |\bis\s+(?:this|that|it|the\s+answer)\s+(?:answer\s+)?(?:right|correct|true|wrong)\b|\bdistractors?\b""",
    re.IGNORECASE | re.VERBOSE,
)
_INTRODUCTION = lazy(r"^(?:the\s+)?(?:correct\s+|right\s+|final\s+)?answer\s+is\s*:?\s*", re.IGNORECASE)
_LABEL_AFTER = lazy(r"\S[.;]?\s[A-Z]?[a-z]+:\s")
_AS_IT_IS = lazy(
    r"\b(?:repeat|copy|echo|correct|fix|spell\w*|unchanged|proofread|grammar|check|grade|edit|quote|extract|summari[sz]e)\b",
    re.IGNORECASE,
)
"""Tasks whose answer may be the given text itself."""
_READ_OFF = lazy(r"\b(?:read|extract|according\s+to|report|in\s+plain\s+words|data\s+sheet)\b", re.IGNORECASE)
"""Tasks in which the answer is read off lines with labels."""
_SHORTEST_COPY = 8
_LONGEST_LABEL = 60
_LONGEST_EXPECTED = 120


@prompt_rule()
def answer_in_prompt(view: PromptView) -> Iterator[Report]:
    prompt = view.prompt
    last = next((each for each in reversed(prompt.messages) if each.role is Role.USER), None)
    if last is None or not last.content:
        return
    is_reply = any(each.role is Role.ASSISTANT for each in prompt.messages) and "?" not in last.content
    if is_reply:
        return  # the user answers a question of the assistant
    given = given_answer(last.content)
    expected = None if given is None or not _is_asked(last.content, given, prompt) else _expected(prompt, given)
    if given is not None and expected is not None:
        yield _report(view, last, given, *expected)
    elif (copied := _copied_ideal(last.content, prompt.ideal or "")) is not None:
        yield _report(view, last, copied, "the ideal", prompt.span)


def _is_asked(text: str, given: GivenAnswer, prompt: Prompt) -> bool:
    """Whether the prompt asks for what is given, and not to grade, explain or rework it."""
    if given.is_exact and _READ_OFF.search(text) is not None:
        return False
    is_ideal = _plain(given.said) == _plain(prompt.ideal or "")
    graded = None if given.is_of_task else _GRADED.search(text)
    if graded is not None and not (graded["reworked"] and is_ideal):
        return False
    return is_ideal or given.is_of_task or _EXPLAINED.search(text) is None


def _copied_ideal(text: str, ideal: str) -> GivenAnswer | None:
    """The last line of a prompt that is, after a label of any name, the ideal word for word."""
    text, wanted = text.rstrip(), ideal.strip()
    start = text.rfind("\n") + 1
    if not start or "\n" in wanted or len(wanted) < _SHORTEST_COPY or not text.endswith(wanted):
        return None
    label = text[start : len(text) - len(wanted)].rstrip()
    if not label.endswith((":", "=")) or len(label) > _LONGEST_LABEL or _AS_IT_IS.search(text, 0, start) is not None:
        return None
    return GivenAnswer(wanted, Span(start, len(text)), is_exact=True)


def _expected(prompt: Prompt, given: GivenAnswer) -> tuple[str, Span] | None:
    """Where the prompt expects what is given, and the place of it in the source; None if it does not."""
    own = _plain(given.said)
    if "?" in given.said or _LABEL_AFTER.search(given.said) is not None:
        return None
    ideal = _plain(prompt.ideal or "")
    is_label = len(own) == 1 and _begins_with(ideal, own)
    if ideal and len(ideal) <= _LONGEST_EXPECTED and (own == ideal or is_label or _is_more_than(given, ideal)):
        return "the ideal", prompt.span
    points = () if prompt.should is None else prompt.should.points()
    for point in points:
        if any(own == text or _is_more_than(given, text) for text in _wanted(point)):
            return "what a check looks for", point.subject_span
    for point in () if given.is_exact else points:
        if point.text is not None and _names(point.text, given.said.strip(_MARKS)):
            return "what a criterion names", point.subject_span
    return None


def _plain(text: str) -> str:
    return " ".join(_INTRODUCTION.sub("", text.strip(_MARKS)).strip(_MARKS).casefold().split())


def _is_more_than(given: GivenAnswer, expected: str) -> bool:
    """Whether what is given is the expected answer with its option or a reason: "c) pancreas", "C, as it …"."""
    own = _plain(given.said)
    if not _begins_with(own, expected):
        return False
    rest = own[len(expected) :]
    return rest[:1] in tuple(".,;:)–—-(") or (len(expected) == 1 and given.said.strip(_MARKS)[:1].isupper())


def _begins_with(said: str, expected: str) -> bool:
    """Whether `said` is `expected` with more after it, such as "c) pancreas" and "c"."""
    return bool(expected) and said.startswith(expected) and not said[len(expected) :][:1].isalnum()


def _wanted(point: Point) -> Iterable[str]:
    """The literals of a check that looks for text, in the form in which answers are compared."""
    search = functions.search_of(point.call)
    if search is None or not search.is_literal or is_negated(point):
        return ()
    return (_plain(text) for text in point.call.texts() if _plain(text))


def _names(criterion: str, said: str) -> bool:
    """Whether a criterion names the answer: as a word of its own, a single letter in its case."""
    if not 1 <= len(said) <= 60:
        return False
    flags = re.NOFLAG if len(said) == 1 else re.IGNORECASE
    if len(said) == 1 and (said == "A" or not said.isupper()):
        return re.search(rf"\b(?:option|answer|choice|letter)\s+{re.escape(said)}\b", criterion) is not None
    return re.search(rf"(?<!\w){re.escape(said)}(?!\w)", criterion, flags) is not None


def _report(view: PromptView, message: Message, given: GivenAnswer, where: str, place: Span) -> Report:
    written = given.whole.of(message.content or "").strip()
    source = message.span.of(view.text)
    at = source.rfind(written)
    span = Span(message.span.start + at, message.span.start + at + len(written)) if at >= 0 else message.span
    related = () if place == view.prompt.span else (Related(place, "expected here"),)
    return Report(
        first_line(view.text, span),
        f"the prompt gives the answer away: {in_quotes(' '.join(written.split()))} is {where}",
        fixes=tuple(_fixes(view, span, written, given)) if at >= 0 else (),
        related=related,
    )


def _fixes(view: PromptView, span: Span, written: str, given: GivenAnswer) -> Iterator[Fix]:
    source, said = span.of(view.text), given.said.strip()
    at = source.rfind(said)
    if written.startswith(("[", "(", "{")):
        start = span.start - (view.text[span.start - 1] == " ")
        yield Fix("remove the answer", False, (TextEdit(Span(start, span.end), ""),))
    elif at > 0:
        start = span.start + len(source[:at].rstrip(" \t*"))
        yield Fix("remove the answer", False, (TextEdit(Span(start, span.start + at + len(said)), ""),))


_RIGHT = (
    r"(?:the|correct|right|expected|true|gold(?:en)?|reference|model|final|ideal|official|actual|bonne|richtige|korrekte"
    r"|correcta|correta|corretta)"
)
_NAME = (
    rf"(?:(?:{_RIGHT}\s+)*(?:answers?|ans|solution|answer\s+key|ground[\s-]truth|gold"
    r"|respuesta|réponse|antwort|lösung|risposta|resposta|答案|回答|ответ)"
    rf"|(?:{_RIGHT}\s+)+(?:key|label|target|output|response|option|choice|letter|word|term|value|result|one|class|category)"
    r"|correct|expected"
    r"|(?P<weak>key|label|target|output|response|verdict|reference|ideal"
    r"|(?:notes?|hints?)(?:\s+(?:for|to)\s+(?:the\s+)?(?:graders?|judges?|annotators?|markers?|raters?|evaluators?|reviewers?))?))"
)
_ANY_NAME = _NAME.replace("?P<weak>", "?:")
_TASK_LABEL = (
    r"(?:sentiment|emotion|stance|intent|intention|relation|category|class|classification|translation|prediction|decision"
    r"|result|diagnosis|rating|score|grade|topic|tag|language|entity|summary|toxicity|polarity|conclusion|tone|genre)"
)
_SIGN = r"\**\.?\s*(?:[:=：]\**|(?<=\bans)\.|\s[-–—])\s*"
_LABELLED = lazy(
    rf"""(?:^|(?<=\s)|(?<=[.?!)\]"”’])|(?<=//))(?P<whole>[\[({{]?\W{{0,3}}\b(?:{_NAME}|(?P<task>{_TASK_LABEL})|A){_SIGN}
    (?P<said>[^\n]{{1,120}}?)\s*[\])}}]?)\s*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE = lazy(
    r"""(?:^|(?<=\s)|(?<=[(\[]))(?P<whole>(?:the\s+)?(?:(?:correct|right|expected|true)\s+(?:answer|option|choice|label)\s+
      (?:is|would\s+be|should\s+be):?\s+(?P<said>\(?[^\n.?!()\[\]]{1,80}\)?)
    |(?:hint:\s+)(?:the\s+)?answer\s+is:?\s+(?P<hinted>[^\n.?!()\[\]]{1,80}))[.!]?)[)\]]?\s*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_KEY = lazy(
    rf"""(?P<whole>[\[(]\s*(?:{_ANY_NAME})\s*[:=]\s*(?P<said>[^\n\[\]()]{{1,80}})[\])])\s*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_INSTRUCTION = lazy(
    r"\n\s*(?:please\s+)?(?:reply|respond|answer\s+(?:with|in|only)|give|only|return|output|write|think|choose|select|use)\b"
    r"[^\n?:]{0,120}\s*\Z",
    re.IGNORECASE,
)
"""A last line that says how to answer."""
_MARKS = " \t\"'“”‘’*_`().[]{}"
"""Signs around an answer that do not belong to it."""
_LONGEST = 200
"""Characters of a label and its answer at the most."""
_SEARCHED = 400
"""Characters at the end of a prompt in which a label is looked for."""
_SIGNS = (":", "=", "：", " is ", " be ", " - ", "Ans")


class GivenAnswer(Record):
    """What a label gives away, and the place of the label with it in the text.

    `is_exact`: the label is of a kind that also stands before what is asked about, so only the very answer counts.
    `is_of_task`: the label names what the prompt asks for, such as a sentiment.
    """

    said: str
    whole: Span
    is_exact: bool = False
    is_of_task: bool = False


def given_answer(text: str) -> GivenAnswer | None:
    """What a prompt gives away under a label at its end, or in brackets after its question; None for nothing."""
    text = text.rstrip()
    end = _last_line(text)
    tail = end.of(text)
    if not any(sign in tail for sign in _SIGNS):
        return None
    found = _LABELLED.search(tail) or _KEY.search(tail) or _SENTENCE.search(tail)
    if found is None or not _said(found).strip(_MARKS) or not _is_label(tail, found):
        return None
    groups = found.groupdict()
    is_of_task = groups.get("task") is not None
    whole = Span(*found.span("whole")).shifted(end.start)
    return GivenAnswer(_said(found), whole, is_of_task or groups.get("weak") is not None, is_of_task)


def _last_line(text: str) -> Span:
    """The last line before an instruction how to answer, with a label that stands alone above it."""
    instruction = _INSTRUCTION.search(text, max(len(text) - _SEARCHED, 0)) if "\n" in text[-_SEARCHED:] else None
    end = len(text) if instruction is None else len(text[: instruction.start()].rstrip())
    start = max(text.rfind("\n", 0, end) + 1, end - _SEARCHED, 0)
    return Span(max(start, end - _LONGEST), end)


def _said(found: re.Match[str]) -> str:
    return found.groupdict().get("hinted") or found["said"]


def _is_label(text: str, found: re.Match[str]) -> bool:
    """Whether the label begins a line or a bracket, or at least has a capital: else it is part of a sentence."""
    before = text[: found.start("whole")].rstrip(" \t")
    first = next((letter for letter in found["whole"] if letter.isalpha()), "")
    return (
        not before.strip() or before[-1] in "\n/([{" or found["whole"].lstrip()[0] in "[({/#-*>|" or not first.islower()
    )


_LONGEST_REQUEST = 400
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
    if len(text) > _LONGEST_REQUEST or "\n" in text or says("of-files", text):
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
        yield _placeholder_report(
            sent, "this prompt", "nothing is filled in, so the model is sent it as it stands", _WHY
        )
    graded = list(_in_criteria(view, {place.written for place in sent}))
    if graded:
        points = "this criterion" if len(graded) == 1 else "the criteria of this prompt"
        yield _placeholder_report(graded, points, "a judge has to guess what was meant", _GUESSED)
    ideal = prompt.ideal
    if ideal is not None and len(ideal) <= _LONGEST_IDEAL:
        example = [
            each for each in _places(view.text, prompt.span, ideal) if each.written not in written_messages(prompt)
        ]
        if example:
            yield _placeholder_report(example, "the ideal", "judges and readers see it as it stands", _SHOWN)
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


def _placeholder_report(places: Sequence[_Place], where: str, effect: str, why: str) -> Report:
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
    return (_placeholder_report(places, "the system prompt of all prompts", effect, _WHY),) if places else ()


unfilled_placeholder = phrase_rule(OF_PROMPTS, on_prompt=_check, on_file=_in_header)
