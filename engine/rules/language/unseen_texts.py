"""References to texts that no judge sees and that go by everyday names: “the teacher's solution”, “see ideal”.

What they mean hangs on the prompt: “the sample” is the prompt's ideal if it has one, and something else if not.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from engine.patterns import lazy
from engine.record import Record
from engine.rules.language.words import is_english, words_of

_PEOPLE = (
    r"(?:examiner|expert|author|teacher|annotator|instructor|professor|grader|tutor|marker|specialist|clinician|human)"
)
_TEXT = (
    r"(?:answer|response|solution|output|reply|version|text|summary|translation|conclusion|verdict|wording|draft|essay"
    r"|explanation|examples?|structure)"
)
_OF_IDEAL = lazy(
    rf"""(?<![\w-])(?P<words>
      (?:the\s+|an?\s+|our\s+)?(?:{_PEOPLE}(?:['’]s|s['’]|[-\s](?:written|made|provided|given))\s+(?:own\s+)?{_TEXT})
      |(?:our|my)\s+(?:own\s+)?(?:answer|solution|response|version|example)s?
      |(?:the\s+)?(?:above|stored|sample|example|target|human-written|exemplar|model)\s+{_TEXT}
      |what\s+(?:the\s+author|i|we)\s+(?:wrote|put|gave|said|noted)\b[^.;)]{{0,20}}
      |(?:the\s+)?[`'"“]?ideal[`'"”]?(?=\W*$|\s*[).,;]|\s+(?:as|or|above|below|in|is|are|does|has|names|says|gives|covers)\b)
      |the\s+(?:sample|reference|label|exemplar|example|above|key|expert|text\s+under\s+[`'"]?ideal[`'"]?)(?=\W*$|\s*[),;])
    )(?![\w-])""",
    re.IGNORECASE | re.VERBOSE,
)
_HELD_AGAINST = lazy(
    r"""\b(?:as\s+\w+\s+as|(?:better|worse|longer|shorter|more|less|fewer|other)\s+(?:\w+\s+)?than|equivalent|identical|equals?
      |same|match\w*|consistent|similar\w*|agree\w*|align\w*|correspond\w*|mirror\w*|close|closely|gist|arriv\w+|reach\w*
      |compar\w+|see|cf|like|as\s+in|per|according|follow\w*|reproduc\w+|repeat\w*|paraphras\w+|cover\w*|contain\w*
      |includ\w+|everything|anything|elements?|facts?|points?|listed|stated|given|formatted|depart\w*|deviat\w+|differ\w*
      |beyond|as\s+good\s+as|translation\s+is|in\s+line|conclusion\s+of|structure\s+of|uses|all\s+(?:of|that|the))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_CONTENT = lazy(
    r"\W*(?:explains?|describes?|mentions?|states?|notes?|summari[sz]es?|defines?|discuss(?:es)?|says?\s+(?:that|why|how))\b",
    re.IGNORECASE,
)
_EARLIER = lazy(
    r"""\b(?P<words>(?:the\s+|its\s+)?(?:previous|earlier|last|prior|older?|baseline)\s+(?:version|answer|response|output|draft|run|model)
        (?:\s+of\s+the\s+(?:answer|response|model|assistant))?
      |(?:the\s+)?(?:answers?|responses?|outputs?)\s+of\s+(?:the\s+other|another|other)\s+models?
      |(?:the\s+other\s+model['’]s|another\s+model['’]s|gpt-?\d[\w.-]*(?:['’]s)?|claude['’]s|gemini['’]s)\s+(?:answer|response|output|version))""",
    re.IGNORECASE | re.VERBOSE,
)
_MEASURED = lazy(
    r"\b(?:as\s+\w+\s+as|than|improv\w+|compar\w+|same|better|worse|equal\w*|match\w*|similar|beats?|outperform\w*)\b",
    re.IGNORECASE,
)
_MATERIAL = (
    r"(?:guidelines?|documents?|files?|guide|source|report|article|paper|pdf|table|image|transcript|text|material|data)"
)
_ATTACHED = lazy(
    rf"""\b(?P<words>(?:the\s+)?(?:attached|enclosed|supplied|uploaded|linked|accompanying)\s+(?:\w+\s+){{0,2}}?(?P<kind>{_MATERIAL})
      |the\s+(?P<kind2>{_MATERIAL})\s+(?:that|which)\s+(?:was|is|has\s+been|we|i)\s+(?:attached|enclosed|supplied|uploaded|linked)
      |the\s+(?P<kind3>(?:marking|scoring|grading|marker['’]s)\s+(?:guide|sheet|rubric|notes)))\b""",
    re.IGNORECASE | re.VERBOSE,
)


_OTHER_POINT = lazy(
    r"\W*(?P<words>(?:same|as|see|like)\s+(?:as\s+)?(?:(?:the\s+)?(?:above|before)|(?:in\s+|for\s+)?(?:the\s+)?(?:previous|last|first)"
    r"\s+(?:prompt|question|point|criterion|item|task)|(?:prompt|question|point|criterion)\s+\d+)|ditto)\W*$",
    re.IGNORECASE,
)
"""All of a criterion that refers to another one."""


class Meant(Enum):
    """What a reference stands for, and so what shows that a judge does not see it."""

    OTHER_POINT = "another point or prompt of the blueprint"
    IDEAL = "the prompt's ideal"
    EARLIER_ANSWER = "an answer of another run or model"
    ATTACHMENT = "a document beside the prompt"


class UnseenText(Record):
    """A reference in `text[start:end]`; `kind` is the word with which a conversation would show what is meant."""

    start: int
    end: int
    meant: Meant
    kind: str


@lru_cache(maxsize=4_000)
def unseen_text(text: str) -> UnseenText | None:
    """The first reference of an English criterion to a text that is not said to be in the conversation."""
    text = text[:600]
    other = _OTHER_POINT.match(text)
    if other is not None:
        return UnseenText(*other.span("words"), Meant.OTHER_POINT, "")
    found = next((each for each in (_attached(text), _earlier(text), _of_ideal(text)) if each is not None), None)
    return found if found is not None and is_english(words_of(text)) else None


def _of_ideal(text: str) -> UnseenText | None:
    if _CONTENT.match(text) is not None:
        return None
    for found in _OF_IDEAL.finditer(text):
        if _HELD_AGAINST.search(text[: found.start()]) is not None or found["words"].lower().startswith("what"):
            return UnseenText(*_trimmed(text, *found.span("words")), Meant.IDEAL, found["words"].split()[-1].lower())
    return None


def _earlier(text: str) -> UnseenText | None:
    found = _EARLIER.search(text)
    if found is None or _MEASURED.search(text[: found.start()]) is None:
        return None
    return UnseenText(*found.span("words"), Meant.EARLIER_ANSWER, found["words"].split()[-1].lower())


def _attached(text: str) -> UnseenText | None:
    found = _ATTACHED.search(text)
    if found is None or _CONTENT.match(text) is not None:
        return None
    kind = next(found[group] for group in ("kind", "kind2", "kind3") if found[group] is not None)
    return UnseenText(*found.span("words"), Meant.ATTACHMENT, kind.lower().rstrip("s"))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The place without blanks around it."""
    words = text[start:end]
    return start + len(words) - len(words.lstrip()), end - len(words) + len(words.rstrip())
