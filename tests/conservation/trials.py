"""One trial: a blueprint, its spoiled text, what `check` says of it, and what `--fix` leaves of the author's words.

The judge reads both texts with the parser alone and knows nothing of rules, fixes or rows: criteria are told apart by
their words. It is held against the law of conservation: nothing that was written is lost, joined or altered.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from random import Random

from engine.blueprint import Absent, Path
from engine.parsing import parse
from engine.rules import check
from engine.rules.fixes import FixTrial, apply_fixes, fix_text, safe_fix
from engine.text.diagnostics import Diagnostic, Severity
from engine.yaml.nodes import Data
from tests.conservation.spoils import SPOILS, Lines

Words = tuple[str, ...]
_WORD = re.compile(r"\w+")
_KEY = re.compile(r"^[\s\-]*[a-z_]+ ?[:：]")
_QUOTED = re.compile(r"^( *)-[ \xa0]+(\"[^\"]*\"|'[^']*'|[|>](?:\n\1[ ].*)+)$", re.MULTILINE)
"""An item in quotation marks or a block text, on several lines too."""
_HEAD = re.compile(r"^ *(?:- )+([^:\n]+): ", re.MULTILINE)
"""What an author's colon cuts off, which is reported as such."""
_IN_PATH = re.compile(r" *(?:- +){2}")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\[nt]")
_WEIGHT = re.compile(r"[ ,;(]*weight: *[\d.]+\)?$")
"""A weight behind the text of a point, to which a safe fix gives its own line."""
_ADDED = frozenset(["so", "x", "text", "li", "must", "sic"])
_NEVER = frozenset([("true",), ("null",), ("or",)])
"""What never becomes a criterion by a safe fix."""
_MAY_GO = frozenset(["text", "shuold", "shuold_not", "a", "b", "c"])
"""What a safe fix may take out of a text: a needless `text:`, a misspelt key for the one that it means, and the letter
that numbers a line, as digits do: `a) Names …`."""
_NO_TEXTS = frozenset(["true", "null"])
"""What is no criterion as long as no quotation marks stand around it."""
_TRIES = 60
_AROUND = 4
_MOST_MOVED = 4
"""Columns by which fixes move lines."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One criterion as it counts: its prompt, block and path, its words, its weight and the words of its citation.

    `source` is what is written, from the start of its first line on.
    """

    prompt: str
    block: str
    path: int | None
    words: Words
    weight: float
    citation: Words
    source: str


@dataclass(frozen=True, slots=True)
class Sound:
    """What is usual of a text without slips: its reports, its points, and its criteria after `--fix`."""

    usual: Counter[str]
    meant: Sequence[Kept]
    fixed: Sequence[Kept]


@dataclass(slots=True)
class Outcome:
    """What became of one text, with `how` it was spoiled.

    `faults` are losses after `--fix`; `silent` is what `check` did not report.
    """

    how: tuple[str, ...]
    meant: str
    spoiled: str
    after: str
    is_clean: bool
    faults: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)

    @property
    def became(self) -> str:
        """What became of it, in words."""
        return "free of problems after --fix" if self.is_clean else "with problems left"

    def shown(self) -> Iterator[str]:
        """What the slips changed, and then the fixes."""
        for name, old, new in (("slips", self.meant, self.spoiled), ("--fix", self.spoiled, self.after)):
            yield from unified_diff(old.splitlines(), new.splitlines(), name, name, n=_AROUND, lineterm="")


def spoiled(lines: Sequence[str], rng: Random, count: int, places: range | None = None) -> tuple[str, tuple[str, ...]]:
    """The text of `lines` with `count` slips at seeded places, and the names of the slips."""
    text, names = list(lines), list[str]()
    grown = 0
    for _ in range(_TRIES):
        if len(names) == count:
            break
        name = rng.choice(list(SPOILS))
        where = range(len(text)) if places is None else range(places.start, places.stop + grown)
        made = _made(text, name, where, rng)
        if made is not None:
            grown += len(made) - len(text)
            text = made
            names.append(name)
    return "\n".join(text) + "\n", tuple(names)


