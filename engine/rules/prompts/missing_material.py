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
from collections.abc import Iterator
from functools import lru_cache

from engine.blueprint import Prompt
from engine.parsing.fields import member
from engine.rules.rule import Report, file_rule
from engine.rules.source.prompt_texts import EXPECTED
from engine.rules.views import FileView
from engine.text.diagnostics import Severity
from engine.text.patterns import lazy
from engine.yaml.layout import place_of

_DOCUMENT = (
    r"(?:pdf|file|report|document|article|letter|e-?mail|contract|table|text|transcript|spreadsheet|essay|paper|invoice"
    r"|policy|agreement|r[eé]sum[eé]|cv|sentence|paragraph|passage|poem|review|speech|message|dialogue|conversation)s?"
)
_PICTURE = (
    r"(?:image|picture|photo|photograph|screenshot|diagram|chart|graph|map|figure|drawing|video|audio|recording)s?"
)
_MISSING = lazy(
    rf"""\b(?:read|summari[sz]e|review|analy[sz]e|translate|proofread|check|us(?:e|ing)|see|does|at|in|from|on|to|of)\s+
      (?:the|this|these|my|our)\s+(?:attached|enclosed|uploaded)\s+(?:\w+\s+)?(?:{_DOCUMENT}|{_PICTURE})\b
    |\b(?:the|this|these)\s+(?:\w+\s+)?{_PICTURE}\s+(?:above|below|attached)\b
      (?=\s*(?:[.,?!:;]|\Z)|\s+(?:and|what|which|is|stand|shows?|depicts?|means?|says?|tells?)\b)
    |(?:\A|[.!?]\s+|\bplease\s+)look\s+at\s+(?:the|this|these)\s+(?:\w+\s+)?{_PICTURE}(?=\s*(?:[.,?!:;]|\Z)|\s+and\b)
    |\b(?:shown|depicted)\s+in\s+(?:the|this)\s+{_PICTURE}(?:\s+(?:above|below))?(?=\s*(?:[.?!]|\Z|stand\b))
    |(?:^|[.!?]\s)(?:The\s|\w+\s)?(?:data|samples?|examples?|{_DOCUMENT}|{_PICTURE})\s(?:samples?\s)?(?:is|are)
      \s(?:provided|attached|enclosed)(?=\s*(?:[.!]|\Z))
    |\A[^.?!:]*\b(?:the\s+following|this|these|here\s+(?:is|are)\s+(?:the|my|our|an?))\s+(?:\w+\s+)?{_DOCUMENT}\b[^.?!:]{{0,60}}:\s*\Z
    |\A[^.?!:]*\b(?:(?:the|this)\s+following\s+(?:\w+\s+)?{_DOCUMENT}|the\s+(?:\w+\s+)?{_DOCUMENT}\s+(?:above|below))
      (?:(?:,|\s(?:in|into|to|for|with|by|using|as|from|and)\b)(?:(?!\s(?:after|before)\s)[^.?!:]){{0,80}})?[.?!]?\s*\Z""",
    re.IGNORECASE | re.VERBOSE,
)
_SIGNS = ("ttached", "nclosed", "ploaded", "above", "below", " in the", " in this", "provided", "following", "ook at")
_ABOUT_FILES = lazy(
    r"\b(?:open|send|attach|upload|download|outlook|gmail|virus|malware|scam|phishing|print)\b|[\"“”«„`]|\s['‘]"
    r"|\b(?:write|draft|compose)\b.*\b(?:mail|letter|message|note|reply)\b",
    re.IGNORECASE,
)
_LONGEST = 400
"""Characters of a prompt that is a request alone."""
_SHORT_SYSTEM = 150


@file_rule(
    "S082",
    Severity.WARNING,
    why="A model asks for it, or invents it: either way the answer is about something else than was meant.",
)
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


@lru_cache(maxsize=20_000)
def _what_is_missing(text: str) -> str | None:
    """The words for material that a short request does not hold; None if it names none, or has lines of its own."""
    text = text.rstrip()
    if len(text) > _LONGEST or "\n" in text or not (text.endswith(":") or any(sign in text for sign in _SIGNS)):
        return None
    found = _MISSING.search(text)
    return None if found is None or _ABOUT_FILES.search(text) else found[0].strip(" .!?")


def _is_meant(view: FileView, prompt: Prompt) -> bool:
    """Whether the material is elsewhere, or the rubric expects that it is missing."""
    system = prompt.system if isinstance(prompt.system, str) else ""
    context = member(prompt.node, "context")
    texts = [prompt.ideal or "", *(point.text or "" for point in prompt.points())]
    return len(system) > _SHORT_SYSTEM or context is not None or any(map(EXPECTED.search, texts))
