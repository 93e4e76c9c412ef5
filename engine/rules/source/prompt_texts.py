"""The texts of a prompt and its points, as rules search them, and how points begin.

A line that begins like a point is told from a line of a wrapped text. No language is known here: a line begins like a
point if its first word is capitalised like those of the points, is the first word of one of them, ends in their most
common letter or is followed by a short word that is common in them, and stands within none of them, as names do.
Without capitals, the line above it must also be too short for a wrapped one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import lru_cache

from engine.blueprint import Point, Prompt, Role
from engine.parsing.demands import Kind
from engine.parsing.fields import member, truthy
from engine.parsing.normalised_form import POINT_KEYS
from engine.rules.rule import FileView, nearest_names
from engine.text import Record, Span, lazy
from engine.yaml.keys import Part, suggested_names
from engine.yaml.nodes import MappingNode, Node, Pair, ScalarNode, property_name
from engine.yaml.tree_loader import nodes_around

EXPECTED = lazy(
    r"""\b(?:placeholders?|unfilled|templates?|curly|brackets?
    |(?:prompt|question|request|input|text)\s+(?:is|was)\s+(?:incomplete|unclear|ambiguous|empty|cut\s+off)
    |not\s+(?:been\s+)?(?:provided|given|included|filled|supplied|specified)
    |missing\s+(?:\w+\s+)?(?:text|input|information|content|data|value|context|details?)
    |(?:no\s+\w+|nothing)\s+(?:was|is|were|are|has|have)\s+(?:been\s+)?(?:provided|given|included|attached|arrived)
    |no\s+(?:such\s+)?(?:attach\w*|image|picture|photo|file|document|article|text|table|paragraph|passage|letter|email)\b
    |(?:can(?:not|['’]t)|do(?:es)?(?:\s+not|n['’]t))\s+(?:see|open|(?:have\s+)?access)
    |asks?\s+(?:the\s+user\s+)?(?:to\s+(?:provide|share|supply|paste|send|specify)|for\s+(?:(?:the\s+)?(?:missing|clarif)
      |(?:the|an?)\s+(?:\w+\s+)?(?:text|document|article|paragraph|passage|letter|report|file|table|image|picture|e-?mail)\b)))""",
    re.IGNORECASE | re.VERBOSE,
)
"""Points of a prompt that tests what a model does without what is missing."""


def written_messages(prompt: Prompt) -> str:
    """All messages as one text, a line break between two; turns that are generated are empty."""
    return "\n".join(message.content or "" for message in prompt.messages)


def sent_text(prompt: Prompt) -> str:
    """The prompt's own system prompt and its messages as one text."""
    system = prompt.system if isinstance(prompt.system, str) else ""
    return f"{system}\n{written_messages(prompt)}"


def known_text(prompt: Prompt) -> str:
    """The ideal and the messages as one text: what a check or a criterion may quote."""
    return f"{prompt.ideal or ''}\n{written_messages(prompt)}"


def question_of(prompt: Prompt) -> str:
    """The last turn of the user that is not empty; "" without one."""
    return next((each.content for each in reversed(prompt.messages) if each.role is Role.USER and each.content), "")


_WITHOUT_REASONS = lazy(
    r"""\b(?:without|no|not|don['’]t|never|avoid)\b[^.\n]{0,30}?
    \b(?:expla\w+|justif\w+|reasons|reasoning|working|steps|commentary|elaborat\w+)\b(?:\s+or\s+\w+)?|\bnothing\s+else\b""",
    re.IGNORECASE | re.VERBOSE,
)
_REASONED = lazy(
    r"""\bstep[\s-]+by[\s-]+step\b|\bexpla(?:in|nation)\b|\bshow\s+(?:all\s+|me\s+|us\s+)?(?:your|the)\s+\w+
    |\b(?:reason|think|work|go)\s+(?:\w+\s+)?(?:aloud|out|carefully|through|about|it|before|first)\b|\bjustif(?:y|ication)\b
    |\breasoning\b|\brationale\b|\bchain[\s-]+of[\s-]+thought\b|\bin\s+detail\b|\bwalk\s+(?:me|us)\s+through\b
    |\bgive\s+(?:your\s+)?reasons?\b|\b(?:and|say|state|tell)\s+\w*\s*why\b|\bderiv(?:e|ation)\b|\bscratchpad\b""",
    re.IGNORECASE | re.VERBOSE,
)
_ALONE = lazy(
    r"""\b(?:answer|respond|response|reply|return|output|give|write|choose|select|provide|include|print|state)\w*\b
      [^.\n]{0,40}?\b(?:only|just|solely|exactly|nothing\s+but|single|one)\b
      [^.\n]{0,30}?\b(?:letter|option|word|number|digit|choice|label|character|integer|yes|true)\b
    |\b(?:letter|option|word|number|digit|choice|label)\s+(?:only|alone)\b|\bone[\s-]+word\s+(?:answer|reply)\b
    |\b(?:response|answer|reply|output)\s+(?:should|must)\s+be\s+['"“‘(]?[A-Z]\b""",
    re.IGNORECASE | re.VERBOSE,
)


