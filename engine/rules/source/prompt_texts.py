"""What the texts of a file are: under which key, in which form a prompt wants its answer, and levels of a scale."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import cache, lru_cache
from pathlib import Path

from engine.blueprint import Point
from engine.parsing.demands import Kind
from engine.parsing.fields import member
from engine.parsing.normalised_form import POINT_KEYS
from engine.rules.phrases import says, signs_in
from engine.rules.rule import FileView, nearest_names
from engine.text import Record, Span, lazy
from engine.yaml.keys import Part, suggested_names
from engine.yaml.nodes import MappingNode, Node, ScalarNode, property_name
from engine.yaml.tree_loader import nodes_around

# The texts of a file with some sign in them, and the keys under which they are written.


_FIELDS = "prompt promptText system systemPrompt systems content user assistant ai ideal idealResponse text point"
SENT_KEYS = frozenset(("should_not", *POINT_KEYS, *_FIELDS.split()))
"""The keys of texts that are sent to a model or to a judge."""


def written_with(view: FileView, sign: re.Pattern[str], part: Span) -> Iterator[tuple[ScalarNode, str]]:
    """The values in `part` with `sign` in their source, each with its key; `$name` for the argument of `fn: name`."""
    end = part.start
    while place := sign.search(view.text, end, part.end):
        around = list(nodes_around(view.tree, Span(*place.span())))
        end = place.end()
        if around and isinstance(node := around[-1], ScalarNode):
            end = max(end, node.span.end)
            yield node, key_of(node, around)


def key_of(node: ScalarNode, around: Sequence[Node]) -> str:
    """The key of the innermost of the nodes `around` that is a mapping, if `node` is in its value; else ""."""
    mapping = next((each for each in reversed(around) if isinstance(each, MappingNode)), None)
    for pair in () if mapping is None else mapping.pairs:
        if pair.value.span.start <= node.span.start < pair.value.span.end:
            name = property_name(pair.key)
            called = member(mapping, "fn") if name in ("arg", "fnArgs") else None
            return f"${called.text}" if isinstance(called, ScalarNode) else name
    return ""


# What the prompt asks for


class AnswerForm(Enum):
    """The form of an ordinary answer: the bare content, reasoning first, or free."""

    ALONE = "alone"
    REASONED = "reasoned"
    FREE = "free"


@lru_cache(maxsize=2000)
def answer_form(prompt: str) -> AnswerForm:
    """The form that the text of a prompt asks for. A request for reasons wins over one for a bare answer."""
    unwanted = [*signs_in("without-reasons", prompt)]
    reasons = (at for at, _ in signs_in("reasons", prompt))
    if any(not any(start <= at < end for start, end in unwanted) for at in reasons):
        return AnswerForm.REASONED
    return AnswerForm.ALONE if unwanted or says("bare-answer", prompt) else AnswerForm.FREE


def ordinary_answers(form: AnswerForm, content: str) -> tuple[str, ...]:
    """Answers of this form whose content is `content`."""
    match form:
        case AnswerForm.ALONE:
            return (content, f"{content}.", f"**{content}**", f"({content})")
        case AnswerForm.REASONED:
            return (f"We look at each part first, and then decide.\n\nThe answer is {content}.",)
        case AnswerForm.FREE:
            return (f"The answer is {content}.", f"{content}.")


ASKING = frozenset(("prompt", "promptText", "messages"))
"""The keys of the question of a prompt."""


def misspells(view: FileView, prompt: int | None, names: frozenset[str]) -> bool:
    """Whether the prompt with this index has an unknown key that is close to one of `names`."""
    unknown = (finding.detail for finding in view.findings.get(prompt, ()) if finding.kind is Kind.UNKNOWN_KEY)
    return any(not names.isdisjoint(nearest_names(key, suggested_names(Part.PROMPT))) for key in unknown)


# Labels of the levels of a scale, with which criteria begin: “Score 3: …”, “Excellent: …”.


_LABEL = lazy(
    r"""\W*(?P<label>
      (?:score|level|rating|grade|band|tier|stufe|niveau|nivel|puntuación|livello|punteggio|poziom|уровень
        |оценка|等级|评分|分数|レベル)\s*(?:of\s+)?(?:\d{1,3}(?:\.\d+)?|(?-i:[A-F]\b)[+-]?|one|two|three|four|five|zero)
      |\d{1,3}(?:\s*[-–]\s*\d{1,3})?\s*(?:points?|stars?|marks?|pts?|%)|\d{1,2}\s*/\s*\d{1,2}|\d{1,3}\s*[-–]\s*\d{1,3}(?=:)|\d(?=\s*=)
      |(?P<word>[a-z]+(?:[ -][a-z]+)?))
    \s*(?:\([^)]*\)\s*)?(?:[:：=–—]|\s-\s)\s*\S""",
    re.IGNORECASE | re.VERBOSE,
)


@cache
def _scales() -> Mapping[str, str]:
    """The name of the scale of each word that names a level."""
    read = tomllib.loads(Path(__file__).with_name("scales.toml").read_text("utf-8"))
    return {word: f"words {number}" for number, words in enumerate(read["scales"]) for word in words.split()}


class Level(Record):
    """A point that begins with the label of a level, and the place of the label in its text."""

    point: Point
    scale: str
    place: tuple[int, int]

    @property
    def label(self) -> str:
        """The label in lower case, on one line."""
        return " ".join((self.point.text or "")[slice(*self.place)].casefold().split())


def level_of(point: Point) -> Level | None:
    """The level with whose label a point begins; None without one."""
    found = None if point.text is None else _LABEL.match(point.text)
    if found is None:
        return None
    word = found["word"]
    scale = "numbers" if word is None else _scales().get("-".join(word.casefold().split()))
    return None if scale is None else Level(point, scale, found.span("label"))
