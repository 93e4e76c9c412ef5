"""What is saved between two starts: the user's settings, recent files, places of cursors, and answers being written.

Answers that the author writes or edits are in the database only once they are run or accepted. Until then they are in
files of their own for each blueprint, so that no end of the studio loses them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from msgspec import Meta, Struct, ValidationError, convert, to_builtins

from engine.files.atomic import answers_in_time
from engine.files.own_files import Damaged, OwnFile, parse_as, parse_settings, settings_path, state_dir
from engine.files.processes import exclusively
from engine.text.record import Record, field
from engine.text.spans import LineIndex, Position

_LOCK_SECONDS = 2.0
"""How long to wait for another studio that changes the settings. It may have been stopped."""


_Finite: TypeAlias = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max)]
_Seconds: TypeAlias = Annotated[float, Meta(gt=0, le=sys.float_info.max)]


class SavedAnswers(Record):
    """The answer source chosen for one file, with its options."""

    kind: str
    """`ideal`, `response`, `control`, `fixtures` or `model`."""
    value: str = ""
    """The name of the control answer, the path of the fixtures, or the id of the model."""
    base_url: str | None = None
    """The base URL that the author entered for the model."""
    more: tuple[SavedAnswers, ...] = ()
    """Further sources, run together with this one."""
    variants: tuple[str, ...] = ()
    """The variants that models answer, each by its suffix in the key of a result."""
    judges: str = ""
    """The judges of criteria: the name of a `JudgesAs`, the model of a `OneJudge`, or "" if only the author grades."""
    judges_at: str | None = None
    """The base URL of the server at which `judges` is the name of a model."""
    max_tokens: int | None = None
    """The upper bound of tokens of a model's answer; None for `Settings.max_tokens`."""


class SavedCap(Record):
    """The limits of one run in dollars and requests; None for no limit."""

    dollars: _Finite | None = None
    requests: int | None = None


class Settings(Struct):
    """The settings file, `settings.json`. `unknown` are further keys in the file, which are preserved."""

    name: str = ""
    """The author's name as it stands in cases; "" for none."""
    theme: str = "studio-dark"
    """The colour theme."""
    wrap: bool = True
    """Whether the editor wraps long lines."""
    answers: dict[str, SavedAnswers] = field(default_factory=dict[str, SavedAnswers])
    """The chosen answer sources, by the path of the file."""
    servers: list[str] = field(default_factory=list[str])
    """The base URLs of the author's own servers, whose models are listed."""
    consented: list[str] = field(default_factory=list[str])
    """Recipients that the author consented to: the host, the kind of text, and the variables sent along."""
    drafted: list[str] = field(default_factory=list[str])
    """Digests of the criteria that were drafted from an ideal and taken, the newest last."""
    cap: SavedCap = SavedCap()
    """The limits of one run."""
    ask_above: _Finite = 0.5
    """Dollars. A run that may cost more always needs a confirmation."""
    max_tokens: int | None = None
    """The upper bound of tokens of a model's answer; None for Weval's 1,500."""
    answer_seconds: _Seconds | None = None
    """How long a model's answer may take from request to end; None for ten minutes."""
    unknown: dict[str, object] = field(default_factory=dict[str, object])

    @classmethod
    def load(cls) -> Settings:
        """The settings as saved, or the defaults; a damaged file is set aside. Blocks."""
        return _file().load() or cls()

    def save(self) -> None:
        """Write the settings; a file that was damaged meanwhile is set aside first. Raises `OSError`."""
        _file().write(self.content())

    def copied(self) -> Settings:
        """Settings that share nothing with these."""
        return _parse(self.content())

    def content(self) -> bytes:
        """The settings as JSON."""
        known: dict[str, Any] = to_builtins(self, str_keys=True)
        return json.dumps(known | known.pop("unknown"), ensure_ascii=False, indent=2).encode()


Change: TypeAlias = Callable[[Settings], object]


def change_saved(present: Settings | None, changes: Sequence[Change]) -> Settings:
    """Apply `changes` to the settings on disk, which another studio may have written, and write them; the result.

    Where none are on disk, or damaged ones, the changes are applied to a copy of `present`, or to the defaults. Blocks.
    Raises `OSError`.
    """
    with exclusively("settings", seconds=_LOCK_SECONDS):
        settings = _file().load() or (Settings() if present is None else present.copied())
        for change in changes:
            change(settings)
        settings.save()
    return settings


def _file() -> OwnFile[Settings]:
    return OwnFile(settings_path(), _parse)


def _parse(content: bytes) -> Settings:
    written = parse_settings(content)
    known = {key: written.pop(key) for key in Settings.__struct_fields__[:-1] if key in written}
    try:
        settings = convert({**known, "unknown": written}, Settings, strict=False, str_keys=True)
    except ValidationError as error:
        key = re.search(r"\$\.(\w+)", str(error))
        raise Damaged(f"the value of `{key[1] if key else ''}` is unusable") from error
    settings.content()  # unknown keys may hold what cannot be written back
    return settings


_MAX_FILES = 200
_LONGEST_LINE = 120
"""Code points that are kept of a line, to find it again."""


class CursorPlace(Record, array_like=True):
    """A place in a text: line and column from 0, in code points, and how that line begins."""

    line: Annotated[int, Meta(ge=0)]
    column: Annotated[int, Meta(ge=0)]
    text: str