def _made(lines: Lines, name: str, where: range, rng: Random) -> Lines | None:
    for at in rng.sample(where, len(where)):
        made = SPOILS[name](lines, at, rng)
        if made is not None and made != lines:
            return made
    return None


def outcome(meant: str, text: str, how: tuple[str, ...]) -> Outcome:
    """Check and fix `text`, and hold what is left against `meant`, whose own problems are fixed first."""
    sound = _sound(meant)
    trial = FixTrial(text)
    problems = _loud(trial.diagnostics, sound.usual)
    fixed = apply_fixes(trial, safe_fix)
    is_clean = not _loud(fixed.remaining, sound.usual)
    found = Outcome(how, meant, text, fixed.text, is_clean)
    before = kept(text)
    dashed = _NEVER & {each.words for each in before}
    after = [each for each in kept(fixed.text) if each.words not in dashed]
    written = Counter(_without_signs(_words(line)) for line in text.splitlines())
    written.update(dict.fromkeys((_without_signs(row) for line in text.splitlines() for row in _rows(line)), 0))
    if not problems:
        found.silent += _differences(sound.meant, before, written, whole=True)
    if fixed.text == text:
        return found
    if not is_clean:
        after = [
            each for each in after if each.source.lstrip(" -") not in text
        ]  # else as it was, whatever is guessed of it
        rows = [each.words for each in before]
        rows += [_words(quoted[2]) for quoted in _QUOTED.finditer(text)]
        rows += [_words(head) for head in _HEAD.findall(text)]
        written.update(dict.fromkeys(map(_without_signs, rows), 0))
    silent = {f"entered a path: {' '.join(_words(line))}" for line in text.splitlines() if _IN_PATH.match(line)}
    silent.update(
        each for each in _differences(sound.fixed, before, written, whole=True) if not each.startswith("lost")
    )
    left = set(_left_as_written(text, after))
    for difference in _differences(sound.fixed, after, written, whole=is_clean):
        text_of_it, is_joined = difference.rpartition(": ")[2], difference.startswith("joined")
        is_left = difference in silent or any(text_of_it in one and (is_joined or text_of_it != one) for one in left)
        (found.silent if is_left else found.faults).append(difference)  # a fix keeps what is written
    lost = Counter(_words(text)) - Counter(_words(fixed.text))
    found.faults += [f"word lost from the text: {word}" for word in lost if not (word.isdigit() or word in _MAY_GO)]
    return found


def _left_as_written(text: str, now: Sequence[Kept]) -> Iterator[str]:
    """The words of points that stand in `text` as they are: a slip itself may have joined them, no fix did."""
    bare = f"\n{text}".replace("$", "")
    for each in now:
        if any(
            f"\n{_moved_right(each.source.replace('$', ''), by)}" in bare for by in range(-_MOST_MOVED, _MOST_MOVED + 1)
        ):
            yield " ".join(each.words)


def _moved_right(lines: str, by: int) -> str:
    return re.sub(r"^ +", lambda blanks: " " * max(len(blanks[0]) + by, 0), lines, flags=re.MULTILINE)


def _sound(text: str) -> Sound:
    found = check(parse(text))
    has_fixes = any(safe_fix(one) is not None for one in found)
    fixed = kept(fix_text(text, None).text) if has_fixes else None
    return Sound(Counter(one.slug for one in found), points := kept(text), points if fixed is None else fixed)


def _loud(problems: Sequence[Diagnostic], usual: Counter[str]) -> list[Diagnostic]:
    """The errors and warnings of a slug of which there are more than the text as it was meant has."""
    count = Counter(one.slug for one in problems)
    return [one for one in problems if one.severity is not Severity.HINT and count[one.slug] > usual[one.slug]]


def _rows(line: str) -> Iterator[Words]:
    """The words of a line, those after its key, and its key."""
    yield _words(line)
    yield _words(_KEY.sub("", line))
    yield _words(_WEIGHT.sub("", line))
    if (key := _KEY.match(line)) is not None:  # a key that is no key of a point
        yield _words(key[0])


