"""What stands around a placeholder: code, or a description of the form of the answer."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.patterns import lazy
from engine.text import Span

_FORMAT = lazy(
    r"""\bformat\b(?!\s+(?:the|this|these|it|my|a)\b)|\b(?:schema|syntax|layout)\b|\bas\s+follows\b|\blike\s+this\b
    |\b(?:in|following|this|of)\s+(?:exactly\s+)?(?:the\s+|this\s+)?(?:following\s+|exact\s+)?(?:form|structure|pattern)\b
    |\b(?:where|let|replac\w+|substitut\w+)\b[^.\n]{0,40}$
    |\b(?:answer|reply|respond|start|begin|end|sign|label|mark|tag|fill|replace|write|format)\w*\b[^.\n]{0,30}\b(?:with|as|using)\s*
      (?:only|just|exactly)?\s*[:"'“‘(*]*\s*$
    |\b(?:with|as|using)\s*[:"'“‘(*]+\s*$
    |\b(?:(?<!do\sI\s)say|says|write|output|return|print)\s*(?:only|just|exactly)?\s*[:"'“‘(*]*\s*$
    |\b(?:answer|verdict|rating|score|choice|result|confidence|reasoning|explanation|label|prediction)\s*\**:\s*[*"'(]*$
    |^\W*output\W*:?\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
"""What comes before a placeholder that describes the form of the answer."""
REACH = 120
"""Characters before a placeholder in which the form of the answer, or an address, is looked for."""
_CODE_LINE = lazy(
    r"""\bf["']|\bprint\(|console\.log|=>|;\s*$|^\s*(?:def|class)\s+\w+\s*[(:]|\b(?:const|let|var)\s+\w+\s*=
    |</(?:div|span|p|li|ul|h\d|td|a|button|body|html)>|\\[a-zA-Z]+\{|^\s*(?://|\#\s)""",
    re.VERBOSE,
)
_TOKEN = lazy(r"\{[^{}\n]+\}|<[^<>\n]+>|\[[^\[\]\n]+\]")


def describes_answer(text: str, at: int) -> bool:
    """Whether the text before `at` describes the form of the answer, on its line or above lines of placeholders."""
    start = line_around(text, at).start
    if _FORMAT.search(text[max(start, at - REACH) : at]) is not None:
        return True
    above = text[:start].split("\n")[:-1]
    while above and (not above[-1].strip() or _TOKEN.search(above[-1]) is not None):
        is_gap = not above.pop().strip()
        if is_gap and above and not above[-1].rstrip().endswith(":"):
            return False
    return bool(above) and _FORMAT.search(above[-1]) is not None


def is_code(text: str, span: Span) -> bool:
    """Whether `span` is in a block of code, between backticks, or on a line of a program."""
    if text.count("```", 0, span.start) % 2:
        return True
    line = line_around(text, span.start)
    return text.count("`", line.start, span.start) % 2 == 1 or _is_code_line(line.of(text))


@lru_cache(maxsize=50)
def _is_code_line(line: str) -> bool:
    """Whether a line is one of a program: asked once for all that is on it."""
    return _CODE_LINE.search(line) is not None


def line_around(text: str, at: int) -> Span:
    """The line that holds `at`, without its line break."""
    end = text.find("\n", at)
    return Span(text.rfind("\n", 0, at) + 1, end if end >= 0 else len(text))
