"""The slips and mixtures by which a blueprint is spoiled, each made at one seeded line of one prompt."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import TypeAlias

from tests.engine.short_cases import text_of

Lines: TypeAlias = list[str]
Spoil: TypeAlias = Callable[[Lines, int, Random], Lines | None]
"""Spoils the line at an index of the lines of a file; None where the line has no room for the slip."""

ITEM = re.compile(r"^( *)((?:- )+)(\S.*)$")
KEY = re.compile(r"^( *(?:- )*)([a-z_]+):(?: (.*))?$")
_CRITERIA = ("Mentions what was pasted", "Says where it came from", "Names a pasted thing")

_WHOLE = re.compile(
    "below|brace|bracket|bold|flow|quot|end of|box|table|broken|within|link|element|row|HTML|fence|before|behind|"
    "one line"
)

SPOILS: dict[str, Spoil] = {}


def _spoil(name: str) -> Callable[[Spoil], Spoil]:
    def added(make: Spoil) -> Spoil:
        SPOILS[name] = make
        return make

    return added


def _line(name: str, pattern: re.Pattern[str], write: Callable[[re.Match[str], Random], str | Sequence[str]]) -> None:
    """A slip that writes the lines that match `pattern` in another way."""

    def make(lines: Lines, at: int, rng: Random) -> Lines | None:
        match = pattern.match(lines[at])
        is_whole = _WHOLE.search(name) is not None  # a slip that closes or follows a text needs its last line
        if match is None or (at + 1 < len(lines) and is_whole and _goes_on(lines[at], lines[at + 1])):
            return None
        written = write(match, rng)
        if isinstance(written, str):
            return [*lines[:at], written, *lines[at + 1 :]]
        below = lines[at + 1] if len(written) > 1 and at + 1 < len(lines) else ""
        if below.startswith(" ") and ITEM.match(below) is None and KEY.match(below) is None:
            return None  # the words that go on there would belong to the last of the lines
        return [*lines[:at], *written, *lines[at + 1 :]]

    SPOILS[name] = make


_PLAIN = re.compile(r"^( *)- ([A-Z][^:#]*)$")
_CHECK = re.compile(r"^( *)((?:- )+)(\$\w+): ([^#]*)$")
_SUB = re.compile(r"^( {5,})(weight|citation): (.*)$")
_TEXT = re.compile(r"^( *)((?:- )+)text: (.*)$")
_BLOCK_KEY = re.compile(r"^( +)(should|should_not|messages):$")
_FIELD = re.compile(r"^( *)(prompt|ideal): ([A-Z].*)$")
_RUBRIC = re.compile(r"^( +)(should|should_not):$")
_ITEM_AFTER = re.compile(r"^( *)- (\S.*)$")
_PROMPT = re.compile(r"^( *)- (id: .*)$")

_CHOICE = re.compile(r"⟨([^⟩]*)⟩")
_PATTERNS = {
    "point": _PLAIN, "check": _CHECK, "sub key": _SUB, "text": _TEXT, "block key": _BLOCK_KEY, "field": _FIELD,
    "rubric": _RUBRIC, "item": _ITEM_AFTER, "prompt": _PROMPT,
}  # fmt: skip


def _template(name: str, pattern: str, template: str) -> None:
    """A slip that fills a template with the groups of the line, and with parts of the last of them; ⏎ stands between
    two lines, and of ⟨one¦other⟩ one is chosen."""

    def write(match: re.Match[str], rng: Random) -> str | Sequence[str]:
        chosen = _CHOICE.sub(lambda found: rng.choice(found[1].split("¦")), template)
        first, rest = _halves(match[match.lastindex or 0], "⏎").split("⏎") if "{first}" in chosen else ("", "")
        written = chosen.format(
            match[0],
            *match.groups(),
            first=first,
            rest=rest,
            bare=_bare(match[match.lastindex or 0]),
            blanks=" " * len(match[2]),
            name=match[match.re.groups - 1].removeprefix("$"),
            outer=match[1][1:],
        )
        return written.split("⏎") if "⏎" in written else written

    _line(name, _PATTERNS[pattern], write)


for _row in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines():
    _template(*text_of(_row).split(" ⇐ "))

_line("sub key at the dash", _SUB, lambda m, r: f"{m[1][2:]}{m[2]}: {m[3]}")
_line("sub key as an item", _SUB, lambda m, r: f"{m[1][2:]}- {m[2]}: {m[3]}")
_line("quoted check", _CHECK, lambda m, r: f'{m[1]}{m[2]}"{m[3]}: {m[4].replace(chr(34), chr(39))}"')
_line("alias", _PLAIN, lambda m, r: f"{m[1]}- *{m[2].split()[0].lower()}")
_line("anchor", _PLAIN, lambda m, r: f"{m[1]}- &{m[2].replace(' ', ' ', 1)}")
_line(
    "bullets below", _PLAIN, lambda m, r: [m[0], *_pasted(r, r.choice("*•-–") + " ", r.choice(("", m[1], m[1] + "  ")))]
)
_line("numbers below", _PLAIN, lambda m, r: [m[0], *_pasted(r, "1. ", r.choice(("", m[1], m[1] + "  ")))])
_line("lines without dash below", _PLAIN, lambda m, r: [m[0], *_pasted(r, "", r.choice(("", m[1], m[1] + "  ")))])
_line(
    "bullets in an ideal",
    _FIELD,
    lambda m, r: [m[0], *_pasted(r, r.choice("*•-–") + " ", r.choice(("", m[1], m[1] + "  ")))],
)
_line("no separator", re.compile(r"^---$"), lambda m, r: [])
_line("key in capitals", _RUBRIC, lambda m, r: f"{m[1]}{m[2].capitalize()}:")
_line("key misspelt", _RUBRIC, lambda m, r: f"{m[1]}{m[2].replace('ou', 'uo')}:")

_line("no-break spaces within", _PLAIN, lambda m, r: f"{m[1]}- {m[2].replace(' ', chr(0xA0), 3)}")
_line("numbers with blank lines", _PLAIN, lambda m, r: [_numbered(m, r), "", _numbered(m, r, _CRITERIA), ""])
_line("bullets within a point", _PLAIN, lambda m, r: [m[0], *_pasted(r, r.choice("◦•*-–") + " ", m[1] + "    ")])
_line("bold first words", _PLAIN, lambda m, r: re.sub(r"- (\S+) ", r"- **\1:** ", m[0], count=1))
_line("capital check", _CHECK, lambda m, r: f"{m[1]}{m[2]}${m[3][1:].capitalize()}: {m[4]}")
_line("a quoted first word", _PLAIN, lambda m, r: re.sub(r"- (\S+) ", r'- "\1" ', m[0], count=1))
_line("single quotes with an apostrophe", _PLAIN, lambda m, r: f"{m[1]}- 'It's that it {m[2][0].lower()}{m[2][1:]}'")
_line("a quoted end", _PLAIN, lambda m, r: re.sub(r"(?<=\w) (\S+)$", r' "\1"', m[0]))
_line("rest of the line deleted", _CHECK, lambda m, r: f"{m[1]}{m[2]}{m[3][: r.randint(2, len(m[3]))]}")
_line("rest of the key deleted", _SUB, lambda m, r: [f"{m[1]}{m[2]}: {m[3]}", f"{m[1]}{'weight'[: r.randint(2, 6)]}"])


@_spoil("no dash in the rubric")
def _no_dashes(lines: Lines, at: int, rng: Random) -> Lines | None:
    return _rewritten(lines, at, lambda line: re.sub(r"^( *)- (?=[A-Z])", r"\1", line))


@_spoil("bullets in the rubric")
def _all_bullets(lines: Lines, at: int, rng: Random) -> Lines | None:
    sign = rng.choice("*•–")
    return _rewritten(lines, at, lambda line: re.sub(r"^( *)- (?=[A-Z])", rf"\g<1>{sign} ", line))


@_spoil("numbers in the rubric")
def _all_numbers(lines: Lines, at: int, rng: Random) -> Lines | None:
    return _rewritten(lines, at, lambda line: re.sub(r"^( *)- (?=[A-Z])", rf"\g<1>{rng.randint(1, 9)}. ", line))


@_spoil("no-break spaces for the indentation")
def _no_break(lines: Lines, at: int, rng: Random) -> Lines | None:
    return _rewritten(lines, at, lambda line: re.sub(r"^ +", lambda found: "\xa0" * len(found[0]), line))


def _rewritten(lines: Lines, at: int, write: Callable[[str], str]) -> Lines | None:
    """The lines of the rubric whose key is at `at`, each written anew."""
    key = _RUBRIC.match(lines[at])
    if key is None:
        return None
    end = at + 1
    while (end < len(lines) and lines[end].startswith(key[1] + " ")) or (
        end < len(lines) and lines[end].startswith(key[1] + "-")
    ):
        end += 1
    made = [*lines[: at + 1], *map(write, lines[at + 1 : end]), *lines[end:]]
    return None if made == lines else made


@_spoil("the block not indented")
def _unindented(lines: Lines, at: int, rng: Random) -> Lines | None:
    if not _RUBRIC.match(lines[at]):
        return None
    end = at + 1
    while end < len(lines) and lines[end].startswith("  ") and not _RUBRIC.match(lines[end]):
        end += 1
    return [*lines[: at + 1], *(line.strip() for line in lines[at + 1 : end]), *lines[end:]]


@_spoil("rubric key within a message")
def _in_message(lines: Lines, at: int, rng: Random) -> Lines | None:
    if not re.match(r"^ +- user: ", lines[at]) or at + 1 == len(lines) or not _RUBRIC.match(lines[at + 1]):
        return None
    margin = lines[at].index("-") + 2
    return [*lines[: at + 1], f"{' ' * margin}{lines[at + 1].strip()}", *lines[at + 2 :]]


@_spoil("wide colon below a block text")
def _wide_below_block(lines: Lines, at: int, rng: Random) -> Lines | None:
    if not _RUBRIC.match(lines[at]) or not at or KEY.match(lines[at - 1]) or ITEM.match(lines[at - 1]):
        return None
    return [*lines[:at], lines[at].replace(":", "："), *lines[at + 1 :]]


@_spoil("lines joined")
def _joined(lines: Lines, at: int, rng: Random) -> Lines | None:
    if at + 1 == len(lines) or not _PLAIN.match(lines[at]) or not ITEM.match(lines[at + 1]):
        return None
    if at + 2 < len(lines) and _goes_on(lines[at + 1], lines[at + 2]) and not KEY.match(lines[at + 2]):
        return None
    return [*lines[:at], lines[at] + lines[at + 1], *lines[at + 2 :]]


@_spoil("key below its first point")
def _swapped(lines: Lines, at: int, rng: Random) -> Lines | None:
    if not _RUBRIC.match(lines[at]) or at + 2 >= len(lines) or not ITEM.match(lines[at + 2]):
        return None
    if not _FIELD.match(lines[at - 1]):  # below a list or a block text, the point belongs there
        return None
    return [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]


@_spoil("rest of the rubric one column off")
def _rest_off(lines: Lines, at: int, rng: Random) -> Lines | None:
    if not _PLAIN.match(lines[at]):
        return None
    end, by = at, rng.choice((-1, 1, 2))
    while end < len(lines) and lines[end].startswith("  ") and not _RUBRIC.match(lines[end]):
        end += 1
    moved = [line[-by:] if by < 0 else " " * by + line for line in lines[at:end]]
    return [*lines[:at], *moved, *lines[end:]]


@_spoil("rows of a sheet in the rubric")
def _sheet(lines: Lines, at: int, rng: Random) -> Lines | None:
    return _rewritten(lines, at, lambda line: re.sub(r"^ *- (?=[A-Z])(.*)$", rf"{rng.randint(1, 9)}\t\1", line))


@_spoil("elements of JSON in the rubric")
def _json(lines: Lines, at: int, rng: Random) -> Lines | None:
    return _rewritten(lines, at, lambda line: re.sub(r'^( *)- (?=[A-Z])([^"]*)$', r'\1"\2",', line))


@_spoil("blank lines in the rubric")
def _spaced(lines: Lines, at: int, rng: Random) -> Lines | None:
    return _rewritten(lines, at, lambda line: re.sub(r"^( *)- (?=[A-Z])", rf"\n\g<1>{rng.randint(1, 9)}. ", line))


def _goes_on(line: str, following: str) -> bool:
    """Whether the text of `line` goes on in the line that follows."""
    return len(following) - len(following.lstrip()) > len(line) - len(line.lstrip()) and not ITEM.match(following)


def _halves(text: str, between: str) -> str:
    words = text.split(" ")
    places = [at for at, word in enumerate(words) if at and word[:1].islower()] or [max(len(words) // 2, 1)]
    half = places[len(places) // 2]  # before a word in lower case, as within a sentence
    return f"{' '.join(words[:half])}{between}{' '.join(words[half:])}"


def _pasted(rng: Random, sign: str, margin: str) -> list[str]:
    return [f"{margin}{sign}{text} {rng.randint(1, 999)}" for text in rng.sample(_CRITERIA, 2)]


def _numbered(match: re.Match[str], rng: Random, others: Sequence[str] = ()) -> str:
    text = f"{rng.choice(others)} {rng.randint(100, 999)}" if others else match[2]
    return f"{match[1]}{rng.randint(1, 12)}. {text}"


def _bare(text: str) -> str:
    """An argument without its quotes."""
    return text.strip("'\"")
