"""Pieces of seeded rubrics cut out, and pasted back from the clipboards of other programs where the cursor may be."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from tests.conservation.clipboards import Lines, as_keys, as_rows, copied, slip_of_keys, slip_of_rows
from tests.conservation.hands import Work, judged, laid_out, opened
from tests.conservation.rubrics import blueprint, criterion
from tests.pieces import pieces

_RUBRIC = re.compile(r"^ *(should|should_not):$")
_AWKWARD = pieces("awkward criteria")
_PROSE = pieces("lines of prose")


@dataclass(frozen=True, slots=True)
class Rubric:
    """One list of points: the line before its first item, and the lines of each item."""

    lines: Lines
    items: Sequence[range]
    margin: str
    is_path: bool

    def written(self, item: range) -> Lines:
        """The lines of an item as if the list were at the left edge."""
        return [self.lines[at][len(self.margin) :] for at in item]


@dataclass(frozen=True, slots=True)
class Cut:
    """A text from which rows at `margin` are cut out before line `at`."""

    lines: Lines
    at: int
    margin: str


def pasted(rng: Random) -> Work:
    """One paste, judged."""
    while True:
        kind = rng.choice((_points, _points, _points, _keys, _prompts, _prose, _whole))
        made = kind(rng)
        if made is not None:
            break
    how, before, clipboard, meant = made
    at = before.index("¦")
    text = before.replace("¦", "")
    if rng.random() < 0.1:
        how, text = (*how, "file with CRLF"), text.replace("\n", "\r\n")
        at += before[:at].count("\n")
    editor = opened(text, at)
    editor.insert_pasted(clipboard, editor.document.newline_at(0))
    work = Work(how, before, clipboard, editor.text_out(), meant)
    editor.action_undo()
    if editor.text_out() != text:
        work.faults.append("one undo does not take it back")
    return judged(work)


Made = tuple[tuple[str, ...], str, str, tuple[str, ...]]


def _text(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"


# --- Points


def _points(rng: Random) -> Made | None:
    lines = _awkward(laid_out(rng)[0], rng)
    found = _rubrics(lines)
    rubric = rng.choice(found)
    start = rng.randrange(rubric.is_path, len(rubric.items))
    end = rng.randint(start + 1, len(rubric.items))
    first, after = rubric.items[start].start, rubric.items[end - 1].stop
    sign, form, rows = as_rows(rng, [rubric.written(item) for item in rubric.items[start:end]])
    slip, rows, headed = slip_of_rows(rng, rows, sign)
    meant = [_text(lines)]
    if headed:
        at = [*lines[:first], f"{rubric.margin}- {json.dumps(headed)}", *lines[first:]]
        meant.append(_text(at))
    cut = Cut([*lines[:first], *lines[after:]], first, rubric.margin)
    place, before = _placed(rng, cut, has_above=start > 0, is_path=rubric.is_path)
    clipboard = copied(rng, rows, slip)
    if place == "within the line above" and (headed or "\n" not in clipboard):
        return None  # words pasted within words are words
    return ("points", form, place, slip), before, clipboard, tuple(meant)


def _awkward(lines: Lines, rng: Random) -> Lines:
    """Some points in other words, that YAML reads otherwise without quotes."""
    made = list[str]()
    for at, line in enumerate(lines):
        found = re.match(r"^( +(?:- )+)[^$ ]+ (?!\S*:)", line)
        is_one = at + 1 == len(lines) or re.match(r" *(?:- |[a-z_]+:|$)", lines[at + 1])
        if (
            found
            and is_one
            and "text:" not in line
            and "user:" not in line
            and "id:" not in line
            and rng.random() < 0.4
        ):
            line = found[1] + json.dumps(rng.choice(_AWKWARD).format(rng.randint(1000, 9999)))
        made.append(line)
    return made


def _rubrics(lines: Lines) -> list[Rubric]:
    found: list[Rubric] = []
    for at, line in enumerate(lines):
        if not _RUBRIC.match(line):
            continue
        margin = lines[at + 1][: lines[at + 1].index("-")]
        end = at + 1
        while end < len(lines) and re.match(rf"{margin}(?:- |  )", lines[end]) and not _RUBRIC.match(lines[end]):
            end += 1
        found += [Rubric(lines, items, margin, False) for items in _runs(lines, range(at + 1, end), margin)]
        inner = margin + "  "
        paths = [at for at in range(at + 1, end) if lines[at].startswith(f"{margin}- - ")]
        for first, behind in zip(paths, [*paths[1:], end], strict=False):
            plain = [
                f"{inner}{lines[first][len(inner) :]}" if at == first else lines[at] for at in range(first, behind)
            ]
            moved = [*lines[:first], *plain, *lines[behind:]]
            items = next(iter(_runs(moved, range(first, behind), inner)))
            found.append(Rubric(lines, items, inner, True))
    return [each for each in found if len(each.items) > each.is_path]


def _runs(lines: Lines, where: range, margin: str) -> list[list[range]]:
    """The items of a list, without its paths."""
    starts = [at for at in where if lines[at].startswith(f"{margin}- ")]
    ends = [*starts[1:], where.stop]
    items = [range(start, end) for start, end in zip(starts, ends, strict=True)]
    kept = [item for item in items if not lines[item.start].startswith(f"{margin}- - ")]
    return [kept] if kept else []


def _placed(rng: Random, cut: Cut, *, has_above: bool, is_path: bool) -> tuple[str, str]:
    """A place for the cursor where what was cut is to come back, and the text with ¦ at it."""
    lines, at, margin = cut.lines, cut.at, cut.margin
    above, below = lines[at - 1], lines[at] if at < len(lines) else ""
    places: dict[str, Callable[[], Lines]] = {
        "lone dash": lambda: [*lines[:at], f"{margin}- ¦", *lines[at:]],
        "lone dash without space": lambda: [*lines[:at], f"{margin}-¦", *lines[at:]],
        "before a lone dash": lambda: [*lines[:at], f"{margin}¦- ", *lines[at:]],
        "at the left of a lone dash": lambda: [*lines[:at], f"¦{margin}- ", *lines[at:]],
        "behind the line above": lambda: [*lines[: at - 1], above + "¦", *lines[at:]],
        "blank line": lambda: [*lines[:at], "¦", *lines[at:]],
        "blank line, indented": lambda: [*lines[:at], f"{margin}¦", *lines[at:]],
        "below a blank line": lambda: [*lines[:at], "", f"{margin}¦", *lines[at:]],
    }
    if below.startswith(f"{margin}- ") and not (is_path and not below.startswith(margin)):
        places["at the left of the next item"] = lambda: [*lines[:at], "¦" + below, *lines[at + 1 :]]
        places["before the next item"] = lambda: [*lines[:at], f"{margin}¦{below[len(margin) :]}", *lines[at + 1 :]]
    if has_above and above.startswith(f"{margin}- ") and len(above) > 20:
        middle = above.index(" ", len(margin) + 4) + 1
        places["within the line above"] = lambda: [*lines[: at - 1], f"{above[:middle]}¦{above[middle:]}", *lines[at:]]
    if at == len(lines):
        places["end of the file"] = lambda: [*lines, "¦"]
    name = rng.choice(list(places))
    made = places[name]()
    if name == "end of the file" or (at == len(lines) and rng.random() < 0.5):
        return name, "\n".join(made)
    return name, _text(made)


# --- Keys, prompts and files


def _blocks(lines: Lines, pattern: re.Pattern[str]) -> list[range]:
    """The lines of each key that begins as in `pattern`, up to the next line that is no further in."""
    found: list[range] = []
    for at, line in enumerate(lines):
        if pattern.match(line):
            indent = len(line) - len(line.lstrip())
            end = at + 1
            while end < len(lines) and (
                lines[end][: indent + 1].isspace() or re.match(rf" {{{indent}}}- ", lines[end])
            ):
                end += 1
            found.append(range(at, end))
    return found


def _keys(rng: Random) -> Made | None:
    lines, margin = laid_out(rng)
    pattern = rng.choice(("should", "should_not", "ideal", "messages", "prompt"))
    found = _blocks(lines, re.compile(f"{margin}{pattern}:"))
    if not found:
        return None
    where = rng.choice(found)
    form, rows = as_keys(rng, list(lines[where.start : where.stop]), margin)
    cut = Cut([*lines[: where.start], *lines[where.stop :]], where.start, margin)
    slip, rows = slip_of_keys(rng, rows)
    place, before = _placed_at_key(rng, cut)
    return (pattern, form, place, slip), before, copied(rng, rows, slip), (_text(lines),)


def _prompts(rng: Random) -> Made | None:
    lines = blueprint(rng, 3)
    starts = [at for at, line in enumerate(lines) if line.startswith("- id:")]
    number = rng.randrange(3)
    ends = [*starts[1:], len(lines)]
    first, after = starts[number], ends[rng.randrange(number, 3)]
    if first == starts[0] and after == len(lines):
        return None
    form, rows = as_keys(rng, list(lines[first:after]), "")
    slip, rows = slip_of_keys(rng, rows)
    cut = Cut([*lines[:first], *lines[after:]], first, "")
    place, before = _placed_at_key(rng, cut)
    return ("prompts", form, place, slip), before, copied(rng, rows, slip), (_text(lines),)


def _whole(rng: Random) -> Made | None:
    lines = blueprint(rng, rng.randint(1, 3))
    header = lines.index("---")
    start = rng.choice((0, 0, header, header + 1))
    form, rows = as_keys(rng, lines[start:], "")
    slip, rows = slip_of_keys(rng, rows)
    before = rng.choice(("¦", "¦\n", "\n¦")) if not start else _text(lines[:start]) + "¦"
    return ("file", form, f"from line {start and 'header'}", slip), before, copied(rng, rows, slip), (_text(lines),)


def _placed_at_key(rng: Random, cut: Cut) -> tuple[str, str]:
    lines, at, margin = cut.lines, cut.at, cut.margin
    above, below = lines[at - 1], lines[at] if at < len(lines) else ""
    places: dict[str, Lines] = {
        "blank line": [*lines[:at], "¦", *lines[at:]],
        "blank line, indented": [*lines[:at], f"{margin}¦", *lines[at:]],
        "blank line, further in": [*lines[:at], f"{margin}    ¦", *lines[at:]],
        "behind the line above": [*lines[: at - 1], above + "¦", *lines[at:]],
    }
    if below:
        places["at the left of the line below"] = [*lines[:at], "¦" + below, *lines[at + 1 :]]
    found = re.match(r"( +)- ", above)
    if found:
        places["lone dash above"] = [*lines[:at], f"{found[1]}- ¦", *lines[at:]]
    if not margin:
        places["lone dash"] = [*lines[:at], "- ¦", *lines[at:]]
    if at == len(lines):
        places["end of the file"] = [*lines, "¦"]
    name = rng.choice(list(places))
    return name, "\n".join(places[name]) + ("" if at == len(lines) and rng.random() < 0.5 else "\n")


# --- Prose


def _prose(rng: Random) -> Made | None:
    lines, margin = laid_out(rng)
    keys = [at for at, line in enumerate(lines) if re.match(rf"{margin}(prompt|ideal): [^|]", line)]
    if not keys:
        return None
    at = rng.choice(keys)
    margin += "  "
    key = lines[at].partition(":")[0] + ":"
    value = lines[at].partition(": ")[2]
    rows = [criterion(rng), *(rng.choice(_PROSE).format(rng.randint(1000, 9999)) for _ in range(rng.randint(1, 5)))]
    rng.shuffle(rows)
    rows = [row for number, row in enumerate(rows) if row.strip() or 0 < number < len(rows) - 1] or ["a"]
    head, tail = lines[:at], lines[at + 1 :]
    clipboard = rows if rng.random() < 0.7 else [" " * 4 + row if row else row for row in rows]
    plain = [f"{key} |2", *(margin + row if row else "" for row in rows)]
    behind = [f"{key} |", f"{margin}{value}{rows[0]}", *(margin + row for row in rows[1:])]
    below = [f"{key} |", margin + value, *plain[1:]]
    places: dict[str, tuple[Lines, Lines]] = {
        "behind the colon": ([f"{key}¦"], plain),
        "behind the colon and a space": ([f"{key} ¦"], plain),
        "in quotes": ([f'{key} "¦"'], plain),
        "in single quotes": ([f"{key} '¦'"], plain),
        "below the key": ([key, f"{margin}¦"], plain),
        "in an empty block": ([f"{key} |", f"{margin}¦"], plain),
        "at the left of an empty block": ([f"{key} |", "¦"], plain),
        "below a block's text": ([f"{key} |", f"{margin}{value}", f"{margin}¦"], below),
        "behind a block's text": ([f"{key} |", f"{margin}{value}¦"], behind),
        "behind the text": ([f"{key} {value}¦"], behind),
        "behind Enter": ([f"{key} {value}", f"{margin[2:]}¦"], below),
        "behind Enter, in quotes": ([f"{key} {json.dumps(value)}", f"{margin[2:]}¦"], below),
    }
    place = rng.choice(list(places))
    before, meant = places[place]
    text = copied(rng, clipboard, "")
    if place.startswith("behind Enter") and "\n" not in text.strip():
        return None  # one line goes where the cursor is
    meant = below if text[:1] in "\r\n" and place.endswith("text") else meant
    texts = tuple(_text([*head, *each, *tail]) for each in (meant, below))
    return ("prose", key.strip(), place), _text([*head, *before, *tail]), text, texts
