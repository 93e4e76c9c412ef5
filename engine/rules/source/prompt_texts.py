"""The texts of a prompt, as rules search them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache

from engine.blueprint import Prompt, Role
from engine.parsing.demands import Kind
from engine.parsing.fields import member, truthy
from engine.parsing.keys import Part, suggested_names
from engine.parsing.normalised_form import POINT_KEYS
from engine.rules.rule import FileView
from engine.rules.words import nearest_names
from engine.text.patterns import lazy
from engine.text.spans import Span
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


_ASKING = frozenset(("prompt", "promptText", "messages"))


def misspells_question(view: FileView, prompt: int | None) -> bool:
    """Whether the prompt with this index, which asks nothing, has the key of its question misspelt."""
    return misspells(view, prompt, _ASKING)


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
