"""Removing think blocks, such as `<think>…</think>`, from a judge's reply.

A block may contain other blocks and any tags: nothing in it is a verdict. A block without an end tag continues to the
end of the reply; an end tag without a start closes a block from the beginning, as some servers put the start tag into
the prompt. Within a reflection such tags are quotations: the judged answer may have a think block of its own.
"""

from __future__ import annotations

import re

_TAGS = r"think|thinking|thoughts?|reasoning|seed:think"
_MARK = re.compile(rf"<\s*(?P<end>/?)\s*(?:(?P<thought>{_TAGS})|reflection)(?:\s[^<>]{{0,80}})?\s*>", re.I)
_TOKENS = (
    (re.compile(r"\[THINK\]|◁think▷|<\|begin_of_thought\|>", re.I), "<think>"),
    (re.compile(r"\[/THINK\]|◁/think▷|<\|end_of_thought\|>", re.I), "</think>"),
)
_CHANNEL = "<|message|>"
"""The token of some models between their thoughts and their answer."""
_REFLECTION_ENDS = re.compile(r"<\s*/\s*reflection", re.I)
_NAMES_A_CLASS = re.compile(r"CLASS_|<\s*(?:classification|coverage_extent)|\b(?:classification|verdict)\W*:", re.I)


def without_thoughts(reply: str) -> str:
    """The reply without think blocks. Each block leaves a blank."""
    text = reply.rpartition(_CHANNEL)[2]
    for token, tag in _TOKENS:
        text = token.sub(tag, text)
    parts: list[str] = []
    place = depth = 0
    in_reflection = False
    last_reflection_end = max((match.start() for match in _REFLECTION_ENDS.finditer(text)), default=-1)
    last_class = max((match.start() for match in _NAMES_A_CLASS.finditer(text)), default=-1)
    for mark in _MARK.finditer(text):
        is_thought, ends = mark["thought"] is not None, bool(mark["end"])
        if depth:
            depth += 0 if not is_thought else -1 if ends else 1
            place = mark.end()
        elif in_reflection:
            in_reflection = is_thought or not ends
        elif not is_thought:
            in_reflection = not ends and last_reflection_end > mark.start()
        elif not ends:
            parts += [text[place : mark.start()], " "]
            depth, place = 1, mark.end()
        elif last_class > mark.start():  # a block from before the reply; an end tag after the verdict does not count
            parts, place = [" "], mark.end()
    return "".join(parts) + ("" if depth else text[place:])