def _differences(meant: Sequence[Kept], now: Sequence[Kept], written: Counter[Words], *, whole: bool) -> Iterator[str]:
    """What of `meant` is not in `now` (only where `whole`), and what is in `now` that nobody wrote in one row.

    `written` are the rows of the text, each with the number of lines that are it alone.
    """
    known = {_without_signs(each.words) for each in meant}
    places = {(each.prompt, _without_signs(each.words)) for each in meant}
    for each in now:
        if whole and each.words in _NEVER:
            yield f"became a criterion: {each.words[0]}"
        elif _without_signs(each.words) not in known and _without_signs(each.words) not in written:
            yield f"joined or altered: {' '.join(each.words)}"
    if not whole:
        return
    left = list(now)
    for each in meant:
        alike = [one for one in left if _without_signs(one.words) == _without_signs(each.words)]
        more = [one for one in left if _without_signs(one.words) in written and _holds(one, each)]  # a slip wrote more
        near = [one for one in (*alike, *more) if one.prompt == each.prompt]
        far = [one for one in (*alike, *more) if (one.prompt, _without_signs(one.words)) not in places]
        other = next(iter((*near, *far)), None)
        if other is not None:
            left.remove(other)
            yield from _moved(each, other, written)
        elif _ends_alike(each, written) >= _ends_alike(each, Counter(_without_signs(one.words) for one in meant)):
            # else the slip itself wrote over its words
            yield f"lost: {' '.join(each.words)}"
    order, before = (
        dict.fromkeys((one.prompt, _without_signs(one.words)) for one in points) for points in (now, meant)
    )
    if [each for each in order if each in before] != [each for each in before if each in order]:
        yield "order changed"


def _ends_alike(point: Kept, rows: Counter[Words]) -> int:
    """How many of `rows` end as a point does."""
    end = _without_signs(point.words)[-2:]
    return sum(count for row, count in rows.items() if row[-2:] == end)


def _holds(one: Kept, other: Kept) -> bool:
    return f" {' '.join(other.words)} " in f" {' '.join(one.words)} "


def _moved(meant: Kept, now: Kept, written: Collection[Words]) -> Iterator[str]:
    text = " ".join(meant.words)
    is_unnamed = now.prompt.startswith("hash-") and _without_signs(_words(f"id {meant.prompt}")) not in written
    if now.block != meant.block or (now.prompt != meant.prompt and not is_unnamed):  # a slip took the id away
        yield f"moved from {meant.prompt} {meant.block} to {now.prompt} {now.block}: {text}"
    elif (now.path is None) != (meant.path is None):
        yield f"{'left' if now.path is None else 'entered'} a path: {text}"
    if now.weight != meant.weight and all(row[-1:] != ("weight",) for row in written):  # no slip wrote `weight: 2`
        yield f"weight {meant.weight} became {now.weight}: {text}"
    if meant.citation and now.citation != meant.citation:
        yield f"citation lost: {text}"


def _without_signs(words: Words) -> Words:
    """The words without what a slip adds to a line: numbers of one or two digits, and `_ADDED`."""
    return tuple(word for word in words if not (word.isdigit() and len(word) < 3) and word not in _ADDED)


def kept(text: str) -> list[Kept]:
    """All points of `text` as they count."""
    found: list[Kept] = []
    for prompt in parse(text).blueprint.prompts:
        for rubric in prompt.rubrics:
            for entry in rubric.entries:
                path = entry.index if isinstance(entry, Path) else None
                for point in entry.points if isinstance(entry, Path) else (entry,):
                    if point.subject_span.of(text) in _NO_TEXTS:
                        continue
                    words = (
                        _words(point.text)
                        if point.function is None
                        else _call(point.function.name, point.function.args)
                    )
                    citation = _words(point.citation or "")
                    written = text[text.rfind("\n", 0, point.span.start) + 1 : point.span.end]
                    found.append(Kept(prompt.id, rubric.block.value, path, words, point.multiplier, citation, written))
    return found


def _call(name: str, args: object) -> Words:
    return (*_words(name), *_of_data(args))


def _of_data(args: Data | object) -> Words:
    match args:
        case [*items]:
            return tuple(word for item in items for word in _of_data(item))
        case None | Absent():
            return ()
        case _:
            return _words(str(args))


def _words(text: str | None) -> Words:
    return tuple(word.lower() for word in _WORD.findall(_ESCAPE.sub(_unescaped, text or "")))


def _unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else " "