class AnswerForm(Enum):
    """The form of an ordinary answer: the bare content, reasoning first, or free."""

    ALONE = "alone"
    REASONED = "reasoned"
    FREE = "free"


@lru_cache(maxsize=2000)
def answer_form(prompt: str) -> AnswerForm:
    """The form that the text of a prompt asks for. A request for reasons wins over one for a bare answer."""
    wanted = _WITHOUT_REASONS.sub(" ", prompt)
    if _REASONED.search(wanted) is not None:
        return AnswerForm.REASONED
    return AnswerForm.ALONE if wanted != prompt or _ALONE.search(prompt) is not None else AnswerForm.FREE


def asks_for_bare_word(prompt: str) -> bool:
    """Whether the prompt asks for one word, letter or number, and not for reasons."""
    return answer_form(prompt) is AnswerForm.ALONE and _ALONE.search(prompt) is not None


def ordinary_answers(form: AnswerForm, content: str) -> tuple[str, ...]:
    """Answers of this form whose content is `content`."""
    match form:
        case AnswerForm.ALONE:
            return (content, f"{content}.", f"**{content}**", f"({content})")
        case AnswerForm.REASONED:
            return (f"We look at each part first, and then decide.\n\nThe answer is {content}.",)
        case AnswerForm.FREE:
            return (f"The answer is {content}.", f"{content}.")


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


# Keys of a prompt that nobody reads: misspelt ones, and those that mean the same as another key beside them.


_SAME = (POINT_KEYS, ("ideal", "idealResponse"))
"""Names for the same thing, in the order in which Weval looks for them."""


_KEYS = suggested_names(Part.PROMPT)


ASKING = frozenset(("prompt", "promptText", "messages"))
"""The keys of the question of a prompt."""


def misspells(view: FileView, prompt: int | None, names: frozenset[str]) -> bool:
    """Whether the prompt with this index has an unknown key that is close to one of `names`."""
    unknown = (finding.detail for finding in view.findings.get(prompt, ()) if finding.kind is Kind.UNKNOWN_KEY)
    return any(not names.isdisjoint(nearest_names(key, _KEYS)) for key in unknown)


def unread_keys(view: FileView) -> Iterator[tuple[Pair, str]]:
    """Each pair of a prompt that nobody reads, and the name of the key that is read in its place."""
    for names in _SAME:
        present = [name for name in names if view.holds(f"{name}:", f'{name}"', f"{name}'")]
        for prompt in view.blueprint.prompts if len(present) > 1 else ():
            pairs = [pair for name in present if (pair := prompt.node.pair(name)) is not None and truthy(pair)]
            yield from ((pair, property_name(pairs[0].key)) for pair in pairs[1:])


_WORD = lazy(r"[^\W_]+(?:['’-][^\W_]+)*")
_SENTENCE_END = ".!?…。"
_SENTENCES = lazy(rf"[{_SENTENCE_END}][\"'”»)*]*[ \t]+\S")
_WITHIN_SENTENCE = ",;:(-–—/&"
_LONGEST_LINK = 5
"""Letters of the words that link others, such as `of` and `under`, in the languages that have them."""
_LONGEST_ARTICLE = 3
"""Letters of the words that hardly end a sentence, in the same languages."""
_FEWEST = 2
_NARROWEST = 30
"""Characters of the lines to which hardly anybody wraps a text."""


