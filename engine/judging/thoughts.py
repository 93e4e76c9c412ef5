"""What a judge thinks aloud before its verdict, taken out of its reply: `<think>…</think>` and the like.

A block may hold others, and any tags: nothing in it is a verdict. One that never ends goes on to the end of the reply;
an end without a beginning closes one from the start, as some servers put the first tag into the prompt. Within a
reflection such tags are quotes: an answer that is judged may have a think block of its own.
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
"""What some models write before their answer, after what they thought."""
_REFLECTION_ENDS = re.compile(r"<\s*/\s*reflection", re.I)
_NAMES_A_CLASS = re.compile(r"CLASS_|<\s*(?:classification|coverage_extent)|\b(?:classification|verdict)\W*:", re.I)


def without_thoughts(reply: str) -> str:
    """The reply without what was thought aloud. Each block leaves a blank."""
    text = reply.rpartition(_CHANNEL)[2]
    for token, tag in _TOKENS:
        text = token.sub(tag, text)
    kept: list[str] = []
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
            kept += [text[place : mark.start()], " "]
            depth, place = 1, mark.end()
        elif last_class > mark.start():  # begun before the reply; an end behind the verdict is none
            kept, place = [" "], mark.end()
    return "".join(kept) + ("" if depth else text[place:])
