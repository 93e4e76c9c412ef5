"""Keys that tell whether a prompt changed between two checks of a file."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.blueprint import Prompt
from engine.patterns import lazy
from engine.record import replace
from engine.rules.check_memory import PromptKey

if TYPE_CHECKING:
    from engine.parsing import Parsed
    from engine.parsing.findings import Finding

_ALIAS = lazy(r"(?:^|[\s\[{,])\*[^\s*]|<<")


def prompt_key(
    parsed: Parsed, prompt: Prompt, findings: Iterable[Finding], definitions: str, newline: str
) -> PromptKey:
    """The text of `prompt`, the parser's findings in it, the text that it refers to, and the line break for fixes.

    `findings` are those of the prompt, `definitions` the result of `definitions_of`, `newline` that of `newline_of`.
    """
    start = prompt.span.start
    is_cut_off = prompt.index in parsed.broken.prompts
    # what is read of a broken prompt depends on all that follows it, too
    source = parsed.text[start : _start_of_next(parsed, prompt)] if is_cut_off else prompt.span.of(parsed.text)
    facts = tuple(replace(fact, span=fact.span.shifted(-start), node=None, prompt=None) for fact in findings)
    has_alias = ("*" in source or "<<" in source) and _ALIAS.search(source) is not None
    referred = parsed.text if has_alias else ""
    return (source, facts, is_cut_off, definitions if "$ref" in source else "", referred, newline)


def _start_of_next(parsed: Parsed, prompt: Prompt) -> int:
    """Where the prompt after `prompt` begins, or the end of the text."""
    prompts = parsed.blueprint.prompts
    at = bisect_right(prompts, prompt.index, key=lambda each: each.index)
    return prompts[at].span.start if at < len(prompts) else len(parsed.text)


def definitions_of(parsed: Parsed) -> str:
    """The header's source if it defines points that prompts may refer to, else an empty string."""
    fields = parsed.blueprint.header.fields
    return parsed.blueprint.header.span.of(parsed.text) if "point_defs" in fields or "defs" in fields else ""