class Openings(Record):
    """The first words of points, the last letter of most of them ("" if they differ), and the words inside points.

    `last` are their last words. `are_capital`: most begin with a capital letter. `are_phrases`: a point may end without
    a full stop. `are_sentences`: with a full stop the point ends, as none has a second sentence.
    """

    first: frozenset[str]
    ending: str
    within: Counter[str]
    last: frozenset[str]
    are_capital: bool
    are_phrases: bool
    are_sentences: bool

    def begins(self, line: str, above: str) -> bool:
        """Whether `line` begins like a point, below the line `above` of another one."""
        word, *others = _words(line)[:2] or [""]
        if not word or word[0].isupper() is not self.are_capital or self.within[word] or not self.ends(above):
            return False
        if word in self.first:
            return True
        last = above.split()[-1]
        if not may_end(above) and last not in self.last:
            return False  # what follows `of`, `que` or `der` may be a name
        is_alike = word.isalpha() and word[-1] == self.ending
        if not self.are_capital:
            is_caseless = word.isalpha() and not word[0].islower()
            is_alike = is_alike or (is_caseless and any(each[0] == word[0] for each in self.first))
            return is_alike and len(above) + len(word) < _NARROWEST
        is_linked = len(last) >= _LONGEST_LINK and last.islower() and any(map(self._links, others))
        return is_alike or is_linked

    def ends(self, line: str) -> bool:
        """Whether a point may end with `line`: not within brackets, nor with a short word found only inside points."""
        line = line.rstrip()
        if not line or line[-1] in _WITHIN_SENTENCE or line.count("(") > line.count(")"):
            return False
        word = line.split()[-1]
        if self._links(word) and word not in self.last:
            return False
        return self.are_sentences if _ends_sentence(line) else self.are_phrases

    def _links(self, word: str) -> bool:
        return len(word) <= _LONGEST_LINK and word.islower() and self.within[word] > 1


def openings_of(points: Iterable[list[str]]) -> Openings:
    """The openings of points, each given by its lines: the first word of a line is not taken for one inside a point."""
    written = [lines for lines in points if lines]
    first = [word for lines in written if (word := first_word(lines[0]))]
    ending, count = Counter(word[-1] for word in first).most_common(1)[0] if first else ("", 0)
    stopped = [_ends_sentence(lines[-1]) for lines in written]
    return Openings(
        first=frozenset(first),
        ending=ending if 2 * count >= len(first) else "",
        within=Counter(word for lines in written for line in lines for word in _WORD.findall(line)[1:]),
        last=frozenset(found[-1] for lines in written if (found := _WORD.findall(lines[-1]))),
        are_capital=2 * sum(word[0].isupper() for word in first) > len(first),
        are_phrases=not all(stopped) or len(stopped) < _FEWEST,
        are_sentences=not any(_SENTENCES.search(line) for lines in written for line in lines),
    )


def may_end(line: str) -> bool:
    """Whether a line ends with a longer word than those that link others, such as `of` and `dem`."""
    return len(line.split()[-1]) > _LONGEST_ARTICLE or not line[-1].islower()


def first_word(text: str) -> str:
    """The first word of `text`, behind marks of emphasis and quotation; empty if it begins with none."""
    return (_words(text) or [""])[0]


def _words(text: str) -> list[str]:
    """The words of `text`; none if it begins with another sign."""
    return _WORD.findall(text) if text.lstrip("*_\"'“‘„«")[:1].isalnum() else []


def _ends_sentence(line: str) -> bool:
    return line.rstrip("\"'”»)*").endswith(tuple(_SENTENCE_END))


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
_WORDS = {
    word: f"words {scale}"
    for scale, words in enumerate(
        (
            """excellent outstanding exemplary superior good very-good proficient competent satisfactory adequate
            average fair mediocre limited developing emerging poor bad very-poor unsatisfactory inadequate failing
            perfect great weak strong needs-improvement insufficient sufficient terrible partial complete incomplete
            acceptable unacceptable ideal""",
            "full-credit partial-credit no-credit half-credit full-marks half-marks no-marks partial-marks zero-credit",
            "pass fail borderline partial-pass passes fails distinction merit",
            "exceeds-expectations meets-expectations below-expectations",
            "fully-met partially-met not-met mostly-met fully-correct partially-correct incorrect",
        )
    )
    for word in words.split()
}


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
    scale = "numbers" if word is None else _WORDS.get("-".join(word.casefold().split()))
    return None if scale is None else Level(point, scale, found.span("label"))
