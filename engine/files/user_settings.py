"""The user's settings, saved in `settings.json`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeAlias

from msgspec import Meta, Struct, ValidationError, convert, to_builtins

from engine.files.exclusive_lock import exclusively
from engine.files.own_files import Damaged, OwnFile, parse_settings, settings_path
from engine.text.record import Record, field

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
    """The judges of criteria: the name of a `JudgesAs`, or "" if only the author grades."""
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
    panes: dict[int, dict[str, int]] = field(default_factory=dict[int, dict[str, int]])
    """Sizes of panes, by the width of the screen in columns and the name of the pane."""
    answers: dict[str, SavedAnswers] = field(default_factory=dict[str, SavedAnswers])
    """The chosen answer sources, by the path of the file."""
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