def place_in(text: str, offset: int) -> CursorPlace:
    """The place of an offset of `text`."""
    lines = LineIndex(text)
    position = lines.position(offset)
    return CursorPlace(position.line, position.column, lines.line(position.line)[:_LONGEST_LINE])


def offset_in(text: str, place: CursorPlace) -> int:
    """The offset of a place in `text`, which may have changed since: in the nearest line that reads the same.

    If no line does, it is in the line of the same number, or at the end of the text.
    """
    lines = LineIndex(text)

    def reads_the_same(number: int) -> bool:
        return lines.line(number)[:_LONGEST_LINE] == place.text

    number = place.line
    if number >= lines.line_count or not reads_the_same(number):
        same = filter(reads_the_same, range(lines.line_count))
        number = min(same, key=lambda each: abs(each - place.line), default=place.line)
    return lines.offset(Position(number, place.column))


def recalled_cursor(path: Path, text: str) -> int:
    """The offset of the cursor in the file at `path` when it was last closed; 0 if unknown. Never raises. Blocks."""
    place = (_cursor_file().load() or {}).get(str(path.absolute()))
    return 0 if place is None else offset_in(text, place)


def remember_cursor(path: Path, place: CursorPlace) -> None:
    """Save where the cursor is in the file at `path`. Blocks. Raises `OSError`."""
    with exclusively("cursors", seconds=_LOCK_SECONDS):
        places = _cursor_file().load() or {}
        places.pop(str(path.absolute()), None)
        places[str(path.absolute())] = place
        _cursor_file().write(json.dumps(to_builtins(dict(list(places.items())[-_MAX_FILES:]))).encode())


def _cursor_file() -> OwnFile[dict[str, CursorPlace]]:
    return OwnFile(
        state_dir() / "cursors.json", lambda content: parse_as(dict[str, CursorPlace], content, "it holds no places")
    )


_MOST_RECENT = 12
_SECONDS_TO_ANSWER = 1.0
"""How long all files together may take: one may be on a network mount whose server is gone."""


def recent_files() -> list[Path]:
    """Up to twelve recently opened files that still exist, newest first. A damaged list is set aside. Blocks.

    A file whose place does not answer is left out.
    """
    paths = _listed()
    answers = answers_in_time([partial(_is_file, path) for path in paths], _SECONDS_TO_ANSWER)
    return [path for path, is_file in zip(paths, answers, strict=True) if is_file]


def _listed() -> list[Path]:
    return [Path(name) for name in (_recent_file().load() or [])[:_MOST_RECENT]]


def remember_file(path: Path) -> None:
    """Put `path` at the head of the recent files. Raises `OSError`."""
    path = path.absolute()
    with exclusively("recent files"):  # of several studios, each adds its own
        others = [other for other in _listed() if other != path]  # no look at them: their places may not answer
        names = [str(each) for each in (path, *others)][:_MOST_RECENT]
        _recent_file().write(json.dumps(names).encode())


def _recent_file() -> OwnFile[list[str]]:
    return OwnFile(
        state_dir() / "recent.json", lambda content: parse_as(list[str], content, "it holds no list of paths")
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a folder without permission, a name that is too long, or one with NUL
        return False


_MAX_BYTES = 256 << 20
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


def written_answers(blueprint: Path) -> dict[str, str]:
    """The answers by the keys of their prompts (`PromptPlace.prompt`). A damaged file is set aside. Blocks."""
    return _answer_file(blueprint, ".json").load() or {}


def save_written_answers(blueprint: Path, answers: Mapping[str, str]) -> None:
    """Save `answers` beside those that are there; an empty one is removed. Blocks. Raises `OSError`."""
    _save_beside(_answer_file(blueprint, ".json"), blueprint, answers)


def answer_drafts(blueprint: Path) -> dict[str, str]:
    """The answers that were being edited, by keys of the caller. A damaged file is set aside. Blocks."""
    return _answer_file(blueprint, ".drafts.json").load() or {}


def save_answer_drafts(blueprint: Path, drafts: Mapping[str, str]) -> None:
    """Save `drafts` beside those that are there; an empty one is removed. Blocks. Raises `OSError`."""
    _save_beside(_answer_file(blueprint, ".drafts.json"), blueprint, drafts)


def _save_beside(file: OwnFile[dict[str, str]], blueprint: Path, answers: Mapping[str, str]) -> None:
    there = file.load() or {}
    merged = {key: text for key, text in {**there, **answers}.items() if text}
    if merged == there:
        return
    said = {"path": os.fsencode(blueprint).decode("utf-8", "replace"), "answers": merged}
    file.write(_LONE_SURROGATES.sub("\ufffd", json.dumps(said, ensure_ascii=False)).encode())


def _answer_file(blueprint: Path, suffix: str) -> OwnFile[dict[str, str]]:
    name = hashlib.sha256(os.path.realpath(blueprint).encode("utf-8", "surrogateescape")).hexdigest()
    return OwnFile(state_dir() / "answers" / f"{name}{suffix}", _parsed_answers, _MAX_BYTES)


class _Saved(Record):
    answers: dict[str, str]


def _parsed_answers(content: bytes) -> dict[str, str]:
    answers = parse_as(_Saved, content, "it holds no answers").answers
    if any(_LONE_SURROGATES.search(key + text) for key, text in answers.items()):
        raise Damaged("it holds no answers")
    return answers
