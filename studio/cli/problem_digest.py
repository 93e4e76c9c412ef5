"""What a baseline knows a problem by: a digest of the underlined text and its surroundings, without its place."""

from __future__ import annotations

from engine.parsing import Parsed
from engine.text.diagnostics import Diagnostic
from engine.text.record import short_digest
from engine.yaml.layout import line_end, line_start

_LONGEST = 200
"""Characters of the underlined text that count. It may be a whole block."""
_LONGEST_LINE = 400
_BESIDE = 40
"""Characters on either side that count in a longer line: JSON may stand in a single one."""


def problem_digest(parsed: Parsed, diagnostic: Diagnostic) -> str:
    """The digest of a problem in `parsed`, 16 hexadecimal digits.

    It covers the first line of the underlined text, the line around it, and the id of its prompt. Blanks count as one.
    So it stays when text is inserted or indented elsewhere, and differs for the same slip in another prompt.
    """
    text, start, end = parsed.text, diagnostic.span.start, diagnostic.span.end
    first, last = line_start(text, start), line_end(text, start)
    if last - first > _LONGEST_LINE:
        first, last = max(first, start - _BESIDE), min(last, end + _BESIDE)
    prompt = next((each.id for each in parsed.blueprint.prompts if each.span.start <= start <= each.span.end), "")
    underlined = text[start : min(end, last, start + _LONGEST)]
    parts = (prompt, text[first:last], underlined)
    content = "\0".join(" ".join(part.split()) for part in parts)
    return short_digest(content)
