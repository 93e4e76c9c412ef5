"""Where the words of a text are after edits."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final, final

from engine.line_differences import changed_lines
from engine.patterns import lazy
from engine.text import Span
from engine.yaml_nodes.rows import WORD, is_in_comment, line_at, lines_of, words_of

_MAY_GO: Final = frozenset(["text", "point", "i", "gi", "ig", "x"])
"""Words that a safe fix may remove: keys of a point that YAML needs no more, flags of a pattern, the mark in a box."""
_NAME_END: Final = lazy(r"[\"']?[ \t]*[:：]")
_VALUES: Final = frozenset(["true", "false"])
_FOREIGN_COMMENT: Final = lazy(r"[ \t]*(?:#|//|<!--|/\*|```|~~~)|\w")
"""A line that is meant as a comment, or is prose outside every prompt."""
_ALIKE: Final = 0.5
_LONGEST: Final = 2_000
"""How many words that differ are compared one by one."""


@final
class CarriedWords:
    """Where words are after edits: `words` by their places before, `origins` the other way.

    `gone` are the words that are lost, or that become a comment within a prompt.
    """

    def __init__(self, before: str, after: str) -> None:
        self.words: dict[int, int] = {}
        self.gone: list[int] = []
        self._before, self._after = before, after
        self._new = list(lines_of(after))
        self._changed: set[int] = set()
        """The lines after the edits that were not there before, or follow others."""
        lines = list(lines_of(before))
        old, new = [line.of(before) for line in lines], [line.of(after) for line in self._new]
        rest = next((at for at, pair in enumerate(zip(old[::-1], new[::-1], strict=False)) if pair[0] != pair[1]), 0)
        at, new_at = 0, 0
        for change in (*changed_lines(old[: len(old) - rest], new[: len(new) - rest]), None):
            end = len(old) if change is None else change.low
            for line, other in zip(lines[at:end], self._new[new_at:], strict=False):
                by = other.start - line.start
                self.words.update(
                    (word.start(), word.start() + by) for word in WORD.finditer(before, line.start, line.end)
                )
            if change is not None:
                at, new_at = change.high, change.new_high
                self._changed.update(range(change.new_low, max(new_at, change.new_low + 1)))
                self._align(lines[change.low : at], self._new[change.new_low : new_at])
        self.origins = {new: old for old, new in self.words.items()}

    def is_same(self, span: Span) -> bool:
        """Whether the lines of `span`, in the text after the edits, are as before."""
        ends = (span.start, max(span.end - 1, span.start))
        first, last = (bisect_right(self._new, Span(at, len(self._after))) for at in ends)
        return self._changed.isdisjoint(range(first - 1, last))

    def _align(self, old: Sequence[Span], new: Sequence[Span]) -> None:
        """Carry the words of lines that were changed."""
        before, after = words_of(self._before, old), words_of(self._after, new)
        if len(before) + len(after) > _LONGEST:
            self.gone += [word.start() for word in before[:1]]
            return
        names = ([word[0].casefold() for word in words] for words in (before, after))
        for _, low, high, new_low, new_high in SequenceMatcher(None, *names, autojunk=False).get_opcodes():
            last = after[new_high - 1][0].casefold() if new_high > new_low else ""
            for word, at in zip(before[low:high], range(new_low, new_low + high - low), strict=True):
                other = after[at] if at < new_high else None
                if other is not None and self._is_alike(word, other[0]):
                    self.words[word.start()] = other.start()
                    is_kept = not is_in_comment(self._after, other.start()) or self._may_be_comment(word)
                elif word[0].casefold() in last:
                    is_kept = True
                    if at == new_low:
                        self.words[word.start()] = after[new_high - 1].start()
                else:
                    is_kept = word[0] in _MAY_GO or self._is_sign(word)
                if not is_kept:
                    self.gone.append(word.start())

    def _is_sign(self, word: re.Match[str]) -> bool:
        """Whether a word is an escape, or in a comment."""
        return self._before[max(word.start() - 1, 0)] == "\\" or is_in_comment(self._before, word.start())

    def _is_alike(self, word: re.Match[str], other: str) -> bool:
        """Whether `other` may stand for `word`: it is a name, or much like it."""
        if self._before[max(word.start() - 1, 0)] == "$" or _NAME_END.match(self._before, word.end()):
            return True
        return other in _VALUES or SequenceMatcher(None, word[0].casefold(), other.casefold()).ratio() >= _ALIKE

    def _may_be_comment(self, word: re.Match[str]) -> bool:
        start = line_at(self._before, word.start()).start
        return is_in_comment(self._before, word.start()) or _FOREIGN_COMMENT.match(self._before, start) is not None
