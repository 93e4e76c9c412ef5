"""The names of models at their providers, where they differ from what authors and documents write.

The documents' judges and their names (002, "Judge Configuration"; platform.md, A30):

| written | sent to | as |
| --- | --- | --- |
| `openrouter:qwen/qwen3-30b-a3b-instruct-2507` | OpenRouter | as written |
| `openrouter:openai/gpt-oss-120b` | OpenRouter | as written |
| `anthropic:claude-3.5-haiku`, the documented backup | Anthropic | `claude-3-5-haiku-20241022`, withdrawn in 2026 |
| `openrouter:google/gemini-2.5-flash` and the others of Weval today | OpenRouter, which writes dots | as written |
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from types import MappingProxyType

from engine.record import Record

_DOT_IN_NUMBER = re.compile(r"(?<=\d)\.(?=\d)")
_DATED: Mapping[str, str] = MappingProxyType(
    {
        "claude-3-haiku": "claude-3-haiku-20240307",
        "claude-3-sonnet": "claude-3-sonnet-20240229",
        "claude-3-opus": "claude-3-opus-20240229",
        "claude-3-5-haiku": "claude-3-5-haiku-20241022",
        "claude-3-5-sonnet": "claude-3-5-sonnet-20241022",
        "claude-3-7-sonnet": "claude-3-7-sonnet-20250219",
    }
)
"""Anthropic's third generation has no names without a date."""


class Withdrawn(Record):
    """A model that its provider has not served since `since`."""

    provider: str
    name: str
    since: date

    @property
    def sentence(self) -> str:
        """The fact as a sentence for authors, without a full stop."""
        day = f"{self.since.day} {self.since:%B %Y}"
        return f"{self.provider} withdrew {self.name} on {day}"


_WITHDRAWN = {
    name: Withdrawn("Anthropic", name, date(2026, 2, 19))
    for name in ("claude-3-5-haiku-20241022", "claude-3-5-haiku-latest", "claude-3-7-sonnet-20250219")
}
"""By Anthropic's notice of 21 January 2026."""


def anthropic_name(name: str) -> str:
    """The name that Anthropic's API takes: with hyphens where documents write dots, and with a date if required."""
    if not name.startswith("claude-"):
        return name
    hyphened = _DOT_IN_NUMBER.sub("-", name)
    return _DATED.get(hyphened, hyphened)


def withdrawn(recipient: str, name: str) -> Withdrawn | None:
    """The withdrawal of the model `name` by `recipient`, a host; None if none is known."""
    return _WITHDRAWN.get(name) if recipient == "api.anthropic.com" else None
